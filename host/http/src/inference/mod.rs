//! The inference routes, as OpenAI's clients know them, and what was used.
//!
//! Every path is there under `/api/v1`, as the specification has it, and under
//! `/v1`, where most clients look.

pub mod billing;
pub mod chat;
pub mod errors;
pub mod models;
pub mod route;
pub mod usage;
