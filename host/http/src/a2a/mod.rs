//! Agent to agent over HTTP: the cards and the JSON-RPC endpoint.

pub mod cards;
pub mod execute;
