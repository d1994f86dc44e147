//! Agent to agent over HTTP: the cards, the JSON-RPC endpoint and the routes of
//! the HTTP+JSON binding.

pub(crate) mod cards;
pub(crate) mod execute;
mod operations;
mod refusal;
pub(crate) mod request;
pub(crate) mod rest;
mod rest_error;
