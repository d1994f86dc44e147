//! Limits of webhooks.

use crate::time::DAY_MS;

/// Endpoints of one account.
pub const WEBHOOKS_PER_ACCOUNT_MAX: usize = 20;
/// The URL of an endpoint; a length that browsers and servers agree on.
pub const WEBHOOK_URL_BYTES_MAX: usize = 2_048;
/// A secret: a shorter one could be guessed.
pub const WEBHOOK_SECRET_CHARS_MIN: usize = 16;
/// Longest secret; a longer one is probably a mistake.
pub const WEBHOOK_SECRET_CHARS_MAX: usize = 256;
/// Time that a rolled secret may sign beside the new one.
pub const WEBHOOK_OVERLAP_MS_MAX: u64 = 7 * DAY_MS;
/// Time of one attempt, from name resolution to the end of the answer.
pub const WEBHOOK_ATTEMPT_MS_MAX: u64 = 15_000;
/// Bytes that are read of an answer: only its status counts.
pub const WEBHOOK_RESPONSE_BYTES_MAX: usize = 64 << 10;
/// The longest wait that a receiver may ask for.
pub const WEBHOOK_RETRY_AFTER_S_MAX: u64 = 24 * 60 * 60;
/// Text of an error that is shown to the endpoint's owner.
pub const WEBHOOK_ERROR_BYTES_MAX: usize = 200;
/// Deliveries of one endpoint that are recorded in one write.
pub const WEBHOOK_BATCH_MAX: usize = 128;
/// Endpoints whose rows are rewritten in one change at start-up.
pub const WEBHOOK_ROWS_PER_CHANGE_MAX: usize = 500;
/// Concurrent attempts on one endpoint.
pub const WEBHOOK_CONCURRENCY_MAX: usize = 8;
/// Concurrent attempts on all working endpoints, and on all failing ones.
pub const WEBHOOK_ATTEMPTS_AT_ONCE_MAX: usize = 256;
/// Concurrent attempts on the endpoints of one account.
pub const WEBHOOK_ATTEMPTS_PER_ACCOUNT_MAX: usize = 64;
/// Deliveries of one endpoint that wait for another attempt. Beyond it, events
/// stay in the outbox.
pub const WEBHOOK_WAITING_MAX: u64 = 10_000;
/// Dead deliveries of one endpoint that can be replayed.
pub const WEBHOOK_DEAD_KEPT_MAX: u64 = 10_000;
/// Attempts of one endpoint that are listed for its owner.
pub const WEBHOOK_ATTEMPTS_KEPT: usize = 50;
/// Deliveries that one request may replay.
pub const WEBHOOK_REPLAY_MAX: usize = 1_000;
/// Retention of delivered events, for replay.
pub const OUTBOX_KEPT_MS: u64 = 3 * DAY_MS;
/// Events kept for one account: some 100 MB. Beyond it, delivered events are
/// deleted early; if that does not help, new events are not written.
pub const OUTBOX_ROWS_PER_ACCOUNT_MAX: u64 = 200_000;
