//! The Responses API of OpenAI, for clients of any provider.
//!
//! 1. [`ResponsesRequest`] reads a request and refuses by name what nobody behind
//!    the gateway may do for it.
//! 2. Its chat form goes to providers that speak chat; [`ResponseBuilder`] makes
//!    their answers, whole or in pieces, a response and its events.
//! 3. Providers that speak the format get the request nearly as it came, and
//!    [`native`] passes on what they say under this server's own ids.
//!
//! What is lost on the way is listed in `docs/inference.md`, and nowhere lost
//! besides.

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

pub(crate) use builder::{ResponseBuilder, whole};
pub(crate) use head::{ResponseHead, new_response_id};
pub(crate) use input::kept_input;
pub(crate) use items::kind;
pub(crate) use request::{ChatForm, ResponsesRequest, is_too_long};
