//! Requests in words: the tables in them, what is wanted, and the reply.

use agent_common::request::{PieceKind, Request};
use agent_common::table::Table;
use agent_common::{columns, numbers};
use serde_json::json;
use tollbridge_sdk::Error;

use crate::query::{Op, Query};
use crate::reading::{self, Reader, missing};
use crate::reply::{Figure, Reply};
use crate::sheet::{Kind, Sheet};
use crate::tables::{self, Combined, Comparison};
use crate::{pivot, reply, words};

/// Every word of the request was understood.
pub const CLEAR: f64 = 0.92;
/// The column was taken because there is no other.
pub const ASSUMED: f64 = 0.85;
/// A word or two of the request were not understood.
pub const LOOSE: f64 = 0.7;
/// Below this, no answer is given.
pub const FLOOR: f64 = 0.6;

/// What a task in words gives.
#[derive(Debug)]
pub struct Outcome {
    pub reply: Reply,
    pub removed: usize,
    pub differences: Vec<tables::Difference>,
    pub confidence: f64,
}

/// Answers a task in words.
pub fn answer(task: &str) -> Result<Outcome, Error> {
    let request = Request::read(task);
    let mut given = request.tables();
    given.retain(|table| !table.rows.is_empty());
    if given.is_empty() {
        given = one_column(&request.text());
    }
    if given.is_empty() {
        let series = numbers::longest_run(&request.text());
        if series.len() < 3 || request.instruction.is_empty() {
            return Err(missing("put the tables with headers into the task itself (CSV, Markdown or JSON, apart by blank lines): the text has none to work with".into()));
        }
        let rows = series.iter().map(|value| vec![value.to_string()]).collect();
        given.push(Table { headless: true, ..Table::new(vec!["value".into()], rows) });
    }
    let instruction = said(&request);
    let instruction = instruction.trim();
    if instruction.is_empty() {
        return Err(missing(format!(
            "say what is wanted of the table with {}: a sum, average, count, share or order, by which column",
            given.first().map(|table| table.columns.join(", ")).unwrap_or_default()
        )));
    }
    let (table, combined) = match given.as_slice() {
        [one] => (one.clone(), None),
        several => {
            if let Some(outcome) = compared(instruction, several)? {
                return Ok(outcome);
            }
            let combined = combine(instruction, several)?;
            (combined.table.clone(), Some(combined))
        }
    };
    single(instruction, &table, combined)
}

/// Lists of one column, each with its name above it, apart by blank lines.
fn one_column(text: &str) -> Vec<Table> {
    let table = |block: &str| {
        let lines: Vec<&str> = block.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let titled = lines.first().is_some_and(|line| line.ends_with(':'));
        let mut rest = lines.iter().skip(usize::from(titled));
        let name = rest.next()?;
        let rows: Vec<Vec<String>> = rest.map(|line| vec![(*line).to_owned()]).collect();
        let fits = !rows.is_empty()
            && lines.iter().all(|line| line.split_whitespace().count() <= 3)
            && name.chars().next().is_some_and(char::is_alphabetic);
        let title = lines.first().filter(|_| titled).map(|line| line.trim_end_matches(':').to_owned());
        fits.then(|| Table { title, ..Table::new(vec![(*name).to_owned()], rows) })
    };
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.trim().is_empty()).collect();
    let tables: Vec<Table> = blocks.iter().filter_map(|block| table(block)).collect();
    if tables.len() == blocks.len() { tables } else { Vec::new() }
}

fn says(instruction: &str, texts: &[&str]) -> bool {
    let folded = format!(" {} ", columns::fold(instruction).replace(|c: char| !c.is_alphanumeric(), " "));
    texts.iter().any(|text| folded.contains(&format!(" {text} ")))
}

fn wants_no_repeats(instruction: &str) -> bool {
    says(
        instruction,
        &[
            "duplicates",
            "duplicate",
            "dedupe",
            "deduplicate",
            "dedup",
            "deduplicated",
            "doppelte",
            "dubletten",
            "duplikate",
            "doublons",
            "duplicados",
            "doppelten",
            "repeated rows",
            "repeats",
            "twice",
            "identical rows",
            "same row",
            "double entries",
            "doubles",
            "duplicati",
        ],
    )
}

