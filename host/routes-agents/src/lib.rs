//! The routes by which programs call bridges and agents (REST, A2A and MCP), and the
//! routes of tasks and stored answers.
//!
//! Invariants: every call takes the path of `Checkout::run` or of a task, whatever its
//! protocol; a protocol changes the form of an answer or error, never its meaning.
//!
//! Never imports another crate of routes, nor `http`.

mod a2a;
mod agent_error;
mod agents;
mod bridges;
mod limits;
mod mcp;
mod oracle;
mod resources;
mod routes;
mod rpc_response;
mod task_answer;
mod tasks;

pub use routes::routes;
