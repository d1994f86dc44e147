//! The cryptography provider of TLS in this process.

/// Installs `ring` as the provider of TLS, unless one is installed. Building a
/// `reqwest` client requires a provider, so call this before.
pub fn install() {
    // An error means that a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
