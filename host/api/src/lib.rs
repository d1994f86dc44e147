//! The foundation of every route: errors with stable codes in the format that
//! clients expect, and the documentation that makes up `/openapi.json`.
//!
//! A route is registered once, with its handler and its documentation:
//! [`routes::Routes`] accepts no handler without an [`operation::Operation`].
//! The documentation of the handler's extractors (body, query, key, errors) is
//! derived from their types; `Operation` adds the rest.
//!
//! Invariants: a code never changes its meaning; an operation appears in the
//! document once, under its canonical path.
//!
//! This crate never imports `web` or a crate of routes, and knows no specific route.

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
