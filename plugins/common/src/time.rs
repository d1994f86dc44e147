//! Times of points: ISO 8601 texts or numbers, turned into seconds on one line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::calendar::{days_from_civil, month_length};

/// When a point was measured, as the caller wrote it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "an ISO 8601 time or a number")]
pub enum Timestamp {
    /// Unix seconds or milliseconds, or any number that grows.
    Number(f64),
    /// ISO 8601, for example 2026-01-31, 2026-01-31T08:00 or 2026-01-31T08:00:00.250+01:00.
    Text(String),
}

impl Timestamp {
    /// Seconds since 1970 for texts and Unix numbers, the number itself for small ones; none for other texts.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Number(number) if number.abs() >= 1e11 => Some(number / 1e3),
            Self::Number(number) => Some(*number),
            Self::Text(text) => parse(text.trim()),
        }
    }

    /// Whether steps between such times are known to be seconds.
    #[must_use]
    pub fn is_calendar(&self) -> bool {
        match self {
            Self::Number(number) => number.abs() >= 1e8,
            Self::Text(_) => true,
        }
    }
}

/// Seconds since 1970 of a date, or of a date and time after `T` or a space. Without an offset it counts as UTC.
#[must_use]
pub fn parse(text: &str) -> Option<f64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let days = days(date)?;
    let seconds = match time {
        Some(time) => clock(time)?,
        None => 0.0,
    };
    Some(days as f64 * 86_400.0 + seconds)
}

/// Days since 1970 of `2026-01-31` or `2026-01`.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4, 0, 9_999)?;
    let month = number(parts.next()?, 2, 1, 12)?;
    let day = match parts.next() {
        Some(day) => number(day, 2, 1, month_length(year, month))?,
        None => 1,
    };
    if parts.next().is_some() {
        return None;
    }
    Some(days_from_civil(year, month, day))
}

/// Seconds of `08:00`, `08:00:30`, `08:00:30.5`, each with an optional `Z` or `+01:00`.
fn clock(text: &str) -> Option<f64> {
    let (text, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (text.get(..at)?, zone(text.get(at..)?)?),
        None => (text, 0),
    };
    let mut parts = text.split(':');
    let hour = number(parts.next()?, 2, 0, 24)?;
    let minute = number(parts.next()?, 2, 0, 59)?;
    let second = match parts.next() {
        Some(second) => {
            let (whole, fraction) = second.split_once(['.', ',']).unwrap_or((second, "0"));
            let digits = fraction.len() <= 9 && !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
            let fraction: f64 = digits.then(|| format!("0.{fraction}"))?.parse().ok()?;
            number(whole, 2, 0, 60)? as f64 + fraction
        }
        None => 0.0,
    };
    parts.next().is_none().then_some((hour * 3_600 + minute * 60 - offset) as f64 + second)
}

/// Seconds east of UTC of `Z`, `+01`, `+0100`, `+01:00`.
fn zone(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        (_, "") => return Some(0),
        _ => return None,
    };
    let digits = rest.replace(':', "");
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = if minutes.is_empty() { 0 } else { number(minutes, 2, 0, 59)? };
    Some(sign * (number(hours, 2, 0, 23)? * 3_600 + minutes * 60))
}

/// A number of exactly `width` digits within bounds.
fn number(text: &str, width: usize, least: i64, most: i64) -> Option<i64> {
    let digits = text.len() == width && text.bytes().all(|b| b.is_ascii_digit());
    let value = digits.then(|| text.parse::<i64>().ok())??;
    (least..=most).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<f64>) {
        assert_eq!(parse(text), expect, "{text}");
    }

    /// Expected values are those of `date -u -d TEXT +%s`.
    #[test]
    fn iso_8601() {
        check("1970-01-01", Some(0.0));
        check("2000-02-29T00:00:00Z", Some(951_782_400.0));
        check("2026-01-31 08:00", Some(1_769_846_400.0));
        check("2026-01-31T08:00:00.250+01:00", Some(1_769_842_800.25));
        check("2026-01-31T08:00:00-0530", Some(1_769_866_200.0));
        check("1969-12-31T23:59:59Z", Some(-1.0));
        check("2026-02", Some(1_769_904_000.0));
        for wrong in
            ["", "2026", "2026-13-01", "2026-02-29", "2026-01-01T25:00", "31/01/2026", "2026-01-01T08:00:00x", "é-T"]
        {
            check(wrong, None);
        }
    }

    #[test]
    fn numbers_in_milliseconds_become_seconds() {
        assert_eq!(Timestamp::Number(1_769_846_400_000.0).seconds(), Some(1_769_846_400.0));
        assert_eq!(Timestamp::Number(5.0).seconds(), Some(5.0));
        assert!(!Timestamp::Number(5.0).is_calendar());
    }
}
