//! Bounds of webhooks.

use crate::time::DAY_MS;

/// Endpoints of one account.
pub const WEBHOOKS_PER_ACCOUNT_MAX: usize = 20;
/// The address of an endpoint; what browsers and servers agree on.
pub const WEBHOOK_URL_BYTES_MAX: usize = 2_048;
/// A secret: less could be guessed, more is no secret but a mistake.
pub const WEBHOOK_SECRET_CHARS_MIN: usize = 16;
/// Longest secret.
pub const WEBHOOK_SECRET_CHARS_MAX: usize = 256;
/// How long a rolled secret may sign beside the new one.
pub const WEBHOOK_OVERLAP_MS_MAX: u64 = 7 * DAY_MS;
/// Time of one attempt, from name look-up to the end of the answer.
pub const WEBHOOK_ATTEMPT_MS_MAX: u64 = 15_000;
/// What is read of an answer: only its status counts.
pub const WEBHOOK_RESPONSE_BYTES_MAX: usize = 64 << 10;
/// The longest wait that a receiver may ask for.
pub const WEBHOOK_RETRY_AFTER_S_MAX: u64 = 24 * 60 * 60;
/// Text of an error, as far as its owner may read it.
pub const WEBHOOK_ERROR_BYTES_MAX: usize = 200;
/// Deliveries of one endpoint that are recorded in one write.
pub const WEBHOOK_BATCH_MAX: usize = 128;
/// Endpoints whose rows are written anew in one change, at the start.
pub const WEBHOOK_ROWS_PER_CHANGE_MAX: usize = 500;
/// Attempts at once on one endpoint.
pub const WEBHOOK_CONCURRENCY_MAX: usize = 8;
/// Attempts at once on all endpoints that work, and on all that fail.
pub const WEBHOOK_ATTEMPTS_AT_ONCE_MAX: usize = 256;
/// Of these, on the endpoints of one account.
pub const WEBHOOK_ATTEMPTS_PER_ACCOUNT_MAX: usize = 64;
/// Deliveries of one endpoint that wait for another attempt. Beyond it events
/// stay in the outbox.
pub const WEBHOOK_WAITING_MAX: u64 = 10_000;
/// Deliveries of one endpoint that were given up and can be replayed.
pub const WEBHOOK_DEAD_KEPT_MAX: u64 = 10_000;
/// Attempts of one endpoint that its owner can look at.
pub const WEBHOOK_ATTEMPTS_KEPT: usize = 50;
/// Deliveries that one request may replay.
pub const WEBHOOK_REPLAY_MAX: usize = 1_000;
/// How long events are kept after they were delivered, for replay.
pub const OUTBOX_KEPT_MS: u64 = 3 * DAY_MS;
/// Events kept for one account: some 100 MB. Beyond it delivered ones are
/// forgotten early, and if that does not help nothing new is written.
pub const OUTBOX_ROWS_PER_ACCOUNT_MAX: u64 = 200_000;
