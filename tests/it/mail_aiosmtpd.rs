//! E-mails to a third-party mail server (aiosmtpd) with STARTTLS and a login, parsed by
//! Python's e-mail parser.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Folder, Person, eventually, hidden, workspace};

use crate::tls_kit::Authority;

/// The running script `tests/clients/mail_server.py`; killed when dropped.
struct MailServer {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    port: u16,
}

impl MailServer {
    fn start(python: &str, folder: &Folder, authority: &Authority) -> Result<Self> {
        let issued = authority.issue()?;
        let (certificate, key) = (folder.path().join("mail-cert.pem"), folder.path().join("mail-key.pem"));
        std::fs::write(&certificate, issued.certificate)?;
        std::fs::write(&key, issued.key)?;
        let mut child = Command::new(python)
            .arg(workspace().join("tests/clients/mail_server.py"))
            .args([&certificate, &key])
            .args(["bridge@example.com", "p % ü"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run Python; set PYTHON")?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let port = lines.next().context("the mail server ended; does this Python have aiosmtpd?")??.trim().parse()?;
        Ok(Self { child, lines, port })
    }

    /// Blocks until the next e-mail arrives, and returns it.
    fn sent(&mut self) -> Result<Value> {
        let line = self.lines.next().context("the mail server ended")??;
        serde_json::from_str(&line).with_context(|| line.clone())
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the next e-mail, which must arrive within half a minute.
async fn sent(mut mail: MailServer) -> Result<(MailServer, Value)> {
    let read = tokio::task::spawn_blocking(move || {
        let sent = mail.sent()?;
        anyhow::Ok((mail, sent))
    });
    tokio::time::timeout(Duration::from_secs(30), read).await.context("no e-mail arrived")??
}

fn configure(folder: &Folder, authority: &Authority, port: u16, password: &str) -> Result<()> {
    let root = folder.path().join("mail.pem");
    std::fs::write(&root, authority.pem())?;
    let text = std::fs::read_to_string(folder.config())?;
    let text = text.split("[email]").next().unwrap_or_default();
    let email = format!(
        "[email]\nsmtp = \"smtp://127.0.0.1:{port}\"\nuser = \"bridge@example.com\"\npassword = \"{password}\"\n\
         from = \"The Brücke <no-reply@bridge.example.com>\"\nroot_certificate = {root:?}\n"
    );
    std::fs::write(folder.config(), format!("{text}\n{email}"))?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn another_mail_server_accepts_an_email_whose_link_signs_in() -> Result<()> {
    let Ok(python) = std::env::var("PYTHON") else { return Ok(()) };
    let authority = Authority::new("mail")?;
    let folder = Folder::new("")?;
    let mail = MailServer::start(&python, &folder, &authority)?;
    configure(&folder, &authority, mail.port, "p % ü")?;
    let server = folder.serve().await?;
    server.client().post("/v1/signup", &json!({ "email": "ada@example.com" })).await?.must(201)?;
    let (mail, confirm) = sent(mail).await?;
    ensure!(confirm["headers"]["Subject"].as_str().is_some_and(|subject| subject.starts_with("Confirm")), "{confirm}");

    let mut person = Person::new(&server.client());
    person.send("/account/email", &[("email", "ada@example.com"), ("next", "/account/keys")]).await?.must(200)?;
    let (mail, sent) = sent(mail).await?;
    let reported = |name: &str| sent["headers"][name].as_str().unwrap_or_default().to_owned();
    ensure!(sent["tls"] == true && sent["login"]["user"] == "bridge@example.com", "{sent}");
    ensure!(sent["from"] == "no-reply@bridge.example.com" && sent["to"] == json!(["ada@example.com"]), "{sent}");
    ensure!(sent["from_name"] == "The Brücke" && reported("From").contains("no-reply@bridge.example.com"), "{sent}");
    ensure!(reported("To").contains("ada@example.com") && reported("Subject").contains("Tollbridge"), "{sent}");
    ensure!(!reported("Date").is_empty() && reported("Message-ID").ends_with('>'), "{sent}");
    ensure!(sent["type"] == "multipart/alternative" && sent["defects"] == json!([]), "{sent}");
    // RFC 5322: at most 998 bytes per line.
    ensure!(sent["longest_line"].as_u64().is_some_and(|bytes| bytes <= 998), "{sent}");

    // Text and HTML contain the same link, which signs in.
    let text = sent["text"].as_str().context("no text")?;
    let link = text.lines().map(str::trim).find(|line| line.starts_with("http")).context("no link")?;
    let html = sent["html"].as_str().context("no HTML")?;
    ensure!(html.contains(&format!("href=\"{}\"", link.replace('&', "&amp;"))), "{html} does not contain {link}");
    let path = link.strip_prefix(&server.url).with_context(|| link.to_owned())?;
    let page = person.visit(path).await?.must(200)?;
    let (token, next) = (hidden(&page, "link").context("no link")?, hidden(&page, "next").context("no next")?);
    person.send("/account/email/open", &[("link", &token), ("next", &next)]).await?.must(303)?;
    ensure!(person.visit("/account").await?.must(200)?.text.contains("confirmed "), "not signed in");
    let metrics = folder.metrics().await?;
    ensure!(metrics.contains("tollbridge_letters_total{outcome=\"sent\"} 2"), "{metrics}");
    server.stop().await?;

    // With a wrong password the e-mail is refused, and the log contains the mail server's
    // status code.
    configure(&folder, &authority, mail.port, "other")?;
    let server = folder.serve().await?;
    server.client().post("/v1/signup", &json!({ "email": "bob@example.com" })).await?.must(201)?;
    eventually("the e-mail is refused", 30, async || {
        Ok(folder.metrics().await?.contains("letters_total{outcome=\"refused\"} 1").then_some(()))
    })
    .await?;
    ensure!(server.log().contains("535"), "the log lacks the mail server's code: {}", server.log());
    server.stop().await
}
