//! A mail server for tests. It records violations of the mail standards and fails on
//! demand.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "for tests")]

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufStream};
use tokio::net::TcpListener;

/// A fault that the test server simulates on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Closes the connection before the greeting.
    Hangup,
    /// Greets with this code.
    Greeting(u16),
    /// Answers the recipient command with this code.
    Recipient(u16),
    /// Answers with this code once the e-mail was received.
    Message(u16),
    /// Accepts the e-mail, then closes the connection without a reply.
    DropAfterData,
    /// Waits this long before it responds to the e-mail.
    Slow(Duration),
}

/// An e-mail as received.
#[derive(Clone, Debug)]
pub struct ReceivedEmail {
    /// Sender of the envelope.
    pub from: String,
    /// Recipient of the envelope.
    pub to: String,
    /// The complete message, with lines ended by CRLF.
    pub raw: String,
}

/// A mail server that records what it receives and fails on demand. Clones share one server.
#[derive(Clone, Default)]
pub struct FakeMailServer(Arc<State>);

#[derive(Default)]
struct State {
    /// Scheduled faults: one for each of the next connections.
    faults: Mutex<VecDeque<Fault>>,
    emails: Mutex<Vec<ReceivedEmail>>,
    violations: Mutex<Vec<String>>,
    /// Required payload of AUTH PLAIN in base64; `None` requires no login.
    login: Mutex<Option<String>>,
    /// Whether an unencrypted connection accepts only STARTTLS.
    starttls: Mutex<bool>,
    connections: AtomicUsize,
    open: AtomicUsize,
    open_max: AtomicUsize,
}

impl FakeMailServer {
    /// Starts a server without TLS on a free local port.
    pub async fn start() -> (Self, SocketAddr) {
        let server = Self::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let this = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let this = this.clone();
                tokio::spawn(async move { drop(this.serve_connection(stream, false).await) });
            }
        });
        (server, address)
    }

    /// Schedules faults for the next connections, one each.
    pub fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.faults.lock().extend(faults);
    }

    /// Requires a login. `base64` is the expected payload of AUTH PLAIN.
    pub fn ask_for_login(&self, base64: &str) {
        *self.0.login.lock() = Some(base64.to_owned());
    }

    /// Refuses everything before STARTTLS.
    pub fn insist_on_starttls(&self) {
        *self.0.starttls.lock() = true;
    }

    /// Returns the e-mails received so far.
    pub fn emails(&self) -> Vec<ReceivedEmail> {
        self.0.emails.lock().clone()
    }

    /// Returns all violations of the mail standards that were recorded so far.
    pub fn violations(&self) -> Vec<String> {
        self.0.violations.lock().clone()
    }

    /// Returns the number of connections so far, and the largest number that were open at
    /// the same time.
    pub fn connections(&self) -> (usize, usize) {
        (self.0.connections.load(Ordering::SeqCst), self.0.open_max.load(Ordering::SeqCst))
    }

    /// Waits up to ten seconds for `count` e-mails.
    pub async fn wait_for(&self, count: usize) -> Vec<ReceivedEmail> {
        for _ in 0..1_000 {
            if self.emails().len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.emails()
    }

    /// Serves SMTP over a connection, encrypted or not. Returns the stream after
    /// STARTTLS, so that the caller can continue over TLS.
    pub async fn serve_connection<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S, encrypted: bool) -> Option<S> {
        self.0.connections.fetch_add(1, Ordering::SeqCst);
        let open = self.0.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.open_max.fetch_max(open, Ordering::SeqCst);
        let mut session = Session { state: &self.0, stream: BufStream::new(stream), encrypted, known: false };
        // An error means that the peer disconnected, which ends the session.
        let upgraded = session.run().await.unwrap_or(false);
        self.0.open.fetch_sub(1, Ordering::SeqCst);
        upgraded.then(|| session.stream.into_inner())
    }
}

