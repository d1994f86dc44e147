//! Bounds of letters and of links to sign in with. Each with its reason.

use crate::time::DAY_MS;

/// How long a link in a letter can be used: letters take minutes at times, and who
/// finds one later finds nothing.
pub const EMAIL_LINK_MS: u64 = 15 * 60 * 1000;
/// Letters with links that one address gets in an hour, whoever asks for them: a
/// person who lost two has one more, and a stranger fills nobody's mailbox.
pub const EMAIL_LINKS_PER_ADDRESS_PER_HOUR: usize = 3;
/// … and that one client address (IPv6: one /64) may ask for in an hour, for
/// whatever addresses: an office behind one address has enough.
pub const EMAIL_LINKS_PER_CLIENT_PER_HOUR: usize = 20;
/// Addresses, and clients, whose letters of the last hour are counted. Older ones
/// are forgotten first; each costs some hundred bytes.
pub const EMAIL_LINK_ASKERS_MAX: usize = 1 << 16;
/// Letters that wait to be sent, or to be sent again: some megabytes.
pub const LETTERS_WAITING_MAX: usize = 1_000;
/// Letters that are being sent at once: mail servers take few connections of one
/// client.
pub const LETTERS_AT_ONCE_MAX: usize = 4;
/// Longest that one attempt to send a letter may take, connecting included.
pub const LETTER_ATTEMPT_MS_MAX: u64 = 30_000;
/// Waits before a letter that a server did not take is sent once more. Greylisting
/// takes a letter after some minutes; after these the link in it is over.
pub const LETTER_RETRIES_MS: [u64; 4] = [2_000, 15_000, 60_000, 5 * 60_000];
/// How long money stays where it is after somebody who signed in by e-mail has made
/// a key that manages the account: time to see the letter that says so.
pub const RECOVERY_WAIT_MS: u64 = DAY_MS;
