//! Series that grow or shrink by the same share each step: 100, 205, 398, 810.

use crate::short::Point;

/// What the method is called.
pub const METHOD: &str = "growth";

/// Least change each step, as the logarithm of its factor.
const LEAST: f64 = 0.06;

struct Line {
    slope: f64,
    end: f64,
    errors: f64,
}

fn line(values: &[f64]) -> Line {
    let at = |place: usize| f64::from(u32::try_from(place).unwrap_or(0));
    let count = at(values.len());
    let middle = (count - 1.0) / 2.0;
    let mean = values.iter().sum::<f64>() / count;
    let cross: f64 = values.iter().enumerate().map(|(place, value)| (at(place) - middle) * (value - mean)).sum();
    let square: f64 = (0..values.len()).map(|place| (at(place) - middle).powi(2)).sum();
    let slope = cross / square.max(f64::MIN_POSITIVE);
    let errors =
        values.iter().enumerate().map(|(place, value)| (value - mean - slope * (at(place) - middle)).powi(2)).sum();
    Line { slope, end: mean + slope * (count - 1.0 - middle), errors }
}

/// The next points, where a steady share fits the values far better than a steady amount.
pub fn ahead(values: &[f64], steps: u32) -> Option<Vec<Point>> {
    if values.len() < 5 || values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let (plain, share) = (line(values), line(&logs));
    let count = f64::from(u32::try_from(values.len()).unwrap_or(0));
    let first = share.end - share.slope * (count - 1.0);
    let errors: f64 =
        (0..).zip(values).map(|(at, value)| (value - (first + share.slope * f64::from(at)).exp()).powi(2)).sum();
    let steady = logs.windows(2).all(|pair| matches!(pair, [a, b] if (b - a) * share.slope > 0.0));
    if !steady || share.slope.abs() < LEAST || errors > 0.25 * plain.errors {
        return None;
    }
    let deviation = (share.errors / (count - 2.0)).sqrt();
    let last = logs.last().copied().unwrap_or(share.end);
    let point = |step: u32| {
        let log = f64::midpoint(share.end, last) + share.slope * f64::from(step);
        let reach = 2.6 * deviation * (1.0 + f64::from(step) / count).sqrt();
        Point { value: log.exp(), low: (log - reach).exp(), high: (log + reach).exp() }
    };
    Some((1..=steps).map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_goes_on_and_an_amount_does_not() {
        let doubling = ahead(&[100.0, 205.0, 398.0, 810.0, 1590.0, 3210.0], 2).unwrap();
        assert!(
            matches!(doubling.as_slice(), [a, b] if (6000.0..6800.0).contains(&a.value) && (12000.0..13500.0).contains(&b.value))
        );
        assert!(ahead(&[10.0, 12.0, 14.0, 16.0, 18.0, 20.0], 2).is_none());
        assert!(ahead(&[100.0, 140.0, 95.0, 180.0, 160.0], 1).is_none());
    }
}
