//! Medians, lines and ranges that one wild value does not move.

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let high = sorted.get(middle).copied().unwrap_or(0.0);
    if sorted.len() % 2 == 1 {
        high
    } else {
        f64::midpoint(high, middle.checked_sub(1).and_then(|at| sorted.get(at)).copied().unwrap_or(high))
    }
}

/// Returns the median distance from the median.
pub fn spread(values: &[f64]) -> f64 {
    let center = median(values);
    median(&values.iter().map(|value| (value - center).abs()).collect::<Vec<_>>())
}

pub fn place(at: usize) -> f64 {
    u32::try_from(at).map_or(f64::MAX, f64::from)
}

/// Returns the values of the line whose slope is the median of all slopes.
pub fn line(values: &[f64]) -> Vec<f64> {
    let mut slopes = Vec::new();
    for (at, value) in values.iter().enumerate() {
        for (later, other) in values.iter().enumerate().skip(at + 1) {
            slopes.push((other - value) / place(later - at));
        }
    }
    let slope = median(&slopes);
    let rest: Vec<f64> = values.iter().enumerate().map(|(at, value)| value - slope * place(at)).collect();
    let level = median(&rest);
    (0..values.len()).map(|at| level + slope * place(at)).collect()
}

/// Returns the mean and the standard deviation of a sample.
pub fn moments(values: &[f64]) -> (f64, f64) {
    let count = place(values.len()).max(1.0);
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (square / (count - 1.0).max(1.0)).sqrt())
}

/// Returns the first and the third quartile, as medians of the halves.
pub fn quartiles(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let low = sorted.get(..half).unwrap_or_default();
    let high = sorted.get(sorted.len() - half..).unwrap_or_default();
    (median(low), median(high))
}