fn combine(instruction: &str, given: &[Table]) -> Result<Combined, Error> {
    if tables::same_columns(given) {
        let mut combined = tables::append(given);
        if wants_no_repeats(instruction)
            || (says(instruction, &["merge", "union"])
                && !says(instruction, &["all rows", "keep all", "keep duplicates"]))
        {
            let sheet = Sheet::read(&combined.table);
            let by = repeat_columns(instruction, &sheet);
            let (table, removed) = tables::without_repeats(&combined.table, &by, keeps_last(instruction));
            combined = Combined { table, removed, ..combined };
        }
        return Ok(combined);
    }
    let mut all = given.iter();
    let mut whole = Combined { table: all.next().cloned().unwrap_or_default(), ..Combined::default() };
    for next in all {
        let named = reading_columns(instruction, &whole.table).into_iter().next();
        let key = tables::shared_key(&whole.table, next, named.as_deref());
        let Some(key) = key else {
            return Err(missing(
                "the tables have no column in common to join them by: name the column, or add it to both".into(),
            ));
        };
        let inner = says(
            instruction,
            &["inner", "only matching", "only those", "in both", "matching rows", "only rows", "with a match"],
        );
        let unique = |table: &Table, at: usize| {
            let all: std::collections::BTreeSet<String> = table.cells(at).into_iter().map(columns::fold).collect();
            all.len() == table.rows.len()
        };
        let swaps = unique(&whole.table, key.0) && !unique(next, key.1);
        let (first, second, key) = if swaps { (next, &whole.table, (key.1, key.0)) } else { (&whole.table, next, key) };
        whole = tables::join(first, second, key, inner);
    }
    Ok(whole)
}

/// Columns named behind `by` or `on`, for joins.
fn reading_columns(instruction: &str, table: &Table) -> Vec<String> {
    let sheet = Sheet::read(table);
    let reader = Reader::new(instruction, &sheet);
    (0..reader.pieces.len())
        .filter(|at| reader.is(*at, &["by", "on", "via", "using", "over", "uber", "par", "por"]))
        .filter_map(|at| (at + 1..at + 4).find_map(|at| reader.column(at)))
        .map(|column| sheet.name(column).to_owned())
        .collect()
}

/// Columns that decide what is a repeat: `by email`, `same id`.
fn repeat_columns(instruction: &str, sheet: &Sheet) -> Vec<usize> {
    let reader = Reader::new(instruction, sheet);
    let mut found = Vec::new();
    for at in 0..reader.pieces.len() {
        let cue = reader.is(
            at,
            &["by", "same", "on", "per", "each", "every", "one", "nach", "duplicate", "unique", "equal", "identical"],
        );
        if !cue {
            continue;
        }
        let mut place = at + 1;
        while reader.is(place, &["the", "same", "a", "an", "der", "die", "das", "row", "per", "each", "of"]) {
            place += 1;
        }
        while let Some(column) = reader.column(place) {
            if !found.contains(&column) {
                found.push(column);
            }
            place += 1 + usize::from(reader.is(place + 1, &["and", "+", ",", "und", "&"]));
        }
    }
    found
}

fn keeps_last(instruction: &str) -> bool {
    says(
        instruction,
        &[
            "keep the last",
            "keep last",
            "the last one",
            "keep the latest",
            "keep latest",
            "keep the newest",
            "most recent",
            "last occurrence",
            "latest row",
        ],
    )
}

/// Differences of two tables, if that is asked.
fn compared(instruction: &str, given: &[Table]) -> Result<Option<Outcome>, Error> {
    let asked = says(
        instruction,
        &[
            "in both",
            "differ",
            "differs",
            "difference",
            "differences",
            "compare",
            "changed",
            "mismatch",
            "mismatches",
            "discrepancies",
            "in common",
            "only in",
            "not in",
            "missing",
            "reconcile",
            "no longer",
            "disagree",
            "unterschiede",
            "vergleiche",
            "no orders",
            "without orders",
            "fehlen",
            "fehlt",
            "appear in only",
            "unmatched",
            "not on the",
            "new in",
            "are new",
        ],
    );
    let [first, second] = given else { return Ok(None) };
    if !asked {
        return Ok(None);
    }
    let Some(key) = tables::shared_key(first, second, None) else { return Ok(None) };
    let found = tables::compare(first, second, key);
    Ok(Some(comparison(instruction, first, second, &found)))
}

