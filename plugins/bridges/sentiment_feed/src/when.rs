//! Points in time as callers write them, and back.

use bridge_common::calendar::{civil_from_days, days_from_civil};
use tollbridge_sdk::Error;

use crate::input::Stamp;

/// About the years 1 to 9999, in seconds.
const EARLIEST: f64 = -62_135_596_800.0;
const LATEST: f64 = 253_402_300_799.0;
const DAY: i64 = 86_400;

/// Unix seconds of a stamp; `field` is where it stands.
pub fn seconds(stamp: &Stamp, field: &str) -> Result<f64, Error> {
    let parsed = match stamp {
        Stamp::Seconds(seconds) => Some(*seconds),
        Stamp::Text(text) => parse(text.trim()).map(|seconds| seconds as f64),
    };
    parsed.filter(|seconds| (EARLIEST..=LATEST).contains(seconds)).ok_or_else(|| {
        Error::invalid(field, "give Unix seconds, or ISO 8601 such as 2026-01-31 or 2026-01-31T09:30:00Z")
    })
}

/// Seconds as ISO 8601, fractions cut off.
#[must_use]
pub fn text(seconds: f64) -> String {
    let seconds = seconds.floor().clamp(EARLIEST, LATEST) as i64;
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn parse(text: &str) -> Option<i64> {
    if !text.is_ascii() || text.len() > 40 {
        return None;
    }
    let (day, rest) = text.split_at_checked(10)?;
    let mut parts = day.split('-');
    let (year, month, day) = (part(parts.next()?, 4)?, part(parts.next()?, 2)?, part(parts.next()?, 2)?);
    let days = days_from_civil(year, month, day);
    // A day that does not exist, such as 31 February, comes back as another.
    if year == 0 || civil_from_days(days) != (year, month, day) || parts.next().is_some() {
        return None;
    }
    let start = days.checked_mul(DAY)?;
    if rest.is_empty() {
        return Some(start);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(end)?;
    Some(start + clock_seconds(clock)? - offset(zone)?)
}

fn clock_seconds(clock: &str) -> Option<i64> {
    let clock = clock.split_once('.').map_or(clock, |(whole, _)| whole);
    let mut parts = clock.split(':');
    let (hour, minute) = (part(parts.next()?, 2)?, part(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |text| part(text, 2))?;
    let valid = hour < 24 && minute < 60 && second <= 60 && parts.next().is_none();
    valid.then_some(hour * 3_600 + minute * 60 + second)
}

/// Seconds that a zone is ahead of UTC; none given means UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first() {
        None => return Some(0),
        Some(b'Z' | b'z') => return (zone.len() == 1).then_some(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let digits: String = zone.chars().skip(1).filter(|sign| *sign != ':').collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { 0 } else { part(minutes, 2)? };
    let hours = part(hours, 2)?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn part(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (given, expect) in [
            ("1970-01-01", 0),
            ("2026-01-01T00:00:00Z", 1_767_225_600),
            ("2026-01-01T01:00:00+01:00", 1_767_225_600),
            ("2026-01-01 00:30-0030", 1_767_229_200),
            ("2024-02-29T23:59:59.9Z", 1_709_251_199),
        ] {
            assert_eq!(parse(given), Some(expect), "{given}");
        }
        assert_eq!(text(1_709_251_199.9), "2024-02-29T23:59:59Z");
        assert_eq!(text(-1.0), "1969-12-31T23:59:59Z");
        for wrong in [
            "",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "0000-01-01",
            "26-01-01",
            "2026-01-01T25:00",
            "2026-01-01Tx",
            "2026-01-01T10:00Zx",
            "2026-01-01T10:00+",
            "é026-01-01",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
