//! A TLS certificate with its private key, read from two PEM files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use tollbridge_core::config::TlsFiles;
use x509_cert::der::Decode as _;
use zeroize::Zeroizing;

/// Maximum size of a certificate or key file; even a long chain has only about 10 KiB.
const TLS_FILE_BYTES_MAX: u64 = 1 << 20;

/// The certificate of a server; see the module documentation.
#[derive(Clone, Debug)]
pub struct ServerCertificate {
    pub(super) key: Arc<CertifiedKey>,
    /// End of the certificate's validity, Unix time in seconds.
    pub expires_s: u64,
}

/// An error in a certificate or its key.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum CertificateError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} has more than {TLS_FILE_BYTES_MAX} bytes; is it the right file?", .0.display())]
    TooLarge(PathBuf),
    #[error("{} has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----: {why}", path.display())]
    NoCertificate { path: PathBuf, why: String },
    #[error("{} has no unencrypted private key in PEM: {why}", path.display())]
    NoKey { path: PathBuf, why: String },
    #[error(
        "the key in {} does not match the certificate in {}; a chain must start with the server's own certificate",
        key.display(),
        certificate.display()
    )]
    OtherKey { certificate: PathBuf, key: PathBuf },
    #[error("the certificate in {} cannot be used: {why}", path.display())]
    Unusable { path: PathBuf, why: String },
}

/// The contents of the certificate file and the key file.
#[derive(PartialEq, Eq)]
pub(super) struct PemPair {
    certificate: Vec<u8>,
    key: Zeroizing<Vec<u8>>,
}

impl PemPair {
    pub(super) fn read(files: &TlsFiles) -> Result<Self, CertificateError> {
        Ok(Self { certificate: read(&files.certificate)?, key: Zeroizing::new(read(&files.key)?) })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateError> {
    let unreadable = |source| CertificateError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // Reading one byte above the maximum reveals a file that is too large.
    file.take(TLS_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > TLS_FILE_BYTES_MAX) {
        return Err(CertificateError::TooLarge(path.to_owned()));
    }
    Ok(bytes)
}

impl ServerCertificate {
    /// Reads both files and checks that they match.
    ///
    /// # Errors
    /// The files cannot be read, or do not match.
    pub fn read(files: &TlsFiles) -> Result<Self, CertificateError> {
        Self::of_pem(files, &PemPair::read(files)?)
    }

    pub(super) fn of_pem(files: &TlsFiles, pair: &PemPair) -> Result<Self, CertificateError> {
        let path = || files.certificate.clone();
        let chain: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&pair.certificate).collect();
        let no_certificate = |why: String| CertificateError::NoCertificate { path: path(), why };
        let chain = chain.map_err(|error| no_certificate(error.to_string()))?;
        let own = chain.first().ok_or_else(|| no_certificate("the file has none".to_owned()))?;
        let unusable = |why: String| CertificateError::Unusable { path: path(), why };
        let parsed = x509_cert::Certificate::from_der(own).map_err(|error| unusable(error.to_string()))?;
        let expires_s = parsed.tbs_certificate.validity.not_after.to_unix_duration().as_secs();
        let no_key = |why: String| CertificateError::NoKey { path: files.key.clone(), why };
        let key = PrivateKeyDer::from_pem_slice(&pair.key).map_err(|error| no_key(error.to_string()))?;
        let provider = ring::default_provider();
        let key = provider.key_provider.load_private_key(key).map_err(|error| no_key(error.to_string()))?;
        let key = CertifiedKey::new(chain, key);
        match key.keys_match() {
            Ok(()) => Ok(Self { key: Arc::new(key), expires_s }),
            Err(rustls::Error::InconsistentKeys(_)) => {
                Err(CertificateError::OtherKey { certificate: path(), key: files.key.clone() })
            }
            Err(error) => Err(unusable(error.to_string())),
        }
    }

    /// Returns whether the certificate is valid for `host`, a name or an IP address.
    pub fn is_for(&self, host: &str) -> bool {
        let Ok(name) = ServerName::try_from(host) else { return false };
        let own = self.key.end_entity_cert().and_then(ParsedCertificate::try_from);
        own.and_then(|own| verify_server_name(&own, &name)).is_ok()
    }
}
