//! Formats times for messages to people.

use tollbridge_core::time::rfc3339;

/// Formats Unix time in seconds as `2026-01-31T12:00:00Z`. Payers may sign times beyond
/// any calendar; those are printed as numbers.
pub(crate) fn moment(unix_s: u128) -> String {
    let ms = u64::try_from(unix_s).ok().and_then(|unix_s| unix_s.checked_mul(1000));
    ms.map(rfc3339).filter(|text| !text.is_empty()).unwrap_or_else(|| format!("{unix_s} s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_if_the_calendar_has_it() {
        assert_eq!(moment(1_700_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
        assert_eq!(moment(u128::from(u64::MAX)), "18446744073709551615 s");
        assert_eq!(moment(u128::MAX), "340282366920938463463374607431768211455 s");
    }
}
