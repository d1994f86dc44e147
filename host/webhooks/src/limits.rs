//! Limits that several modules share, each with its reason.

use tollbridge_core::time::DAY_MS;

/// Maximum number of endpoints of one account.
pub(crate) const WEBHOOKS_PER_ACCOUNT_MAX: usize = 20;
/// Minimum length of a secret: a shorter one could be guessed.
pub const WEBHOOK_SECRET_CHARS_MIN: usize = 16;
/// Maximum length of a secret; a longer one is probably a mistake.
pub const WEBHOOK_SECRET_CHARS_MAX: usize = 256;
/// Maximum time for which a replaced secret may still sign in addition to the new one.
pub const WEBHOOK_OVERLAP_MS_MAX: u64 = 7 * DAY_MS;
/// Maximum number of an endpoint's deliveries that wait for a retry. At this limit, new
/// events stay in the outbox.
pub(crate) const WEBHOOK_WAITING_MAX: u64 = 10_000;
/// Maximum number of deliveries that one request may replay.
pub(crate) const WEBHOOK_REPLAY_MAX: usize = 1_000;
/// Retention of delivered events, for replay.
pub(crate) const OUTBOX_KEPT_MS: u64 = 3 * DAY_MS;
/// Maximum number of events kept for one account: about 100 MB. Above half of it,
/// delivered events are deleted early; at the maximum, new events are not written.
pub(crate) const OUTBOX_ROWS_PER_ACCOUNT_MAX: u64 = 200_000;
