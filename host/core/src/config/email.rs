//! `[email]`: letters to people.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::address::BaseUrl;
use super::key::Key;
use super::payments::Processor;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::setting::Setting;

/// `[email]`.
#[derive(Clone, Debug)]
pub struct EmailConfig {
    /// What sends letters; none goes out unless it is set.
    pub smtp: Option<SmtpConfig>,
    /// Whether pages show links in place of sending them, to whoever asks: in a
    /// sandbox that only this machine reaches.
    pub show_links: bool,
}

/// A server that takes letters, and who they are from.
#[derive(Clone, Debug)]
pub struct SmtpConfig {
    /// Where it is and who asks.
    pub server: SmtpServer,
    /// The sender.
    pub from: Sender,
    /// Certificates that the server's is checked with, as PEM; the system's if none.
    pub root_certificate: Option<PathBuf>,
}

/// How the connection to a mail server is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// TLS from the first byte: `smtps://`.
    Tls,
    /// STARTTLS, without which nothing is sent: `smtp://`.
    StartTls,
    /// None: `smtp+plain://`, for a relay on the same machine or network.
    Plain,
}

/// `email.smtp`, taken apart. Shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpServer {
    /// How the connection is protected.
    pub security: SmtpSecurity,
    /// Name or address, IPv6 without brackets.
    pub host: String,
    /// Port; 465, 587 or 25 unless given.
    pub port: u16,
    /// Name and password, if it asks for them.
    pub login: Option<(String, Secret)>,
}

/// `email.from`: a name that may be empty, and an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// What people see; empty for the address alone.
    pub name: String,
    /// `name@domain`.
    pub address: String,
}

impl EmailConfig {
    /// Reads the section. Links are shown unless told otherwise in a sandbox that
    /// listens on this machine alone.
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let server = r.optional::<SmtpServer>("email.smtp");
        let from = r.optional::<Sender>("email.from");
        let root_certificate = r.optional("email.root_certificate");
        let show_links = r.optional::<bool>("email.show_links");
        let (server, from) = (server?, from?);
        if server.is_some() && from.is_none() {
            let message = "is not set, but email.smtp is; write the sender, like \"Name <no-reply@example.com>\"";
            r.error(&Key::from("email.from"), message.to_owned());
            return None;
        }
        let root_certificate: Option<PathBuf> = root_certificate?;
        let smtp = server.zip(from).map(|(server, from)| SmtpConfig { server, from, root_certificate });
        Some(Self { smtp, show_links: show_links?.unwrap_or(false) })
    }

    /// Decides what follows from other sections.
    pub(super) fn settle(
        mut self,
        r: &mut Reader,
        listen: SocketAddr,
        base_url: Option<&BaseUrl>,
        processor: Processor,
    ) -> Self {
        let key = "email.show_links";
        let is_sandbox = processor == Processor::Sandbox;
        if self.show_links && !is_sandbox {
            let message = "lets whoever asks sign in as anybody, so it cannot be true where payments.processor is not \
                           \"sandbox\"; remove it and set email.smtp";
            r.error(&Key::from(key), message.to_owned());
        }
        let is_local = listen.ip().is_loopback() && base_url.is_none_or(BaseUrl::is_loopback);
        let derived = is_sandbox && is_local && self.smtp.is_none();
        r.derived(key, Raw::Flag(derived), "from payments.processor, server.listen and email.smtp");
        if !r.is_set(key) {
            self.show_links = derived;
        } else if self.show_links && !is_local {
            r.warn(key, "lets whoever reaches this server sign in as anybody; use it on a closed network only");
        }
        self
    }
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SmtpServer({:?} {}:{})", self.security, self.host, self.port)
    }
}

impl Setting for SmtpServer {
    const SECRET: bool = true;

    fn read(raw: &Raw) -> Result<Self, String> {
        let text = Secret::read(raw)?;
        parse_server(text.expose()).ok_or_else(|| SMTP_WANTED.to_owned()).and_then(|server| {
            let sends_in_clear = server.security == SmtpSecurity::Plain && server.login.is_some();
            let is_here = server.host == "localhost"
                || server.host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
            match sends_in_clear && !is_here {
                true => Err("would send a password unencrypted; write smtps:// or smtp://".to_owned()),
                false => Ok(server),
            }
        })
    }
}

const SMTP_WANTED: &str = "is not the address of a mail server; write it like \
                           \"smtps://user:password@smtp.example.com:465\", or smtp:// for STARTTLS, with % and two \
                           hexadecimal digits for special characters of the password";

fn parse_server(text: &str) -> Option<SmtpServer> {
    let (scheme, rest) = text.split_once("://")?;
    let (security, port) = match scheme {
        "smtps" => (SmtpSecurity::Tls, 465),
        "smtp" => (SmtpSecurity::StartTls, 587),
        "smtp+plain" => (SmtpSecurity::Plain, 25),
        _ => return None,
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (login, place) = match rest.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, rest),
    };
    let login = match login {
        Some(login) => {
            let (user, password) = login.split_once(':')?;
            let (user, password) = (decoded(user)?, decoded(password)?);
            Some((Some(user).filter(|user| !user.is_empty())?, Secret::new(password)))
        }
        None => None,
    };
    let (host, port) = match place.strip_prefix('[').and_then(|v6| v6.split_once(']')) {
        Some((v6, "")) => (v6, port),
        Some((v6, tail)) => (v6, tail.strip_prefix(':')?.parse().ok()?),
        None => match place.split_once(':') {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (place, port),
        },
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:_".contains(c);
    let sound = port != 0 && !host.is_empty() && host.chars().all(is_host);
    sound.then(|| SmtpServer { security, host: host.to_owned(), port, login })
}

