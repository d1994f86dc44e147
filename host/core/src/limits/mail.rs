//! Limits of e-mails and sign-in links, each with its reason.

use crate::time::DAY_MS;

/// Validity of a link in an e-mail: delivery can take minutes, and a link found later in
/// a mailbox must be useless.
pub const EMAIL_LINK_MS: u64 = 15 * 60 * 1000;
/// Maximum number of e-mails with links to one address per hour, whichever client
/// requests them: a person who lost two can get another, and no one can flood a mailbox.
pub const EMAIL_LINKS_PER_ADDRESS_PER_HOUR: usize = 3;
/// Maximum number of e-mails with links that one client address (IPv6: one /64) may
/// request per hour, to any recipients: enough for an office behind one address.
pub const EMAIL_LINKS_PER_CLIENT_PER_HOUR: usize = 20;
/// Maximum number of e-mail addresses, and of client addresses, whose e-mails of the last
/// hour are counted. The oldest are evicted first; each costs some hundred bytes.
pub const EMAIL_LINK_ASKERS_MAX: usize = 1 << 16;
/// Maximum number of e-mails that wait to be sent or retried: some megabytes.
pub const LETTERS_WAITING_MAX: usize = 1_000;
/// Maximum number of e-mails that are sent at once: mail servers accept few connections
/// from one client.
pub const LETTERS_AT_ONCE_MAX: usize = 4;
/// Maximum time of one attempt to send an e-mail, including connecting.
pub const LETTER_ATTEMPT_MS_MAX: u64 = 30_000;
/// Delays before an e-mail that a server did not accept is sent again. A server that uses
/// greylisting accepts it after some minutes; after the last delay its link has expired.
pub const LETTER_RETRIES_MS: [u64; 4] = [2_000, 15_000, 60_000, 5 * 60_000];
/// Time for which withdrawals are blocked after a sign-in by e-mail created a key that
/// manages the account: time for the owner to see the e-mail about it.
pub const RECOVERY_WAIT_MS: u64 = DAY_MS;