/// An SMTP session on one connection.
struct Session<'a, S> {
    state: &'a State,
    stream: BufStream<S>,
    encrypted: bool,
    /// Whether the client has logged in.
    known: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<'_, S> {
    /// Serves the session to its end; returns whether it continues over TLS.
    async fn run(&mut self) -> std::io::Result<bool> {
        let fault = self.state.faults.lock().pop_front();
        match fault {
            Some(Fault::Hangup) => return Ok(false),
            Some(Fault::Greeting(code)) => {
                self.reply(&format!("{code} not now")).await?;
                return Ok(false);
            }
            // A connection upgraded to TLS is not greeted again.
            _ if self.encrypted && *self.state.starttls.lock() => {}
            _ => self.reply("220 mail.test ESMTP").await?,
        }
        let (mut greeted, mut from, mut to) = (false, None, None);
        while let Some(line) = self.line().await? {
            let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            match (verb.as_str(), line.split_once(':')) {
                ("EHLO", _) if line.len() > 5 => {
                    greeted = true;
                    self.greet().await?;
                }
                ("STARTTLS", _) if !self.encrypted => {
                    self.reply("220 go ahead").await?;
                    return Ok(true);
                }
                _ if *self.state.starttls.lock() && !self.encrypted && verb != "QUIT" => {
                    self.violation(&format!("unencrypted: {line}")).await?;
                }
                ("AUTH", _) => self.log_in(&line).await?,
                ("MAIL", Some((_, rest))) if greeted && from.is_none() && self.may_send() => {
                    from = self.path(rest, &line).await?;
                }
                ("RCPT", Some((_, rest))) if from.is_some() && to.is_none() => {
                    if let Some(Fault::Recipient(code)) = fault {
                        self.reply(&format!("{code} not this one")).await?;
                        continue;
                    }
                    to = self.path(rest, &line).await?;
                }
                ("DATA", _) if to.is_some() => {
                    let email = (from.take().unwrap_or_default(), to.take().unwrap_or_default());
                    if !self.data(email, fault).await? {
                        return Ok(false);
                    }
                }
                ("RSET", _) => {
                    (from, to) = (None, None);
                    self.reply("250 ok").await?;
                }
                ("QUIT", _) => {
                    self.reply("221 bye").await?;
                    return Ok(false);
                }
                _ => self.violation(&format!("out of order: {line}")).await?,
            }
        }
        Ok(false)
    }

    fn may_send(&self) -> bool {
        self.known || self.state.login.lock().is_none()
    }

    async fn greet(&mut self) -> std::io::Result<()> {
        let mut offers = vec!["mail.test", "8BITMIME"];
        if *self.state.starttls.lock() && !self.encrypted {
            offers.push("STARTTLS");
        } else if self.state.login.lock().is_some() {
            offers.push("AUTH PLAIN");
        }
        let last = offers.pop().unwrap_or_default();
        for offer in offers {
            self.reply(&format!("250-{offer}")).await?;
        }
        self.reply(&format!("250 {last}")).await
    }

    async fn log_in(&mut self, line: &str) -> std::io::Result<()> {
        let wanted = self.state.login.lock().clone();
        let given = line.strip_prefix("AUTH PLAIN ");
        if wanted.is_some() && given == wanted.as_deref() {
            self.known = true;
            return self.reply("235 welcome").await;
        }
        self.reply("535 wrong").await
    }

    /// Parses the address of an envelope: `<name@domain>`, optionally with parameters.
    async fn path(&mut self, rest: &str, line: &str) -> std::io::Result<Option<String>> {
        let inner = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        match inner.filter(|(address, _)| address.contains('@') && !address.contains([' ', '<'])) {
            Some((address, _)) => {
                let address = address.to_owned();
                self.reply("250 ok").await?;
                Ok(Some(address))
            }
            None => {
                self.violation(&format!("no path: {line}")).await?;
                Ok(None)
            }
        }
    }

    /// Receives an e-mail; returns whether the session continues.
    async fn data(&mut self, (from, to): (String, String), fault: Option<Fault>) -> std::io::Result<bool> {
        self.reply("354 go on").await?;
        let mut raw = String::new();
        loop {
            let Some(line) = self.line().await? else { return Ok(false) };
            match line.strip_prefix('.') {
                Some("") => break,
                Some(stuffed) => raw.push_str(stuffed),
                None => raw.push_str(&line),
            }
            raw.push_str("\r\n");
        }
        let email = ReceivedEmail { from, to, raw };
        let wrong = email.check();
        self.state.violations.lock().extend(wrong);
        match fault {
            Some(Fault::Message(code)) => {
                self.reply(&format!("{code} no")).await?;
                return Ok(true);
            }
            Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
            _ => {}
        }
        self.state.emails.lock().push(email);
        if fault == Some(Fault::DropAfterData) {
            return Ok(false);
        }
        self.reply("250 taken").await?;
        Ok(true)
    }

    /// Reads a line without its terminator; lines must end with CRLF.
    async fn line(&mut self) -> std::io::Result<Option<String>> {
        let mut bytes = Vec::new();
        self.stream.read_until(b'\n', &mut bytes).await?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        match line.strip_suffix("\r\n") {
            Some(line) if !line.contains('\r') && line.len() <= 998 => Ok(Some(line.to_owned())),
            _ => {
                self.state.violations.lock().push(format!("a line that ends wrongly or is too long: {line:?}"));
                Ok(Some(line.trim_end().to_owned()))
            }
        }
    }

    async fn violation(&mut self, what: &str) -> std::io::Result<()> {
        self.state.violations.lock().push(what.to_owned());
        self.reply("503 no").await
    }

    async fn reply(&mut self, line: &str) -> std::io::Result<()> {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await?;
        self.stream.flush().await
    }
}

