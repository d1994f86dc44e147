//! TLS of a listener: its certificate, and the handshake before the first request of a
//! connection.
//!
//! Invariant: even if the certificate files become invalid, the last valid certificate
//! stays in use.

mod certificate;
mod client_stream;
mod handshake;
mod listener;

#[cfg(test)]
mod tests;

pub use certificate::{CertificateError, ServerCertificate};
pub use client_stream::ClientStream;
pub(crate) use handshake::greet;
pub use listener::{Listener, Tls};
