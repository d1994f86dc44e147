//! The advisory lock that the leader holds.

/// Key of the leader's advisory lock. An arbitrary number.
pub(crate) const LEADER_LOCK: i64 = 0x746f_6c6c_6c65_6164;
/// SQL condition that selects the row of `pg_locks` whose session holds the advisory lock
/// `$1`.
pub(crate) const HOLDS_LOCK: &str =
    "locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = $1";
