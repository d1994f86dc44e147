//! One attempt to send an e-mail through the mail server.

use std::time::Duration;

use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use tollbridge_core::config::{SmtpConfig, SmtpSecurity};

use super::email::EmailMessage;

/// Maximum time of one attempt to send an e-mail, including connecting.
const EMAIL_ATTEMPT_MS_MAX: u64 = 30_000;

/// The reason why the e-mail configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// The configured sender is not a valid address.
    #[error("email.from is not a valid sender: {0}")]
    From(lettre::address::AddressError),
    /// The certificate file cannot be read.
    #[error("email.root_certificate: {path} cannot be read: {source}")]
    CertificateFile {
        /// Path of the file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The certificates cannot be used.
    #[error("email.root_certificate: {0}")]
    Certificate(lettre::transport::smtp::Error),
}

/// The outcome of one attempt.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// The server accepted the e-mail.
    Sent,
    /// The server will never accept the e-mail. Contains the reason, without the address.
    Refused(String),
    /// The server may accept the e-mail later. Contains the reason, without the address.
    Later(String),
}

/// A mail server and the sender of all e-mails.
pub(crate) struct MailServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl MailServer {
    /// Creates the client from the configuration; `host` is this server's own name. Does not
    /// connect yet.
    pub(crate) fn new(config: &SmtpConfig, host: &str) -> Result<Self, MailError> {
        let address: Address = config.from.address.parse().map_err(MailError::From)?;
        let name = Some(config.from.name.clone()).filter(|name| !name.is_empty());
        let server = &config.server;
        let tls = match server.security {
            SmtpSecurity::Tls => Tls::Wrapper(tls_parameters(config)?),
            SmtpSecurity::StartTls => Tls::Required(tls_parameters(config)?),
            SmtpSecurity::Plain => Tls::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .hello_name(ClientId::Domain(host.to_owned()))
            .timeout(Some(Duration::from_millis(EMAIL_ATTEMPT_MS_MAX)));
        if let Some((user, password)) = &config.login {
            builder = builder.credentials(Credentials::new(user.clone(), password.expose().to_owned()));
        }
        Ok(Self { transport: builder.build(), from: Mailbox::new(name, address) })
    }

    /// Sends an e-mail to the mail server within the time limit of one attempt.
    pub(crate) async fn send(&self, email: &EmailMessage) -> Attempt {
        let message = match self.message(email) {
            Ok(message) => message,
            Err(why) => return Attempt::Refused(why),
        };
        let limit = Duration::from_millis(EMAIL_ATTEMPT_MS_MAX);
        match tokio::time::timeout(limit, self.transport.send(message)).await {
            Ok(Ok(_)) => Attempt::Sent,
            // The server's text may contain the address, so only its code is reported.
            Ok(Err(error)) => match error.status() {
                Some(code) if error.is_permanent() => Attempt::Refused(format!("the mail server returned {code}")),
                Some(code) => Attempt::Later(format!("the mail server returned {code}")),
                None => Attempt::Later(described(&error)),
            },
            Err(_) => Attempt::Later(format!("the mail server did not answer within {} s", limit.as_secs())),
        }
    }

    fn message(&self, email: &EmailMessage) -> Result<Message, String> {
        let to: Address = email.to.parse().map_err(|_| "the address is not valid in an e-mail".to_owned())?;
        Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(&email.subject)
            .date_now()
            .message_id(None)
            // Prevents automatic replies such as vacation notices.
            .header(AutoSubmitted)
            .multipart(MultiPart::alternative_plain_html(email.text(), email.html()))
            .map_err(|error| format!("the e-mail cannot be built: {error}"))
    }
}

/// Formats an error below the SMTP level (of the connection or of TLS), with its causes.
fn described(error: &lettre::transport::smtp::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

fn tls_parameters(config: &SmtpConfig) -> Result<TlsParameters, MailError> {
    let mut builder = TlsParameters::builder(config.server.host.clone());
    if let Some(path) = &config.root_certificate {
        let unreadable = |source| MailError::CertificateFile { path: path.display().to_string(), source };
        let certificate = Certificate::from_pem(&std::fs::read(path).map_err(unreadable)?);
        let certificate = certificate.map_err(MailError::Certificate)?;
        builder = builder.certificate_store(CertificateStore::None).add_root_certificate(certificate);
    }
    builder.build().map_err(MailError::Certificate)
}

/// The header of RFC 3834 that marks automatically generated e-mails.
#[derive(Clone)]
struct AutoSubmitted;

impl lettre::message::header::Header for AutoSubmitted {
    fn name() -> lettre::message::header::HeaderName {
        lettre::message::header::HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> lettre::message::header::HeaderValue {
        lettre::message::header::HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}