fn comparison(instruction: &str, first: &Table, second: &Table, found: &Comparison) -> Outcome {
    let title = |table: &Table, other: &str| table.title.clone().unwrap_or_else(|| other.to_owned());
    let (one, two) = (title(first, "the first table"), title(second, "the second table"));
    let differing: Vec<String> =
        found.differences.iter().map(|one| one.key.clone()).fold(Vec::new(), |mut all, key| {
            if !all.contains(&key) {
                all.push(key);
            }
            all
        });
    let list = |what: String, keys: &[String]| {
        [
            Figure { what: format!("count of {}: {what}", found.key), value: json!(keys.len()), rows: Vec::new() },
            Figure { what: format!("{}: {what}", found.key), value: json!(keys.join(", ")), rows: Vec::new() },
        ]
    };
    let answers: Vec<Figure> = [
        list("in both with other values".into(), &differing),
        list("in both".into(), &found.both),
        list(format!("only in {one}"), &found.only_first),
        list(format!("only in {two}"), &found.only_second),
    ]
    .into_iter()
    .flatten()
    .collect();
    let differs = says(
        instruction,
        &[
            "differ",
            "differs",
            "different",
            "difference",
            "differences",
            "changed",
            "mismatch",
            "mismatches",
            "discrepancies",
            "disagree",
            "compare",
            "unterschiede",
            "reconcile",
        ],
    );
    let mut rows: Vec<Vec<String>> = Vec::new();
    if differs {
        rows.extend(
            found.differences.iter().map(|d| vec![d.key.clone(), d.column.clone(), d.first.clone(), d.second.clone()]),
        );
    }
    let only = says(
        instruction,
        &[
            "only",
            "missing",
            "not in",
            "no longer",
            "new",
            "fehlen",
            "fehlt",
            "no orders",
            "without",
            "unmatched",
            "not on the",
            "compare",
            "reconcile",
        ],
    );
    if only {
        rows.extend(
            found.only_first.iter().map(|key| vec![key.clone(), String::new(), "there".into(), "missing".into()]),
        );
        rows.extend(
            found.only_second.iter().map(|key| vec![key.clone(), String::new(), "missing".into(), "there".into()]),
        );
    }
    if rows.is_empty() && !differs && !only {
        rows.extend(found.both.iter().map(|key| vec![key.clone(), String::new(), "there".into(), "there".into()]));
    }
    let told: Vec<String> = found
        .differences
        .iter()
        .take(8)
        .map(|d| format!("{} {} ({} / {})", d.key, d.column, d.first, d.second))
        .collect();
    let names = |keys: &[String]| if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
    let summary = format!(
        "{} {} in both; different values: {}; only in {one}: {}; only in {two}: {}.",
        found.both.len(),
        found.key,
        if told.is_empty() { "none".to_owned() } else { told.join(", ") },
        names(&found.only_first),
        names(&found.only_second)
    );
    let table = Table::new(vec![found.key.clone(), "column".into(), one, two], rows);
    Outcome {
        reply: Reply { answers, groups: Vec::new(), table, summary },
        removed: 0,
        differences: found.differences.clone(),
        confidence: ASSUMED,
    }
}

