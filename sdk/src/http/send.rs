//! Sends HTTP requests through the host.

use super::message::{Request, Response};
use crate::{error::Error, host};

/// Sends a GET request to `url`.
pub fn get(url: &str) -> Result<Response, Error> {
    Request::new("GET", url).send()
}

/// Posts `body` as JSON to `url`.
pub fn post_json(url: &str, body: &impl serde::Serialize) -> Result<Response, Error> {
    let body = serde_json::to_vec(body)
        .map_err(|error| Error::internal(format!("cannot serialize the body for {url} as JSON: {error}")))?;
    Request::new("POST", url).header("content-type", "application/json").body(body).send()
}

impl Request {
    /// Sends the request and waits for the whole response.
    pub fn send(self) -> Result<Response, Error> {
        host::send(self)
    }
}
