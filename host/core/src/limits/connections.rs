//! Bounds of connections, below any route. Each with its reason.

/// Connections at once, unless the configuration says otherwise. Each costs a
/// task and some tens of kilobytes.
pub const CONNECTIONS_DEFAULT: u32 = 10_000;
/// Most that the configuration may ask for: some ten gigabytes of buffers.
pub const CONNECTIONS_MAX: u32 = 1_000_000;
/// Connections of one client address (IPv6: of one /64) at once, unless the
/// configuration says otherwise: an office behind one address fits. Only those
/// with calls in flight keep their place for long, and calls have rate limits.
pub const CONNECTIONS_PER_CLIENT_DEFAULT: u32 = 1_024;
/// File descriptors that connections of clients leave to the rest: database,
/// plugins' requests, providers of models, webhooks.
pub const FILES_RESERVED: u64 = 512;
/// Connections that one look through the table finds to be closed in favour of
/// new ones: a look costs about a millisecond, and serves as many newcomers.
pub const CONNECTIONS_RECLAIMED_AT_ONCE: usize = 512;
/// How often a full table is looked through for idle connections.
pub const CONNECTIONS_RECLAIM_EVERY_MS: u64 = 10;
/// How long a new connection may take until its first request has a whole head.
/// Everything before it counts: silence, half a preface, settings, pings.
pub const FIRST_REQUEST_MS_MAX: u64 = 15_000;
/// How long a TLS handshake may take from the accepting of its connection on;
/// the time for the first request begins after it.
pub const TLS_HANDSHAKE_MS_MAX: u64 = 10_000;
/// How long whoever speaks plain HTTP to a port that speaks TLS may go on sending
/// after it was told.
pub const TLS_MISTAKEN_MS_MAX: u64 = 1_000;
/// How often the files of the certificate are read again.
pub const TLS_FILES_EVERY_MS: u64 = 10_000;
/// After this a pair of files that does not match is looked at again: who renews
/// it replaces one file after the other.
pub const TLS_FILES_SETTLE_MS: u64 = 1_000;
/// Largest file of a certificate or a key; a long chain has some 10 KiB.
pub const TLS_FILE_BYTES_MAX: u64 = 1 << 20;
/// How long the head of a later request, or one HTTP/2 frame, may take from its
/// first byte to its last.
pub const HEADERS_MS_MAX: u64 = 15_000;
/// Bytes of the head of one HTTP/1 request.
pub const HEADERS_BYTES_MAX: usize = 64 << 10;
/// Bytes of the decoded headers of one HTTP/2 request. Less than with HTTP/1,
/// because as many as a connection has streams may be there at once.
pub const HTTP2_HEADERS_BYTES_MAX: u32 = 16 << 10;
/// How long a connection may rest between two requests.
pub const IDLE_MS_MAX: u64 = 60_000;
/// Likewise that of a trusted proxy: longer than proxies keep them themselves,
/// so that none sends a request into a connection that closes.
pub const PROXY_IDLE_MS_MAX: u64 = 15 * 60_000;
/// How long a connection may take to end after it was asked to.
pub const CLOSE_MS_MAX: u64 = 5_000;
/// How long a client may refuse to take what is sent to it. Each byte that the
/// socket takes starts it anew.
pub const WRITE_MS_MAX: u64 = 30_000;
/// Likewise for one answer over HTTP/2, all its waits together, while the
/// connection itself goes on.
pub const HTTP2_UNREAD_MS_MAX: u64 = 30_000;
/// What each piece that was taken gives back of that time: who takes at least
/// four kilobytes a second is never cut off.
pub const HTTP2_PIECE_MS: u64 = 2_000;
/// A piece of an answer over HTTP/2. The last one may stay unread in memory
/// after its call is over, for each stream of a connection.
pub const HTTP2_PIECE_BYTES_MAX: usize = 8 << 10;
/// Requests at once on one HTTP/2 connection: what RFC 9113 asks for at least.
pub const HTTP2_STREAMS_MAX: u32 = 100;
/// How often an HTTP/2 client is asked whether it is still there, and how long it
/// may take to answer.
pub const HTTP2_PING_MS: u64 = 15_000;
/// Streams that a client reset before they were looked at (CVE-2023-44487).
pub const HTTP2_EARLY_RESETS_MAX: usize = 20;
/// Streams of one connection that a client made us reset (CVE-2025-8671). Who
/// speaks the protocol well causes none.
pub const HTTP2_CAUSED_RESETS_MAX: usize = 32;
/// Work without a request that a client may cause on one HTTP/2 connection in
/// `HTTP2_OVERHEAD_WINDOW_MS`, in the units below: 500 resets, 5,000 pings or
/// 50,000 window updates (two for each of 2,500 pieces a second).
pub const HTTP2_OVERHEAD_MAX: u32 = 50_000;
/// The time in which that is counted.
pub const HTTP2_OVERHEAD_WINDOW_MS: u64 = 10_000;
/// Cost of a reset: a call was begun for it.
pub const HTTP2_RESET_COST: u32 = 100;
/// Cost of a ping, of settings, and of any frame that carries no request.
pub const HTTP2_CONTROL_COST: u32 = 10;
/// Cost of a window update: reading an answer takes many.
pub const HTTP2_WINDOW_UPDATE_COST: u32 = 1;
/// What is read and thrown away of a request that was refused for its form, so
/// that the refusal arrives before the connection ends.
pub const REFUSED_BYTES_READ_MAX: usize = 256 << 10;
/// What is read of a large body after its request was refused, so that its sender
/// comes to see the refusal: the largest body that there is.
pub const UNREAD_BODY_BYTES_MAX: usize = 32 << 20;
/// How long that may take.
pub const UNREAD_BODY_MS_MAX: u64 = 5_000;
/// How long the body of a request may take to arrive, beside the time that its
/// length takes at the rate below.
pub const BODY_MS_MAX: u64 = 15_000;
/// The slowest that a large body may come: 64 KiB a second, so that the largest
/// deployment holds its connection for less than a quarter of an hour.
pub const BODY_BYTES_PER_S_MIN: u64 = 64 << 10;
/// Bodies up to this take no place among large ones: the limits of requests bound
/// how many there are.
pub const BODY_BYTES_UNCOUNTED: usize = 64 << 10;
/// Larger bodies that a tenant's requests in progress hold at once, times the weight
/// of its tier. One of any kind fits; what is read out of them takes several times
/// as much.
pub const BODY_MEMORY_PER_TENANT_BYTES: usize = 48 << 20;
/// Those of all tenants together.
pub const BODY_MEMORY_BYTES_MAX: usize = 1 << 30;
/// Memory for a body that is still coming is taken in such steps.
pub const BODY_MEMORY_STEP_BYTES: usize = 64 << 10;
/// How long calls in flight may go on when the server is asked to stop. Longer
/// than the longest call, so that none is cut off.
pub const DRAIN_MS: u64 = 65_000;
