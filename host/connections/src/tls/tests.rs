use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tollbridge_core::config::TlsFiles;

use super::*;

/// Expiry of the certificates in these tests: the year whose start it is, and the same
/// moment as Unix time in seconds.
const ENDS: (i32, u64) = (2031, 1_924_992_000);

/// A certificate authority, and the folder for the files that it issues.
struct Authority {
    folder: TempDir,
    own: CertificateDer<'static>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let own = params.self_signed(&key).unwrap().der().clone();
        Self { folder: tempfile::tempdir().unwrap(), own, issuer: Issuer::new(params, key) }
    }

    fn files(&self) -> TlsFiles {
        TlsFiles { certificate: self.folder.path().join("c.pem"), key: self.folder.path().join("k.pem") }
    }

    /// Issues a certificate for these names, and writes it and its key to files.
    fn issue(&self, names: &[&str]) -> TlsFiles {
        let files = self.files();
        let mut params =
            CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
        params.not_after = date_time_ymd(ENDS.0, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        std::fs::write(&files.certificate, certificate.pem()).unwrap();
        std::fs::write(&files.key, key.serialize_pem()).unwrap();
        files
    }

    /// A client that trusts only this authority.
    fn connector(&self) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        TlsConnector::from(Arc::new(config.with_no_client_auth()))
    }

    /// Returns whether a client accepts the certificate for a name.
    async fn is_taken(&self, address: SocketAddr, name: &'static str) -> bool {
        let stream = TcpStream::connect(address).await.unwrap();
        self.connector().connect(ServerName::try_from(name).unwrap(), stream).await.is_ok()
    }
}

/// Accepts and greets connections until it is stopped.
async fn listen(tls: Arc<Tls>) -> (SocketAddr, watch::Sender<bool>) {
    let listener = Listener::new(TcpListener::bind("127.0.0.1:0").await.unwrap(), Some(tls));
    let address = listener.socket_address();
    let (stop, stopping) = watch::channel(false);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (tls, stopping) = (listener.tls(), stopping.clone());
            tokio::spawn(async move {
                if let Some(mut stream) = greet(tls, stream, stopping).await {
                    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
                }
            });
        }
    });
    (address, stop)
}

#[test]
fn a_pair_says_when_it_ends_and_for_whom_it_is() {
    let files = Authority::new().issue(&["bridge.example.com", "*.wild.example", "127.0.0.1"]);
    // The folder was deleted when its authority was dropped.
    assert!(ServerCertificate::read(&files).unwrap_err().to_string().contains("c.pem: No such file"));
    let authority = Authority::new();
    let pair =
        ServerCertificate::read(&authority.issue(&["bridge.example.com", "*.wild.example", "127.0.0.1"])).unwrap();
    assert_eq!(pair.expires_s, ENDS.1);
    for (host, is) in [
        ("bridge.example.com", true),
        ("BRIDGE.example.com", true),
        ("a.wild.example", true),
        ("a.b.wild.example", false),
        ("example.com", false),
        ("127.0.0.1", true),
        ("127.0.0.2", false),
        ("::1", false),
        ("not a host", false),
    ] {
        assert_eq!(pair.is_for(host), is, "{host}");
    }
}

