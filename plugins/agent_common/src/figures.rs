//! Figures in sentences.

/// Returns a number with four significant digits at most, and never fewer than its whole part has.
pub fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    let before = value.abs().log10().floor();
    let decimals = (3.0 - before).clamp(0.0, 9.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=9")]
    let text = format!("{value:.*}", decimals as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns `1 row` or `2 rows`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Returns a value with at most six digits after the point, for answers.
pub fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_not_wrong() {
        let pairs =
            [(416.638_8, "416.6"), (12_345.678, "12346"), (0.1, "0.1"), (-2.0, "-2"), (0.001_234_56, "0.001235")];
        for (value, expect) in pairs {
            assert_eq!(figure(value), expect);
        }
        assert_eq!((figure(0.0), figure(f64::NAN), count(1, "row", "rows")), ("0".into(), "0".into(), "1 row".into()));
    }
}
