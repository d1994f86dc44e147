//! A value that is missing between others: filled by the middle of its neighbours, and told.

use agent_common::figures::figure;
use agent_common::series::Series;
use agent_common::{periods, series_labels};

/// Fewest values for which one missing among them may be filled.
const FEWEST: usize = 6;

/// Fills the one missing value of a longer series; returns what was done in words.
pub fn fill(series: &mut Series) -> Option<String> {
    let [gap] = series.gaps.as_slice() else { return None };
    let gap = gap.clone();
    if series.values.len() < FEWEST || series.labels.len() != series.values.len() {
        return None;
    }
    let target = periods::read(&gap, None)?;
    let step = series_labels::step(series.labels.get(..2)?)
        .or_else(|| series_labels::step(series.labels.get(series.labels.len() - 2..)?))?;
    let follows =
        |label: &String| periods::read(label, None).and_then(|period| periods::following(period, step)) == Some(target);
    let at = series.labels.iter().position(follows)?;
    let (before, after) = (series.values.get(at)?, series.values.get(at + 1)?);
    let value = f64::midpoint(*before, *after);
    series.values.insert(at + 1, value);
    series.labels.insert(at + 1, gap.clone());
    series.gaps.clear();
    Some(format!("{gap} has no value and was taken as {}, the middle of its neighbours", figure(value)))
}
