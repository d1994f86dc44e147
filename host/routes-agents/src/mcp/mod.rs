//! `/mcp`: every bridge as a tool, for programs that speak the Model Context Protocol over HTTP, in
//! both protocol generations; the catalogue as resources, and every agent as a prompt.
//!
//! Invariants: the caller is authenticated before the body is read (API key or OAuth token,
//! otherwise 401 with the place to get a token); no state is kept between requests; a tool call
//! takes the same path as any other call, and is paid from credit, by a payment that its user was
//! asked for, or by a wallet's signature. Only `/v1/paid/mcp` admits callers without an account;
//! there each call must carry its own payment.

pub(crate) mod answer;
pub(crate) mod argument;
pub(crate) mod asking;
pub(crate) mod calls;
pub(crate) mod completions;
pub(crate) mod endpoint;
pub(crate) mod guides;
pub(crate) mod handles;
pub(crate) mod pages;
mod paid;
pub(crate) mod prompts;
pub(crate) mod resources;
pub(crate) mod round;
pub(crate) mod sender;
pub(crate) mod server;
pub(crate) mod tasks;
pub(crate) mod tools;
