//! Numbers of an answer, cut so that they are the same on every machine.

/// A finite number with `digits` significant digits: what is not a number is 0, infinities are the largest numbers.
#[must_use]
pub fn significant(value: f64, digits: usize) -> f64 {
    let finite = if value.is_nan() { 0.0 } else { value.clamp(f64::MIN, f64::MAX) };
    let after_point = digits.saturating_sub(1);
    format!("{finite:.after_point$e}").parse().ok().filter(|v: &f64| v.is_finite()).unwrap_or(finite)
}

/// A finite number with ten significant digits, as the answers of bridges that compute have it.
#[must_use]
pub fn tidy(value: f64) -> f64 {
    significant(value, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits() {
        assert_eq!((significant(1.0 / 3.0, 4), significant(123_456.0, 2)), (0.3333, 120_000.0));
        assert_eq!((significant(f64::NAN, 4), significant(f64::INFINITY, 10)), (0.0, f64::MAX));
    }
}
