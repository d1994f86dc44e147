//! The answer in words, in the form that was asked for.

use agent_common::answer_format::AnswerFormat;
use agent_common::figures::{count, figure};

use crate::ForecastPoint;

/// Steps that are told one by one.
const TOLD: usize = 12;

/// What there is to tell.
pub struct Told<'t> {
    pub asked: &'t str,
    pub points: &'t [ForecastPoint],
    pub last: f64,
    pub last_label: Option<&'t str>,
    pub direction: &'t str,
    pub name: Option<&'t str>,
    pub count: usize,
    pub period: u32,
    pub method: &'t str,
    pub mase: Option<f64>,
    pub changed: &'t [String],
    pub unusual: usize,
}

/// Names a step: by its label, else by how far ahead it is.
fn name(point: &ForecastPoint) -> String {
    match (&point.label, point.step) {
        (Some(label), _) => label.clone(),
        (None, 1) => "The next value".to_owned(),
        (None, step) => format!("step {step}"),
    }
}

fn direct(told: &Told<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for point in told.points.iter().take(TOLD) {
        let range = format!("{} ({} to {})", figure(point.value), figure(point.low), figure(point.high));
        parts.push(if parts.is_empty() {
            format!("{} is expected at {range}", name(point))
        } else {
            format!("{} at {range}", name(point))
        });
    }
    if let Some(last) = told.points.last().filter(|_| told.points.len() > TOLD) {
        parts.push(format!("and so on to {} at {}", name(last), figure(last.value)));
    }
    let way = match told.direction {
        "up" => "it goes up",
        "down" => "it goes down",
        _ => "it stays about level",
    };
    let from = told.last_label.map_or_else(|| "the last value".to_owned(), |label| format!("{label},"));
    format!("{}; {way} from {from} {}", parts.join(", "), figure(told.last))
}

fn trust(told: &Told<'_>) -> String {
    let season = match told.period {
        1 => String::new(),
        period => format!(" with a cycle of {period} points"),
    };
    let values = count(told.count, "value", "values");
    let of = told.name.map_or_else(String::new, |name| format!(" of {name}"));
    let test = match told.mase {
        Some(mase) if mase < 1.0 => {
            format!(", which erred {} times as much as the simplest forecast on the past", figure(mase))
        }
        Some(mase) => format!(
            ", which erred {} times as much as the simplest forecast on the past: treat it with care",
            figure(mase)
        ),
        None => ", which the series is too short to test".to_owned(),
    };
    format!(
        "It rests on {values}{of} and the method {}{season}{test}; the ranges should hold the true value 19 times in 20",
        told.method
    )
}

/// The answer.
pub fn text(told: &Told<'_>) -> String {
    let format = AnswerFormat::read(told.asked);
    let cells = |point: &ForecastPoint| [name(point), figure(point.value), figure(point.low), figure(point.high)];
    if format.table {
        let rows: Vec<String> = told.points.iter().map(|point| format!("| {} |", cells(point).join(" | "))).collect();
        return format!("| period | expected | low | high |\n|---|---:|---:|---:|\n{}", rows.join("\n"));
    }
    if format.json {
        let rows: Vec<serde_json::Value> = told
            .points
            .iter()
            .map(|point| serde_json::json!({"label": point.label, "value": point.value, "low": point.low, "high": point.high}))
            .collect();
        return serde_json::Value::Array(rows).to_string();
    }
    if format.bullets {
        let rows = told.points.iter().map(|point| {
            let [name, value, low, high] = cells(point);
            format!("- {name}: {value} ({low} to {high})")
        });
        return rows.collect::<Vec<_>>().join("\n");
    }
    let mut sentences = vec![direct(told)];
    sentences.extend(told.changed.iter().cloned());
    sentences.push(trust(told));
    if told.unusual > 0 {
        sentences.push(format!(
            "The past has {} out of the ordinary; look there first",
            count(told.unusual, "point", "points")
        ));
    }
    let most = format.sentences_max.map_or(sentences.len(), |most| most as usize).max(1);
    let short = format.words_max.is_some_and(|most| most < 60);
    sentences.truncate(if short { 1 } else { most });
    format!("{}.", sentences.join(". "))
}
