//! OAuth 2.1 for MCP clients: discovery, registration, consent and tokens. `access::oauth`
//! implements them; these modules translate to HTTP.
//!
//! Invariants: codes and errors go only to addresses that a client registered; a token is valid for
//! `/mcp` only; access is granted only by a person's click on a page that names the client, the
//! access and the limit.

pub(crate) mod authorize;
pub(crate) mod error;
pub(crate) mod metadata;
pub(crate) mod register;
pub(crate) mod token;
