//! Limits of webhooks.

use crate::time::DAY_MS;

/// Maximum number of endpoints of one account.
pub const WEBHOOKS_PER_ACCOUNT_MAX: usize = 20;
/// Maximum length of an endpoint's URL: a length that browsers and servers agree on.
pub const WEBHOOK_URL_BYTES_MAX: usize = 2_048;
/// Minimum length of a secret: a shorter one could be guessed.
pub const WEBHOOK_SECRET_CHARS_MIN: usize = 16;
/// Maximum length of a secret; a longer one is probably a mistake.
pub const WEBHOOK_SECRET_CHARS_MAX: usize = 256;
/// Maximum time for which a rolled secret may sign beside the new one.
pub const WEBHOOK_OVERLAP_MS_MAX: u64 = 7 * DAY_MS;
/// Maximum time of one attempt, from name resolution to the end of the answer.
pub const WEBHOOK_ATTEMPT_MS_MAX: u64 = 15_000;
/// Maximum number of bytes of an answer that are read: only its status counts.
pub const WEBHOOK_RESPONSE_BYTES_MAX: usize = 64 << 10;
/// Maximum delay that a receiver may ask for.
pub const WEBHOOK_RETRY_AFTER_S_MAX: u64 = 24 * 60 * 60;
/// Maximum length of an error text shown to the endpoint's owner.
pub const WEBHOOK_ERROR_BYTES_MAX: usize = 200;
/// Maximum number of an endpoint's deliveries that are recorded in one write.
pub const WEBHOOK_BATCH_MAX: usize = 128;
/// Maximum number of endpoints whose rows are rewritten in one change at start-up.
pub const WEBHOOK_ROWS_PER_CHANGE_MAX: usize = 500;
/// Maximum number of concurrent attempts on one endpoint.
pub const WEBHOOK_CONCURRENCY_MAX: usize = 8;
/// Maximum number of concurrent attempts on all working endpoints; the same number
/// applies to all failing ones.
pub const WEBHOOK_ATTEMPTS_AT_ONCE_MAX: usize = 256;
/// Maximum number of concurrent attempts on the endpoints of one account.
pub const WEBHOOK_ATTEMPTS_PER_ACCOUNT_MAX: usize = 64;
/// Maximum number of an endpoint's deliveries that wait for a retry. Above it, events
/// stay in the outbox.
pub const WEBHOOK_WAITING_MAX: u64 = 10_000;
/// Maximum number of dead deliveries of one endpoint that are kept for replay.
pub const WEBHOOK_DEAD_KEPT_MAX: u64 = 10_000;
/// Number of the latest attempts of an endpoint that are listed for its owner.
pub const WEBHOOK_ATTEMPTS_KEPT: usize = 50;
/// Maximum number of deliveries that one request may replay.
pub const WEBHOOK_REPLAY_MAX: usize = 1_000;
/// Retention of delivered events, for replay.
pub const OUTBOX_KEPT_MS: u64 = 3 * DAY_MS;
/// Maximum number of events kept for one account: some 100 MB. Above it, delivered events
/// are deleted early; if that does not help, new events are not written.
pub const OUTBOX_ROWS_PER_ACCOUNT_MAX: u64 = 200_000;
