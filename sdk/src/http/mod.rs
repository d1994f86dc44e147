//! HTTP requests to hosts that the manifest names: the grant `http`.
//!
//! The host sends them, without following redirects, to public addresses only and within the deadline of the call.
//! Whatever status a service answers with, the answer is a [`Response`]; no answer is [`Error::Upstream`].
//!
//! [`Error::Upstream`]: crate::Error::Upstream

pub(crate) mod message;
mod send;

pub use message::{Request, Response};
pub use send::{get, post_json};
