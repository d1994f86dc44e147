//! Tests of sending to a fake mail server that checks every message strictly and fails on
//! demand.

use tollbridge_core::config::{Sender, SmtpSecurity, SmtpServer};

use super::super::email::{EmailKind, Paragraph};
use super::super::testing::{FakeMailServer, Fault};
use super::*;

const LINK: &str = "https://bridge.example.com/account/email?link=0123456789012345678901234567890123456789012";

fn email(to: &str) -> EmailMessage {
    let link = Paragraph::Link { label: "Sign in".to_owned(), url: LINK.to_owned() };
    EmailMessage {
        kind: EmailKind::SignIn,
        to: to.to_owned(),
        subject: "Sign in to Bridge & Söhne".to_owned(),
        paragraphs: vec![Paragraph::Text("Someone asked.\n.\n<b>£5.00</b>".to_owned()), link],
        good_for: Duration::from_secs(60),
    }
}

async fn mailer(login: Option<(&str, &str)>) -> (FakeMailServer, Mailer) {
    let (server, address) = FakeMailServer::start().await;
    let login = login.map(|(user, password)| (user.to_owned(), tollbridge_core::config::Secret::new(password)));
    let config = SmtpConfig {
        server: SmtpServer { security: SmtpSecurity::Plain, host: address.ip().to_string(), port: address.port() },
        login,
        from: Sender { name: "Bridge & Söhne".to_owned(), address: "no-reply@bridge.example.com".to_owned() },
        root_certificate: None,
    };
    let mailer = Mailer::new(&config, "bridge.example.com").unwrap();
    (server, Mailer { retries: Arc::new([Duration::from_millis(20); 3]), ..mailer })
}

/// Waits until every posted e-mail was sent, refused or given up.
async fn at_rest(mailer: &Mailer) {
    let all = u32::try_from(EMAILS_WAITING_MAX).unwrap();
    drop(tokio::time::timeout(Duration::from_secs(20), mailer.waiting.acquire_many(all)).await.unwrap().unwrap());
}

fn post(mailer: &Mailer, email: EmailMessage) {
    mailer.post(async move { Some(email) }).unwrap();
}

#[tokio::test]
async fn an_email_conforms_to_the_standards() {
    let (server, mailer) = mailer(None).await;
    post(&mailer, email("ada@example.com"));
    at_rest(&mailer).await;
    assert_eq!(server.violations(), Vec::<String>::new());
    let emails = server.emails();
    let [taken] = emails.as_slice() else { panic!("{emails:?}") };
    assert_eq!((taken.from.as_str(), taken.to.as_str()), ("no-reply@bridge.example.com", "ada@example.com"));
    assert_eq!(taken.link().as_deref(), Some(LINK));
    let (text, html) = (taken.part("text/plain").unwrap(), taken.part("text/html").unwrap());
    assert!(text.contains("\r\n.\r\n") && text.contains("<b>£5.00</b>"), "{text}");
    assert!(html.contains("&lt;b&gt;£5.00&lt;/b&gt;") && html.contains(&format!("href=\"{LINK}\"")), "{html}");
    assert_eq!(taken.header("Auto-Submitted").as_deref(), Some("auto-generated"));
    assert!(taken.header("Subject").unwrap().contains("=?utf-8?"), "{:?}", taken.header("Subject"));
}

#[tokio::test]
async fn transient_failures_are_retried() {
    for fault in [Fault::Hangup, Fault::Greeting(421), Fault::Recipient(450), Fault::Message(451)] {
        let (server, mailer) = mailer(None).await;
        server.fail([fault, fault]);
        post(&mailer, email("ada@example.com"));
        at_rest(&mailer).await;
        assert_eq!((server.emails().len(), server.connections().0), (1, 3), "{fault:?}");
        assert_eq!(server.violations(), Vec::<String>::new(), "{fault:?}");
    }
    // If the server does not acknowledge an e-mail, it may or may not have accepted it:
    // sending twice is better than not at all.
    let (server, mailer) = mailer(None).await;
    server.fail([Fault::DropAfterData]);
    post(&mailer, email("ada@example.com"));
    at_rest(&mailer).await;
    assert_eq!(server.emails().len(), 2);
}

#[tokio::test]
async fn a_refusal_is_final_and_failures_end() {
    for fault in [Fault::Greeting(554), Fault::Recipient(550), Fault::Message(552)] {
        let (server, mailer) = mailer(None).await;
        server.fail([fault]);
        post(&mailer, email("ada@example.com"));
        at_rest(&mailer).await;
        assert_eq!((server.emails().len(), server.connections().0), (0, 1), "{fault:?}");
    }
    let (server, mailer) = mailer(None).await;
    server.fail([Fault::Recipient(450); 9]);
    post(&mailer, email("ada@example.com"));
    at_rest(&mailer).await;
    assert_eq!((server.emails().len(), server.connections().0), (0, 4), "there must be one attempt and three retries");
    // An e-mail that expires before its next attempt is not retried.
    let brief = EmailMessage { good_for: Duration::from_millis(10), ..email("ada@example.com") };
    post(&mailer, brief);
    at_rest(&mailer).await;
    assert_eq!(server.connections().0, 5);
    // An invalid address is refused without connecting to the server.
    post(&mailer, email("nobody at all"));
    at_rest(&mailer).await;
    assert_eq!(server.connections().0, 5);
}

#[tokio::test]
async fn it_logs_in_where_it_must() {
    let base64 = "AHUAcHc="; // \0u\0pw
    for (login, taken) in [(Some(("u", "pw")), 1), (Some(("u", "wrong")), 0), (None, 0)] {
        let (server, mailer) = mailer(login).await;
        server.ask_for_login(base64);
        post(&mailer, email("ada@example.com"));
        at_rest(&mailer).await;
        assert_eq!(server.emails().len(), taken, "{login:?}");
    }
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let (server, mailer) = mailer(None).await;
    server.fail([Fault::Slow(Duration::from_millis(100)); 8]);
    for n in 0..8 {
        post(&mailer, email(&format!("n{n}@example.com")));
    }
    let silent = |mailer: &Mailer| mailer.post(async { None });
    let never = |mailer: &Mailer| {
        mailer.post(async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            None
        })
    };
    for _ in 8..EMAILS_WAITING_MAX {
        never(&mailer).unwrap();
    }
    assert_eq!(silent(&mailer), Err(MailQueueFull));
    at_rest(&mailer).await;
    assert!(silent(&mailer).is_ok(), "the queue has room again");
    assert_eq!(server.emails().len(), 8);
    assert!(server.connections().1 <= EMAILS_AT_ONCE_MAX, "{:?}", server.connections());
}

#[test]
fn a_certificate_that_is_none_is_named() {
    let server = SmtpServer { security: SmtpSecurity::Tls, host: "mail.example.com".to_owned(), port: 465 };
    let from = Sender { name: String::new(), address: "a@b.example".to_owned() };
    let config = SmtpConfig { server, login: None, from, root_certificate: Some("/nowhere/mail.pem".into()) };
    let error = Mailer::new(&config, "b.example").map(drop).unwrap_err().to_string();
    assert!(error.contains("email.root_certificate") && error.contains("/nowhere/mail.pem"), "{error}");
    let config = SmtpConfig { root_certificate: None, ..config };
    assert!(Mailer::new(&config, "b.example").is_ok());
}
