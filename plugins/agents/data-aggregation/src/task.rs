//! Requests in words, from the tables in them to the reply.

use agent_common::figures;
use agent_common::sheet::Sheet;
use agent_common::table::Table;
use serde_json::json;
use tollbridge_sdk::Error;

use crate::figure::Figure;
use crate::outcome::{ASSUMED, FLOOR, Outcome, confidence};
use crate::phrases::says;
use crate::query::Op;
use crate::reader::Reader;
use crate::refusal::missing;
use crate::reply::Reply;
use crate::tables::Combined;
use crate::{combining, comparing, found, newest, pivot, reading, repeats, replying, words};

/// How many rows repeat is no figure of a column.
const REPEATS_COUNTED: &[&str] = &[
    "how many duplicates",
    "how many were removed",
    "how many rows remain",
    "how many rows are left",
    "how many were",
    "how many are left",
    "how many remain",
];

/// Answers a task in words.
pub fn answer(task: &str) -> Result<Outcome, Error> {
    let first = found::read(task).and_then(|found| of(&found.instruction, &found.tables));
    // The pairs may stand in the sentence that asks.
    first.or_else(|error| {
        let found = found::in_sentence(task).ok_or_else(|| error.clone())?;
        of(&found.instruction, &found.tables).map_err(|_| error)
    })
}

fn of(instruction: &str, given: &[Table]) -> Result<Outcome, Error> {
    let instruction = instruction.trim();
    if instruction.is_empty() {
        return Err(missing(format!(
            "say what is wanted of the table with {}: a sum, average, count, share or order, by which column",
            given.first().map(|table| table.columns.join(", ")).unwrap_or_default()
        )));
    }
    let (table, combined) = match given {
        [one] => {
            let plain = agent_common::columns::fold(instruction);
            let joins = [
                "join this with",
                "join these with",
                "join it with",
                "join with",
                "merge with",
                "merge this with",
                "merge these with",
                "merge it with",
                "combine with",
                "combine this with",
                "combine these with",
                "match with",
                "match against",
                "compare with",
                "compared with",
                "against the",
                "the other table",
                "second table",
                "other list",
                "look up",
                "lookup",
                "vlookup",
                "both tables",
                "both files",
                "both lists",
                "two tables",
                "these two",
                "two files",
                "two lists",
                "the master",
            ];
            if says(&plain, &joins) && !one.headless {
                return Err(missing(
                    "only one table is here: put the other one below it, apart by a blank line and with its header"
                        .into(),
                ));
            }
            (one.clone(), None)
        }
        several => {
            if let Some(outcome) = comparing::compared(instruction, several)? {
                return Ok(outcome);
            }
            let combined = combining::combine(instruction, several)?;
            (combined.table.clone(), Some(combined))
        }
    };
    single(instruction, &table, combined)
}

/// Answers about one table.
fn single(instruction: &str, table: &Table, combined: Option<Combined>) -> Result<Outcome, Error> {
    if let Some((kept, removed)) = newest::kept(instruction, table) {
        return Ok(reshaped(&Sheet::read(&kept), removed, None));
    }
    let mut sheet = Sheet::read(table);
    let mut removed = combined.as_ref().map_or(0, |combined| combined.removed);
    let wants_repeats_out = repeats::are_unwanted(instruction);
    if wants_repeats_out && combined.is_none() {
        let (table, count) = repeats::removed(instruction, table);
        removed = count;
        sheet = Sheet::read(&table);
    }
    let reader = Reader::new(instruction, &sheet);
    if pivot::is_wanted(&reader) {
        return pivoted(&reader, removed);
    }
    let reshapes = wants_repeats_out || combined.is_some();
    if reshapes && !asks_figure(instruction, &reader, wants_repeats_out) {
        return Ok(reshaped(&sheet, removed, combined.as_ref()));
    }
    let query = reading::read(instruction, &sheet)?;
    let confidence = confidence(&query);
    if confidence < FLOOR {
        return Err(missing(format!(
            "the words \"{}\" are not among the columns ({}): say it with names of columns and values that the table has",
            query.unknown.join(", "),
            sheet.table.columns.join(", ")
        )));
    }
    let reply = replying::make(&sheet, &query).ok_or_else(|| {
        missing("no row of the table meets the conditions of the request: check the values that it names".into())
    })?;
    if reply.answers.iter().any(|one| one.value.is_null()) && reply.groups.is_empty() && !query.listing {
        return Err(missing("the rows have no numbers there to work with: check the column that is meant".into()));
    }
    Ok(Outcome { reply, removed, differences: Vec::new(), confidence })
}

fn pivoted(reader: &Reader<'_>, removed: usize) -> Result<Outcome, Error> {
    let op = if reader.says_any(words::MEAN) {
        Op::Mean
    } else if reader.says_any(words::COUNT) {
        Op::Count
    } else {
        Op::Sum
    };
    let table = pivot::make(reader, op).ok_or_else(|| {
        missing(format!(
            "say which column gives the rows and which the columns: {}",
            reader.sheet.table.columns.join(", ")
        ))
    })?;
    let summary = format!("{} by {}.", figures::count(table.rows.len(), "row", "rows"), table.columns.join(", "));
    let reply = Reply { table, summary, ..Reply::default() };
    Ok(Outcome { reply, removed, differences: Vec::new(), confidence: ASSUMED })
}

/// Whether more is wanted than the table without its repeats.
fn asks_figure(instruction: &str, reader: &Reader<'_>, wants_repeats_out: bool) -> bool {
    let op = reader.pieces.iter().any(|piece| {
        piece.is_word()
            && words::op(&piece.text).is_some()
            && !piece.is_one(&["number", "add", "together", "combined", "zusammen"])
    });
    let counts = reader.says_any(&["many", "much"]);
    op || counts && !(wants_repeats_out && (says(instruction, REPEATS_COUNTED) || repeats::are_counted(instruction)))
}

fn reshaped(sheet: &Sheet, removed: usize, combined: Option<&Combined>) -> Outcome {
    let rows = sheet.table.rows.len();
    let mut summary = combined.map(|combined| format!("{}: ", combined.note)).unwrap_or_default();
    summary.push_str(&format!(
        "{}, {} removed",
        figures::count(rows, "row", "rows"),
        figures::count(removed, "repeated row", "repeated rows")
    ));
    if let Some(unmatched) = combined.map(|combined| combined.unmatched).filter(|count| *count > 0) {
        summary.push_str(&format!("; {} without a partner", figures::count(unmatched, "row", "rows")));
    }
    summary.push('.');
    let answers = vec![
        Figure { what: "rows".into(), value: json!(rows), rows: Vec::new() },
        Figure { what: "repeated rows removed".into(), value: json!(removed), rows: Vec::new() },
    ];
    let reply = Reply { answers, groups: Vec::new(), table: sheet.table.clone(), summary };
    Outcome { reply, removed, differences: Vec::new(), confidence: ASSUMED }
}
