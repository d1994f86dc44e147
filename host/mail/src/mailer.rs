//! Sends e-mails in the background: a few at a time, with retries where useful, and with a
//! bounded queue.

use std::sync::Arc;
use std::time::Duration;

use metrics::counter;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tollbridge_core::config::SmtpConfig;

use super::email::EmailMessage;
use super::server::{Attempt, MailError, MailServer};

/// Maximum number of e-mails that wait to be sent or retried; they take some megabytes of
/// memory.
const EMAILS_WAITING_MAX: usize = 1_000;
/// Maximum number of e-mails that are sent at once; low, because mail servers accept few
/// connections from one client.
const EMAILS_AT_ONCE_MAX: usize = 4;
/// Delays before an e-mail that a server did not accept is sent again. A server that uses
/// greylisting accepts an e-mail after some minutes; after the last delay, the e-mail's
/// link would be expired.
const EMAIL_RETRIES_MS: [u64; 4] = [2_000, 15_000, 60_000, 5 * 60_000];

/// Sends e-mails in the background. Clones share one queue.
#[derive(Clone)]
pub struct Mailer {
    server: Arc<MailServer>,
    /// Limits the number of queued e-mails, including those that wait for a retry.
    waiting: Arc<Semaphore>,
    /// Limits the number of e-mails that are being sent at once.
    sending: Arc<Semaphore>,
    /// Delays between attempts.
    retries: Arc<[Duration]>,
}

/// An error: the e-mail queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many e-mails are waiting to be sent; try again in a few minutes")]
pub struct MailQueueFull;

impl Mailer {
    /// Creates a mailer from the configuration; `host` is this server's own name. Does
    /// not connect yet.
    ///
    /// # Errors
    /// The configuration is invalid.
    pub fn new(config: &SmtpConfig, host: &str) -> Result<Self, MailError> {
        let server = Arc::new(MailServer::new(config, host)?);
        let semaphore = |places| Arc::new(Semaphore::new(places));
        let (waiting, sending) = (semaphore(EMAILS_WAITING_MAX), semaphore(EMAILS_AT_ONCE_MAX));
        let retries = EMAIL_RETRIES_MS.into_iter().map(Duration::from_millis).collect();
        Ok(Self { server, waiting, sending, retries })
    }

    /// Queues an e-mail to be written and sent, and returns at once. `write` runs in the
    /// background; if it returns `None`, no e-mail is sent. So the duration of this call
    /// does not reveal whether a recipient exists.
    ///
    /// # Errors
    /// [`MailQueueFull`].
    pub fn post<F>(&self, write: F) -> Result<(), MailQueueFull>
    where
        F: Future<Output = Option<EmailMessage>> + Send + 'static,
    {
        let place = self.waiting.clone().try_acquire_owned().map_err(|_| MailQueueFull)?;
        let mailer = self.clone();
        tokio::spawn(async move {
            if let Some(email) = write.await {
                mailer.deliver(&email).await;
            }
            drop(place);
        });
        Ok(())
    }

    /// Tries to send an e-mail until it is sent or refused, or until a further attempt
    /// would be too late to be useful.
    async fn deliver(&self, email: &EmailMessage) {
        let (kind, begun) = (email.kind.as_str(), Instant::now());
        for wait in self.retries.iter().copied().map(Some).chain([None]) {
            let attempt = {
                // The semaphore is never closed.
                let Ok(_place) = self.sending.acquire().await else { return };
                self.server.send(email).await
            };
            let why = match attempt {
                Attempt::Sent => return counter!(EMAILS, "outcome" => "sent").increment(1),
                Attempt::Refused(why) => {
                    counter!(EMAILS, "outcome" => "refused").increment(1);
                    tracing::warn!(kind, why, "an e-mail was refused");
                    return;
                }
                Attempt::Later(why) => why,
            };
            counter!(FAILURES).increment(1);
            // Give up if the e-mail would be useless by the time of the next attempt.
            let next = wait.filter(|wait| begun.elapsed() + *wait < email.good_for);
            match next {
                Some(wait) => {
                    tracing::warn!(kind, why, again_in_s = wait.as_secs(), "an e-mail was not sent; retrying later");
                    tokio::time::sleep(wait).await;
                }
                None => {
                    counter!(EMAILS, "outcome" => "given_up").increment(1);
                    tracing::error!(kind, why, "an e-mail was given up");
                    return;
                }
            }
        }
    }
}

/// Metric: number of e-mails by outcome (sent, refused, or given up after the last
/// retry).
const EMAILS: &str = "tollbridge_letters_total";
/// Metric: number of failed attempts to send an e-mail, except final refusals.
const FAILURES: &str = "tollbridge_letter_failures_total";

#[cfg(test)]
#[path = "mailer_tests.rs"]
mod tests;
