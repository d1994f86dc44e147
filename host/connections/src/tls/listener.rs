//! A listener for plain HTTP or TLS.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use metrics::gauge;
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tollbridge_core::config::TlsFiles;

use super::certificate::{CertificateError, PemPair, ServerCertificate};

/// A listening socket, with or without TLS.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    tls: Option<Arc<Tls>>,
}

impl From<TcpListener> for Listener {
    /// Creates a listener for plain HTTP.
    fn from(socket: TcpListener) -> Self {
        Self::new(socket, None)
    }
}

impl Listener {
    /// Creates a listener for TLS, or for plain HTTP if `tls` is `None`.
    pub const fn new(socket: TcpListener, tls: Option<Arc<Tls>>) -> Self {
        Self { socket, tls }
    }

    /// Accepts the next connection; [`super::greet`] then performs its handshake.
    ///
    /// # Errors
    /// See [`TcpListener::accept`].
    pub async fn accept(&self) -> std::io::Result<(TcpStream, SocketAddr)> {
        self.socket.accept().await
    }

    #[cfg(test)]
    pub(super) fn socket_address(&self) -> SocketAddr {
        self.socket.local_addr().unwrap()
    }

    /// Returns the TLS state of the listener; `None` for plain HTTP.
    pub fn tls(&self) -> Option<Arc<Tls>> {
        self.tls.clone()
    }
}

/// The TLS state shared by all connections of a listener.
pub struct Tls {
    files: TlsFiles,
    /// The contents of the certificate and key files that are in use.
    pair: Mutex<PemPair>,
    current: Arc<CurrentCertificate>,
    acceptor: TlsAcceptor,
}

/// The certificate that the next handshake uses.
#[derive(Debug)]
struct CurrentCertificate(ArcSwap<CertifiedKey>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the certificate and its key.
    ///
    /// # Errors
    /// The files cannot be read, or do not match.
    pub fn open(files: TlsFiles) -> Result<Self, CertificateError> {
        let pair = PemPair::read(&files)?;
        let certificate = ServerCertificate::of_pem(&files, &pair)?;
        log_expiry(&certificate);
        let current = Arc::new(CurrentCertificate(ArcSwap::new(certificate.key)));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let unusable = |error: rustls::Error| CertificateError::Unusable {
            path: files.certificate.clone(),
            why: error.to_string(),
        };
        let config = config.with_safe_default_protocol_versions().map_err(unusable)?;
        let mut config = config.with_no_client_auth().with_cert_resolver(current.clone());
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { files, pair: Mutex::new(pair), current, acceptor: TlsAcceptor::from(Arc::new(config)) })
    }

    /// Reads the files again; returns true if the certificate has changed. Later
    /// handshakes use the new certificate; existing connections continue. Blocks.
    ///
    /// # Errors
    /// See [`Self::open`]; the old certificate stays in use.
    pub fn reload(&self) -> Result<bool, CertificateError> {
        let read = PemPair::read(&self.files)?;
        let mut pair = self.pair.lock();
        if *pair == read {
            return Ok(false);
        }
        let certificate = ServerCertificate::of_pem(&self.files, &read)?;
        log_expiry(&certificate);
        self.current.0.store(certificate.key);
        *pair = read;
        Ok(true)
    }

    /// Returns the acceptor for handshakes.
    pub(super) const fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}

fn log_expiry(certificate: &ServerCertificate) {
    gauge!("tollbridge_tls_certificate_expires_seconds").set(certificate.expires_s as f64);
}
