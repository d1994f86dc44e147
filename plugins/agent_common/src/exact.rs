//! Exact arithmetic with decimals: 0.1 times 3 is 0.3.

/// Digits after the point of a quotient.
const QUOTIENT_DIGITS: u32 = 12;
/// Most digits after the point that are kept.
const SCALE_MAX: u32 = 18;

/// A decimal of up to 38 digits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exact {
    digits: i128,
    scale: u32,
}

impl Exact {
    /// Returns a whole number.
    pub fn whole(number: i64) -> Self {
        Self { digits: i128::from(number), scale: 0 }
    }

    /// Reads `-1234.5`; none for anything else, or for more than 24 digits.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && part.is_empty()) || !plain(whole) || !plain(part) || whole.len() + part.len() > 24 {
            return None;
        }
        let scale = u32::try_from(part.len()).ok().filter(|scale| *scale <= SCALE_MAX)?;
        let all: i128 = format!("{whole}{part}").parse().ok()?;
        Some(Self { digits: if negative { -all } else { all }, scale }.shortened())
    }

    fn shortened(mut self) -> Self {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }

    /// Returns both with the same count of digits after the point.
    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let grown = |one: Self| one.digits.checked_mul(10_i128.checked_pow(scale - one.scale)?);
        Some((grown(self)?, grown(other)?, scale))
    }

    /// Returns the sum; none if it has too many digits, as for the others.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(other)?;
        Some(Self { digits: a.checked_add(b)?, scale }.shortened())
    }

    /// Returns the difference.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { digits: other.digits.checked_neg()?, ..other })
    }

    /// Returns the product.
    pub fn times(self, other: Self) -> Option<Self> {
        let product = Self { digits: self.digits.checked_mul(other.digits)?, scale: self.scale + other.scale };
        Some(product.shortened().rounded(SCALE_MAX))
    }

    /// Returns the quotient, rounded to 12 digits after the point; none for a divisor of zero.
    pub fn over(self, other: Self) -> Option<Self> {
        let (a, b, _) = self.aligned(other)?;
        let grown = a.checked_mul(10_i128.checked_pow(QUOTIENT_DIGITS + 1)?)?;
        let quotient = Self { digits: grown.checked_div(b)?, scale: QUOTIENT_DIGITS + 1 };
        Some(quotient.rounded(QUOTIENT_DIGITS))
    }

    /// Rounds half away from zero, to so many digits after the point.
    pub fn rounded(self, digits: u32) -> Self {
        let Some(cut) = self.scale.checked_sub(digits).filter(|cut| *cut > 0) else { return self };
        let unit = 10_i128.checked_pow(cut).unwrap_or(i128::MAX);
        let half = unit / 2 * self.digits.signum();
        Self { digits: self.digits.saturating_add(half) / unit, scale: digits }.shortened()
    }

    /// Returns whether it has no digits after the point.
    pub fn is_whole(self) -> bool {
        self.shortened().scale == 0
    }

    /// Returns it as a number of JSON.
    pub fn number(self) -> f64 {
        self.text().parse().unwrap_or(f64::NAN)
    }

    /// Returns it as a text.
    pub fn text(self) -> String {
        let (sign, size) = (if self.digits < 0 { "-" } else { "" }, self.digits.unsigned_abs());
        let Some(unit) = 10_u128.checked_pow(self.scale).filter(|unit| *unit > 1) else {
            return format!("{sign}{size}");
        };
        let part = format!("{:0width$}", size % unit, width = self.scale as usize);
        let part = part.trim_end_matches('0');
        let point = if part.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{part}", size / unit)
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match self.aligned(*other) {
            Some((a, b, _)) => a.cmp(&b),
            None => self.number().total_cmp(&other.number()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_of_paper() {
        let of = |text: &str| Exact::read(text).unwrap();
        let cases = [
            (of("12.5").times(of("80")), "1000"),
            (of("0.1").times(of("3")), "0.3"),
            (of("84.03").plus(of("15.97")), "100"),
            (of("1").over(of("3")), "0.333333333333"),
            (of("2").over(of("3")), "0.666666666667"),
            (of("-5").over(of("2")), "-2.5"),
            (of("1").over(of("0")), ""),
            (of("1.10").minus(of("1.1")), "0"),
            (Some(of("2.345").rounded(2)), "2.35"),
            (Some(of("-2.345").rounded(2)), "-2.35"),
        ];
        for (found, expect) in cases {
            assert_eq!(found.map(Exact::text).unwrap_or_default(), expect);
        }
        assert!(of("1.50") == of("1.5") && of("2") > of("1.99") && of("3.0").is_whole());
        for bad in ["", "-", "1e5", "1,0"] {
            assert_eq!(Exact::read(bad), None, "{bad}");
        }
    }
}
