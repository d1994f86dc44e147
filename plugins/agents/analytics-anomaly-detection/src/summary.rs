//! The answer in words, in the form that was asked for.

use agent_common::answer_format::AnswerFormat;
use agent_common::figures::{count, figure};

use crate::level::Change;
use crate::{Anomaly, Basis};

/// Points that are told one by one.
const TOLD: usize = 20;

fn place(series: Option<&String>, label: Option<&String>, index: usize) -> String {
    let own = label.cloned().unwrap_or_else(|| format!("number {} (position {index} from 0)", index + 1));
    series.map_or_else(|| own.clone(), |series| format!("{series}, {own}"))
}

/// The answer.
pub fn text(asked: &str, basis: &[Basis], anomalies: &[Anomaly], changes: &[Change]) -> String {
    let format = AnswerFormat::read(asked);
    let name = |one: &Anomaly| place(one.series.as_ref(), one.label.as_ref(), one.index);
    if format.json {
        let rows: Vec<serde_json::Value> = anomalies
            .iter()
            .map(|one| serde_json::json!({"series": one.series, "index": one.index, "label": one.label, "value": one.value, "expected": one.expected}))
            .collect();
        return serde_json::Value::Array(rows).to_string();
    }
    if format.bullets && !anomalies.is_empty() {
        let rows = anomalies.iter().map(|one| format!("- {}: {}", name(one), one.explanation));
        return rows.collect::<Vec<_>>().join("\n");
    }
    let points: usize = basis.iter().map(|one| one.count).sum();
    let points = count(points, "point was", "points were");
    let mut text = if anomalies.is_empty() {
        let range = match basis {
            [one] => format!(" ({} to {})", figure(one.least), figure(one.highest)),
            _ => String::new(),
        };
        format!("Nothing stands out: {points} checked{range}")
    } else {
        let told: Vec<String> =
            anomalies.iter().take(TOLD).map(|one| format!("{}: {}", name(one), one.explanation)).collect();
        let verb = count(anomalies.len(), "value stands out", "values stand out");
        let more = if anomalies.len() > TOLD { "; and so on" } else { "" };
        format!("{verb}: {}{more}. {points} checked", told.join("; "))
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
