//! `/mcp`: every bridge as a tool, for programs that speak the Model Context
//! Protocol over HTTP, in both of its eras; the catalogue as resources, and every
//! agent as a prompt.
//!
//! Invariants: who calls is known before anything is read (API key or OAuth
//! token, else 401 with the place where one gets a token); nothing is kept
//! between requests; a call of a tool is a call like any other and takes the
//! same path, paid from credit, by a payment that its person was asked for, or by
//! what a wallet signed. Only `/v1/paid/mcp` lets in who has no account: there
//! nothing but the call itself can pay.

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
pub(crate) mod server;
pub(crate) mod tasks;
pub(crate) mod tools;
pub(crate) mod unauthorized;
