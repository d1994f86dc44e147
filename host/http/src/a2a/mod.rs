//! Agent to agent over HTTP: the cards and the JSON-RPC endpoint.

pub(crate) mod cards;
pub(crate) mod execute;