/// Answers about one table.
fn single(instruction: &str, table: &Table, combined: Option<Combined>) -> Result<Outcome, Error> {
    let mut sheet = Sheet::read(table);
    let mut removed = combined.as_ref().map_or(0, |combined| combined.removed);
    let wants_repeats_out = wants_no_repeats(instruction);
    if wants_repeats_out && combined.is_none() {
        let by = repeat_columns(instruction, &sheet);
        let (table, count) = tables::without_repeats(table, &by, keeps_last(instruction));
        removed = count;
        sheet = Sheet::read(&table);
    }
    let reader = Reader::new(instruction, &sheet);
    if pivot::is_wanted(&reader) {
        let op = if reader.says_any(words::MEAN) {
            Op::Mean
        } else if reader.says_any(words::COUNT) {
            Op::Count
        } else {
            Op::Sum
        };
        let table = pivot::make(&reader, op).ok_or_else(|| {
            missing(format!(
                "say which column gives the rows and which the columns: {}",
                sheet.table.columns.join(", ")
            ))
        })?;
        let summary = format!(
            "{} by {}.",
            agent_common::figures::count(table.rows.len(), "row", "rows"),
            table.columns.join(", ")
        );
        return Ok(Outcome {
            reply: Reply { table, summary, ..Reply::default() },
            removed,
            differences: Vec::new(),
            confidence: ASSUMED,
        });
    }
    let reshapes = wants_repeats_out || combined.is_some();
    let asks_figure = reader.pieces.iter().any(|piece| {
        piece.is_word()
            && words::op(&piece.text)
                .is_some_and(|_| !piece.is_one(&["number", "add", "together", "combined", "zusammen"]))
    }) || reader.says_any(&["many", "much"])
        && !(wants_repeats_out
            && says(
                instruction,
                &[
                    "how many duplicates",
                    "how many were removed",
                    "how many rows remain",
                    "how many rows are left",
                    "how many were",
                    "how many are left",
                    "how many remain",
                ],
            ));
    if reshapes && !asks_figure {
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
    let reply = reply::make(&sheet, &query).ok_or_else(|| {
        missing("no row of the table meets the conditions of the request: check the values that it names".into())
    })?;
    if reply.answers.iter().all(|one| one.value.is_null()) && reply.groups.is_empty() && !query.listing {
        return Err(missing("the rows have no numbers there to work with: check the column that is meant".into()));
    }
    Ok(Outcome { reply, removed, differences: Vec::new(), confidence })
}

fn confidence(query: &Query) -> f64 {
    if query.lost {
        return FLOOR / 2.0;
    }
    match (query.unknown.len(), query.assumed) {
        (0, false) => CLEAR,
        (0, true) => ASSUMED,
        (1, _) => LOOSE,
        (2, false) if !query.asks.is_empty() && (!query.keys.is_empty() || !query.filters.is_empty()) => LOOSE,
        _ => FLOOR / 2.0,
    }
}

fn reshaped(sheet: &Sheet, removed: usize, combined: Option<&Combined>) -> Outcome {
    let rows = sheet.table.rows.len();
    let mut summary = combined.map(|combined| format!("{}: ", combined.note)).unwrap_or_default();
    summary.push_str(&format!(
        "{}, {} removed",
        agent_common::figures::count(rows, "row", "rows"),
        agent_common::figures::count(removed, "repeated row", "repeated rows")
    ));
    if let Some(unmatched) = combined.map(|combined| combined.unmatched).filter(|count| *count > 0) {
        summary.push_str(&format!("; {} without a partner", agent_common::figures::count(unmatched, "row", "rows")));
    }
    summary.push('.');
    let answers = vec![
        Figure { what: "rows".into(), value: json!(rows), rows: Vec::new() },
        Figure { what: "repeated rows removed".into(), value: json!(removed), rows: Vec::new() },
    ];
    let reply = Reply { answers, groups: Vec::new(), table: sheet.table.clone(), summary };
    Outcome { reply, removed, differences: Vec::new(), confidence: ASSUMED }
}

/// The name of a kind of column.
pub fn kind_name(sheet: &Sheet, column: usize) -> &'static str {
    match sheet.kind(column) {
        Kind::Number
            if (0..sheet.table.rows.len())
                .all(|row| sheet.number(row, column).is_none_or(agent_common::exact::Exact::is_whole)) =>
        {
            "integer"
        }
        Kind::Number => "decimal",
        Kind::Day => "date",
        Kind::Text => "text",
    }
}

/// What is asked; sentences beside a table where nothing else asks.
fn said(request: &Request) -> String {
    if !request.instruction.trim().is_empty() {
        return request.instruction.clone();
    }
    let beside =
        request.material.iter().filter(|piece| piece.kind == PieceKind::Prose && Table::read(&piece.text).is_none());
    beside
        .map(|piece| piece.text.as_str())
        .filter(|text| text.split_whitespace().count() < 60)
        .collect::<Vec<_>>()
        .join("\n")
}
