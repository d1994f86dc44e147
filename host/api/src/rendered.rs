//! The rendered OpenAPI document: compressed once, and sent only if it changed.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::conditional::names_tag;
use crate::gzip;

/// The document as bytes, plain and compressed.
pub struct Rendered {
    plain: Encoded,
    gzip: Option<Encoded>,
}

/// Bytes with their entity tag.
struct Encoded {
    bytes: Bytes,
    tag: String,
}

impl Rendered {
    /// Encodes a document.
    pub fn new(document: &Value) -> Self {
        let plain = Bytes::from(document.to_string());
        let digest = hex::encode(Sha256::digest(&plain));
        let digest = digest.get(..32).unwrap_or(&digest);
        let compressed = gzip::compressed(&plain).ok();
        Self {
            gzip: compressed.map(|bytes| Encoded { bytes: bytes.into(), tag: format!("\"{digest}-gzip\"") }),
            plain: Encoded { bytes: plain, tag: format!("\"{digest}\"") },
        }
    }

    /// Returns the response to a request with these headers.
    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let gzip = self.gzip.as_ref().filter(|_| gzip::is_accepted(headers));
        let encoded = gzip.unwrap_or(&self.plain);
        let not_modified = names_tag(headers, &encoded.tag);
        let body = if not_modified { Bytes::new() } else { encoded.bytes.clone() };
        let mut response = body.into_response();
        let out = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&encoded.tag) {
            out.insert(header::ETAG, tag);
        }
        out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if not_modified {
            out.remove(header::CONTENT_TYPE);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if gzip.is_some() {
            out.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    #[test]
    fn a_document_that_is_known_is_not_sent_again() {
        let rendered = Rendered::new(&serde_json::json!({ "openapi": "3.1.0" }));
        let first = rendered.answer(&HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers().get(header::ETAG).unwrap().to_str().unwrap().to_owned();
        assert!(tag.starts_with('"'), "{tag} is weak");
        assert_eq!(rendered.answer(&headers(header::IF_NONE_MATCH, &tag)).status(), StatusCode::NOT_MODIFIED);
        let mut compressed = headers(header::IF_NONE_MATCH, &tag);
        compressed.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        assert_eq!(rendered.answer(&compressed).headers().get(header::CONTENT_ENCODING).unwrap(), "gzip");
    }
}
