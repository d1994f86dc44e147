//! Letters to people, by SMTP: what they look like, and how they are sent.
//!
//! Invariants:
//! 1. Whoever hands a letter over does not wait for it, and learns nothing of its
//!    fate: it is sent by a task of its own, a few at once, and again some times
//!    where a server did not take it.
//! 2. What waits is bounded, in number and in time.
//! 3. Neither addresses nor texts of letters are in the log.
//!
//! Letters that wait are lost when the process ends. What is in them is good for
//! minutes, or says what a page says too: whoever misses a link asks for another.
//!
//! Knows nothing of accounts. The only crate that knows lettre.

mod letter;
mod mailer;
mod server;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use letter::{Letter, LetterKind, Paragraph};
pub use mailer::{MailQueueFull, Mailer};
pub use server::MailError;
