//! Small statistics that several methods share. Every value handed in is finite; an empty slice has mean 0.

/// Mean.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Differences between points that lie `lag` apart.
#[must_use]
pub fn differences(values: &[f64], lag: usize) -> Vec<f64> {
    values.iter().zip(values.iter().skip(lag)).map(|(before, after)| after - before).collect()
}

/// Mean absolute difference between points that lie `lag` apart: the error of the seasonal naive forecast.
#[must_use]
pub fn naive_error(values: &[f64], lag: usize) -> f64 {
    let steps: Vec<f64> = differences(values, lag).iter().map(|step| step.abs()).collect();
    mean(&steps)
}

/// Root of the mean square.
#[must_use]
pub fn root_mean_square(values: &[f64]) -> f64 {
    let squares: Vec<f64> = values.iter().map(|value| value * value).collect();
    mean(&squares).max(0.0).sqrt()
}

/// Autocorrelation at lags 0..=`longest`; empty when nothing varies.
#[must_use]
pub fn autocorrelation(values: &[f64], longest: usize) -> Vec<f64> {
    let center = mean(values);
    let around: Vec<f64> = values.iter().map(|value| value - center).collect();
    let energy: f64 = around.iter().map(|value| value * value).sum();
    if energy <= 1e-24 * values.len() as f64 {
        return Vec::new();
    }
    let at = |lag: usize| around.iter().zip(around.iter().skip(lag)).map(|(a, b)| a * b).sum::<f64>() / energy;
    (0..=longest.min(values.len().saturating_sub(1))).map(at).collect()
}

/// Slope and value at the start of the least-squares line through the points.
#[must_use]
pub fn line(values: &[f64]) -> (f64, f64) {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let center = mean(values);
    let (mut cross, mut square) = (0.0, 0.0);
    for (place, value) in values.iter().enumerate() {
        let from = place as f64 - middle;
        cross += from * (value - center);
        square += from * from;
    }
    let slope = if square > 0.0 { cross / square } else { 0.0 };
    (slope, center - slope * middle)
}

/// The points without the line through them.
#[must_use]
pub fn without_line(values: &[f64]) -> Vec<f64> {
    let (slope, start) = line(values);
    values.iter().enumerate().map(|(place, value)| value - start - slope * place as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_statistics() {
        assert_eq!((mean(&[]), mean(&[1.0, 3.0])), (0.0, 2.0));
        assert_eq!(differences(&[1.0, 4.0, 9.0], 1), [3.0, 5.0]);
        assert_eq!(naive_error(&[1.0, 4.0, 2.0], 1), 2.5);
        assert_eq!(line(&[1.0, 3.0, 5.0]), (2.0, 1.0));
        assert!(autocorrelation(&[2.0; 9], 3).is_empty());
        assert!((autocorrelation(&[1.0, -1.0, 1.0, -1.0], 1)[1] + 0.75).abs() < 1e-12);
    }
}
