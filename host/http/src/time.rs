//! Times as clients read them.

/// `2026-01-31T12:00:00Z` of a Unix time in milliseconds.
pub(crate) fn rfc3339(ms: u64) -> String {
    let ms = i64::try_from(ms).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |time| time.to_string())
}
