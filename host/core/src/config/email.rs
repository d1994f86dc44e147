//! `[email]`: the settings for sending e-mail.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::address::BaseUrl;
use super::key::Key;
use super::processor::Processor;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::setting::Setting;

/// The section `[email]`.
#[derive(Clone, Debug)]
pub struct EmailConfig {
    /// The mail server and sender; `None` sends no e-mail.
    pub smtp: Option<SmtpConfig>,
    /// Whether pages show sign-in links to the client instead of e-mailing them; for a
    /// sandbox that only this machine can reach.
    pub show_links: bool,
}

/// A mail server, and the sender of all e-mails.
#[derive(Clone, Debug)]
pub struct SmtpConfig {
    /// The address of the server.
    pub server: SmtpServer,
    /// Name and password, if the server requires them.
    pub login: Option<(String, Secret)>,
    /// The sender.
    pub from: Sender,
    /// A PEM file of the CA certificates for verifying the server's certificate; `None`
    /// uses the system's.
    pub root_certificate: Option<PathBuf>,
}

/// The encryption of the connection to a mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpSecurity {
    /// TLS from the first byte: `smtps://`.
    Tls,
    /// STARTTLS (`smtp://`). It is required: if the server does not offer it, no e-mail
    /// is sent.
    StartTls,
    /// No encryption (`smtp+plain://`), for a relay on the same machine or network.
    Plain,
}

/// The parsed value of `email.smtp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtpServer {
    /// The encryption of the connection.
    pub security: SmtpSecurity,
    /// Host name or address; IPv6 without brackets.
    pub host: String,
    /// Port; the default is 465, 587 or 25, depending on `security`.
    pub port: u16,
}

/// The parsed value of `email.from`: an address and an optional name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The display name; empty if only the address is shown.
    pub name: String,
    /// The e-mail address, `name@domain`.
    pub address: String,
}

impl EmailConfig {
    /// Reads the section. `show_links` is false unless set; `settle` applies its default.
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let server = r.optional::<SmtpServer>("email.smtp");
        let user = r.optional::<String>("email.user");
        let password = r.optional::<Secret>("email.password");
        let from = r.optional::<Sender>("email.from");
        let root_certificate = r.optional("email.root_certificate");
        let show_links = r.optional::<bool>("email.show_links");
        let login = match (user?, password?) {
            (Some(user), Some(password)) => Some((user, password)),
            (None, None) => None,
            (user, _) => {
                let (key, other) = if user.is_some() { (PASSWORD, "email.user") } else { ("email.user", PASSWORD) };
                r.error(&Key::from(key), format!("is not set, but {other} is; set both or neither"));
                None
            }
        };
        let (server, from) = (server?, from?);
        if server.is_some() && from.is_none() {
            let message = "is not set, but email.smtp is; write the sender, like \"Name <no-reply@example.com>\"";
            r.error(&Key::from("email.from"), message.to_owned());
        }
        if login.is_some() && server.as_ref().is_some_and(SmtpServer::is_in_clear) {
            let message = "would be sent to another machine unencrypted; write smtps:// or smtp:// in email.smtp";
            r.error(&Key::from(PASSWORD), message.to_owned());
        }
        let root_certificate: Option<PathBuf> = root_certificate?;
        let smtp = server.zip(from).map(|(server, from)| SmtpConfig { server, login, from, root_certificate });
        Some(Self { smtp, show_links: show_links?.unwrap_or(false) })
    }

    /// Applies the defaults that depend on other sections.
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
            let message = "lets any client sign in to any account, so it must not be true unless payments.processor is \
                           \"sandbox\"; remove it and set email.smtp";
            r.error(&Key::from(key), message.to_owned());
        }
        let is_local = listen.ip().is_loopback() && base_url.is_none_or(BaseUrl::is_loopback);
        let derived = is_sandbox && is_local && self.smtp.is_none();
        r.derived(key, Raw::Flag(derived), "from payments.processor, server.listen and email.smtp");
        if !r.is_set(key) {
            self.show_links = derived;
        } else if self.show_links && !is_local {
            r.warn(key, "lets any client of this server sign in to any account; use it on a closed network only");
        }
        self
    }
}

