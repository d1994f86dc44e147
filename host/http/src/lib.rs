//! HTTP: routes, errors and pages. The only crate that uses a router; it translates between HTTP
//! and the other crates and makes no decisions.
//!
//! Invariants: every public route passes the admission middleware (`admit`) and is in
//! `/openapi.json` (`tollbridge_api::routes`); every error has one shape (`error`); no error text
//! of another crate reaches a client unless it was written for clients.

mod a2a;
mod account;
mod admit;
mod agents;
mod body;
mod bridges;
mod checkout_session;
mod client_of;
mod connect;
mod did;
mod discovery;
mod earning;
mod error_mapping;
mod facilitator;
mod forward;
mod health;
mod inference;
mod intent_refund;
mod ledger;
mod listen;
mod marketplace;
mod mcp;
mod notify;
mod oauth;
mod openapi;
mod operation_inputs;
mod oracle;
mod owner;
mod pages;
mod path;
mod pay;
mod payments;
mod peer_listener;
mod peers;
mod readiness;
mod reputation;
mod resources;
mod router;
mod rpc_response;
mod rules;
mod state;
mod stripe_events;
mod task_answer;
mod tasks;
mod webhook_deliveries;
mod webhooks;
mod withdrawals;

pub use inference::batch_callers::BatchCallers;
pub use listen::{ReceivedWebhook, listen};
pub use peer_listener::{PeerRouter, peer_router};
pub use peers::{Peers, Standing};
pub use readiness::Readiness;
pub use router::{PublicRouter, router, router_with};
pub use state::{AppState, Settings};
pub use tollbridge_api::request_meter::{REQUEST_SECONDS, REQUEST_SECONDS_BUCKETS};
pub use tollbridge_connections::{RequestHandler, serve};
