//! The routes of models in the formats of OpenAI's and Anthropic's clients, and usage reports.
//!
//! Every path exists under `/api/v1`, as the specification requires, and under `/v1`, which most
//! clients use.
//!
//! Invariants: a request reaches a model through the gateway only; an error has the form that the
//! client's library expects.
//!
//! Never imports another crate of routes, nor `http`.

mod batch_callers;
mod batch_errors;
mod batches;
mod billing;
mod chat;
mod errors;
mod files;
mod form;
mod limits;
mod media;
mod message_batches;
mod messages;
mod models;
mod paid;
mod responses;
mod route;
mod routes;
mod usage;

pub use batch_callers::BatchCallers;
pub use routes::routes;
