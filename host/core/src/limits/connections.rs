//! Limits of connections that apply before any route, each with its reason.

/// Default maximum of concurrent connections. Each costs a task and some tens of
/// kilobytes.
pub const CONNECTIONS_DEFAULT: u32 = 10_000;
/// Largest value that the configuration may set for the number of connections: some ten
/// gigabytes of buffers.
pub const CONNECTIONS_MAX: u32 = 1_000_000;
/// Default maximum of concurrent connections per client address (IPv6: per /64): enough
/// for an office behind one address. Only connections with calls in flight keep their
/// slot for long, and calls have rate limits.
pub const CONNECTIONS_PER_CLIENT_DEFAULT: u32 = 1_024;
/// File descriptors reserved for uses other than client connections: database, plugins'
/// requests, providers of models, webhooks.
pub const FILES_RESERVED: u64 = 512;
/// Number of idle connections that one scan of the table selects for closing. A scan
/// takes about a millisecond, and makes room for that many new connections.
pub const CONNECTIONS_RECLAIMED_AT_ONCE: usize = 512;
/// Interval between scans of a full table for idle connections.
pub const CONNECTIONS_RECLAIM_EVERY_MS: u64 = 10;
/// Maximum time from the start of a connection to the complete head of its first request,
/// whatever the client sends before: nothing, half a preface, settings or pings.
pub const FIRST_REQUEST_MS_MAX: u64 = 15_000;
/// Maximum time of a TLS handshake, from accepting the connection; the time for the first
/// request begins after it.
pub const TLS_HANDSHAKE_MS_MAX: u64 = 10_000;
/// Maximum time for which a client that speaks plain HTTP to a TLS port may continue
/// sending after the refusal.
pub const TLS_MISTAKEN_MS_MAX: u64 = 1_000;
/// Interval between checks of the certificate files for changes.
pub const TLS_FILES_EVERY_MS: u64 = 10_000;
/// Delay before a certificate and key that do not match are read again: renewal tools
/// replace one file after the other.
pub const TLS_FILES_SETTLE_MS: u64 = 1_000;
/// Maximum size of a certificate or key file; a long chain has some 10 KiB.
pub const TLS_FILE_BYTES_MAX: u64 = 1 << 20;
/// Maximum time from the first to the last byte of a later request's head, or of one
/// HTTP/2 frame.
pub const HEADERS_MS_MAX: u64 = 15_000;
/// Maximum size of the head of one HTTP/1 request.
pub const HEADERS_BYTES_MAX: usize = 64 << 10;
/// Maximum size of the decoded headers of one HTTP/2 request. Lower than for HTTP/1,
/// because each stream of a connection may hold as many.
pub const HTTP2_HEADERS_BYTES_MAX: u32 = 16 << 10;
/// Idle time that a trusted proxy's connection has at least: longer than proxies keep idle
/// connections, so that no proxy sends a request into a closing connection.
pub const PROXY_IDLE_MS_MIN: u64 = 15 * 60_000;
/// Maximum time for a connection to end after it was asked to close.
pub const CLOSE_MS_MAX: u64 = 5_000;
/// Time that each chunk that the client reads adds back to its allowance: a client that
/// reads at least four kilobytes a second is never cut off.
pub const HTTP2_PIECE_MS: u64 = 2_000;
/// Maximum size of a chunk of an HTTP/2 answer. For each stream of a connection, the last
/// chunk may stay unread in memory after its call has ended.
pub const HTTP2_PIECE_BYTES_MAX: usize = 8 << 10;
/// Maximum number of concurrent requests on one HTTP/2 connection: the minimum that RFC
/// 9113 recommends.
pub const HTTP2_STREAMS_MAX: u32 = 100;
/// Interval between HTTP/2 keep-alive pings, and the time-out for their answer.
pub const HTTP2_PING_MS: u64 = 15_000;
/// Maximum number of streams that a client may reset before they are processed
/// (CVE-2023-44487).
pub const HTTP2_EARLY_RESETS_MAX: usize = 20;
/// Maximum number of streams of one connection that a client may make the server reset
/// (CVE-2025-8671). A well-behaved client causes none.
pub const HTTP2_CAUSED_RESETS_MAX: usize = 32;
/// Maximum work without a request that a client may cause on one HTTP/2 connection in
/// `HTTP2_OVERHEAD_WINDOW_MS`, in the units of the costs below: 500 resets, 5,000 pings
/// or 50,000 window updates (two for each of 2,500 chunks a second).
pub const HTTP2_OVERHEAD_MAX: u32 = 50_000;
/// The time window of `HTTP2_OVERHEAD_MAX`.
pub const HTTP2_OVERHEAD_WINDOW_MS: u64 = 10_000;
/// Cost of a reset: the server had begun a call for the stream.
pub const HTTP2_RESET_COST: u32 = 100;
/// Cost of a ping, of settings, and of any other frame that carries no request.
pub const HTTP2_CONTROL_COST: u32 = 10;
/// Cost of a window update: low, because reading an answer takes many.
pub const HTTP2_WINDOW_UPDATE_COST: u32 = 1;
/// Maximum number of bytes that are read and discarded after a malformed request, so that
/// the client receives the refusal before the connection ends.
pub const REFUSED_BYTES_READ_MAX: usize = 256 << 10;
/// Maximum number of bytes of a large body that are read after its request was refused,
/// so that the client receives the refusal: the size of the largest body.
pub const UNREAD_BODY_BYTES_MAX: usize = 32 << 20;
/// Maximum time for reading the rest of a refused body.
pub const UNREAD_BODY_MS_MAX: u64 = 5_000;
/// Base time for the body of a request to arrive; its length at the rate below adds
/// further time.
pub const BODY_MS_MAX: u64 = 15_000;
/// Minimum rate of a large body: 64 KiB a second, so that the largest deployment holds
/// its connection for less than a quarter of an hour.
pub const BODY_BYTES_PER_S_MIN: u64 = 64 << 10;
/// Largest body that does not count towards body memory: the limits of requests bound the
/// number of such bodies.
pub const BODY_BYTES_UNCOUNTED: usize = 64 << 10;
/// Maximum body memory of one tenant's requests in progress, multiplied by the weight of
/// its tier. One body of any kind fits; parsing it takes several times as much.
pub const BODY_MEMORY_PER_TENANT_BYTES: usize = 48 << 20;
/// Maximum body memory of all tenants together.
pub const BODY_MEMORY_BYTES_MAX: usize = 1 << 30;
/// Number of bytes by which the reserved memory of an incoming body grows.
pub const BODY_MEMORY_STEP_BYTES: usize = 64 << 10;
/// Maximum time for which calls in flight may continue after the server was asked to
/// stop. Longer than the longest call, so that no call is cut off.
pub const DRAIN_MS: u64 = 65_000;
