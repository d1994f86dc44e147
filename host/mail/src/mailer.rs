//! Sends letters in the background: a few at once, again where it makes sense, and
//! never more of them than fit.

use std::sync::Arc;
use std::time::Duration;

use metrics::counter;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tollbridge_core::config::SmtpConfig;
use tollbridge_core::limits::{LETTER_RETRIES_MS, LETTERS_AT_ONCE_MAX, LETTERS_WAITING_MAX};

use super::letter::Letter;
use super::server::{Attempt, MailError, MailServer};

/// Sends letters.
#[derive(Clone)]
pub struct Mailer {
    server: Arc<MailServer>,
    /// Letters that are not sent yet.
    waiting: Arc<Semaphore>,
    /// Letters that are being sent.
    sending: Arc<Semaphore>,
    /// Waits between attempts.
    retries: Arc<[Duration]>,
}

/// As many letters wait as may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many letters wait to be sent; try again in some minutes")]
pub struct MailQueueFull;

impl Mailer {
    /// A mailer as the configuration says; `host` is what this server calls itself.
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// What in the configuration cannot be used.
    pub fn new(config: &SmtpConfig, host: &str) -> Result<Self, MailError> {
        let server = Arc::new(MailServer::new(config, host)?);
        let semaphore = |places| Arc::new(Semaphore::new(places));
        let (waiting, sending) = (semaphore(LETTERS_WAITING_MAX), semaphore(LETTERS_AT_ONCE_MAX));
        let retries = LETTER_RETRIES_MS.into_iter().map(Duration::from_millis).collect();
        Ok(Self { server, waiting, sending, retries })
    }

    /// Has a letter written and sent, and returns at once. `write` runs in the
    /// background; where it gives none, none is sent. So whoever waits for the
    /// return learns nothing of whether there is anybody to write to.
    ///
    /// # Errors
    /// [`MailQueueFull`].
    pub fn post<F>(&self, write: F) -> Result<(), MailQueueFull>
    where
        F: Future<Output = Option<Letter>> + Send + 'static,
    {
        let place = self.waiting.clone().try_acquire_owned().map_err(|_| MailQueueFull)?;
        let mailer = self.clone();
        tokio::spawn(async move {
            if let Some(letter) = write.await {
                mailer.deliver(&letter).await;
            }
            drop(place);
        });
        Ok(())
    }

    /// Sends a letter until it is sent, refused or of no use any more.
    async fn deliver(&self, letter: &Letter) {
        let (kind, begun) = (letter.kind.as_str(), Instant::now());
        for wait in self.retries.iter().copied().map(Some).chain([None]) {
            let attempt = {
                // It is never closed.
                let Ok(_place) = self.sending.acquire().await else { return };
                self.server.send(letter).await
            };
            let why = match attempt {
                Attempt::Sent => return counter!(LETTERS, "outcome" => "sent").increment(1),
                Attempt::Refused(why) => {
                    counter!(LETTERS, "outcome" => "refused").increment(1);
                    tracing::warn!(kind, why, "a letter was refused");
                    return;
                }
                Attempt::Later(why) => why,
            };
            counter!(FAILURES).increment(1);
            let next = wait.filter(|wait| begun.elapsed() + *wait < letter.good_for);
            match next {
                Some(wait) => {
                    tracing::warn!(kind, why, again_in_s = wait.as_secs(), "a letter was not sent; it waits");
                    tokio::time::sleep(wait).await;
                }
                None => {
                    counter!(LETTERS, "outcome" => "given_up").increment(1);
                    tracing::error!(kind, why, "a letter was given up");
                    return;
                }
            }
        }
    }
}

/// Letters that came to an end, by outcome.
const LETTERS: &str = "tollbridge_letters_total";
/// Attempts that a later one may make good.
const FAILURES: &str = "tollbridge_letter_failures_total";

#[cfg(test)]
#[path = "mailer_tests.rs"]
mod tests;
