//! Limits that several modules share, each with its reason.

use tollbridge_core::time::DAY_MS;

/// Maximum number of keys of one account.
pub(crate) const KEYS_PER_ACCOUNT_MAX: usize = 10;
/// Maximum time for which a rolled key may remain valid: long enough for a careful
/// roll-out.
pub(crate) const KEY_GRACE_MS_MAX: u64 = 7 * DAY_MS;
/// Maximum length of a key's label.
pub(crate) const KEY_LABEL_CHARS_MAX: usize = 80;
/// Validity of a link in an e-mail: delivery can take minutes, and a link found later in
/// a mailbox must be useless.
pub const EMAIL_LINK_MS: u64 = 15 * 60 * 1000;
/// Maximum lifetime of a session.
pub const SESSION_MS_MAX: u64 = 12 * 60 * 60 * 1000;
