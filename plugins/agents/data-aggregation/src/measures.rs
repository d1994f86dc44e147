//! What the figures of a request are of: columns, formulas, rows.

use agent_common::formula::{Formula, Step};
use tollbridge_sdk::Error;

use crate::calendar;
use crate::query::{Ask, Measure, Op, Query};
use crate::reader::Reader;
use crate::refusal::{missing, no_column};
use crate::row_words;

/// The columns that stand behind an op, until the next op or the end of the clause; and the words there that are unknown.
pub fn objects(reader: &Reader<'_>, from: usize, to: usize, wants_number: bool) -> (Vec<Measure>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for at in from..to {
        if let Some((own, start, _)) = &reader.formula
            && *start == at
        {
            found.push(Measure::Of(own.clone()));
            unknown.clear();
        }
        if reader.is_used(at) {
            continue;
        }
        if let Some(column) = reader.column(at) {
            let fits = !wants_number || reader.sheet.measures().contains(&column);
            if fits {
                found.push(Measure::Of(Formula::Column(column)));
            }
        } else if reader.is_unknown(at) && found.is_empty() {
            unknown.extend(reader.piece(at).map(|piece| piece.text.clone()));
        }
        let joined = reader.is(at, &[",", "and", "und", "et", "y", "e", "&", "or"]);
        let goes_on = joined && reader.column(at + 1).is_some();
        if (reader.is_stop(at) || reader.is(at, &["for", "where", "when", "with", "who"]))
            && !goes_on
            && !found.is_empty()
        {
            break;
        }
        if reader.is(at, &[".", "?", "!", ";"]) {
            break;
        }
    }
    (found, unknown)
}

/// The last number before an op in its clause.
pub fn before(reader: &Reader<'_>, from: usize, to: usize) -> Vec<Measure> {
    let mut last = None;
    for at in from..to {
        if reader.is(at, &[",", ";", ".", "?", "and", "und", "et"]) && !reader.is_stop(to.saturating_sub(1)) {
            last = last.filter(|_| !reader.is(at, &[";", ".", "?"]));
        }
        if let Some(column) =
            reader.column(at).filter(|column| !reader.is_used(at) && reader.sheet.measures().contains(column))
        {
            last = Some(Measure::Of(Formula::Column(column)));
        }
        if let Some((own, start, _)) = &reader.formula
            && *start == at
        {
            last = Some(Measure::Of(own.clone()));
        }
    }
    last.into_iter().collect()
}

/// Adds a figure of a measure to those that are wanted, once.
pub fn add(reader: &Reader<'_>, query: &mut Query, op: Op, measure: Measure) {
    let text = match &measure {
        Measure::Rows => "rows".to_owned(),
        Measure::Of(formula) => formula.text(&reader.sheet.table.columns),
    };
    let name = format!("{} {text}", op.name());
    let percent = reader.says_any(&["%", "percent", "percentage", "prozent", "pct"]) && op != Op::Share;
    let ratio = matches!(&measure, Measure::Of(Formula::Both(_, Step::Over, _)));
    if !query.asks.iter().any(|ask| ask.op == op && ask.measure == measure) {
        query.asks.push(Ask { op, measure, filters: Vec::new(), name, percent: percent && ratio });
    }
}

/// What is meant where nothing is named.
pub fn default_measure(
    reader: &Reader<'_>,
    query: &mut Query,
    op: Op,
    unknown: &[String],
) -> Result<Vec<Measure>, Error> {
    let sheet = reader.sheet;
    if let Some((formula, ..)) = &reader.formula {
        return Ok(vec![Measure::Of(formula.clone())]);
    }
    let keyed = |column: &usize| query.keys.iter().any(|key| key.column == *column);
    let filtered = |column: &usize| query.filters.iter().any(|filter| filter.column() == *column);
    let open: Vec<usize> = sheet.measures().into_iter().filter(|column| !keyed(column)).collect();
    let open = if open.len() > 1 { open.into_iter().filter(|column| !filtered(column)).collect() } else { open };
    // A name that a table without names cannot have.
    if op == Op::Share && !query.filters.is_empty() && unknown.len() < 2 {
        return Ok(vec![Measure::Rows]);
    }
    if let Some(word) = unknown
        .iter()
        .find(|word| !(row_words::are_rows(&sheet.table, std::slice::from_ref(*word)) && open.len() == 1))
        .filter(|_| !sheet.table.headless)
    {
        return Err(no_column(sheet, word));
    }
    query.assumed = true;
    let periods = open.len() > 1 && open.iter().all(|column| calendar::is_period(sheet.name(*column)));
    let across = reader.says_any(&["all", "alle", "across", "row", "each", "three", "drei", "tous", "toutes"]);
    match open.as_slice() {
        [] if op == Op::Share => Ok(vec![Measure::Rows]),
        [] => Err(missing(format!(
            "no column of the table has numbers to work with; it has {}",
            sheet.table.columns.join(", ")
        ))),
        [one] => Ok(vec![Measure::Of(Formula::Column(*one))]),
        several if periods && (op == Op::Sum || across) => Ok(vec![Measure::Of(Formula::Sum(several.to_vec()))]),
        several if matches!(op, Op::Sum | Op::Mean | Op::Median) => {
            Ok(several.iter().map(|column| Measure::Of(Formula::Column(*column))).collect())
        }
        _ => Err(missing(format!(
            "say of which column: {}",
            open.iter().map(|at| sheet.name(*at)).collect::<Vec<_>>().join(", ")
        ))),
    }
}
