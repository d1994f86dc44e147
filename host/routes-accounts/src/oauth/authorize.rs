//! The consent page: shows the client, its redirect address and the spending limit, and lets a
//! person allow or deny access.
//!
//! Until the client and its redirect address are verified to belong together, errors are shown on
//! this page; after that they go to the client.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::json;
use tollbridge_access::oauth::{Consent, OauthClient, is_loopback_uri};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::operation::{HTML, Operation, text};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_web::unauthorized::TOKEN_SCOPE;
use tollbridge_web::{AppState, Routes};

use crate::error_mapping::accounts::accounts_error;
use crate::oauth::metadata::resource;
use crate::pages::form::Fields;
use crate::pages::frame::private;
use crate::pages::session::{Posted, Visitor};

/// Maximum length of the `state` parameter, which a client receives back unchanged after
/// the consent.
const STATE_BYTES_MAX: usize = 2_000;

/// The daily spending limit that the page suggests.
const SUGGESTED_LIMIT: &str = "5.00";

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let consent = json!({
        "form_token": text(),
        "client_id": text(),
        "decision": { "enum": ["allow", "deny"] },
        "max_spend_gbp": { "type": "string", "description": "The most that the program may spend in a day" },
    });
    Routes::new("protocols")
        .get(
            "/oauth/authorize",
            page,
            Operation::new(
                "authorize",
                "Consent",
                "The page on which a person grants a program access (RFC 6749, 7636, 8707).",
            )
            .query("response_type", true, "`code`")
            .query("client_id", true, "From the registration")
            .query("redirect_uri", false, "A registered address")
            .query("code_challenge", true, "SHA-256 of the verifier, in base64url")
            .query("code_challenge_method", true, "`S256`")
            .query("scope", false, "`call`")
            .query("state", false, "Returned unchanged")
            .query("resource", false, "The address of /mcp")
            .media(200, "The page", HTML)
            .empty(303, "To the page where the person signs in, or back to the program"),
        )
        .post(
            "/oauth/authorize",
            decide,
            Operation::new("decide", "Decide", "The person's decision on that page; needs the page's session.")
                .form(&["form_token", "decision", "client_id"], consent)
                .empty(303, "Back to the program")
                .errors(&[Code::LacksScope]),
        )
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage<'a> {
    site: &'a str,
    sandbox: bool,
    form_token: &'a str,
    client: &'a str,
    account: &'a str,
    email: String,
    credit: String,
    /// The redirect target's origin, which helps to identify the client.
    goes_to: String,
    local: bool,
    limit: &'a str,
    hidden: Vec<(&'static str, String)>,
}

/// A request with a known client and a registered redirect address.
struct Request {
    client: OauthClient,
    redirect_uri: String,
    state: Option<String>,
}

/// The parameters of an authorization request.
struct AuthorizationParams {
    challenge: String,
    resource: String,
}

