//! Limits that several modules share, each with its reason.

/// Largest integer in a record. Canonical JSON (RFC 8785) uses JavaScript's numbers, so
/// some readers of a record would not represent a larger integer exactly.
pub const SAFE_INTEGER_MAX: i64 = (1 << 53) - 1;
/// Maximum size of a record's body, which leaves room for the postings.
pub(crate) const RECORD_BODY_BYTES_MAX: usize = 40 << 10;
/// Maximum number of postings in one record. A call has fewer, including all its nested
/// calls.
pub(crate) const POSTINGS_PER_RECORD_MAX: usize = 96;
/// Maximum number of accounts whose earnings one record releases; each needs two
/// postings. Must exceed `NESTED_CALLS_MAX`: one call with its nested calls pays up to
/// that many accounts plus one, and their earnings are released together.
pub const RELEASED_PER_RECORD_MAX: usize = 40;
/// Maximum length of a name inside a record's body.
pub const LEDGER_NAME_BYTES_MAX: usize = 128;
/// Maximum length of a line in a ledger export, which is enough for a record in which
/// every quote is escaped.
pub(crate) const EXPORT_LINE_BYTES_MAX: usize = 192 << 10;
/// Lowest level of the Merkle tree whose nodes are stored. A lower node is computed from
/// at most eight records, so only one in sixteen records writes to the tree.
pub(crate) const NODE_LEVEL_KEPT_MIN: u8 = 4;
/// Maximum number of signing keys in an export; each rotation adds one.
pub(crate) const EXPORT_KEYS_MAX: usize = 256;
/// Maximum number of nested calls of other plugins in one call, at any depth; the
/// postings and names of this many fit into a record.
pub const NESTED_CALLS_MAX: u32 = 32;
/// Maximum number of owners whose held earnings one dispute takes; a record has room for
/// twice as many.
pub const DISPUTED_OWNERS_MAX: usize = 30;
const _: () = assert!(RELEASED_PER_RECORD_MAX > NESTED_CALLS_MAX as usize);
const _: () = assert!(POSTINGS_PER_RECORD_MAX > 2 * RELEASED_PER_RECORD_MAX);
