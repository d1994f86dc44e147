//! OpenAI's Responses API, for clients of any provider.
//!
//! 1. [`ResponsesRequest`] parses a request and refuses by name the members that the
//!    gateway cannot support.
//! 2. Providers without this API get the request converted to a chat; [`ResponseBuilder`]
//!    converts their answers, complete or streamed, to a response and its events.
//! 3. Providers with this API get the request nearly unchanged, and [`native`] passes on
//!    their answers under this server's own ids.
//!
//! `docs/inference.md` lists everything that is lost in translation.

mod builder;
#[cfg(test)]
mod builder_tests;
mod head;
mod input;
mod items;
pub(crate) mod native;
mod parts;
mod request;
#[cfg(test)]
mod round_trip_tests;
mod tools;

pub(crate) use builder::{ResponseBuilder, response_from_chat};
pub(crate) use head::{ResponseHead, new_response_id};
pub(crate) use input::stored_input;
pub(crate) use items::kind;
pub(crate) use request::{ChatForm, ResponsesRequest, is_too_long};