#[test]
fn a_mismatched_pair_is_refused_by_the_names_of_its_files() {
    let authority = Authority::new();
    let files = authority.issue(&["a.example"]);
    let (certificate, key) = (std::fs::read(&files.certificate).unwrap(), std::fs::read_to_string(&files.key).unwrap());
    let swapped = TlsFiles { certificate: files.key.clone(), key: files.certificate.clone() };
    let refused = |files: &TlsFiles| ServerCertificate::read(files).unwrap_err().to_string();
    assert!(refused(&swapped).contains("k.pem has no certificate in PEM"), "{}", refused(&swapped));
    std::fs::write(&files.key, "nothing").unwrap();
    assert!(refused(&files).contains("k.pem has no unencrypted private key"), "{}", refused(&files));
    // A key that belongs to another certificate.
    authority.issue(&["b.example"]);
    std::fs::write(&files.certificate, &certificate).unwrap();
    let text = refused(&files);
    assert!(text.contains("c.pem") && text.contains("k.pem") && text.contains("does not match"), "{text}");
    std::fs::write(&files.key, key).unwrap();
    assert!(ServerCertificate::read(&files).is_ok());
    // A chain that starts with another server's certificate, or that contains an invalid
    // one.
    let chain = [authority.other().as_bytes(), &certificate].concat();
    std::fs::write(&files.certificate, chain).unwrap();
    assert!(refused(&files).contains("does not match"), "{}", refused(&files));
    std::fs::write(&files.certificate, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    assert!(refused(&files).contains("c.pem cannot be used"), "{}", refused(&files));
    std::fs::write(&files.certificate, vec![b' '; (1 << 20) + 1]).unwrap();
    assert!(refused(&files).contains("c.pem has more than"), "{}", refused(&files));
}

impl Authority {
    /// A certificate whose private key is discarded.
    fn other(&self) -> String {
        let params = CertificateParams::new(vec!["other.example".to_owned()]).unwrap();
        params.signed_by(&KeyPair::generate().unwrap(), &self.issuer).unwrap().pem()
    }
}

#[tokio::test]
async fn new_handshakes_take_the_new_certificate_and_a_wrong_one_changes_nothing() {
    let authority = Authority::new();
    let files = authority.issue(&["old.example"]);
    let tls = Arc::new(Tls::open(files.clone()).unwrap());
    let (address, _stop) = listen(tls.clone()).await;
    assert!(authority.is_taken(address, "old.example").await);
    assert!(!tls.reload().unwrap(), "nothing has changed");
    authority.issue(&["new.example"]);
    assert!(tls.reload().unwrap());
    assert!(authority.is_taken(address, "new.example").await);
    assert!(!authority.is_taken(address, "old.example").await);
    let kept = std::fs::read(&files.key).unwrap();
    for wrong in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        std::fs::write(&files.key, wrong).unwrap();
        assert!(tls.reload().is_err());
        assert!(authority.is_taken(address, "new.example").await);
    }
    std::fs::remove_file(&files.key).unwrap();
    assert!(tls.reload().is_err());
    std::fs::write(&files.key, kept).unwrap();
    assert!(!tls.reload().unwrap(), "it is already in use");
    // Renew the certificate by swapping symbolic links.
    let renewed = Authority { folder: tempfile::tempdir().unwrap(), ..authority };
    let elsewhere = renewed.issue(&["third.example"]);
    for (link, target) in [(&files.certificate, &elsewhere.certificate), (&files.key, &elsewhere.key)] {
        std::fs::remove_file(link).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
    }
    assert!(tls.reload().unwrap());
    assert!(renewed.is_taken(address, "third.example").await);
}

#[tokio::test]
async fn plain_http_gets_an_explanation_and_garbage_is_dropped() {
    let authority = Authority::new();
    let tls = Arc::new(Tls::open(authority.issue(&["a.example"])).unwrap());
    let (address, stop) = listen(tls).await;
    for (sent, expected) in [
        ("GET / HTTP/1.1\r\nhost: a\r\n\r\n", true),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true),
        ("\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}", false),
        ("\u{16}garbage that continues for a while", false),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the connection is still open after {sent:?}");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert_eq!(
            answer.starts_with("HTTP/1.1 400 ") && answer.contains("speaks https"),
            expected,
            "{sent:?}: {answer}"
        );
    }
    // A pending handshake does not delay a stop.
    let mut waiting = TcpStream::connect(address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.send_replace(true);
    let ended = tokio::time::timeout(Duration::from_secs(5), waiting.read(&mut [0; 1])).await;
    assert!(ended.is_ok_and(|read| read.is_ok_and(|count| count == 0)));
}