impl ReceivedEmail {
    /// Returns the value of a header that occurs exactly once, with folded lines joined.
    pub fn header(&self, name: &str) -> Option<String> {
        let unfolded = self.head().replace("\r\n ", " ").replace("\r\n\t", " ");
        let mut found = unfolded.split("\r\n").filter_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then(|| value.to_owned())
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the decoded part with a media type such as `text/plain`.
    pub fn part(&self, media_type: &str) -> Option<String> {
        let marker = format!("Content-Type: {media_type}");
        let (_, rest) = self.raw.split_once(&marker)?;
        let (head, body) = rest.split_once("\r\n\r\n")?;
        let body = body.split("\r\n--").next()?;
        match () {
            () if head.contains("Content-Transfer-Encoding: quoted-printable") => Some(unquoted(body)),
            () if head.contains("Content-Transfer-Encoding: base64") => None,
            () => Some(body.to_owned()),
        }
    }

    /// Returns the URL of the first link in the plain text.
    pub fn link(&self) -> Option<String> {
        let text = self.part("text/plain")?;
        text.lines().find(|line| line.starts_with("http")).map(|line| line.trim().to_owned())
    }

    fn head(&self) -> &str {
        self.raw.split("\r\n\r\n").next().unwrap_or_default()
    }

    /// Returns the violations of RFC 5322 and RFC 2045 in this e-mail.
    fn check(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for name in ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type"] {
            if self.header(name).is_none_or(|value| value.trim().is_empty()) {
                wrong.push(format!("header {name} does not occur exactly once: {}", self.head()));
            }
        }
        if !self.head().is_ascii() {
            wrong.push(format!("headers are not ASCII: {}", self.head()));
        }
        if !self.header("To").is_some_and(|to| to.contains(&self.to)) {
            wrong.push(format!("envelope and e-mail differ: {} and {:?}", self.to, self.header("To")));
        }
        for media_type in ["text/plain", "text/html"] {
            if self.part(media_type).is_none_or(|text| text.trim().is_empty()) {
                wrong.push(format!("no readable {media_type}: {}", self.raw));
            }
        }
        wrong
    }
}

/// Decodes quoted-printable, RFC 2045.
fn unquoted(text: &str) -> String {
    let mut bytes = Vec::new();
    let joined = text.replace("=\r\n", "");
    let mut rest = joined.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'=' {
            let digits: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
