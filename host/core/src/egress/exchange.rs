//! A request, its bounds and its response.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use reqwest::Url;

/// A request to a server that a user chose.
#[derive(Clone, Debug)]
pub struct Request {
    /// HTTP method.
    pub method: Method,
    /// URL of the request.
    pub url: Url,
    /// HTTP headers.
    pub headers: HeaderMap,
    /// Body of the request.
    pub body: Bytes,
}

/// A response with its complete body.
#[derive(Clone, Debug)]
pub struct Response {
    /// HTTP status.
    pub status: StatusCode,
    /// HTTP headers.
    pub headers: HeaderMap,
    /// Body of the response.
    pub body: Bytes,
}

/// The time-out of a request and the size limit of its response.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The time-out from connecting to the end of the response body.
    pub time: Duration,
    /// The maximum size of a response body.
    pub response_bytes: usize,
}
