//! E-mails over TLS, from the first byte or after STARTTLS; nothing is sent if the mail
//! server's certificate or encryption does not match the configuration.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tollbridge_mail::testing::FakeMailServer;
use tollbridge_tests::{Folder, eventually};

use crate::tls_kit::Authority;

/// Starts a mail server with a certificate of an authority; returns its port.
async fn start(authority: &Authority, starttls: bool) -> Result<(FakeMailServer, u16)> {
    let issued = authority.issue()?;
    let certificates = vec![CertificateDer::from_pem_slice(issued.certificate.as_bytes())?];
    let key = PrivateKeyDer::from_pem_slice(issued.key.as_bytes())?;
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config =
        config.with_safe_default_protocol_versions()?.with_no_client_auth().with_single_cert(certificates, key)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let server = FakeMailServer::default();
    server.ask_for_login("AHUAcCAl"); // \0u\0p %
    if starttls {
        server.insist_on_starttls();
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let this = server.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (this, acceptor) = (this.clone(), acceptor.clone());
            tokio::spawn(async move {
                let stream = if starttls { this.serve_connection(stream, false).await } else { Some(stream) };
                if let Some(stream) = stream
                    && let Ok(stream) = acceptor.accept(stream).await
                {
                    this.serve_connection(stream, true).await;
                }
            });
        }
    });
    Ok((server, port))
}

#[tokio::test]
async fn emails_are_sent_encrypted_and_authenticated() -> Result<()> {
    let authority = Authority::new("mail")?;
    for (scheme, starttls) in [("smtps", false), ("smtp", true)] {
        let (mail, port) = start(&authority, starttls).await?;
        let folder = Folder::new("")?;
        let root = folder.path().join("mail.pem");
        std::fs::write(&root, authority.pem())?;
        let text = std::fs::read_to_string(folder.config())?;
        let email = format!(
            "[email]\nsmtp = \"{scheme}://127.0.0.1:{port}\"\nuser = \"u\"\npassword = \"p %\"\nfrom = \"no-reply@bridge.example.com\"\n\
             root_certificate = {root:?}\n"
        );
        std::fs::write(folder.config(), format!("{text}\n{email}"))?;
        let shown = folder.run(&["config", "show"])?;
        ensure!(!shown.contains("p %"), "the password is shown: {shown}");
        let server = folder.serve().await?;
        server.client().post("/v1/signup", &json!({ "email": "ada@example.com" })).await?.must(201)?;
        let emails = mail.wait_for(1).await;
        let sent = emails.first().with_context(|| format!("{scheme}: no e-mail: {}", server.log()))?;
        ensure!(sent.to == "ada@example.com" && sent.link().is_some(), "{sent:?}");
        ensure!(mail.violations().is_empty(), "{scheme}: {:?}", mail.violations());
    }
    Ok(())
}

#[tokio::test]
async fn no_email_is_sent_to_an_unverified_server() -> Result<()> {
    let (ours, theirs) = (Authority::new("mail")?, Authority::new("others")?);
    let (encrypted, tls_port) = start(&theirs, false).await?;
    // A mail server that does not offer STARTTLS.
    let (open, address) = FakeMailServer::start().await;
    for (server, place) in [(encrypted, format!("smtps://127.0.0.1:{tls_port}")), (open, format!("smtp://{address}"))] {
        let folder = Folder::new("")?;
        let root = folder.path().join("mail.pem");
        std::fs::write(&root, ours.pem())?;
        let text = std::fs::read_to_string(folder.config())?;
        let email = format!(
            "[email]\nsmtp = \"{place}\"\nuser = \"u\"\npassword = \"p %\"\nfrom = \"a@b.example\"\nroot_certificate = {root:?}\n"
        );
        std::fs::write(folder.config(), format!("{text}\n{email}"))?;
        let host = folder.serve().await?;
        host.client().post("/v1/signup", &json!({ "email": "ada@example.com" })).await?.must(201)?;
        let failed = async || {
            let metrics = folder.metrics().await?;
            let line = metrics.lines().find(|line| line.starts_with("tollbridge_letter_failures_total "));
            Ok(line.filter(|line| !line.ends_with(" 0")).map(str::to_owned))
        };
        eventually("a failure is counted", 20, failed).await?;
        tokio::time::sleep(Duration::from_millis(200)).await;
        ensure!(server.emails().is_empty(), "{place}: {:?}", server.emails());
        ensure!(!host.log().contains("p %") && !host.log().contains("ada@"), "{}", host.log());
    }
    Ok(())
}
