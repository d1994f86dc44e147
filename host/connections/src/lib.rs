//! Connections below any route: accepting and serving them, how long each may last,
//! how many there may be, and what a client may do on one without asking for anything.
//!
//! Invariant: a connection that does nothing useful ends by itself, whatever
//! its client sends or does not read, and takes no place that another needs.

mod activity;
mod answer_body;
mod close_reason;
mod connection_table;
mod deadlines;
mod eager;
mod frame_meter;
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
