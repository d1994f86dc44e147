//! What every route has, whatever it does: errors with stable codes in the shape
//! that its clients read, and the documentation that makes `/openapi.json`.
//!
//! A route is registered once, with its handler and its documentation:
//! [`routes::Routes`] takes no handler without an [`operation::Operation`]. What
//! the handler's extractors say for themselves (body, query, key, errors) comes
//! from their types; `Operation` adds what only a person can say.
//!
//! Invariants: a code never changes its meaning; an operation stands in the
//! document once, under its canonical path.
//!
//! Never imports the crate `http`: it knows of no route.

pub mod a2a_operations;
pub mod body_memory;
pub mod bridges;
pub mod components;
pub mod conditional;
pub mod document;
pub mod error;
pub mod error_shape;
pub mod gzip;
pub mod list_page;
pub mod operation;
mod rendered;
pub mod request_line;
pub mod request_meter;
pub mod routes;
pub mod schemas;
