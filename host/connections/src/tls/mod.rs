//! TLS of a listener: its certificate, and what happens on a connection before
//! its first request.
//!
//! Invariant: whatever becomes of the files of the certificate, the one that
//! was read last and held goes on serving.

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
