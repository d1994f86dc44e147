//! The Messages API of Anthropic, for clients of any provider.
//!
//! 1. [`MessagesRequest`] reads a request and refuses by name what nobody behind the
//!    gateway may do for it.
//! 2. Its chat form goes to providers that speak chat; [`MessageBuilder`] makes their
//!    answers, whole or in pieces, a message and its events.
//! 3. Anthropic gets the request nearly as it came, marks for its cache included, and
//!    [`native`] passes on what it says.
//!
//! What is lost on the way is listed in `docs/inference.md`, and nowhere lost
//! besides.

mod builder;
#[cfg(test)]
mod builder_tests;
mod content;
mod events;
pub(crate) mod native;
mod request;
#[cfg(test)]
mod round_trip_tests;
mod tools;

pub(crate) use builder::{MessageBuilder, MessageHead, whole};
pub(crate) use events::{error_event, stop_event};
pub(crate) use request::{ChatForm, MessagesRequest};
