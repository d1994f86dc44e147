//! An HTTP request and its response.

use serde::de::DeserializeOwned;

use crate::error::Error;

/// An HTTP request, built step by step.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method: `GET`, `POST` and so on.
    pub method: String,
    /// Absolute URL, `https://host/path?query`.
    pub url: String,
    /// Headers in the order they were added.
    pub headers: Vec<(String, String)>,
    /// The body; empty for a request without a body.
    pub body: Vec<u8>,
}

/// An HTTP response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// The status, for example 200.
    pub status: u16,
    /// Headers as received, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Request {
    /// Creates a request without headers and body.
    pub fn new(method: &str, url: &str) -> Self {
        Self { method: method.into(), url: url.into(), headers: Vec::new(), body: Vec::new() }
    }

    /// Adds a header. The value may be a secret's placeholder from [`crate::config`],
    /// which the host replaces with the secret.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the request's body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }
}

impl Response {
    /// Returns the value of the first header with this name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns the response unchanged if its status is 2xx, otherwise an `upstream` error with the
    /// status.
    pub fn ok(self) -> Result<Self, Error> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        Err(Error::upstream(format!("the service answered {}", self.status)))
    }

    /// Parses the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|error| Error::upstream(format!("the response is not as expected: {error}")))
    }
}
