//! The cryptography provider of TLS in this process.

/// Installs `ring` as the cryptography provider of TLS, unless another is already
/// installed. Call this before building a `reqwest` client, which requires a provider.
pub fn install() {
    // An error means that a provider is already installed, which is sufficient.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
