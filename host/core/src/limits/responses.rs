//! Limits of stored responses (`/v1/responses`).

use crate::time::DAY_MS;

/// Retention of a response with `store` enabled: the same as at OpenAI.
pub const RESPONSE_KEPT_MS: u64 = 30 * DAY_MS;
/// Maximum size of the input and output of one stored response; a larger response is
/// answered but not stored. The longest answers have some 128,000 tokens, in half a
/// megabyte.
pub const RESPONSE_STORED_BYTES_MAX: usize = 4 << 20;
/// Maximum number of stored responses of one account. Above it, the oldest are deleted:
/// clients that store by default never request most of them.
pub const RESPONSES_PER_ACCOUNT_MAX: usize = 1_000;
/// Maximum number of bytes in the stored responses of one account.
pub const RESPONSES_BYTES_PER_ACCOUNT_MAX: usize = 64 << 20;
/// Maximum number of responses in a chain of `previous_response_id`, and of responses to
/// whose items one request refers.
pub const RESPONSE_CHAIN_MAX: usize = 128;
/// Maximum number of output items of one response that later requests can refer to by id.
pub const RESPONSE_ITEMS_MAX: usize = 128;
/// Maximum length of the ids of responses and of their items.
pub const RESPONSE_ID_BYTES_MAX: usize = 128;
/// Maximum page size of a list of input items.
pub const RESPONSE_INPUT_PAGE_MAX: usize = 100;
/// Default page size of a list of input items.
pub const RESPONSE_INPUT_PAGE: usize = 20;
/// Maximum number of accounts whose stored bytes are remembered; those of other accounts
/// are recounted.
pub const RESPONSE_SHELVES_REMEMBERED: usize = 4_096;
/// Maximum number of responses that are deleted in one change.
pub const RESPONSES_REMOVED_AT_ONCE: usize = 100;
