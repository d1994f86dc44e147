//! HTTP: one router of the routes of all crates, behind admission; and the routes about
//! the service itself: the ledger, discovery, the x402 facilitator, health,
//! `/openapi.json`.
//!
//! Invariants: every public route passes admission (`tollbridge_web::admit`) and is in
//! `/openapi.json` (`tollbridge_api::routes`); every error has one shape
//! (`tollbridge_api::error`); no error text of another crate reaches a client unless it
//! was written for clients.
//!
//! Never imports `operator` or `console`, which have a separate listener.

mod did;
mod discovery;
mod facilitator;
mod health;
mod ledger;
mod listen;
mod openapi;
mod peer_listener;
mod router;
mod rules;

pub use listen::{ReceivedWebhook, listen};
pub use peer_listener::{PeerRouter, peer_router};
pub use router::{PublicRouter, router, router_with};
pub use tollbridge_api::request_meter::{REQUEST_SECONDS, REQUEST_SECONDS_BUCKETS};
pub use tollbridge_connections::{RequestHandler, serve};
pub use tollbridge_routes_models::BatchCallers;
pub use tollbridge_web::{AppState, HostRole, Peers, Readiness, Settings};
