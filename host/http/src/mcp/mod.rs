//! `/mcp`: every bridge as a tool, for programs that speak the Model Context
//! Protocol over HTTP, in both of its eras.
//!
//! Invariants: who calls is known before anything is read (API key or OAuth
//! token, else 401 with the place where one gets a token); nothing is kept
//! between requests; a call of a tool is a call like any other and takes the
//! same path, paid from credit.

pub(crate) mod answer;
pub(crate) mod endpoint;
pub(crate) mod tasks;
pub(crate) mod tools;
pub(crate) mod unauthorized;
