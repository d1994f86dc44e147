//! Routes of the console, below `/console` on the admin listener.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{OriginalUri, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_core::time::now_ms;
use tollbridge_operator::{OperatorError, OperatorService};

use crate::actions::{self, Fields};
use crate::page::{Page, PageTemplate, Section, Tab};
use crate::page_context::PageContext;
use crate::pages::{self, TABS};
use crate::sessions::{Session, Sessions};

const COOKIE: &str = "tollbridge_console";
const STYLE: &str = include_str!("../templates/style.css");
/// The icon of the public pages.
const ICON: &str = include_str!("../../site/assets/favicon.svg");
/// Maximum size of a form.
const FORM_BYTES_MAX: usize = 16 << 10;

/// The state of the console.
pub struct Console {
    /// The service that carries out commands.
    pub operator: Arc<OperatorService>,
    /// Sessions of signed-in operators.
    pub sessions: Arc<Sessions>,
    /// Whether the server uses test money only.
    pub sandbox: bool,
}

/// Returns the routes of the console.
pub fn routes(console: Arc<Console>) -> Router {
    Router::new()
        .route("/console/style.css", get(style))
        .route("/console/favicon.svg", get(icon))
        .route("/console/enter", get(enter))
        .route("/console/leave", post(sign_out))
        .route("/console/act", post(act))
        .route("/console", get(home))
        .route("/console/{*path}", get(page))
        .layer(axum::extract::DefaultBodyLimit::max(FORM_BYTES_MAX))
        .layer(from_fn(secure))
        .with_state(console)
}

/// Adds security headers: pages run no scripts, load nothing from other sites, and may not be
/// framed or cached.
async fn secure(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

async fn icon() -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], ICON).into_response()
}

/// Exchanges a single-use link for a session.
async fn enter(State(console): State<Arc<Console>>, OriginalUri(uri): OriginalUri) -> Response {
    let link = Fields::parse(uri.query().unwrap_or_default().as_bytes()).optional("link").unwrap_or_default();
    match console.sessions.enter(&link, now_ms()) {
        Ok(Some(cookie)) => {
            let cookie = format!("{COOKIE}={cookie}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=43200");
            // Serve a page instead of a redirect: browsers send a strict cookie only on navigation
            // from the same site.
            let page = "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=/console\">\
                        <title>Tollbridge console</title><link rel=\"icon\" href=\"/console/favicon.svg\"><p><a href=\"/console\">Go to the console</a></p>";
            ([(header::SET_COOKIE, cookie)], Html(page)).into_response()
        }
        Ok(None) => signed_out("This link was used before, or is older than five minutes."),
        Err(error) => {
            tracing::error!(%error, "cannot create a session");
            (StatusCode::INTERNAL_SERVER_ERROR, "no randomness is available").into_response()
        }
    }
}

fn signed_out(why: &str) -> Response {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tollbridge console</title>\
         <link rel=\"stylesheet\" href=\"/console/style.css\"><main><h1>Sign in</h1><p>{why}</p>\
         <p>Run <code>tollbridge console</code> on this machine, and open the link that it prints.</p></main>"
    );
    (StatusCode::UNAUTHORIZED, Html(page)).into_response()
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|one| one.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

fn session(console: &Console, headers: &HeaderMap) -> Option<Arc<Session>> {
    console.sessions.of(cookie(headers)?, now_ms())
}

async fn home(state: State<Arc<Console>>, uri: OriginalUri, headers: HeaderMap) -> Response {
    page(state, Path(String::new()), uri, headers).await
}

async fn page(
    State(console): State<Arc<Console>>,
    Path(path): Path<String>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Response {
    let Some(session) = session(&console, &headers) else { return signed_out("You are not signed in.") };
    let query = Fields::parse(uri.query().unwrap_or_default().as_bytes());
    let context = PageContext { operator: &console.operator, actor: &session.actor, sandbox: console.sandbox, query };
    match pages::page(&context, &path).await {
        Ok(Some(page)) => show(&console, &session, &page, (StatusCode::OK, None)),
        Ok(None) => problem(&console, &session, &OperatorError::NotFound("there is no such page".to_owned())),
        Err(error) => problem(&console, &session, &error),
    }
}

/// Shows an error of a command as a page, with the result of the last form if it was not shown yet.
fn problem(console: &Console, session: &Session, error: &OperatorError) -> Response {
    let status = match error {
        OperatorError::NotFound(_) => StatusCode::NOT_FOUND,
        OperatorError::Refused(_) => StatusCode::BAD_REQUEST,
        OperatorError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let page = Page { title: "The action failed".to_owned(), sections: Vec::<Section>::new(), ..Page::default() };
    show(console, session, &page, (status, Some(error.to_string())))
}

fn show(
    console: &Console,
    session: &Session,
    page: &Page,
    (status, problem): (StatusCode, Option<String>),
) -> Response {
    let tabs: Vec<Tab> = TABS.into_iter().map(|(path, name)| Tab { path, name, here: path == page.tab }).collect();
    let template = PageTemplate {
        page,
        tabs: &tabs,
        who: session.actor.name(),
        role: session.actor.role().as_str(),
        form_token: &session.form_token,
        sandbox: console.sandbox,
        notice: session.take_notice(),
        problem,
    };
    match template.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "cannot render a console page");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Checks whether a form was sent by a page of this session.
fn is_own_form(headers: &HeaderMap, session: &Session, fields: &Fields) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    let token = fields.optional("form_token").unwrap_or_default();
    site.is_none_or(|site| site == "same-origin") && token == session.form_token
}

async fn sign_out(State(console): State<Arc<Console>>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(session) = session(&console, &headers) else { return signed_out("You are not signed in.") };
    if is_own_form(&headers, &session, &Fields::parse(&body))
        && let Some(cookie) = cookie(&headers)
    {
        console.sessions.end(cookie);
    }
    signed_out("You are signed out.")
}

async fn act(State(console): State<Arc<Console>>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(session) = session(&console, &headers) else { return signed_out("You are not signed in.") };
    let fields = Fields::parse(&body);
    if !is_own_form(&headers, &session, &fields) {
        let error = OperatorError::Refused("this form belongs to another session; reload its page".to_owned());
        return problem(&console, &session, &error);
    }
    let act = match actions::read(&fields) {
        Ok(act) => act,
        Err(why) => return problem(&console, &session, &OperatorError::Refused(why)),
    };
    if session.actor.role() < act.role {
        let (has, needs) = (session.actor.role().as_str(), act.role.as_str());
        let error = OperatorError::Refused(format!("this needs the role {needs}; yours is {has}"));
        return problem(&console, &session, &error);
    }
    let name = fields.optional("command").unwrap_or_default();
    match console.operator.execute(&session.actor, act.command).await {
        Ok(answer) => {
            session.set_notice(actions::describe_result(&name, &answer));
            Redirect::to(&act.then).into_response()
        }
        Err(error) => problem(&console, &session, &error),
    }
}
