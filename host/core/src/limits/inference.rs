//! Limits of the inference gateway and of its records of usage.

/// Largest time-out of a request to a model that the operator may set, in seconds.
pub const INFERENCE_S_MAX: u64 = 3_600;
/// Maximum body of a request to a model; images are embedded in it.
pub const INFERENCE_BODY_BYTES_MAX: usize = 16 << 20;
/// Maximum number of providers that are tried for one request; more would only add
/// waiting time.
pub const INFERENCE_ATTEMPTS_MAX: usize = 4;
/// Maximum time to connect to a provider, including name resolution and TLS.
pub const INFERENCE_CONNECT_MS_MAX: u64 = 2_000;
/// Maximum body of an answer that is not streamed; embeddings of many texts are large.
pub const INFERENCE_RESPONSE_BYTES_MAX: usize = 32 << 20;
/// Maximum size of one event of a stream; providers send some hundred bytes.
pub const INFERENCE_EVENT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of bytes of a stream that are buffered until the stream has content.
pub const INFERENCE_PREAMBLE_BYTES_MAX: usize = 256 << 10;
/// Maximum number of bytes of a billed stream that are kept for a client that lost it.
pub const INFERENCE_TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// Maximum number of concurrent requests to models. Each holds a connection to a provider
/// and, while it is sent, its body.
pub const INFERENCE_OPEN_MAX: usize = 4_096;
/// Maximum number of concurrent requests of one account: an eighth of the total serves an
/// account well, and leaves slots for others.
pub const INFERENCE_OPEN_PER_ACCOUNT_MAX: usize = 512;
/// Maximum time for which a stream is still read after its client disconnected, until the
/// provider reports the usage: models that think take a minute or two.
pub const INFERENCE_DRAIN_MS_MAX: u64 = 120_000;
/// Maximum number of bytes of such an abandoned stream that are read and discarded: the
/// longest answers have some 128,000 tokens, in events of some 300 bytes.
pub const INFERENCE_DRAIN_BYTES_MAX: usize = 64 << 20;
/// Maximum number of streams of one account that are read after their clients
/// disconnected. Few clients disconnect; above the limit, the account pays the most that
/// the provider can bill.
pub const INFERENCE_DRAINS_PER_ACCOUNT_MAX: usize = 64;
/// Time for which a stopping server continues reading streams without a client after
/// calls in flight have ended.
pub const INFERENCE_DRAIN_AT_STOP_MS: u64 = 10_000;
/// Maximum number of answers that are kept for retries by client libraries, which retry
/// within seconds.
pub const INFERENCE_REPEATS_KEPT: usize = 8_192;
/// Time during which a repeated request gets the answer to the first one.
pub const INFERENCE_REPEAT_MS: u64 = 10 * 60 * 1000;
/// Maximum length of a text of a provider's error, as shown to a client.
pub const INFERENCE_TEXT_BYTES_MAX: usize = 2 << 10;
/// Maximum number of tokens that one image of a request may count, whatever its URL: the
/// known maxima are 2,833 and 8 times 5,667 (gpt-4o-mini, eight tiles). Sounds and files
/// count the same, plus their bytes.
pub const INFERENCE_ATTACHMENT_TOKENS_MAX: u64 = 50_000;
/// Maximum number of answers to one request (`n`).
pub const INFERENCE_CHOICES_MAX: u64 = 128;
/// Maximum number of images for one request: more would not fit one answer.
pub const INFERENCE_IMAGES_MAX: u64 = 4;
/// Maximum size of a recording to be transcribed, with the fields of its form.
pub const INFERENCE_FORM_BYTES_MAX: usize = 25 << 20;
/// Maximum number of fields in the form of a recording.
pub const INFERENCE_FORM_FIELDS_MAX: usize = 64;
/// Maximum time for counting the packets of a recording; honest ones take some ten
/// milliseconds.
pub const RECORDING_MEASURED_MS_MAX: u64 = 1_000;
/// Maximum time that a recording waits to be measured.
pub const RECORDING_WAIT_MS: u64 = 15_000;
/// Maximum number of keys with separate metrics; further keys share one series.
pub const METERED_KEYS_MAX: usize = 1_000;
/// Number of usage lines in memory at which they are written at once.
pub const USAGE_WAITING_MAX: usize = 10_000;
/// Maximum number of days of usage that one request may ask for.
pub const USAGE_DAYS_MAX: u32 = 92;
/// Days for which usage lines are kept; older ones cannot be requested and are
/// deleted.
pub const USAGE_DAYS_KEPT: u64 = 100;
/// Maximum number of usage lines that one round of deletion examines.
pub const USAGE_TIDIED_AT_ONCE: usize = 5_000;
/// Maximum number of usage lines that the operator's list of spending reads: a second of
/// reading. The list reports when there are more.
pub const USAGE_LINES_READ_MAX: usize = 200_000;
/// Maximum number of usage lines in one answer.
pub const USAGE_LINES_MAX: usize = 5_000;
