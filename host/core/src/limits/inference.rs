//! Limits of the inference gateway and of its records of usage.

/// Longest time-out of a request to a model that the operator may set, in
/// seconds.
pub const INFERENCE_S_MAX: u64 = 3_600;
/// Request body to a model; images are embedded in it.
pub const INFERENCE_BODY_BYTES_MAX: usize = 16 << 20;
/// Providers that are tried for one request; more would only add waiting time.
pub const INFERENCE_ATTEMPTS_MAX: usize = 4;
/// Time to connect to a provider, including name resolution and TLS.
pub const INFERENCE_CONNECT_MS_MAX: u64 = 2_000;
/// Body of an answer that is not streamed; embeddings of many texts are large.
pub const INFERENCE_RESPONSE_BYTES_MAX: usize = 32 << 20;
/// One event of a stream; providers send some hundred bytes.
pub const INFERENCE_EVENT_BYTES_MAX: usize = 1 << 20;
/// Bytes of a stream that are buffered until it has content.
pub const INFERENCE_PREAMBLE_BYTES_MAX: usize = 256 << 10;
/// Bytes of a billed stream that are kept for a client that lost it.
pub const INFERENCE_TRANSCRIPT_BYTES_MAX: usize = 256 << 10;
/// Concurrent requests to models. Each holds a connection to a provider and,
/// while it is sent, its body.
pub const INFERENCE_OPEN_MAX: usize = 4_096;
/// Concurrent requests of one account: an eighth of the total serves it well,
/// and leaves places for others.
pub const INFERENCE_OPEN_PER_ACCOUNT_MAX: usize = 512;
/// Time that a stream is read after its client has disconnected, until the
/// provider reports the usage: models that think take a minute or two.
pub const INFERENCE_DRAIN_MS_MAX: u64 = 120_000;
/// Bytes that are read of such a stream and discarded: the longest answers have
/// some 128,000 tokens, in events of some 300 bytes.
pub const INFERENCE_DRAIN_BYTES_MAX: usize = 64 << 20;
/// Streams of one account that are read after their clients disconnected. Few
/// clients disconnect; an account that exceeds this pays the most that the
/// provider can bill.
pub const INFERENCE_DRAINS_PER_ACCOUNT_MAX: usize = 64;
/// Time that a stopping server continues reading such streams after calls in
/// flight have ended.
pub const INFERENCE_DRAIN_AT_STOP_MS: u64 = 10_000;
/// Answers that are kept for retries by client libraries, and the time:
/// libraries retry within seconds.
pub const INFERENCE_REPEATS_KEPT: usize = 8_192;
/// Time during which a repeated request gets the same answer.
pub const INFERENCE_REPEAT_MS: u64 = 10 * 60 * 1000;
/// A text of a provider's error, as shown to a client.
pub const INFERENCE_TEXT_BYTES_MAX: usize = 2 << 10;
/// Tokens that one image of a request may count, whatever its address: the
/// known maxima are 2,833 and 8 times 5,667 (gpt-4o-mini, eight tiles). Sounds
/// and files count the same, plus their bytes.
pub const INFERENCE_ATTACHMENT_TOKENS_MAX: u64 = 50_000;
/// Answers of one request (`n`).
pub const INFERENCE_CHOICES_MAX: u64 = 128;
/// Images of one request: more would not fit one answer.
pub const INFERENCE_IMAGES_MAX: u64 = 4;
/// A recording to be transcribed, with the fields of its form.
pub const INFERENCE_FORM_BYTES_MAX: usize = 25 << 20;
/// Fields of the form of a recording.
pub const INFERENCE_FORM_FIELDS_MAX: usize = 64;
/// Time for counting the packets of a recording; honest ones take some ten
/// milliseconds.
pub const RECORDING_MEASURED_MS_MAX: u64 = 1_000;
/// Time that a recording waits for its turn to be measured.
pub const RECORDING_WAIT_MS: u64 = 15_000;
/// Keys with separate metrics; further keys share one series.
pub const METERED_KEYS_MAX: usize = 1_000;
/// Usage lines that wait in memory to be written; at this number they are
/// written at once.
pub const USAGE_WAITING_MAX: usize = 10_000;
/// Days of usage that one request may ask for.
pub const USAGE_DAYS_MAX: u32 = 92;
/// Days for which usage lines are kept; older ones cannot be requested and are
/// deleted.
pub const USAGE_DAYS_KEPT: u64 = 100;
/// Usage lines that one round of deletion examines.
pub const USAGE_TIDIED_AT_ONCE: usize = 5_000;
/// Usage lines that the operator's list of spending reads: a second of reading.
/// The list reports when there are more.
pub const USAGE_LINES_READ_MAX: usize = 200_000;
/// Usage lines in one answer.
pub const USAGE_LINES_MAX: usize = 5_000;
