//! Time: units, the clock, and formatting. Only the HTTP interface, the server and the
//! command line read the clock; other code gets the time as an argument.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds in a minute.
pub const MINUTE_MS: u64 = 60 * 1000;
/// Milliseconds in an hour.
pub const HOUR_MS: u64 = 60 * MINUTE_MS;
/// Milliseconds in a day.
pub const DAY_MS: u64 = 24 * HOUR_MS;

/// Maximum difference, in milliseconds, at which two clocks count as synchronised.
const CLOCK_DIFFERENCE_MS_MAX: u64 = 250;

/// The correction that is added to this machine's clock.
static CLOCK_OFFSET_MS: AtomicI64 = AtomicI64::new(0);

/// Returns the Unix time in milliseconds.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    now.saturating_add_signed(CLOCK_OFFSET_MS.load(Ordering::Relaxed))
}

/// Sets this host's clock to another clock, which reads `other_ms` now, unless the two
/// already count as synchronised. Hosts that serve together share one clock, so that
/// deadlines pass on all of them at the same time.
///
/// Returns the difference that was corrected.
pub fn follow_clock(other_ms: u64) -> Option<i64> {
    let now = now_ms();
    if now.abs_diff(other_ms) <= CLOCK_DIFFERENCE_MS_MAX {
        return None;
    }
    let difference = i64::try_from(other_ms).unwrap_or(i64::MAX).saturating_sub(i64::try_from(now).unwrap_or(i64::MAX));
    CLOCK_OFFSET_MS.fetch_add(difference, Ordering::Relaxed);
    Some(difference)
}

/// Formats a Unix time in milliseconds as `2026-01-31T12:00:00Z`, with a
/// fraction if there is one.
pub fn rfc3339(ms: u64) -> String {
    timestamp(ms).to_string()
}

/// Formats a Unix time in milliseconds as `2026-01-31T12:00:00.000Z`. The fraction always
/// has three digits, so that the texts sort in order of time.
pub fn rfc3339_millis(ms: u64) -> String {
    format!("{:.3}", timestamp(ms))
}

/// Parses a text like `2026-01-31T12:00:00Z` to a Unix time in milliseconds; digits below
/// a millisecond are discarded.
pub fn parse_rfc3339(text: &str) -> Option<u64> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// Formats the UTC day of a Unix time in milliseconds as `2026-01-31`.
pub fn date(ms: u64) -> String {
    timestamp(ms).strftime("%Y-%m-%d").to_string()
}

/// Converts a time. A time after the year 9999 becomes the latest representable one,
/// because a client may choose any time and every time must have a text form.
fn timestamp(ms: u64) -> jiff::Timestamp {
    let time = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    time.unwrap_or(jiff::Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_text() {
        assert_eq!(rfc3339(1_700_000_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(rfc3339(1_700_000_000_120), "2023-11-14T22:13:20.12Z");
        assert_eq!(rfc3339_millis(1_700_000_000_120), "2023-11-14T22:13:20.120Z");
        assert!(rfc3339(u64::MAX).starts_with("9999-12-30T"), "{}", rfc3339(u64::MAX));
        assert!(parse_rfc3339(&rfc3339_millis(u64::MAX)).is_some());
        assert_eq!(parse_rfc3339("2023-11-14T22:13:20.120Z"), Some(1_700_000_000_120));
        assert_eq!(parse_rfc3339("2023-11-14T23:13:20.1209+01:00"), Some(1_700_000_000_120));
        assert_eq!(
            (parse_rfc3339("yesterday"), parse_rfc3339("2023-11-14"), parse_rfc3339("1960-01-01T00:00:00Z")),
            (None, None, None)
        );
        assert_eq!(date(1_700_000_000_120), "2023-11-14");
    }
}
