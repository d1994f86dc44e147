//! Medians of finite values.

/// Median of values in any order; 0 of none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_sorted(&sorted)
}

/// Median of values that are already sorted; 0 of none.
#[must_use]
pub fn median_sorted(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    let high = sorted.get(half).copied().unwrap_or(0.0);
    if sorted.len() % 2 == 1 {
        return high;
    }
    let low = half.checked_sub(1).and_then(|at| sorted.get(at)).copied().unwrap_or(0.0);
    low + (high - low) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_odd_even_and_no_values() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0]), median(&[])), (2.0, 2.5, 0.0));
        // The sum of the two would overflow.
        assert_eq!(median_sorted(&[1e308, 1.5e308]), 1.25e308);
    }
}
