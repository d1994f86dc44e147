//! The answer in words.

use agent_common::figures::{count, figure};

use crate::level::Change;
use crate::output::{Anomaly, Basis};

/// Points that are listed one by one.
const LISTED: usize = 20;

fn place(series: Option<&String>, label: Option<&String>, index: usize) -> String {
    let own = label.cloned().unwrap_or_else(|| format!("number {} (position {index} from 0)", index + 1));
    series.map_or_else(|| own.clone(), |series| format!("{series}, {own}"))
}

/// Returns the answer in words.
pub fn text(basis: &[Basis], anomalies: &[Anomaly], changes: &[Change]) -> String {
    let name = |one: &Anomaly| place(one.series.as_ref(), one.label.as_ref(), one.index);
    let points: usize = basis.iter().map(|one| one.count).sum();
    let points = count(points, "point was", "points were");
    let mut text = if anomalies.is_empty() {
        let range = match basis {
            [one] => format!(" ({} to {})", figure(one.least), figure(one.highest)),
            _ => String::new(),
        };
        format!("Nothing stands out: {points} checked{range}")
    } else {
        let listed: Vec<String> =
            anomalies.iter().take(LISTED).map(|one| format!("{}: {}", name(one), one.explanation)).collect();
        let verb = count(anomalies.len(), "value stands out", "values stand out");
        let more = if anomalies.len() > LISTED { "; and so on" } else { "" };
        format!("{verb}: {}{more}. {points} checked", listed.join("; "))
    };
    for change in changes {
        text.push_str(&format!(
            "; from {} on the level is {} instead of {}",
            place(change.series.as_ref(), change.label.as_ref(), change.index),
            figure(change.after),
            figure(change.before)
        ));
    }
    text.push('.');
    text
}
