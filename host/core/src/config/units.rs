//! Quantities with a unit: bytes, time, percentages and millionths. All are exact
//! integers; decimals are parsed digit by digit.

use std::time::Duration;

use super::raw::Raw;
use super::setting::{Setting, unexpected_value};
use crate::time::DAY_MS;

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(u64);

/// A percentage in tenths of a percent, so 17.5 % is 175.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Percent(pub(super) u16);

/// A decimal number with at most six decimals, as millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(u64);

/// The longest time that a setting accepts: far above any sensible value, and small
/// enough that milliseconds never overflow.
const SECONDS_MAX: u64 = 10 * 365 * 86_400;

impl ByteSize {
    /// The size in bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Returns the size as `usize`, capped at the largest that this machine can address.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Millionths {
    /// Creates a number that does not come from the configuration.
    pub const fn of(millionths: u64) -> Self {
        Self(millionths)
    }

    /// The number in millionths.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Parses digits with an optional fraction of at most `places` digits, as an integer in
/// units of the last place. Returns `None` for any other text, or if the number is too
/// large.
fn decimal(text: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > places {
        return None;
    }
    format!("{whole}{fraction:0<places$}").parse().ok()
}

impl Setting for Percent {
    fn read(raw: &Raw) -> Result<Self, String> {
        let tenths = raw.scalar().and_then(|text| decimal(text, 1)).filter(|tenths| *tenths <= 1000);
        let tenths = tenths.and_then(|tenths| u16::try_from(tenths).ok());
        tenths
            .map(Self)
            .ok_or_else(|| unexpected_value(raw, "a percentage from 0 to 100 with at most one decimal, like 17.5"))
    }
}

impl Setting for Millionths {
    fn read(raw: &Raw) -> Result<Self, String> {
        let value = raw.scalar().and_then(|text| decimal(text, 6)).filter(|n| *n <= 1_000_000_000_000);
        value
            .map(Self)
            .ok_or_else(|| unexpected_value(raw, "a number up to 1000000 with at most six decimals, like 0.79"))
    }
}

impl Setting for ByteSize {
    fn read(raw: &Raw) -> Result<Self, String> {
        let bytes = raw.scalar().and_then(|text| {
            let (number, unit) = number_and_unit(text)?;
            let factor: u64 = match unit {
                "" | "B" => 1,
                "KiB" => 1 << 10,
                "MiB" => 1 << 20,
                "GiB" => 1 << 30,
                "kB" => 1_000,
                "MB" => 1_000_000,
                "GB" => 1_000_000_000,
                _ => return None,
            };
            number.checked_mul(factor)
        });
        bytes.map(Self).ok_or_else(|| unexpected_value(raw, "a size; write it like \"64MiB\", or as a number of bytes"))
    }
}

impl Setting for Duration {
    fn read(raw: &Raw) -> Result<Self, String> {
        let time = raw.text().and_then(|text| {
            let (number, unit) = number_and_unit(text)?;
            let milliseconds: u64 = match unit {
                "ms" => 1,
                "s" => 1_000,
                "m" => 60_000,
                "h" => 3_600_000,
                "d" => DAY_MS,
                _ => return None,
            };
            number.checked_mul(milliseconds).filter(|ms| *ms <= SECONDS_MAX * 1000)
        });
        let expected_form = "a time with its unit; write it like \"500ms\", \"2s\", \"15m\", \"6h\" or \"7d\"";
        time.map(Self::from_millis).ok_or_else(|| unexpected_value(raw, expected_form))
    }
}

fn number_and_unit(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, unit.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<T: Setting>(toml: &str, value: impl Fn(T) -> u64, expect: Option<u64>) {
        assert_eq!(T::read(&Raw::parse(toml).unwrap()).ok().map(value), expect, "{toml}");
    }

    #[test]
    fn percentages() {
        for (text, tenths) in [
            ("80.0", Some(800)),
            ("17.5", Some(175)),
            ("\"2.5\"", Some(25)),
            ("100", Some(1000)),
            ("0", Some(0)),
            ("2.50", Some(25)),
            ("2.55", None),
            ("100.1", None),
            ("-1", None),
            ("1e1", None),
            ("\"80%\"", None),
            ("nan", None),
            ("true", None),
        ] {
            check::<Percent>(text, |p| u64::from(p.0), tenths);
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("\"64MiB\"", Some(64 << 20)),
            ("\"1 KiB\"", Some(1024)),
            ("\"2kB\"", Some(2000)),
            ("1048576", Some(1 << 20)),
            ("\"17\"", Some(17)),
            ("\"64mib\"", None),
            ("\"MiB\"", None),
            ("\"99999999999GiB\"", None),
            ("\"1.5MiB\"", None),
            ("-1", None),
        ] {
            check::<ByteSize>(text, ByteSize::bytes, bytes);
        }
    }

    #[test]
    fn times() {
        let ms = |d: Duration| u64::try_from(d.as_millis()).unwrap();
        for (text, expect) in [
            ("\"15m\"", Some(900_000)),
            ("\"2s\"", Some(2_000)),
            ("\"500ms\"", Some(500)),
            ("\"0s\"", Some(0)),
            ("\"7d\"", Some(604_800_000)),
            ("15", None),
            ("\"15\"", None),
            ("\"m\"", None),
            ("\"-1s\"", None),
            ("\"99999999999999999999d\"", None),
            ("\"4000000d\"", None),
        ] {
            check::<Duration>(text, ms, expect);
        }
    }

    proptest! {
        #[test]
        fn decimals_round_trip(value in 0_u64..=1_000_000_000_000) {
            let text = format!("{}.{:06}", value / 1_000_000, value % 1_000_000);
            prop_assert_eq!(decimal(&text, 6), Some(value));
            prop_assert_eq!(Millionths::read(&Raw::Number(text)).map(Millionths::get), Ok(value));
        }

        #[test]
        fn nothing_panics(text in ".{0,40}") {
            let raw = Raw::Words(text);
            let _ = (Percent::read(&raw), Millionths::read(&raw), ByteSize::read(&raw), Duration::read(&raw));
        }
    }
}
