//! Puts the answer together: units and bounds restored, intervals calibrated, limitations named.

use crate::Plan;
use crate::backtest::{Backtest, Score};
use crate::calendar;
use crate::candidate::name;
use crate::input::{Input, Method};
use crate::output::{BacktestReport, Coverage, Forecast, Interval, MethodScore, MethodUsed, Output, Step};
use crate::path::Path;
use bridge_common::number::tidy;
use bridge_common::series::Series;
use bridge_common::student::upper_quantile;

/// A forecast in the units that were worked in.
pub struct Prediction {
    pub method: Method,
    pub path: Path,
    pub form: Option<String>,
    /// Points that it was fitted on.
    pub fitted: usize,
    /// What the values were divided by.
    pub factor: f64,
}

/// The answer.
#[must_use]
pub fn answer(series: &Series, input: &Input, plan: &Plan, backtest: &Backtest, made: &Prediction) -> Output {
    let score = backtest.score(made.method);
    let widen = score.map_or(1.0, |score| score.calibration);
    let times = calendar::next_times(series, plan.steps);
    let limit = |value: f64| {
        let value = input.minimum.map_or(value, |low| value.max(low));
        tidy(input.maximum.map_or(value, |high| value.min(high)))
    };
    let step = |(place, (point, deviation)): (usize, (&f64, &f64))| {
        let interval = |level: &f64| {
            let reach = quantile(*level, made.fitted) * deviation * widen;
            Interval {
                level: *level,
                lower: limit((point - reach) * made.factor),
                upper: limit((point + reach) * made.factor),
            }
        };
        Step {
            step: place + 1,
            t: times.get(place).cloned(),
            value: limit(point * made.factor),
            intervals: plan.levels.iter().map(interval).collect(),
        }
    };
    let points = made.path.points.iter().zip(&made.path.deviations).enumerate().map(step).collect();
    Output {
        result: Forecast { points, given: series.values.len(), fitted_on: made.fitted },
        method: MethodUsed {
            name: name(made.method),
            why: why(input, backtest, made.method),
            period: plan.period,
            period_from: plan.period_from,
            ets_form: made.form.clone(),
            interval_factor: tidy(widen),
        },
        backtest: tested(backtest, score, plan, made),
        data: Vec::new(),
        limitations: limitations(series, plan, backtest, made),
    }
}

/// Half the width of an interval in deviations.
fn quantile(level: f64, count: usize) -> f64 {
    upper_quantile((1.0 - level) / 2.0, count.saturating_sub(3).max(2) as f64)
}

fn why(input: &Input, backtest: &Backtest, method: Method) -> String {
    let tried = backtest.scores.len();
    match (input.method, backtest.origins) {
        (Method::Auto, 0) => {
            "the series is too short for a back-test; this is the safest method that can be used".into()
        }
        (Method::Auto, _) if method == Method::Combination => {
            format!("of {tried} methods none did much better than their mean in the back-test")
        }
        (Method::Auto, _) => format!("of {tried} methods it did much better than their mean in the back-test"),
        _ => "asked for".into(),
    }
}

fn tested(backtest: &Backtest, score: Option<&Score>, plan: &Plan, made: &Prediction) -> BacktestReport {
    let naive = backtest.score(Method::SeasonalNaive);
    let ratio = score.zip(naive).filter(|(_, naive)| naive.absolute > 1e-12);
    let mut order: Vec<&Score> = backtest.scores.iter().collect();
    order.sort_by(|a, b| a.mase.unwrap_or(a.absolute).total_cmp(&b.mase.unwrap_or(b.absolute)));
    let tried = |score: &&Score| MethodScore {
        name: name(score.method),
        mase: score.mase.map(tidy),
        mean_absolute_error: tidy(score.absolute * made.factor),
    };
    let coverage = |level: &f64| {
        let covered = score?.covered(quantile(*level, made.fitted))?;
        Some(Coverage { level: *level, covered: tidy(covered) })
    };
    BacktestReport {
        mase: score.and_then(|score| score.mase).map(tidy),
        seasonal_naive_mase: naive.and_then(|score| score.mase).map(tidy),
        relative_to_seasonal_naive: ratio.map(|(score, naive)| tidy(score.absolute / naive.absolute)),
        origins: backtest.origins,
        steps: backtest.steps,
        methods: order.iter().map(tried).collect(),
        coverage: plan.levels.iter().filter_map(coverage).collect(),
    }
}

fn limitations(series: &Series, plan: &Plan, backtest: &Backtest, made: &Prediction) -> Vec<String> {
    let mut notes = vec![
        "the past is carried on: events that the series has never seen are not foreseen, and nothing but its own values is used"
            .to_owned(),
    ];
    let mut note = |applies: bool, text: String| {
        if applies {
            notes.push(text);
        }
    };
    note(
        true,
        "intervals take errors to be about normal; on public series the 95 % intervals held some 91 % of the values"
            .into(),
    );
    note(backtest.origins == 0, "the series is too short for a back-test: method and intervals are untested".into());
    note(
        backtest.origins > 0,
        "the method was chosen by the same back-test that its error and coverage are taken from, so both look somewhat better than they will be"
            .into(),
    );
    note(
        backtest.origins > 0 && backtest.steps < plan.steps,
        format!("the back-test reaches {} steps ahead, the forecast {}", backtest.steps, plan.steps),
    );
    note(series.values.len() < 24, format!("{} points say little about trend and season", series.values.len()));
    note(
        plan.period_from == "found",
        format!("the cycle of {} points was found in the series; give `period` if you know it", plan.period),
    );
    note(plan.period > 1, "one cycle is modelled; a second one (day and week, week and year) is not".into());
    note(
        series.gaps > 0,
        format!("{} steps between points are longer than usual; points are taken as evenly spaced", series.gaps),
    );
    note(made.fitted < series.values.len(), format!("methods were fitted on the newest {} points", made.fitted));
    notes
}
