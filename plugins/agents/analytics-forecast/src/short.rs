//! Forecasts of series that are too short to test a method on: the line through them.

/// A point ahead with the range that should hold it 19 times in 20.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What a method of this module is called.
pub const METHOD: &str = "line";

/// Student's t for 19 in 20, by degrees of freedom from 1.
const QUANTILES: [f64; 8] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31];

/// The next points: the slope of the least squares, from a level between the line and the last value.
pub fn ahead(values: &[f64], steps: u32) -> Vec<Point> {
    #[allow(clippy::cast_precision_loss, reason = "a few points")]
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = values.iter().sum::<f64>() / count;
    let at = |place: usize| f64::from(u32::try_from(place).unwrap_or(0));
    let cross: f64 = values.iter().enumerate().map(|(place, value)| (at(place) - middle) * (value - mean)).sum();
    let square: f64 = (0..values.len()).map(|place| (at(place) - middle).powi(2)).sum();
    let slope = if square > 0.0 { cross / square } else { 0.0 };
    let errors: f64 =
        values.iter().enumerate().map(|(place, v)| (v - mean - slope * (at(place) - middle)).powi(2)).sum();
    let deviation = (errors / (count - 2.0).max(1.0)).sqrt();
    let quantile = QUANTILES.get(values.len().saturating_sub(3)).copied().unwrap_or(2.1);
    let end = mean + slope * (count - 1.0 - middle);
    let last = values.last().copied().unwrap_or(end);
    // A slope within the noise is none.
    let clear = square > 0.0 && (slope.abs() > 2.0 * deviation / square.sqrt() || deviation == 0.0);
    let point = |step: u32| {
        let value = if clear { f64::midpoint(end, last) + slope * f64::from(step) } else { mean };
        let far = 1.0 + 1.0 / count + (count - 1.0 - middle + f64::from(step)).powi(2) / square.max(1.0);
        let reach = quantile * deviation * far.sqrt();
        Point { value, low: value - reach, high: value + reach }
    };
    (1..=steps).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_and_noise_stays() {
        let line = ahead(&[40.0, 44.0, 48.0, 52.0], 2);
        assert_eq!(line.iter().map(|p| p.value).collect::<Vec<_>>(), [56.0, 60.0]);
        let noise = ahead(&[10.0, 11.0, 9.0, 10.0], 1);
        assert_eq!(noise.first().map(|p| (p.value, p.low < 9.0 && p.high > 11.0)), Some((10.0, true)));
    }
}
