//! The parts of an A2A request that both bindings read in the same way.

use std::collections::BTreeMap;

use aide::generate::GenContext;
use aide::openapi::Operation;
use aide::operation::OperationInput;
use axum::extract::{FromRequest, Query, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use bytes::Bytes;
use tollbridge_access::Principal;
use tollbridge_agents::a2a::RpcError;
use tollbridge_agents::a2a::{ProtocolVersion, RequestContext, X402_EXTENSION};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_paywall::call_headers::{max_cost, spend_limit};
use tollbridge_paywall::mpp;
use tollbridge_paywall::payment_source::named_source;
use tollbridge_web::AppState;
use tollbridge_web::admit::RequestId;
use tollbridge_web::body::{is_json, keeps_platform_rules, read_admitted};
use tollbridge_web::operation_inputs::note_errors;

/// The extension headers of version 1.0 and of earlier versions.
const EXTENSION_HEADERS: [&str; 2] = ["a2a-extensions", "x-a2a-extensions"];

/// The headers, parameters and body of a request. A wrong content type or version is
/// refused later, in the protocol's error format.
pub(crate) struct A2aRequest {
    pub headers: HeaderMap,
    pub query: BTreeMap<String, String>,
    pub body: Bytes,
    /// Whether the body is absent or has a JSON content type.
    pub is_json: bool,
}

impl<S: Send + Sync> FromRequest<S> for A2aRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (Parts { headers, extensions, uri, .. }, body) = request.into_parts();
        let body = read_admitted(body, &extensions).await?;
        let is_json = body.is_empty() || is_json(&headers);
        if is_json {
            keeps_platform_rules(&body)?;
        }
        let query = Query::<BTreeMap<String, String>>::try_from_uri(&uri);
        let Query(query) = query.map_err(|_| ApiError::invalid("", "the query string cannot be parsed"))?;
        Ok(Self { headers, query, body, is_json })
    }
}

impl A2aRequest {
    /// Returns the version that the client asks for, in its header or a parameter.
    pub(crate) fn version(&self) -> Result<ProtocolVersion, RpcError> {
        version(&self.headers, &self.query)
    }

    /// Builds the context of a request: the account, the payment source, the limits and the time.
    pub(crate) fn context(
        &self,
        app: &AppState,
        version: ProtocolVersion,
        principal: &Principal,
        id: &RequestId,
    ) -> Result<RequestContext, ApiError> {
        if mpp::has_credential(&self.headers) {
            return Err(mpp::not_here());
        }
        // Agents are paid from credit unless an intent is named.
        let source = match named_source(&app.paywall, &self.headers)? {
            PaymentSource::Nothing => PaymentSource::Credit,
            other => other,
        };
        Ok(RequestContext {
            version,
            account: principal.account_id.clone(),
            share: principal.share(),
            request_id: id.0.to_string(),
            now_ms: now_ms(),
            source,
            spend: spend_limit(principal),
            max_cost: max_cost(&self.headers)?,
            asks_wallets: activates_x402(&self.headers),
        })
    }
}

/// Checks whether the client activates x402, under either name of the header.
fn activates_x402(headers: &HeaderMap) -> bool {
    let named = EXTENSION_HEADERS.iter().flat_map(|name| headers.get_all(*name));
    let named = named.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    named.map(str::trim).any(|uri| uri == X402_EXTENSION)
}

/// Returns the version named by the header, or by a parameter for clients that cannot set headers.
pub(crate) fn version(headers: &HeaderMap, query: &BTreeMap<String, String>) -> Result<ProtocolVersion, RpcError> {
    let mut named = headers.get_all(ProtocolVersion::HEADER).iter();
    let (first, more) = (named.next(), named.next());
    if more.is_some() {
        return Err(ProtocolVersion::unsupported("send one A2A-Version, not several"));
    }
    match first {
        Some(value) => match value.to_str() {
            Ok(text) => ProtocolVersion::negotiate(Some(text)),
            Err(_) => Err(ProtocolVersion::unsupported("A2A-Version is not plain ASCII")),
        },
        None => {
            let parameter = query.iter().find(|(name, _)| name.eq_ignore_ascii_case(ProtocolVersion::HEADER));
            ProtocolVersion::negotiate(parameter.map(|(_, text)| text.as_str()))
        }
    }
}

impl OperationInput for A2aRequest {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note_errors(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_header_comes_before_a_parameter_and_several_are_none() {
        let headers = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ProtocolVersion::HEADER, HeaderValue::from_static(value));
            }
            headers
        };
        let query = |value: &str| BTreeMap::from([("A2A-Version".to_owned(), value.to_owned())]);
        let none = BTreeMap::new();
        assert_eq!(version(&headers(&[]), &none).unwrap(), ProtocolVersion::V0_3);
        assert_eq!(version(&headers(&["1.0"]), &none).unwrap(), ProtocolVersion::V1);
        assert_eq!(version(&headers(&[]), &query("1.0")).unwrap(), ProtocolVersion::V1);
        assert_eq!(version(&headers(&["0.3"]), &query("1.0")).unwrap(), ProtocolVersion::V0_3);
        assert!(version(&headers(&["1.0", "1.0"]), &none).is_err());
        assert!(version(&headers(&["2.0"]), &none).is_err());
    }
}
