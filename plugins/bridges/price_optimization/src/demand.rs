//! Demand of constant elasticity: log units against log price by least squares, with or without a linear trend.

use crate::input::Period;
use crate::student::upper_quantile;

/// A fitted demand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    pub elasticity: f64,
    pub standard_error: f64,
    /// Half the width of the confidence interval.
    pub reach: f64,
    pub r_squared: f64,
    pub durbin_watson: f64,
    /// Log price and log units of the point that the curve goes through (with a trend: that of the last period).
    center: (f64, f64),
    /// Mean of exp(error): makes means of logarithms into means of units (Duan 1983).
    smearing: f64,
}

impl Demand {
    /// Fits a demand. None when the prices do not vary once the trend is out.
    #[must_use]
    pub fn fit(history: &[Period], trend: bool, confidence: f64) -> Option<Self> {
        let prices: Vec<f64> = history.iter().map(|period| period.price.ln()).collect();
        let units: Vec<f64> = history.iter().map(|period| period.quantity.ln()).collect();
        let (x, mean_x, slope_x) = without(&prices, trend);
        let (y, mean_y, slope_y) = without(&units, trend);
        let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let variation = squares(&x);
        if variation <= 1e-10 * history.len() as f64 {
            return None;
        }
        let elasticity = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() / variation;
        let errors: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - elasticity * x).collect();
        let freedom = (history.len() as f64 - if trend { 3.0 } else { 2.0 }).max(1.0);
        let left = squares(&errors);
        let standard_error = (left / freedom / variation).sqrt();
        let total = squares(&units.iter().map(|unit| unit - mean_y).collect::<Vec<_>>());
        let steps: Vec<f64> = errors.iter().zip(errors.iter().skip(1)).map(|(a, b)| b - a).collect();
        let end = (history.len() as f64 - 1.0) / 2.0;
        Some(Self {
            elasticity,
            standard_error,
            reach: standard_error * upper_quantile((1.0 - confidence) / 2.0, freedom),
            r_squared: if total > 1e-18 { (1.0 - left / total).clamp(0.0, 1.0) } else { 0.0 },
            durbin_watson: if left > 1e-18 { squares(&steps) / left } else { 2.0 },
            center: (mean_x + slope_x * end, mean_y + slope_y * end),
            smearing: errors.iter().map(|error| error.exp()).sum::<f64>() / history.len() as f64,
        })
    }

    /// Units expected at a price.
    #[must_use]
    pub fn units(&self, price: f64) -> f64 {
        let (x, y) = self.center;
        (y + self.elasticity * (price.ln() - x)).exp() * self.smearing
    }

    /// Units at a price when the elasticity is another one and today's units stay as they are.
    #[must_use]
    pub fn units_with(&self, elasticity: f64, price: f64, today: f64) -> f64 {
        self.units(today) * (elasticity * (price.ln() - today.ln())).exp()
    }
}

/// Values without their mean, and without the line through them when a trend is taken out; the mean and the slope.
fn without(values: &[f64], trend: bool) -> (Vec<f64>, f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let middle = (count - 1.0) / 2.0;
    let mut slope = 0.0;
    if trend {
        let cross: f64 = values.iter().enumerate().map(|(t, v)| (t as f64 - middle) * (v - mean)).sum();
        let square: f64 = (0..values.len()).map(|t| (t as f64 - middle).powi(2)).sum();
        slope = if square > 0.0 { cross / square } else { 0.0 };
    }
    let rest = values.iter().enumerate().map(|(t, v)| v - mean - slope * (t as f64 - middle)).collect();
    (rest, mean, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(trend: f64) -> Vec<Period> {
        let prices = [8.0, 9.0, 10.0, 9.0, 11.0, 12.0, 8.5, 10.5, 9.5, 11.5];
        let at = |(t, price): (usize, &f64)| Period {
            price: *price,
            quantity: 1_000.0 * price.powf(-2.0) * (trend * t as f64).exp(),
        };
        prices.iter().enumerate().map(at).collect()
    }

    #[test]
    fn a_known_elasticity_is_found() {
        let demand = Demand::fit(&periods(0.0), false, 0.95).expect("a fit");
        assert!((demand.elasticity + 2.0).abs() < 1e-9 && demand.r_squared > 0.999_999);
        assert!((demand.units(10.0) - 10.0).abs() < 1e-9);
        let demand = Demand::fit(&periods(0.1), true, 0.95).expect("a fit");
        assert!((demand.elasticity + 2.0).abs() < 1e-9, "{demand:?}");
        // The units of the last period: ten times e^0.9.
        assert!((demand.units(10.0) / 10.0 - 0.9f64.exp()).abs() < 1e-9);
    }
}
