//! Agent to agent over HTTP: the cards and the JSON-RPC endpoint.

mod cards;
mod execute;
mod operations;

use std::sync::Arc;

use axum::Router;

use super::Shared;

pub use operations::{OPERATIONS, request_schema};

pub fn routes() -> Router<Arc<Shared>> {
    cards::routes().merge(execute::routes())
}
