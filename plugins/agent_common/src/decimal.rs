//! Sums of decimals as they are written: 0.1 and 0.2 make 0.3.

/// Digits after the point that are kept.
const SCALE: u32 = 9;
/// Digits of one number that are read, so that a sum of a million rows fits.
const DIGITS_MAX: usize = 18;

/// A number in billionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

impl Decimal {
    /// Reads `-1234.5`; none for anything else, or for more than 9 digits after
    /// or 18 before the point.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let digits = digits.strip_prefix('+').filter(|_| !negative).unwrap_or(digits);
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let only_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && part.is_empty()) || !only_digits(whole) || !only_digits(part) {
            return None;
        }
        if whole.len() > DIGITS_MAX || part.len() > SCALE as usize {
            return None;
        }
        let all: i128 = format!("{whole}{part:0<9}").parse().ok()?;
        Some(Self(if negative { -all } else { all }))
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// As a number of JSON.
    #[must_use]
    pub fn number(self) -> f64 {
        self.text().parse().unwrap_or(f64::NAN)
    }

    /// As it would be written.
    #[must_use]
    pub fn text(self) -> String {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let unit = 10_u128.pow(SCALE);
        let part = format!("{:09}", size % unit);
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{part}", size / unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_paper() {
        let sum = ["0.1", "0.2", "-1", "+5.000000001"].map(|text| Decimal::read(text).unwrap());
        let sum = sum.into_iter().fold(Decimal::default(), Decimal::plus);
        assert_eq!((sum.text().as_str(), sum.number()), ("4.300000001", 4.300_000_001));
        assert_eq!(Decimal::read("-0.50").map(Decimal::text).as_deref(), Some("-0.5"));
        for bad in ["", ".", "-", "1e5", "1,000", "0.0000000001", "--1", "-+1", "1234567890123456789"] {
            assert_eq!(Decimal::read(bad), None, "{bad}");
        }
    }
}
