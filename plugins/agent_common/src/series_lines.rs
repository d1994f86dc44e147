//! Series out of lines and lists: `Line A: 30, 31, 29`, `2022: Q1 140, Q2 146`, and numbers alone.

use crate::labelled_values::{Series, Source};
use crate::{pairs, periods, quantity, series_table};

/// Lines that each name a series, or a year whose parts follow.
pub(crate) fn read(text: &str) -> Vec<Series> {
    let mut found: Vec<Series> = Vec::new();
    let mut years: Vec<(String, Series)> = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•', '>', ' ']);
        let Some((name, rest)) = line.split_once(": ").or_else(|| line.split_once(":\t")) else { continue };
        if name.split_whitespace().count() > 5 || name.contains(['?', '!', ',']) {
            continue;
        }
        let Some(series) = listed(rest) else { continue };
        let name = name.trim().trim_matches(['*', '_', '"']).to_owned();
        if matches!(periods::read(&name, None), Some(periods::Period::Year(_))) {
            years.push((name, series));
        } else {
            found.push(Series { name: Some(name), ..series });
        }
    }
    if years.len() > 1 && found.is_empty() {
        return joined(&years).into_iter().collect();
    }
    if found.len() > 1 { found } else { Vec::new() }
}

/// A rest of a line that is a list of pairs or numbers as a whole.
fn listed(rest: &str) -> Option<Series> {
    let rest = rest.trim().trim_end_matches('.');
    if let Some(list) = longest(rest).filter(|list| list.values.len() > 2) {
        let count = quantity::scan(rest).len();
        if count == list.values.len() && rest.chars().filter(|c| c.is_alphabetic()).count() <= 12 {
            return Some(list);
        }
    }
    let table = pairs::read(rest)?;
    let series = series_table::read(&table).into_iter().next()?;
    let parts = rest.split([',', ';']).filter(|part| !part.trim().is_empty()).count();
    (series.values.len() > 1 && series.values.len() * 2 >= parts).then_some(Series { name: None, ..series })
}

/// `2022` with `Q1` makes `Q1 2022`; twelve or four numbers alone are months or quarters.
fn joined(years: &[(String, Series)]) -> Option<Series> {
    let mut all = Series::of(Source::Pairs, Vec::new(), Vec::new());
    for (year, series) in years {
        let parts: Vec<String> = match series.values.len() {
            _ if !series.labels.is_empty() => series.labels.clone(),
            4 => (1..=4).map(|quarter| format!("Q{quarter}")).collect(),
            12 => MONTHS.iter().map(|month| (*month).to_owned()).collect(),
            _ => return None,
        };
        all.labels.extend(parts.iter().map(|part| format!("{part} {year}")));
        all.values.extend(&series.values);
        all.ahead.clone_from(&series.ahead);
    }
    Some(all)
}

pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The longest run of numbers with nothing but signs between them.
pub(crate) fn longest(text: &str) -> Option<Series> {
    let found: Vec<quantity::Quantity> = quantity::scan(text).into_iter().filter(|q| !q.ordinal).collect();
    let mut best: Vec<f64> = Vec::new();
    let mut run: Vec<f64> = Vec::new();
    let mut end = 0;
    for amount in &found {
        let between = text.get(end..amount.start).unwrap_or_default();
        if !run.is_empty() && !joins(between) {
            if run.len() > best.len() {
                best.clone_from(&run);
            }
            run.clear();
        }
        run.push(amount.value);
        end = amount.end;
    }
    if run.len() > best.len() {
        best = run;
    }
    (best.len() > 1).then(|| Series::of(Source::List, Vec::new(), best))
}

fn joins(between: &str) -> bool {
    let clean = between.replace(|c: char| c.is_whitespace() || ",;|/[](){}→>\"'".contains(c), " ");
    between.len() < 30
        && !between.is_empty()
        && clean.split_whitespace().all(|word| {
            ["and", "then", "und", "et", "y", "e", "en", "i", "dann", "puis", "->", "finally", "°C", "°"]
                .contains(&word)
        })
}
