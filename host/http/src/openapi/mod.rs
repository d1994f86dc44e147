//! `/openapi.json`, and the routes that document themselves.
//!
//! A route is registered once, with its handler and its documentation:
//! `Routes` takes no handler without an `Operation`. What the handler's
//! extractors say for themselves (body, query, key, errors) comes from their
//! types; `Operation` adds what only a person can say.

pub(crate) mod bridges;
pub(crate) mod components;
pub(crate) mod document;
mod inputs;
pub(crate) mod operation;
mod rendered;
pub(crate) mod routes;
pub(crate) mod schemas;
pub(crate) mod serve;
