//! A private certificate authority, servers with its certificates, and clients that
//! trust only that authority.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tollbridge_tests::{Client, Folder, Server};

/// The host name in the test certificates, besides the machine's address.
pub(crate) const HOST: &str = "bridge.example.com";

pub(crate) struct Authority {
    own: CertificateDer<'static>,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate with its key, as PEM.
pub(crate) struct Issued {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate()?;
        let own = params.self_signed(&key)?;
        let (own, pem) = (own.der().clone(), own.pem());
        Ok(Self { own, pem, issuer: Issuer::new(params, key) })
    }

    /// Returns the authority's own certificate.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    pub(crate) fn issue(&self) -> Result<Issued> {
        let params = CertificateParams::new(vec![HOST.to_owned(), "127.0.0.1".to_owned()])?;
        let key = KeyPair::generate()?;
        Ok(Issued { certificate: params.signed_by(&key, &self.issuer)?.pem(), key: key.serialize_pem() })
    }

    /// Returns a client that trusts only this authority.
    pub(crate) fn client(&self, url: &str, only_http1: bool) -> Result<Client> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let own = reqwest::Certificate::from_der(&self.own)?;
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([own]);
        let client = if only_http1 { client.http1_only() } else { client };
        let client = client.redirect(reqwest::redirect::Policy::none());
        // The name resolves to this machine.
        let client = client.resolve(HOST, address(url)?);
        Ok(Client::over(client.build()?, url))
    }

    /// Returns a connection after its handshake.
    pub(crate) async fn connect(&self, url: &str) -> Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.own.clone())?;
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_root_certificates(roots);
        let stream = TcpStream::connect(address(url)?).await?;
        let connector = TlsConnector::from(Arc::new(config.with_no_client_auth()));
        Ok(connector.connect(ServerName::try_from(HOST)?, stream).await?)
    }
}

impl Issued {
    /// Writes both files, each atomically.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        for (name, text) in [("c.pem", &self.certificate), ("k.pem", &self.key)] {
            let draft = folder.join(format!("{name}.new"));
            std::fs::write(&draft, text)?;
            std::fs::rename(&draft, folder.join(name))?;
        }
        Ok(())
    }
}

pub(crate) fn address(url: &str) -> Result<SocketAddr> {
    Ok(url.strip_prefix("https://").with_context(|| format!("{url} is not https"))?.parse()?)
}

/// Returns the paths of a server's certificate and key files.
pub(crate) fn files(folder: &Folder) -> [PathBuf; 2] {
    ["c.pem", "k.pem"].map(|name| folder.path().join(name))
}

/// Adds the certificate files to the configuration, along with more settings of
/// `[server]`.
pub(crate) fn configure(folder: &Folder, more: &str) -> Result<()> {
    let [certificate, key] = files(folder);
    let text = std::fs::read_to_string(folder.config())?;
    let tls = format!("tls_certificate = {certificate:?}\ntls_key = {key:?}\n{more}\n[data]");
    Ok(std::fs::write(folder.config(), text.replacen("[data]", &tls, 1))?)
}

/// Starts a server with the bridge `echo` and a certificate of an authority.
pub(crate) async fn serve(authority: &Authority, more: &str) -> Result<(Folder, Server)> {
    let folder = Folder::new("")?;
    folder.publish_echo("1.0.0", "0.10")?;
    authority.issue()?.write(folder.path())?;
    configure(&folder, more)?;
    let server = folder.serve().await?;
    Ok((folder, server))
}

/// Sends SIGHUP, which makes a server reload its certificate.
pub(crate) fn hang_up(server: &Server) -> Result<()> {
    let sent = Command::new("kill").args(["-HUP", &server.pid()?.to_string()]).status()?;
    ensure!(sent.success(), "cannot signal the server");
    Ok(())
}
