//! HTTP requests to the hosts listed in the manifest: the grant `http`.
//!
//! The host sends requests only to public addresses, within the deadline of the call, and
//! follows no redirects. A response of any status is a [`Response`]; if there is no
//! response, the error is [`Error::Upstream`].
//!
//! [`Error::Upstream`]: crate::Error::Upstream

pub(crate) mod message;
mod send;

pub use message::{Request, Response};
pub use send::{get, post_json};
