//! Whose cryptography this process speaks TLS with.

/// Has TLS use `ring`, unless something is chosen already. Clients of `reqwest` are
/// built with whatever is, and not without: whoever makes one calls this before.
pub fn install() {
    // An error means that a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
