//! Changes of level: places where the median before and after differ by more
//! than the spread of single steps explains.
//!
//! Binary segmentation on means finds the candidate, medians judge it, so that
//! one wild point makes no level.

use agent_common::figures::round;
use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::{median, place};

/// Fewest points on each side of a change …
pub const SIDE: usize = 5;
/// … and if only changes of level are looked for.
pub const SIDE_ONLY: usize = 3;
/// A step must leave less than this share of what a straight line leaves.
const BETTER_THAN_LINE: f64 = 0.5;
/// Most changes that are reported.
const CHANGES_MAX: usize = 5;
/// Most places that are looked at.
const CANDIDATES_MAX: usize = 12;
/// How many robust standard deviations two levels must lie apart.
const APART: f64 = 3.0;

/// A place from which another level holds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// Place of the first point of the new level, from 0.
    pub index: usize,
    /// Its label, if it has one.
    pub label: Option<String>,
    /// The series, where there are several.
    pub series: Option<String>,
    /// Median of the stretch before.
    pub before: f64,
    /// Median of the stretch after.
    pub after: f64,
    /// Their difference in robust standard deviations within the stretches.
    pub score: f64,
}

/// Returns the changes of a series, by place.
pub fn changes(values: &[f64], side: usize) -> Vec<Change> {
    let mut cuts: Vec<usize> = Vec::new();
    let mut open = vec![(0, values.len())];
    while let Some((from, to)) = open.pop() {
        if cuts.len() >= CANDIDATES_MAX {
            break;
        }
        if let Some(at) = values.get(from..to).and_then(|part| split(part, side)) {
            cuts.push(from + at);
            // The longer stretch is looked at first.
            let mut parts = [(from, from + at), (from + at, to)];
            parts.sort_by_key(|(from, to)| to - from);
            open.extend(parts);
        }
    }
    cuts.sort_unstable();
    let mut changes = judged(values, &cuts);
    // The weakest goes, and the rest is judged anew, until all are clear.
    while let Some(weakest) = changes.iter().min_by(|a, b| a.score.total_cmp(&b.score)).map(|c| (c.index, c.score)) {
        if weakest.1 >= APART && changes.len() <= CHANGES_MAX {
            break;
        }
        cuts.retain(|cut| *cut != weakest.0);
        changes = judged(values, &cuts);
    }
    if beats_line(values, &changes) { changes } else { Vec::new() }
}

/// Returns the level at each place: the median of its stretch between the cuts.
pub fn levels(values: &[f64], cuts: impl Iterator<Item = usize>) -> Vec<f64> {
    let mut levels = Vec::new();
    for cut in cuts.chain([values.len()]) {
        let part = values.get(levels.len()..cut).unwrap_or_default();
        levels.extend(std::iter::repeat_n(median(part), part.len()));
    }
    levels
}

/// Returns the distances of the values from their levels.
fn distances<'v>(values: &'v [f64], levels: &'v [f64]) -> impl Iterator<Item = f64> + 'v {
    values.iter().zip(levels).map(|(value, level)| (value - level).abs())
}

/// Returns each cut with the levels beside it, measured in the spread within all stretches.
fn judged(values: &[f64], cuts: &[usize]) -> Vec<Change> {
    let levels = levels(values, cuts.iter().copied());
    let spread = median(&distances(values, &levels).collect::<Vec<f64>>()) / 0.6745;
    let change = |cut: &usize| {
        let (before, after) = (*levels.get(cut.checked_sub(1)?)?, *levels.get(*cut)?);
        let apart = (after - before).abs();
        let score = apart / spread.max(apart * 1e-9).max(f64::MIN_POSITIVE);
        Some(Change { index: *cut, label: None, series: None, before, after, score: round(score.min(1e6)) })
    };
    cuts.iter().filter_map(change).collect()
}

/// Returns where two means explain a stretch best, by the sums of both sides.
fn split(values: &[f64], side: usize) -> Option<usize> {
    let (total, length) = (values.iter().sum::<f64>(), place(values.len()));
    let (mut sum, mut best) = (0.0, None::<(f64, usize)>);
    for (before, value) in values.iter().enumerate() {
        if before >= side && values.len() - before >= side {
            let n = place(before);
            let gain = (sum - total * n / length).powi(2) / (n * (length - n));
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, before));
            }
        }
        sum += value;
    }
    best.map(|(_, at)| at)
}

/// Returns whether levels explain a series much better than a steady rise or fall, in the sums of absolute errors.
fn beats_line(values: &[f64], changes: &[Change]) -> bool {
    let count = place(values.len());
    let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count);
    let placed = || values.iter().enumerate().map(|(at, value)| (place(at) - middle, value - mean));
    let square: f64 = placed().map(|(at, _)| at * at).sum();
    let slope = placed().map(|(at, value)| at * value).sum::<f64>() / square.max(1.0);
    let line: f64 = placed().map(|(at, value)| (value - slope * at).abs()).sum();
    let levels = levels(values, changes.iter().map(|change| change.index));
    distances(values, &levels).sum::<f64>() < BETTER_THAN_LINE * line
}
