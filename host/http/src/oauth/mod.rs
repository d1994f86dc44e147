//! OAuth 2.1 for MCP clients: where they learn of it, register, ask, and get
//! tokens. `access::oauth` says what each of them is; here it is translated.
//!
//! Invariants: codes and errors go only to addresses that a client registered;
//! a token is good for `/mcp` alone; nothing is granted without a person's
//! click on a page that says to whom, for what and how much.

pub(crate) mod authorize;
pub(crate) mod error;
pub(crate) mod metadata;
pub(crate) mod register;
pub(crate) mod token;
