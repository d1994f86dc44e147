//! Agent to agent over HTTP: the cards and the JSON-RPC endpoint.

mod cards;
mod execute;
mod operations;

use std::sync::Arc;

use axum::Router;

use crate::state::AppState;

pub use operations::{OPERATIONS, request_schema};

pub fn routes() -> Router<Arc<AppState>> {
    cards::routes().merge(execute::routes())
}
