//! Columns that go on from row to row: values that fall, numbers that are skipped.

use std::collections::BTreeSet;

use agent_common::exact::Exact;
use agent_common::sheet::Sheet;

use super::repeats::repeats;
use crate::clock;
use crate::finding::Finding;

/// Something that can be compared from row to row.
fn rank(sheet: &Sheet, row: usize, at: usize) -> Option<(i64, String, Exact)> {
    if let Some(day) = sheet.day(row, at) {
        let clock = sheet.cell(row, at).split(['T', ' ']).nth(1).unwrap_or_default().to_owned();
        return Some((day.days(), clock, Exact::default()));
    }
    if let Some(minutes) = clock::minutes(sheet.cell(row, at)) {
        return Some((minutes, String::new(), Exact::default()));
    }
    Some((0, String::new(), sheet.number(row, at)?))
}

pub(crate) fn falls(sheet: &Sheet, at: usize, up: bool) -> Vec<Finding> {
    let mut best: Option<((i64, String, Exact), usize)> = None;
    let mut found = Vec::new();
    for row in 0..sheet.table.rows.len() {
        let Some(own) = rank(sheet, row, at) else { continue };
        let falls = best.as_ref().is_some_and(|(before, _)| if up { own < *before } else { own > *before });
        if falls {
            let before = best.as_ref().map_or("", |(_, row)| sheet.cell(*row, at));
            let message = format!("{} comes after {before}", sheet.cell(row, at));
            found.push(Finding {
                rows: vec![row + 1],
                field: sheet.name(at).to_owned(),
                kind: "inconsistent",
                message,
                repair: "Correct the value, or put the row where it belongs.".into(),
            });
        } else {
            best = Some((own, row));
        }
    }
    found
}

pub(crate) fn gaps(sheet: &Sheet, at: usize, range: Option<(Exact, Exact)>) -> Vec<Finding> {
    let numbers: Vec<(usize, i64)> = (0..sheet.table.rows.len())
        .filter_map(|row| {
            let cell = sheet.cell(row, at);
            let digits: String =
                cell.chars().rev().take_while(char::is_ascii_digit).collect::<Vec<_>>().into_iter().rev().collect();
            Some((row, digits.parse().ok()?))
        })
        .collect();
    let ends = range.and_then(|(low, high)| Some((low.text().parse().ok()?, high.text().parse().ok()?)));
    let (Some(least), Some(most)) = (numbers.iter().map(|(_, n)| *n).min(), numbers.iter().map(|(_, n)| *n).max())
    else {
        return Vec::new();
    };
    let (low, high): (i64, i64) = ends.unwrap_or((least, most));
    let known: BTreeSet<i64> = numbers.iter().map(|(_, n)| *n).collect();
    let mut found = repeats(sheet, &[at]);
    if high - low > 10_000 {
        return found;
    }
    for missing in (low..=high).filter(|n| !known.contains(n)) {
        let behind = numbers.iter().filter(|(_, n)| *n > missing).map(|(row, _)| row + 1).next();
        found.push(Finding {
            rows: behind.into_iter().collect(),
            field: sheet.name(at).to_owned(),
            kind: "missing",
            message: format!("{missing} is not there"),
            repair: "Add the row that is missing, or number the rows anew.".into(),
        });
    }
    for (row, number) in numbers.iter().filter(|(_, n)| *n < low || *n > high) {
        found.push(Finding {
            rows: vec![row + 1],
            field: sheet.name(at).to_owned(),
            kind: "range",
            message: format!("{number} is not between {low} and {high}"),
            repair: "Correct the number.".into(),
        });
    }
    found
}
