//! Limits of stored responses (`/v1/responses`).

use crate::time::DAY_MS;

/// Retention of a response with `store` enabled: the same as at OpenAI.
pub const RESPONSE_KEPT_MS: u64 = 30 * DAY_MS;
/// Input and output of one response; a larger one is answered but not kept. The
/// longest answers have some 128,000 tokens, in half a megabyte.
pub const RESPONSE_STORED_BYTES_MAX: usize = 4 << 20;
/// Responses that one account keeps. Beyond it, the oldest are deleted: clients
/// that store by default never request most of them.
pub const RESPONSES_PER_ACCOUNT_MAX: usize = 1_000;
/// Bytes of the responses that one account keeps.
pub const RESPONSES_BYTES_PER_ACCOUNT_MAX: usize = 64 << 20;
/// Responses in a chain of `previous_response_id`, or whose items one request
/// refers to.
pub const RESPONSE_CHAIN_MAX: usize = 128;
/// Output items of one response that later requests can refer to by id.
pub const RESPONSE_ITEMS_MAX: usize = 128;
/// Ids of responses and of their items.
pub const RESPONSE_ID_BYTES_MAX: usize = 128;
/// Largest page of input items.
pub const RESPONSE_INPUT_PAGE_MAX: usize = 100;
/// Default page of input items.
pub const RESPONSE_INPUT_PAGE: usize = 20;
/// Accounts whose stored bytes are remembered; those of other accounts are
/// recounted.
pub const RESPONSE_SHELVES_REMEMBERED: usize = 4_096;
/// Responses that are deleted in one change.
pub const RESPONSES_REMOVED_AT_ONCE: usize = 100;
