//! Anthropic's Messages API, for clients of any provider.
//!
//! 1. [`MessagesRequest`] parses a request and refuses by name the members that the
//!    gateway cannot support.
//! 2. Other providers get the request converted to a chat; [`MessageBuilder`] converts
//!    their answers, complete or streamed, to a message and its events.
//! 3. Anthropic gets the request nearly unchanged, cache marks included, and [`native`]
//!    passes on its answer.
//!
//! `docs/inference.md` lists everything that is lost in translation.

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

pub(crate) use builder::{MessageBuilder, MessageHead, message_from_chat};
pub(crate) use events::{error_event, stop_event};
pub(crate) use request::{ChatForm, MessagesRequest};
