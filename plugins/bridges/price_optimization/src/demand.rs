//! Demand of constant elasticity: log units against log price by least squares, with what else moved units taken out
//! of both.

use crate::basis::{Basis, product, square};
use crate::input::Period;
use bridge_common::student::upper_quantile;

/// Variation of log prices for each period below which nothing can be told from them.
const FLAT: f64 = 1e-10;

/// What moves units besides the price.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    /// A steady growth or fall.
    pub trend: bool,
    /// Places in a cycle, each with a level of its own.
    pub season: Option<usize>,
    /// Names of controls that every period has.
    pub controls: Vec<String>,
}

impl Model {
    /// Parameters besides the elasticity.
    #[must_use]
    pub fn parameters(&self) -> usize {
        1 + usize::from(self.trend) + self.season.map_or(0, |places| places - 1) + self.controls.len()
    }

    /// Level, trend and season.
    fn base(&self, periods: usize) -> Basis {
        let line = self.trend.then(|| (0..periods).map(|period| period as f64).collect::<Vec<f64>>());
        let place = |place: usize, places: usize| {
            (0..periods).map(move |period| f64::from(u8::from(period % places == place))).collect::<Vec<f64>>()
        };
        let season = self.season.into_iter().flat_map(|places| (1..places).map(move |at| place(at, places)));
        Basis::default().with([vec![1.0; periods]]).with(line).with(season)
    }

    fn column(&self, history: &[Period], name: &str) -> Vec<f64> {
        history.iter().map(|period| period.controls.get(name).copied().unwrap_or(0.0)).collect()
    }
}

/// What a control does to log units, with half the width of its interval; none where it cannot be told from the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    pub name: String,
    pub slope: Option<(f64, f64)>,
}

/// A fitted demand.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    pub elasticity: f64,
    pub standard_error: f64,
    /// Half the width of the confidence interval.
    pub reach: f64,
    pub r_squared: f64,
    pub durbin_watson: f64,
    pub effects: Vec<Effect>,
    /// Log price and log units of the point that the curve goes through: those of the last period, as far as trend,
    /// season and controls explain them.
    center: (f64, f64),
    /// Mean of exp(error): makes means of logarithms into means of units (Duan 1983).
    smearing: f64,
}

impl Demand {
    /// Fits a demand. None when the prices do not vary once the rest is out.
    #[must_use]
    pub fn fit(history: &[Period], model: &Model, confidence: f64) -> Option<Self> {
        let count = history.len() as f64;
        let prices: Vec<f64> = history.iter().map(|period| period.price.ln()).collect();
        let units: Vec<f64> = history.iter().map(|period| period.quantity.ln()).collect();
        let base = model.base(history.len());
        let basis = base.clone().with(model.controls.iter().map(|name| model.column(history, name)));
        let (x, y) = (basis.rest(&prices), basis.rest(&units));
        let variation = square(&x);
        if variation <= FLAT * count {
            return None;
        }
        let elasticity = product(&x, &y) / variation;
        let errors: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - elasticity * x).collect();
        let freedom = (count - basis.rank() as f64 - 1.0).max(1.0);
        let left = square(&errors);
        let quantile = upper_quantile((1.0 - confidence) / 2.0, freedom);
        let error_of = |variation: f64| (left / freedom / variation).sqrt();
        let effect = |name: &String| {
            let others = model.controls.iter().filter(|other| *other != name).map(|other| model.column(history, other));
            let basis = base.clone().with(others.chain([prices.clone()]));
            let column = model.column(history, name);
            let rest = basis.rest(&column);
            let variation = square(&rest);
            let separable = variation > FLAT * square(&column).max(f64::MIN_POSITIVE);
            let slope =
                separable.then(|| (product(&rest, &basis.rest(&units)) / variation, quantile * error_of(variation)));
            Effect { name: name.clone(), slope }
        };
        let mean = units.iter().sum::<f64>() / count;
        let total = square(&units.iter().map(|unit| unit - mean).collect::<Vec<_>>());
        let steps: Vec<f64> = errors.iter().zip(errors.iter().skip(1)).map(|(a, b)| b - a).collect();
        let last = |values: &[f64]| values.last().copied().unwrap_or(0.0);
        Some(Self {
            elasticity,
            standard_error: error_of(variation),
            reach: error_of(variation) * quantile,
            r_squared: if total > 1e-18 { (1.0 - left / total).clamp(0.0, 1.0) } else { 0.0 },
            durbin_watson: if left > 1e-18 { square(&steps) / left } else { 2.0 },
            effects: model.controls.iter().map(effect).collect(),
            center: (last(&prices) - last(&x), last(&units) - last(&y)),
            smearing: errors.iter().map(|error| error.exp()).sum::<f64>() / count,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(trend: f64) -> Vec<Period> {
        let prices = [8.0, 9.0, 10.0, 9.0, 11.0, 12.0, 8.5, 10.5, 9.5, 11.5];
        let at = |(t, price): (usize, &f64)| Period {
            price: *price,
            quantity: 1_000.0 * price.powf(-2.0) * (trend * t as f64).exp(),
            ..Period::default()
        };
        prices.iter().enumerate().map(at).collect()
    }

    #[test]
    fn a_known_elasticity_is_found() {
        let demand = Demand::fit(&periods(0.0), &Model::default(), 0.95).expect("a fit");
        assert!((demand.elasticity + 2.0).abs() < 1e-9 && demand.r_squared > 0.999_999);
        assert!((demand.units(10.0) - 10.0).abs() < 1e-9);
        let trend = Model { trend: true, ..Model::default() };
        let demand = Demand::fit(&periods(0.1), &trend, 0.95).expect("a fit");
        assert!((demand.elasticity + 2.0).abs() < 1e-9, "{demand:?}");
        // The units of the last period: ten times e^0.9.
        assert!((demand.units(10.0) / 10.0 - 0.9f64.exp()).abs() < 1e-9);
    }

    #[test]
    fn what_moves_with_the_price_is_told_from_it() {
        // Promotions, at low prices, sell half as much again; every third period sells a tenth more.
        let mut history = periods(0.0);
        for (place, period) in history.iter_mut().enumerate() {
            let promoted = f64::from(u8::from(period.price < 9.2));
            period.controls.insert("promotion".into(), promoted);
            period.quantity *= 1.5f64.powf(promoted) * if place % 3 == 2 { 1.1 } else { 1.0 };
        }
        let alone = Demand::fit(&history, &Model::default(), 0.95).expect("a fit");
        assert!(alone.elasticity < -2.5, "{alone:?}");
        let model = Model { season: Some(3), controls: vec!["promotion".into()], ..Model::default() };
        assert_eq!(model.parameters(), 4);
        let demand = Demand::fit(&history, &model, 0.95).expect("a fit");
        let promotion = demand.effects[0].slope.expect("an effect").0;
        assert!((demand.elasticity + 2.0).abs() < 1e-9 && (promotion - 1.5f64.ln()).abs() < 1e-9, "{demand:?}");
        // A control that is the price itself leaves nothing to tell.
        for period in &mut history {
            period.controls.insert("price".into(), period.price.ln());
        }
        assert_eq!(Demand::fit(&history, &Model { controls: vec!["price".into()], ..Model::default() }, 0.95), None);
    }
}
