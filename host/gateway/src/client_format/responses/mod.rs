//! OpenAI's Responses API, for clients of any provider.
//!
//! 1. [`ResponsesRequest`] reads a request and refuses by name the members that the gateway cannot
//!    support.
//! 2. Its chat form goes to providers that speak chat; [`ResponseBuilder`] converts their answers,
//!    whole or in pieces, to a response and its events.
//! 3. Providers that speak the format get the request nearly unchanged, and [`native`] passes on
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

pub(crate) use builder::{ResponseBuilder, whole};
pub(crate) use head::{ResponseHead, new_response_id};
pub(crate) use input::kept_input;
pub(crate) use items::kind;
pub(crate) use request::{ChatForm, ResponsesRequest, is_too_long};
