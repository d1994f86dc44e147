//! HTTP requests to hosts that the manifest names: the grant `http`.
//!
//! The host sends the requests to public addresses only, within the deadline of the call and
//! without following redirects. A response of any status is a [`Response`]; a missing response is
//! [`Error::Upstream`].
//!
//! [`Error::Upstream`]: crate::Error::Upstream

pub(crate) mod message;
mod send;

pub use message::{Request, Response};
pub use send::{get, post_json};