const PASSWORD: &str = "email.password";

impl SmtpServer {
    /// Whether the connection is unencrypted and goes to another machine.
    fn is_in_clear(&self) -> bool {
        let is_here =
            self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        self.security == SmtpSecurity::Plain && !is_here
    }
}

impl Setting for SmtpServer {
    /// Parses the address of a mail server. Error messages omit the text, because it may
    /// contain a password.
    fn read(raw: &Raw) -> Result<Self, String> {
        let text = String::read(raw)?;
        if text.contains('@') {
            return Err("contains a user name; set email.user and email.password instead".to_owned());
        }
        parse_server(&text).ok_or_else(|| SMTP_WANTED.to_owned())
    }
}

const SMTP_WANTED: &str = "is not the address of a mail server; write it like \"smtps://smtp.example.com:465\", or \
                           smtp:// for STARTTLS";

fn parse_server(text: &str) -> Option<SmtpServer> {
    let (scheme, rest) = text.split_once("://")?;
    let (security, port) = match scheme {
        "smtps" => (SmtpSecurity::Tls, 465),
        "smtp" => (SmtpSecurity::StartTls, 587),
        "smtp+plain" => (SmtpSecurity::Plain, 25),
        _ => return None,
    };
    let place = rest.strip_suffix('/').unwrap_or(rest);
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
    sound.then(|| SmtpServer { security, host: host.to_owned(), port })
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
        for (text, security, host, port) in [
            ("smtps://smtp.example.com:4650", SmtpSecurity::Tls, "smtp.example.com", 4650),
            ("smtps://a", SmtpSecurity::Tls, "a", 465),
            ("smtp://a/", SmtpSecurity::StartTls, "a", 587),
            ("smtp+plain://[::1]", SmtpSecurity::Plain, "::1", 25),
            ("smtp://[::1]:9", SmtpSecurity::StartTls, "::1", 9),
        ] {
            let server = server(text).unwrap();
            assert_eq!((server.security, server.host.as_str(), server.port), (security, host, port), "{text}");
        }
    }

    #[test]
    fn an_invalid_server_is_refused_without_echoing_it() {
        for text in [
            "hunter2",
            "http://hunter2",
            "smtps://u:hunter2@a",
            "smtps://",
            "smtps://hunter2:0",
            "smtps://hunter2:x",
            "smtps://a/hunter2",
            "smtps://[::1]hunter2",
        ] {
            let message = server(text).unwrap_err();
            assert!(!message.contains("hunter"), "{text}: {message}");
        }
    }

    #[test]
    fn a_login_is_whole_and_not_sent_in_the_clear() {
        let base = "email.from = 'a@b.example'\nemail.user = 'u'\nemail.password = 'hunter2'\nemail.smtp = ";
        let login = |server: &str| loaded(&file(&format!("{base}'{server}'"))).config.email.smtp.unwrap().login;
        for server in ["smtps://a", "smtp://a", "smtp+plain://127.0.0.1:25", "smtp+plain://localhost"] {
            assert_eq!(
                login(server).map(|(user, password)| (user, password.expose().to_owned())),
                Some(("u".to_owned(), "hunter2".to_owned())),
                "{server}"
            );
        }
        let in_clear = refused(&file(&format!("{base}'smtp+plain://mail.example.com'")));
        assert!(in_clear.contains("email.password") && !in_clear.contains("hunter"), "{in_clear}");
        for (half, missing) in [("email.user = 'u'", "email.password"), ("email.password = 'p'", "email.user")] {
            let half = refused(&file(&format!("{half}\nemail.from = 'a@b.example'\nemail.smtp = 'smtps://a'")));
            assert!(half.contains(&format!("{missing}: is not set")), "{half}");
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
    fn links_are_shown_only_on_private_servers() {
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
