//! `/openapi.json`, and the routes that document themselves.
//!
//! A route is registered once, with its handler and its documentation:
//! `Routes` takes no handler without an `Operation`. What the handler's
//! extractors say for themselves (body, query, key, errors) comes from their
//! types; `Operation` adds what only a person can say.

pub mod bridges;
pub mod components;
pub mod document;
mod inputs;
pub mod operation;
mod rendered;
pub mod routes;
pub mod serve;
