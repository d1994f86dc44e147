//! Limits that several modules share, each with its reason.

/// Maximum size of the head of one HTTP/1 request.
pub const HEADERS_BYTES_MAX: usize = 64 << 10;
/// Maximum number of bytes that are read and discarded after a malformed request, so that
/// the client receives the refusal before the connection ends.
pub(crate) const REFUSED_BYTES_READ_MAX: usize = 256 << 10;
