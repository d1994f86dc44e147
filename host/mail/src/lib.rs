//! E-mails to people, by SMTP: their format and delivery.
//!
//! Invariants:
//! 1. The caller does not wait for an e-mail and does not learn its fate: a separate task
//!    sends it, a few at a time, and retries a few times if a server did not accept it.
//! 2. The queue is bounded, in number and in time.
//! 3. Neither addresses nor texts of e-mails are logged.
//!
//! Queued e-mails are lost when the process ends. Their content is valid for minutes only or
//! also shown on a page: a user who misses a link requests another.
//!
//! Independent of accounts. The only crate that uses lettre.

mod letter;
mod mailer;
mod server;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use letter::{Letter, LetterKind, Paragraph};
pub use mailer::{MailQueueFull, Mailer};
pub use server::MailError;
