//! Bounds of stored responses (`/v1/responses`).

use crate::time::DAY_MS;

/// How long a response is kept that its client did not ask to forget: as long as
/// OpenAI keeps it.
pub const RESPONSE_KEPT_MS: u64 = 30 * DAY_MS;
/// Input and output of one response; what is larger is answered but not kept. The
/// longest answers have some 128,000 tokens, in half a megabyte.
pub const RESPONSE_STORED_BYTES_MAX: usize = 4 << 20;
/// Responses that one account keeps. Beyond it the oldest go: clients that store by
/// default never ask for most of them.
pub const RESPONSES_PER_ACCOUNT_MAX: usize = 1_000;
/// … and their bytes.
pub const RESPONSES_BYTES_PER_ACCOUNT_MAX: usize = 64 << 20;
/// Responses that one request continues from, one behind the other by
/// `previous_response_id`, or names items of.
pub const RESPONSE_CHAIN_MAX: usize = 128;
/// Output items of one response that later requests can refer to by their ids.
pub const RESPONSE_ITEMS_MAX: usize = 128;
/// Ids of responses and of their items.
pub const RESPONSE_ID_BYTES_MAX: usize = 128;
/// Input items on one page, and how many there are where nobody says.
pub const RESPONSE_INPUT_PAGE_MAX: usize = 100;
/// Likewise, where nobody says.
pub const RESPONSE_INPUT_PAGE: usize = 20;
/// Accounts of which it is remembered how much they keep; of others it is counted
/// again.
pub const RESPONSE_SHELVES_REMEMBERED: usize = 4_096;
/// Responses that are removed in one change.
pub const RESPONSES_REMOVED_AT_ONCE: usize = 100;
