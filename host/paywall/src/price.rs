//! The price of a call, returned for `HEAD` and `OPTIONS` requests: no plugin runs, and
//! nothing is quoted or stored.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use tollbridge_core::plugin_kind::PluginKind;

use crate::Paywall;

/// Header with the price of one call in pounds.
pub const PRICE: HeaderName = HeaderName::from_static("x-price-gbp");
const METHODS: HeaderValue = HeaderValue::from_static("POST,HEAD,OPTIONS");

/// The product whose price a request asks for.
pub struct PriceRequest {
    kind: PluginKind,
    name: String,
    head: bool,
}

/// Returns the product whose price a request asks for; `None` for other requests.
pub fn price_request(request: &Request) -> Option<PriceRequest> {
    let head = match *request.method() {
        Method::HEAD => true,
        Method::OPTIONS => false,
        _ => return None,
    };
    let (kind, name) = sold_at(request.uri().path())?;
    Some(PriceRequest { kind, name: name.to_owned(), head })
}

/// Returns the product sold at a request path.
fn sold_at(path: &str) -> Option<(PluginKind, &str)> {
    let path = path.strip_prefix("/api").unwrap_or(path);
    let (kind, name) = if let Some(name) = path.strip_prefix("/v1/oracle/") {
        (PluginKind::Bridge, name)
    } else if let Some(name) = path.strip_prefix("/v1/paid/agents/") {
        (PluginKind::Agent, name)
    } else {
        (PluginKind::Agent, path.strip_prefix("/v1/agents/")?.strip_suffix("/invoke")?)
    };
    (!name.is_empty() && !name.contains('/')).then_some((kind, name))
}

/// Adds the price to a response. The router answers `HEAD` on these paths with 405; that
/// response is replaced by 200 with the price.
pub fn add_price(paywall: &Paywall, price_request: &PriceRequest, response: &mut Response) {
    let refused = !matches!(response.status(), StatusCode::METHOD_NOT_ALLOWED | StatusCode::OK);
    let Ok(offer) = paywall.catalog.offer(price_request.kind, &price_request.name) else { return };
    if refused {
        return;
    }
    let Ok(price) = HeaderValue::try_from(offer.price.pounds()) else { return };
    let headers = response.headers_mut();
    headers.insert(PRICE, price);
    headers.insert(header::ALLOW, METHODS);
    if price_request.head {
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        *response.body_mut() = Body::empty();
        *response.status_mut() = StatusCode::OK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_prices_and_nothing_else_has() {
        let (bridge, agent) = (PluginKind::Bridge, PluginKind::Agent);
        for (path, sold) in [
            ("/v1/oracle/echo", Some((bridge, "echo"))),
            ("/api/v1/oracle/echo", Some((bridge, "echo"))),
            ("/v1/paid/agents/a-b", Some((agent, "a-b"))),
            ("/v1/agents/a-b/invoke", Some((agent, "a-b"))),
            ("/api/v1/agents/a-b/invoke", Some((agent, "a-b"))),
            ("/v1/agents/a-b", None),
            ("/v1/oracle/", None),
            ("/v1/oracle/a/b", None),
            ("/v1/agents/enqueue", None),
            ("/pay/x", None),
        ] {
            assert_eq!(sold_at(path), sold, "{path}");
        }
    }
}
