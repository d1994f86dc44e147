//! Bounds of the inference gateway and of what it writes down of usage.

/// Longest time that the operator may give a request to a model, seconds.
pub const INFERENCE_S_MAX: u64 = 3_600;
/// Body of a request to a model: pictures travel inside it.
pub const INFERENCE_BODY_BYTES_MAX: usize = 16 << 20;
/// Providers that are tried for one request; more would only add waiting.
pub const INFERENCE_ATTEMPTS_MAX: usize = 4;
/// Time to connect to a provider, names and TLS included.
pub const INFERENCE_CONNECT_MS_MAX: u64 = 2_000;
/// Body of an answer that is not streamed; vectors of many texts are large.
pub const INFERENCE_RESPONSE_BYTES_MAX: usize = 32 << 20;
/// One event of a stream; a provider sends some hundred bytes.
pub const INFERENCE_EVENT_BYTES_MAX: usize = 1 << 20;
/// What is held back of a stream until it has content.
pub const INFERENCE_PREAMBLE_BYTES_MAX: usize = 256 << 10;
/// A billed stream is kept for a client that lost it, up to this.
pub const INFERENCE_TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// Requests to models at once. Each holds a connection to a provider and, while
/// it is sent, its body.
pub const INFERENCE_OPEN_MAX: usize = 4_096;
/// Of those, what one account may have: with an eighth it is served well, and others
/// find places.
pub const INFERENCE_OPEN_PER_ACCOUNT_MAX: usize = 512;
/// How long a stream is read on whose client has left, until the provider says what
/// was used: models that think do so for a minute or two.
pub const INFERENCE_DRAIN_MS_MAX: u64 = 120_000;
/// How much of it is read, of which nothing is kept: the longest answers have some
/// 128,000 tokens, in events of some 300 bytes.
pub const INFERENCE_DRAIN_BYTES_MAX: usize = 64 << 20;
/// Streams of one account that are read on at once. Clients that leave are few; who
/// leaves more often pays the most that the provider can bill.
pub const INFERENCE_DRAINS_PER_ACCOUNT_MAX: usize = 64;
/// How long a server that is asked to stop goes on reading them, after calls in
/// flight have ended.
pub const INFERENCE_DRAIN_AT_STOP_MS: u64 = 10_000;
/// Answers under which a repeat by a client library is looked up, and for how
/// long: the libraries repeat within seconds.
pub const INFERENCE_REPEATS_KEPT: usize = 8_192;
/// How long a repeat of a request gets the same answer.
pub const INFERENCE_REPEAT_MS: u64 = 10 * 60 * 1000;
/// A text of a provider's error, as far as it reaches a client.
pub const INFERENCE_TEXT_BYTES_MAX: usize = 2 << 10;
/// Tokens that one picture of a request may count, whatever its address says:
/// the most that is known is 2,833 and 8 times 5,667 (gpt-4o-mini, eight tiles).
/// Sounds and files count as much, and their bytes.
pub const INFERENCE_ATTACHMENT_TOKENS_MAX: u64 = 50_000;
/// Answers of one request (`n`).
pub const INFERENCE_CHOICES_MAX: u64 = 128;
/// Images of one request: more would not fit one answer.
pub const INFERENCE_IMAGES_MAX: u64 = 4;
/// A recording that is to be written down, and the fields of the form around it.
pub const INFERENCE_FORM_BYTES_MAX: usize = 25 << 20;
/// Fields of such a form.
pub const INFERENCE_FORM_FIELDS_MAX: usize = 64;
/// How long counting the packets of a recording may take; honest ones take some ten
/// milliseconds.
pub const RECORDING_MEASURED_MS_MAX: u64 = 1_000;
/// How long a recording waits for its turn to be measured.
pub const RECORDING_WAIT_MS: u64 = 15_000;
/// Keys with a line of their own in the metrics; others share one.
pub const METERED_KEYS_MAX: usize = 1_000;
/// Lines of usage that wait in memory to be written; beyond it they are written
/// at once.
pub const USAGE_WAITING_MAX: usize = 10_000;
/// Days of usage that one request may ask for.
pub const USAGE_DAYS_MAX: u32 = 92;
/// Days for which lines of usage are kept; what nobody may ask for any more is
/// forgotten.
pub const USAGE_DAYS_KEPT: u64 = 100;
/// Lines of usage that are looked at in one round of forgetting.
pub const USAGE_TIDIED_AT_ONCE: usize = 5_000;
/// Lines of usage that the operator's list of spending looks at: a second of
/// reading. The list says so when there are more.
pub const USAGE_LINES_READ_MAX: usize = 200_000;
/// Lines of usage in one answer.
pub const USAGE_LINES_MAX: usize = 5_000;
