//! Connections, independent of any route: accepts and serves them, and limits their
//! number, their lifetime and their control frames.
//!
//! Invariant: a connection that makes no progress is closed, whatever its client sends or
//! leaves unread, and never keeps a slot that another connection needs.

mod activity;
mod answer_body;
mod close_reason;
mod connection_table;
mod deadlines;
mod eager;
mod frame_meter;
pub mod limits;
mod observed_stream;
mod refusal_stream;
mod server;
mod stream_executor;
mod supervision;
mod tls;
mod transport_security;
mod unread_body;

pub use connection_table::ConnectionLimits;
pub use server::{Peer, RequestHandler, serve};
pub use tls::{CertificateError, ClientStream, Listener, ServerCertificate, Tls};
pub use transport_security::transport_security;
