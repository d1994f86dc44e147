//! Compression of the site's responses. Account pages are never compressed: a page that
//! contains both a secret and text chosen by an attacker would reveal the secret through
//! its compressed size.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tollbridge_api::gzip;

/// Smallest response that is worth compressing.
const BYTES_MIN: u64 = 1 << 10;
/// Maximum size of a page that is compressed.
const BYTES_MAX: usize = 4 << 20;

/// Compresses a response if the client accepts a compressed one.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let wanted = request.method() == Method::GET && gzip::is_accepted(request.headers());
    let mut response = next.run(request).await;
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept-encoding"));
    let size = response.body().size_hint().exact().unwrap_or(0);
    if !wanted || response.status() != StatusCode::OK || size < BYTES_MIN {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(plain) = axum::body::to_bytes(body, BYTES_MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    match gzip::compressed(&plain) {
        Ok(bytes) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Response::from_parts(parts, Body::from(bytes))
        }
        Err(_) => Response::from_parts(parts, Body::from(plain)),
    }
}
