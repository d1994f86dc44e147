//! The inference routes in the formats of OpenAI's and Anthropic's clients, and usage reports.
//!
//! Every path exists under `/api/v1`, as the specification requires, and under `/v1`, which most
//! clients use.

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
