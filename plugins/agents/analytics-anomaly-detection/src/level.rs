//! Changes of level: places where the median before and after differ by more
//! than the spread of single steps explains.
//!
//! Binary segmentation on means finds the candidate, medians judge it, so that
//! one wild point makes no level.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::{median, place};

/// Fewest points on each side of a change, where nobody asks for one …
pub const SIDE: usize = 5;
/// … and where somebody does.
pub const SIDE_ASKED: usize = 3;
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

/// The changes of a series, by place.
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

/// Each cut with the levels beside it, measured in the spread within all stretches.
fn judged(values: &[f64], cuts: &[usize]) -> Vec<Change> {
    let mut rest: Vec<f64> = Vec::new();
    let mut levels: Vec<f64> = Vec::new();
    let mut from = 0;
    for to in cuts.iter().copied().chain([values.len()]) {
        let part = values.get(from..to).unwrap_or_default();
        let level = median(part);
        rest.extend(part.iter().map(|value| (value - level).abs()));
        levels.push(level);
        from = to;
    }
    let spread = median(&rest) / 0.6745;
    let change = |(index, (before, after)): (&usize, (&f64, &f64))| {
        let apart = (after - before).abs();
        let score = apart / spread.max(apart * 1e-9).max(f64::MIN_POSITIVE);
        let score = if apart > 0.0 { agent_common::figures::round(score.min(1e6)) } else { 0.0 };
        Change { index: *index, label: None, series: None, before: *before, after: *after, score }
    };
    cuts.iter().zip(levels.iter().zip(levels.iter().skip(1))).map(change).collect()
}

/// Where two means explain a stretch best, by the sums of both sides.
fn split(values: &[f64], side: usize) -> Option<usize> {
    let total: f64 = values.iter().sum();
    #[allow(clippy::cast_precision_loss, reason = "at most 20,000 points")]
    let length = values.len() as f64;
    let (mut sum, mut best) = (0.0, None::<(f64, usize)>);
    for (before, value) in values.iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "at most 20,000 points")]
        let n = before as f64;
        if before >= side && values.len() - before >= side {
            let gain = (sum - total * n / length).powi(2) / (n * (length - n));
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, before));
            }
        }
        sum += value;
    }
    best.map(|(_, at)| at)
}

/// Whether levels explain a series much better than a steady rise or fall, in the sums of absolute errors.
fn beats_line(values: &[f64], changes: &[Change]) -> bool {
    let count = place(values.len());
    let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count);
    let cross: f64 = values.iter().enumerate().map(|(at, value)| (place(at) - middle) * (value - mean)).sum();
    let square: f64 = (0..values.len()).map(|at| (place(at) - middle).powi(2)).sum();
    let slope = cross / square.max(1.0);
    let line: f64 = values.iter().enumerate().map(|(at, v)| (v - mean - slope * (place(at) - middle)).abs()).sum();
    let mut from = 0;
    let mut off = 0.0;
    for to in changes.iter().map(|change| change.index).chain([values.len()]) {
        let part = values.get(from..to).unwrap_or_default();
        let level = median(part);
        off += part.iter().map(|value| (value - level).abs()).sum::<f64>();
        from = to;
    }
    off < BETTER_THAN_LINE * line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_and_noise_or_a_spike_is_not() {
        let step: Vec<f64> = (0..20).map(|i| if i < 12 { 10.0 } else { 20.0 } + f64::from(i % 3)).collect();
        let steps = changes(&step, SIDE);
        assert_eq!(steps.iter().map(|c| (c.index, c.before, c.after)).collect::<Vec<_>>(), [(12, 11.0, 21.0)]);
        let mut noise: Vec<f64> = (0..20).map(|i| 10.0 + f64::from(i * 7 % 5)).collect();
        assert_eq!(changes(&noise, SIDE), []);
        noise[9] = 900.0;
        assert_eq!(changes(&noise, SIDE), []);
        let rise: Vec<f64> = (0..24).map(|i| f64::from(i * 3 + i % 2)).collect();
        assert_eq!(changes(&rise, SIDE), []);
        let bump: Vec<f64> = (0..27).map(|i| if (9..18).contains(&i) { 56.0 } else if i < 9 { 41.0 } else { 44.0 } + f64::from(i % 2)).collect();
        assert_eq!(changes(&bump, SIDE).iter().map(|c| c.index).collect::<Vec<_>>(), [9, 18]);
        assert_eq!(changes(&[1.0; 30], SIDE), []);
        assert_eq!(changes(&[1.0, 2.0], SIDE), []);
    }
}
