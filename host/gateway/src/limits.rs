//! Limits that several modules share, each with its reason.

use tollbridge_core::time::DAY_MS;

/// Maximum body of a request to a model; images are embedded in it.
pub const INFERENCE_BODY_BYTES_MAX: usize = 16 << 20;
/// Maximum body of an answer that is not streamed; embeddings of many texts are large.
pub(crate) const INFERENCE_RESPONSE_BYTES_MAX: usize = 32 << 20;
/// Maximum size of one event of a stream; providers send some hundred bytes.
pub(crate) const INFERENCE_EVENT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of bytes of a billed stream that are stored, to be replayed to a client
/// that lost the connection.
pub(crate) const INFERENCE_TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// Maximum number of concurrent requests of one account: an eighth of the total serves an
/// account well, and leaves slots for others.
pub(crate) const INFERENCE_OPEN_PER_ACCOUNT_MAX: usize = 512;
/// Maximum time for which a stopping server, once its calls in flight have ended, still
/// reads streams whose clients have disconnected.
pub const INFERENCE_DRAIN_AT_STOP_MS: u64 = 10_000;
/// Maximum number of tokens that one image of a request may count, whatever its URL. The
/// largest known count is 2,833 + 8 * 5,667 = 48,169 (gpt-4o-mini, an image of eight
/// tiles). Sounds and files count the same, plus their bytes.
pub(crate) const INFERENCE_ATTACHMENT_TOKENS_MAX: u64 = 50_000;
/// Maximum number of images for one request: more would not fit one answer.
pub const INFERENCE_IMAGES_MAX: u64 = 4;
/// Retention of a response with `store` enabled: the same as at OpenAI.
pub(crate) const RESPONSE_KEPT_MS: u64 = 30 * DAY_MS;
/// Maximum size of the input and output of one stored response; a larger response is
/// answered but not stored. The longest answers have some 128,000 tokens, which is about
/// half a megabyte.
pub(crate) const RESPONSE_STORED_BYTES_MAX: usize = 4 << 20;
/// Maximum number of stored responses of one account. Above it, the oldest are deleted:
/// clients that store by default never request most of them.
pub(crate) const RESPONSES_PER_ACCOUNT_MAX: usize = 1_000;
/// Maximum number of bytes in the stored responses of one account.
pub(crate) const RESPONSES_BYTES_PER_ACCOUNT_MAX: usize = 64 << 20;
/// Maximum number of responses in a chain of `previous_response_id`, and of responses
/// whose items one request references.
pub(crate) const RESPONSE_CHAIN_MAX: usize = 128;
/// Maximum length of the ids of responses and of their items.
pub const RESPONSE_ID_BYTES_MAX: usize = 128;
