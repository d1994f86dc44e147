//! The inference routes, as OpenAI's and Anthropic's clients know them, and what was used.
//!
//! Every path is there under `/api/v1`, as the specification has it, and under
//! `/v1`, where most clients look.

pub(crate) mod batch_callers;
pub(crate) mod batches;
pub(crate) mod billing;
pub(crate) mod chat;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod form;
pub(crate) mod media;
pub(crate) mod message_batches;
pub(crate) mod messages;
pub(crate) mod models;
pub(crate) mod paid;
pub(crate) mod responses;
pub(crate) mod route;
pub(crate) mod usage;
