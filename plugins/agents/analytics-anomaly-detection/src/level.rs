//! Changes of level: places where the median before and after differ by more
//! than the spread of single steps explains.
//!
//! Binary segmentation on means finds the candidate, medians judge it, so that
//! one wild point makes no level.

use schemars::JsonSchema;
use serde::Serialize;

/// Fewest points on each side of a change.
const SIDE: usize = 5;
/// Most changes that are reported.
const CHANGES_MAX: usize = 5;
/// How many robust standard deviations two levels must lie apart.
const APART: f64 = 3.0;

/// A place from which another level holds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// Place of the first point of the new level, from 0.
    pub index: usize,
    /// Median of the stretch before.
    pub before: f64,
    /// Median of the stretch after.
    pub after: f64,
    /// Their difference in robust standard deviations within the stretches.
    pub score: f64,
}

/// The changes of a series, by place.
pub fn changes(values: &[f64]) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut open = vec![(0, values.len())];
    while let Some((from, to)) = open.pop() {
        if changes.len() >= CHANGES_MAX {
            break;
        }
        if let Some(change) = values.get(from..to).and_then(change) {
            let at = from + change.index;
            changes.push(Change { index: at, ..change });
            open.extend([(from, at), (at, to)]);
        }
    }
    changes.sort_by_key(|change| change.index);
    changes
}

/// The clearest change in a stretch, if it is clear enough.
fn change(values: &[f64]) -> Option<Change> {
    let at = split(values)?;
    let (left, right) = values.split_at_checked(at)?;
    let (before, after) = (median(left), median(right));
    let rest: Vec<f64> =
        left.iter().map(|v| (v - before).abs()).chain(right.iter().map(|v| (v - after).abs())).collect();
    let spread = median(&rest) / 0.6745;
    let apart = (after - before).abs();
    let floor = apart * 1e-9;
    let score = apart / spread.max(floor).max(f64::MIN_POSITIVE);
    (apart > 0.0 && score >= APART).then(|| Change {
        index: at,
        before,
        after,
        score: agent_common::figures::round(score.min(1e6)),
    })
}

/// Where two means explain a stretch best, by the sums of both sides.
fn split(values: &[f64]) -> Option<usize> {
    let total: f64 = values.iter().sum();
    #[allow(clippy::cast_precision_loss, reason = "at most 20,000 points")]
    let length = values.len() as f64;
    let (mut sum, mut best) = (0.0, None::<(f64, usize)>);
    for (before, value) in values.iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "at most 20,000 points")]
        let n = before as f64;
        if before >= SIDE && values.len() - before >= SIDE {
            let gain = (sum - total * n / length).powi(2) / (n * (length - n));
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, before));
            }
        }
        sum += value;
    }
    best.map(|(_, at)| at)
}

fn median(values: &[f64]) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_and_noise_or_a_spike_is_not() {
        let step: Vec<f64> = (0..20).map(|i| if i < 12 { 10.0 } else { 20.0 } + f64::from(i % 3)).collect();
        let steps = changes(&step);
        assert_eq!(steps.iter().map(|c| (c.index, c.before, c.after)).collect::<Vec<_>>(), [(12, 11.0, 21.0)]);
        let mut noise: Vec<f64> = (0..20).map(|i| 10.0 + f64::from(i * 7 % 5)).collect();
        assert_eq!(changes(&noise), []);
        noise[9] = 900.0;
        assert_eq!(changes(&noise), []);
        assert_eq!(changes(&[1.0; 30]), []);
        assert_eq!(changes(&[1.0, 2.0]), []);
    }
}
