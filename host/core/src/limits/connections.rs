//! Limits of connections, below any route, each with its reason.

/// Concurrent connections, unless the configuration says otherwise. Each costs
/// a task and some tens of kilobytes.
pub const CONNECTIONS_DEFAULT: u32 = 10_000;
/// The largest number of connections that the configuration may set: some ten
/// gigabytes of buffers.
pub const CONNECTIONS_MAX: u32 = 1_000_000;
/// Concurrent connections of one client address (IPv6: one /64), unless the
/// configuration says otherwise: enough for an office behind one address. Only
/// connections with calls in flight keep their place for long, and calls have
/// rate limits.
pub const CONNECTIONS_PER_CLIENT_DEFAULT: u32 = 1_024;
/// File descriptors that client connections leave for other uses: database,
/// plugins' requests, providers of models, webhooks.
pub const FILES_RESERVED: u64 = 512;
/// Idle connections that one scan of the table marks for closing in favour of
/// new ones: a scan takes about a millisecond, and makes room for that many.
pub const CONNECTIONS_RECLAIMED_AT_ONCE: usize = 512;
/// Interval between scans of a full table for idle connections.
pub const CONNECTIONS_RECLAIM_EVERY_MS: u64 = 10;
/// Time from the start of a connection to the complete head of its first
/// request. Everything before it counts: silence, half a preface, settings,
/// pings.
pub const FIRST_REQUEST_MS_MAX: u64 = 15_000;
/// Time of a TLS handshake, from accepting the connection; the time for the
/// first request begins after it.
pub const TLS_HANDSHAKE_MS_MAX: u64 = 10_000;
/// Time that a client that speaks plain HTTP to a TLS port may continue sending
/// after the refusal.
pub const TLS_MISTAKEN_MS_MAX: u64 = 1_000;
/// Interval between checks of the certificate files for changes.
pub const TLS_FILES_EVERY_MS: u64 = 10_000;
/// Delay before a certificate and key that do not match are read again: renewal
/// tools replace one file after the other.
pub const TLS_FILES_SETTLE_MS: u64 = 1_000;
/// Largest certificate or key file; a long chain has some 10 KiB.
pub const TLS_FILE_BYTES_MAX: u64 = 1 << 20;
/// Time of the head of a later request, or of one HTTP/2 frame, from its first
/// byte to its last.
pub const HEADERS_MS_MAX: u64 = 15_000;
/// Bytes of the head of one HTTP/1 request.
pub const HEADERS_BYTES_MAX: usize = 64 << 10;
/// Bytes of the decoded headers of one HTTP/2 request. Lower than for HTTP/1,
/// because each stream of a connection may hold as many.
pub const HTTP2_HEADERS_BYTES_MAX: u32 = 16 << 10;
/// Idle time of a connection between two requests.
pub const IDLE_MS_MAX: u64 = 60_000;
/// Idle time of a trusted proxy's connection: longer than proxies keep theirs,
/// so that no proxy sends a request into a closing connection.
pub const PROXY_IDLE_MS_MAX: u64 = 15 * 60_000;
/// Time for a connection to end after it was asked to.
pub const CLOSE_MS_MAX: u64 = 5_000;
/// Time that a client may refuse to read sent data. Each byte that the socket
/// accepts restarts it.
pub const WRITE_MS_MAX: u64 = 30_000;
/// Total time that a client may refuse to read one HTTP/2 answer, while the
/// connection itself continues.
pub const HTTP2_UNREAD_MS_MAX: u64 = 30_000;
/// Time that each chunk that was read earns back: a client that reads at least
/// four kilobytes a second is never cut off.
pub const HTTP2_PIECE_MS: u64 = 2_000;
/// A chunk of an HTTP/2 answer. The last one may stay unread in memory after
/// its call has ended, for each stream of a connection.
pub const HTTP2_PIECE_BYTES_MAX: usize = 8 << 10;
/// Concurrent requests on one HTTP/2 connection: the minimum that RFC 9113
/// recommends.
pub const HTTP2_STREAMS_MAX: u32 = 100;
/// Interval between HTTP/2 keep-alive pings, and time-out of the answer.
pub const HTTP2_PING_MS: u64 = 15_000;
/// Streams that a client reset before they were processed (CVE-2023-44487).
pub const HTTP2_EARLY_RESETS_MAX: usize = 20;
/// Streams of one connection that a client made the server reset
/// (CVE-2025-8671). A well-behaved client causes none.
pub const HTTP2_CAUSED_RESETS_MAX: usize = 32;
/// Work without a request that a client may cause on one HTTP/2 connection in
/// `HTTP2_OVERHEAD_WINDOW_MS`, in the units below: 500 resets, 5,000 pings or
/// 50,000 window updates (two for each of 2,500 chunks a second).
pub const HTTP2_OVERHEAD_MAX: u32 = 50_000;
/// The time window of `HTTP2_OVERHEAD`.
pub const HTTP2_OVERHEAD_WINDOW_MS: u64 = 10_000;
/// Cost of a reset: a call was begun for it.
pub const HTTP2_RESET_COST: u32 = 100;
/// Cost of a ping, of settings, and of any frame that carries no request.
pub const HTTP2_CONTROL_COST: u32 = 10;
/// Cost of a window update: reading an answer takes many.
pub const HTTP2_WINDOW_UPDATE_COST: u32 = 1;
/// Bytes that are read and discarded after a malformed request, so that the
/// refusal arrives before the connection ends.
pub const REFUSED_BYTES_READ_MAX: usize = 256 << 10;
/// Bytes of a large body that are read after its request was refused, so that
/// the client sees the refusal: the largest body.
pub const UNREAD_BODY_BYTES_MAX: usize = 32 << 20;
/// Time for reading the rest of a refused body.
pub const UNREAD_BODY_MS_MAX: u64 = 5_000;
/// Time for the body of a request to arrive, in addition to the time that its
/// length takes at the rate below.
pub const BODY_MS_MAX: u64 = 15_000;
/// The slowest rate of a large body: 64 KiB a second, so that the largest
/// deployment holds its connection for less than a quarter of an hour.
pub const BODY_BYTES_PER_S_MIN: u64 = 64 << 10;
/// Largest body that is not counted in body memory: the limits of requests
/// bound the number of such bodies.
pub const BODY_BYTES_UNCOUNTED: usize = 64 << 10;
/// Body memory of one tenant's requests in progress, multiplied by the weight
/// of its tier. One body of any kind fits; parsing it takes several times as
/// much.
pub const BODY_MEMORY_PER_TENANT_BYTES: usize = 48 << 20;
/// Body memory of all tenants together.
pub const BODY_MEMORY_BYTES_MAX: usize = 1 << 30;
/// Step in which memory for an incoming body is reserved.
pub const BODY_MEMORY_STEP_BYTES: usize = 64 << 10;
/// Time that calls in flight may continue when the server is asked to stop.
/// Longer than the longest call, so that no call is cut off.
pub const DRAIN_MS: u64 = 65_000;
