//! E-mails to people, by SMTP: their format and delivery.
//!
//! Invariants:
//! 1. The caller neither waits for an e-mail nor learns whether it was delivered: a
//!    background task sends it, and retries a few times if the mail server did not accept
//!    it. Few e-mails are sent at once.
//! 2. The queue is bounded, both in length and in the time that an e-mail waits.
//! 3. Neither addresses nor texts of e-mails are logged.
//!
//! Queued e-mails are lost when the process ends, which does no lasting harm: a link
//! expires within minutes and its user can request another, and other content is also
//! shown on a page.
//!
//! This crate does not depend on accounts, and is the only one that uses lettre.

mod email;
mod mailer;
mod server;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use email::{EmailKind, EmailMessage, Paragraph};
pub use mailer::{MailQueueFull, Mailer};
pub use server::MailError;