/// Text in which `%40` stands for `@`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(match byte {
            b'%' => digit(rest.next())? << 4 | digit(rest.next())?,
            b'/' | b'?' | b'#' => return None,
            other => other,
        });
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

impl Setting for Sender {
    fn read(raw: &Raw) -> Result<Self, String> {
        let text = String::read(raw)?;
        let (name, address) = match text.split_once('<') {
            Some((name, rest)) => (name.trim().trim_matches('"'), rest.strip_suffix('>').unwrap_or_default()),
            None => ("", text.as_str()),
        };
        let plain = |c: char| c.is_ascii_graphic() && !"<>()[]\\,;:\"@".contains(c);
        let sound = address.split_once('@').is_some_and(|(local, domain)| {
            let filled =
                !local.is_empty() && domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.');
            filled && local.chars().all(plain) && domain.chars().all(plain)
        });
        match sound && !name.contains('"') {
            true => Ok(Self { name: name.to_owned(), address: address.to_owned() }),
            false => Err("is not a sender; write it like \"Name <no-reply@example.com>\"".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, loaded, refused};
    use super::*;

    fn server(text: &str) -> Result<SmtpServer, String> {
        SmtpServer::read(&Raw::Text(text.to_owned()))
    }

    #[test]
    fn servers_are_read() {
        let full = server("smtps://us%40er:p%3Aa%2Fs%25s@smtp.example.com:4650").unwrap();
        assert_eq!((full.security, full.host.as_str(), full.port), (SmtpSecurity::Tls, "smtp.example.com", 4650));
        let (user, password) = full.login.clone().unwrap();
        assert_eq!((user.as_str(), password.expose()), ("us@er", "p:a/s%s"));
        assert_eq!(format!("{full:?}"), "SmtpServer(Tls smtp.example.com:4650)");
        for (text, security, host, port) in [
            ("smtps://a", SmtpSecurity::Tls, "a", 465),
            ("smtp://a/", SmtpSecurity::StartTls, "a", 587),
            ("smtp+plain://[::1]", SmtpSecurity::Plain, "::1", 25),
            ("smtp://[::1]:9", SmtpSecurity::StartTls, "::1", 9),
            ("smtp+plain://u:p@127.0.0.1:9", SmtpSecurity::Plain, "127.0.0.1", 9),
        ] {
            let server = server(text).unwrap();
            assert_eq!((server.security, server.host.as_str(), server.port), (security, host, port), "{text}");
        }
    }

    #[test]
    fn what_is_no_server_is_refused_without_its_password() {
        for text in [
            "hunter2",
            "http://u:hunter2@a",
            "smtps://u@a",
            "smtps://:hunter2@a",
            "smtps://u:hunter2@",
            "smtps://u:hunter2@a:0",
            "smtps://u:hunter2@a:x",
            "smtps://u:hunter2%4@a",
            "smtps://u:hunter2%00@a",
            "smtps://u:hunter2@a/path",
            "smtp+plain://u:hunter2@mail.example.com",
        ] {
            let message = server(text).unwrap_err();
            assert!(!message.contains("hunter") && message.contains("smtp"), "{text}: {message}");
        }
    }

    #[test]
    fn senders_are_read() {
        let read = |text: &str| Sender::read(&Raw::Text(text.to_owned()));
        let sender = read("The Bridge <no-reply@example.com>").unwrap();
        assert_eq!((sender.name.as_str(), sender.address.as_str()), ("The Bridge", "no-reply@example.com"));
        assert_eq!(read("a@b.example").unwrap().name, "");
        for bad in
            ["", "nobody", "Name <nobody>", "Name <a@b.example", "a@b", "a b@c.example", "a@b.example,c@d.example"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn links_are_shown_where_nobody_else_can_ask_for_them() {
        let shown = |text: &str| loaded(&file(text)).config.email.show_links;
        assert!(shown(""));
        for elsewhere in [
            "server.listen = '0.0.0.0:80'",
            "server.base_url = 'https://b.example'",
            "payments.processor = 'stripe'",
            "email.smtp = 'smtps://a'\nemail.from = 'a@b.example'",
            "email.show_links = false",
        ] {
            assert!(!shown(elsewhere), "{elsewhere}");
        }
        assert!(shown("server.listen = '0.0.0.0:80'\nemail.show_links = true"));
        let live = refused(&file("payments.processor = 'stripe'\nemail.show_links = true"));
        assert!(live.contains("email.show_links") && live.contains("email.smtp"), "{live}");
        let nobody = refused(&file("email.smtp = 'smtps://a'"));
        assert!(nobody.contains("email.from"), "{nobody}");
    }
}