/// The reason for refusing a code: an OAuth error code and a sentence.
type Refusal = (&'static str, String);

async fn page(
    State(app): State<Arc<AppState>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let fields = Fields::parse(query.unwrap_or_default().as_bytes());
    let request = Request::read(&app, &fields)?;
    let params = match AuthorizationParams::read(&app, &fields) {
        Ok(params) => params,
        Err(refusal) => return Ok(request.refuse(&app, &refusal)),
    };
    let account = visitor.account();
    let holder = app.accounts.account(account).map_err(accounts_error)?;
    let balance = app.accounts.balance(account).map_err(|error| internal(&error))?;
    let page = private(&ConsentPage {
        site: &app.settings.display_name,
        sandbox: app.settings.sandbox,
        form_token: &visitor.0.form_token,
        client: &request.client.name,
        account,
        email: holder.email.unwrap_or_default(),
        credit: balance.credit.display_gbp(),
        goes_to: origin(&request.redirect_uri),
        local: is_loopback_uri(&request.redirect_uri),
        limit: SUGGESTED_LIMIT,
        hidden: hidden(&request, &params),
    })?;
    Ok(leading_to(page, &origin(&request.redirect_uri)))
}

async fn decide(State(app): State<Arc<AppState>>, posted: Posted) -> Result<Response, ApiError> {
    let fields = &posted.fields;
    let request = Request::read(&app, fields)?;
    if fields.text("decision") != "allow" {
        return Ok(request.refuse(&app, &("access_denied", "the user denied access".to_owned())));
    }
    let params = match AuthorizationParams::read(&app, fields) {
        Ok(params) => params,
        Err(refusal) => return Ok(request.refuse(&app, &refusal)),
    };
    let authority = posted.visitor.0.principal.key_authority();
    authority.check_delegation().map_err(|error| accounts_error(error.into()))?;
    let limit: Millipence = fields
        .text("max_spend_gbp")
        .parse()
        .map_err(|error| ApiError::invalid("/max_spend_gbp", format!("invalid spending limit: {error}")))?;
    let consent = Consent {
        account: posted.visitor.account().to_owned(),
        client: request.client.id.clone(),
        client_name: request.client.name.clone(),
        redirect_uri: request.redirect_uri.clone(),
        challenge: params.challenge,
        resource: params.resource,
        max_spend_per_day: Some(limit),
    };
    let code = app.accounts.delegations.consent(consent, now_ms()).await.map_err(|error| internal(&error))?;
    Ok(request.back(&app, &[("code", &code)]))
}

impl Request {
    /// Reads client and redirect address. Errors here must not be sent to the redirect address,
    /// which is not yet verified.
    fn read(app: &AppState, fields: &Fields) -> Result<Self, ApiError> {
        let invalid = |field: &str, text: &str| Err(ApiError::invalid(field, text));
        let Some(id) = fields.optional("client_id") else { return invalid("/client_id", "client_id is missing") };
        let client = app.accounts.delegations.client(id, now_ms()).map_err(|error| internal(&error))?;
        let Some(client) = client else {
            return invalid("/client_id", "unknown client; the program must register again");
        };
        let redirect_uri = match (fields.optional("redirect_uri"), client.redirect_uris.as_slice()) {
            (Some(address), _) => address.to_owned(),
            (None, [only]) => only.clone(),
            (None, _) => return invalid("/redirect_uri", "redirect_uri is missing"),
        };
        if !client.allows_redirect(&redirect_uri) {
            return invalid("/redirect_uri", "redirect_uri is not registered for this client");
        }
        let state = fields.optional("state").map(str::to_owned);
        if state.as_ref().is_some_and(|state| state.len() > STATE_BYTES_MAX) {
            return invalid("/state", "state is too long");
        }
        Ok(Self { client, redirect_uri, state })
    }

    fn refuse(&self, app: &AppState, (error, description): &Refusal) -> Response {
        self.back(app, &[("error", error), ("error_description", description)])
    }

    /// Redirects back to the client, with the issuer (RFC 9207).
    fn back(&self, app: &AppState, answer: &[(&str, &str)]) -> Response {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(answer);
        if let Some(state) = &self.state {
            query.append_pair("state", state);
        }
        query.append_pair("iss", &app.settings.base_url);
        let joint = if self.redirect_uri.contains('?') { '&' } else { '?' };
        let mut response = Redirect::to(&format!("{}{joint}{}", self.redirect_uri, query.finish())).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        leading_to(response, &origin(&self.redirect_uri))
    }
}

impl AuthorizationParams {
    fn read(app: &AppState, fields: &Fields) -> Result<Self, Refusal> {
        let invalid = |text: &str| Err(("invalid_request", text.to_owned()));
        match fields.text("response_type") {
            "code" => {}
            "" => return invalid("response_type is missing"),
            _ => return Err(("unsupported_response_type", "response_type must be code".to_owned())),
        }
        let challenge = fields.text("code_challenge");
        if challenge.is_empty() {
            return invalid("code_challenge is missing: PKCE is required");
        }
        if fields.text("code_challenge_method") != "S256" {
            return invalid("code_challenge_method must be S256");
        }
        if challenge.len() != 43 || !challenge.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            return invalid("code_challenge is not a base64url SHA-256");
        }
        let scopes = fields.text("scope");
        if !scopes.is_empty() && !scopes.split(' ').any(|scope| scope == TOKEN_SCOPE) {
            return Err(("invalid_scope", format!("the only scope is {TOKEN_SCOPE}")));
        }
        let endpoint = resource(app);
        match fields.optional("resource") {
            // Clients older than RFC 8707 do not send the parameter.
            None => {}
            Some(named) if named.trim_end_matches('/') == endpoint => {}
            Some(_) => return Err(("invalid_target", format!("tokens are issued for {endpoint} only"))),
        }
        // Keep the text as sent: the token request must repeat it exactly.
        let resource = fields.optional("resource").unwrap_or(&endpoint).to_owned();
        Ok(Self { challenge: challenge.to_owned(), resource })
    }
}

/// Returns the fields that the form has to send back.
fn hidden(request: &Request, params: &AuthorizationParams) -> Vec<(&'static str, String)> {
    let mut fields = vec![
        ("client_id", request.client.id.clone()),
        ("redirect_uri", request.redirect_uri.clone()),
        ("response_type", "code".to_owned()),
        ("code_challenge", params.challenge.clone()),
        ("code_challenge_method", "S256".to_owned()),
        ("scope", TOKEN_SCOPE.to_owned()),
        ("resource", params.resource.clone()),
    ];
    fields.extend(request.state.clone().map(|state| ("state", state)));
    fields
}

/// Returns scheme and host of an address, or the scheme alone for an installed app.
fn origin(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once(':') else { return String::new() };
    if scheme != "https" && scheme != "http" {
        return format!("{scheme}:");
    }
    let authority = rest.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default();
    format!("{scheme}://{authority}")
}

/// Allows a page's form to redirect to one more origin: browsers apply the `form-action` policy to
/// redirects too.
fn leading_to(mut response: Response, origin: &str) -> Response {
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' {origin}; frame-ancestors 'none'; base-uri 'none'"
    );
    if let Ok(value) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn origins() {
        for (address, expect) in [
            ("https://app.example/cb?x=1", "https://app.example"),
            ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5000"),
            ("https://app.example:8443?x", "https://app.example:8443"),
            ("cursor://anysphere/mcp", "cursor:"),
        ] {
            assert_eq!(origin(address), expect);
        }
    }
}
