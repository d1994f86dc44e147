//! The answer. All numbers in it are finite and rounded to ten significant digits, so that it is the same on every
//! machine.

use bridge_common::number::tidy;
use schemars::JsonSchema;
use serde::Serialize;

use crate::detect::{Detection, Mark};
use crate::input::Input;
use crate::model::Expected;
use crate::robust::Basis;
use bridge_common::series::Series;
use bridge_common::time::Timestamp;

/// Anomalies that are listed unless the caller says otherwise.
const LISTED: usize = 500;

/// Outliers, and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    pub result: Findings,
    pub method: MethodUsed,
    pub bounds: Bounds,
    /// Always null: no data set stands behind this answer, only the caller's points.
    pub data: (),
    /// What to bear in mind.
    pub limitations: Vec<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Findings {
    /// The outliers in the order of the points; when there are more than `max_anomalies`, the most extreme ones.
    pub anomalies: Vec<Anomaly>,
    /// All outliers found, listed or not.
    pub count: usize,
    /// Points looked at.
    pub checked: usize,
}

/// One outlier.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Anomaly {
    /// Place among the points, from 0.
    pub index: usize,
    /// Its time, as the caller wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<Timestamp>,
    /// The value as it was given.
    pub value: f64,
    /// How far out, in the units of `method.threshold`; negative below the expected value.
    pub score: f64,
    /// What level and season lead one to expect here, in the units of the values.
    pub expected: f64,
    /// Lowest value that would have been normal here, in the units of the values.
    pub lower: f64,
    /// Highest value that would have been normal here, in the units of the values.
    pub upper: f64,
    /// high or low.
    pub direction: &'static str,
}

/// The method used and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MethodUsed {
    /// mad, iqr, generalized_esd, seasonal (level and season), or level (moving level).
    pub name: &'static str,
    /// Why this method, in words.
    pub why: String,
    /// A point whose score is farther from 0 is an outlier (for generalized_esd the next critical value).
    pub threshold: f64,
    /// What one unit of score is.
    pub score_unit: &'static str,
    /// Points in one cycle, when a season was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<usize>,
    /// Share of the spread that the season explains, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub season_strength: Option<f64>,
}

/// The normal range: as values when it is the same for all points, else as distances from the moving expectation.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Bounds {
    /// Whether the expected value moves from point to point.
    pub moving: bool,
    /// Centre of the normal values, in their units; null when `moving`.
    pub center: Option<f64>,
    /// Lowest normal value; null when `moving`.
    pub lower: Option<f64>,
    /// Highest normal value; null when `moving`.
    pub upper: Option<f64>,
    /// How far below the expected value is still normal, in the units of the values.
    pub below: f64,
    /// How far above the expected value is still normal, in the units of the values.
    pub above: f64,
}

/// Puts the answer together. `factor` undoes the scaling of the values that were worked on.
#[must_use]
pub fn answer(series: &Series, detection: &Detection, input: &Input, factor: f64) -> Output {
    let number = |value: f64| tidy(value * factor);
    let (below, above) =
        (detection.model.below.reach(detection.threshold), detection.model.above.reach(detection.threshold));
    let listed = list(&detection.marks, input.max_anomalies.map_or(LISTED, |most| most as usize));
    let anomaly = |mark: &Mark| {
        let expected = detection.model.expected_at(mark.index);
        Anomaly {
            index: mark.index,
            t: series.times.get(mark.index).cloned(),
            value: series.values.get(mark.index).map_or(0.0, |value| value * factor),
            score: tidy(mark.score),
            expected: number(expected),
            lower: number(expected - below),
            upper: number(expected + above),
            direction: if mark.score < 0.0 { "low" } else { "high" },
        }
    };
    let fixed = match detection.model.expected {
        Expected::Fixed(center) => Some(center),
        Expected::Moving(_) => None,
    };
    Output {
        result: Findings {
            anomalies: listed.iter().map(anomaly).collect(),
            count: detection.marks.len(),
            checked: series.values.len(),
        },
        method: MethodUsed {
            name: detection.name,
            why: detection.why.clone(),
            threshold: tidy(detection.threshold),
            score_unit: unit(detection),
            period: detection.period,
            season_strength: detection.strength.map(tidy),
        },
        bounds: Bounds {
            moving: fixed.is_none(),
            center: fixed.map(number),
            lower: fixed.map(|center| number(center - below)),
            upper: fixed.map(|center| number(center + above)),
            below: number(below),
            above: number(above),
        },
        data: (),
        limitations: limitations(series, detection, listed.len()),
    }
}

/// The most extreme marks, in order of index.
fn list(marks: &[Mark], most: usize) -> Vec<Mark> {
    let mut marks = marks.to_vec();
    if marks.len() > most {
        marks.sort_by(|a, b| b.score.abs().total_cmp(&a.score.abs()).then(a.index.cmp(&b.index)));
        marks.truncate(most);
        marks.sort_by_key(|mark| mark.index);
    }
    marks
}

fn unit(detection: &Detection) -> &'static str {
    match (detection.name, detection.model.basis) {
        ("iqr", _) => "distances between the hinges, counted from the nearer hinge",
        ("generalized_esd", _) => "standard deviations of the values left at that step",
        ("mad", Basis::Median) => "robust standard deviations (median absolute deviation / 0.6745)",
        (_, Basis::Median) => "robust standard deviations of what the expected value leaves over",
        (_, Basis::Mean) => "mean absolute deviations × 1.253314, because more than half of the deviations are equal",
        (_, Basis::None) => "none: nothing varies",
    }
}

fn limitations(series: &Series, detection: &Detection, listed: usize) -> Vec<String> {
    let count = series.values.len();
    let mut notes = vec![
        "an outlier is unusual, not necessarily wrong; a slow change or a new lasting level is not reported".to_owned(),
    ];
    let mut note = |applies: bool, text: String| {
        if applies {
            notes.push(text);
        }
    };
    note(count < 10, format!("{count} points say little about what is normal"));
    note(
        detection.model.basis == Basis::None,
        "the values (or their middle half) are all equal, so no scale can be given".to_owned(),
    );
    note(
        detection.model.basis == Basis::Mean && detection.name != "generalized_esd",
        "more than half of the deviations are equal; the scale is the mean absolute deviation, which outliers inflate"
            .to_owned(),
    );
    note(
        detection.name == "generalized_esd",
        "the test takes the values without outliers to be about normal and independent".to_owned(),
    );
    note(
        detection.period.is_some(),
        "season is judged by points, not by the clock: missing points shift it".to_owned(),
    );
    note(
        series.gaps > 0,
        format!("{} steps between points are longer than usual; points are taken as evenly spaced", series.gaps),
    );
    note(
        listed < detection.marks.len(),
        format!("only the {listed} most extreme of {} anomalies are listed", detection.marks.len()),
    );
    notes
}
