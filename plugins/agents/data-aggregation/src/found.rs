//! Where the rows of a task are: tables as they are written, else lines that are no table by their look.

use agent_common::columns::fold;
use agent_common::request::Request;
use agent_common::rows::{self, Rows};
use agent_common::table::Table;
use tollbridge_sdk::Error;

use crate::given;
use crate::phrases::says;

/// Words that tell that times of day are spans.
const SPANS: &[&str] =
    &["hours", "hour", "stunden", "heures", "horas", "hrs", "decimal", "worked", "how long", "time in total"];
/// Words that ask for what stands there, not for a figure of it.
const LISTED: &[&str] = &[
    "double",
    "doubles",
    "duplicate",
    "duplicates",
    "twice",
    "repeats",
    "repeated",
    "dedupe",
    "unique",
    "distinct",
    "different",
    "how many",
    "how often",
    "count",
    "tally",
    "frequency",
    "doppelte",
    "doublons",
    "most common",
    "most often",
    "each one",
];

/// Tables, and the request for them.
pub struct Found {
    pub tables: Vec<Table>,
    pub instruction: String,
}

/// Reads a task.
pub fn read(task: &str) -> Result<Found, Error> {
    if let Some(Rows { table, rest }) = first(task) {
        return Ok(Found { tables: vec![scaled(table)], instruction: rest });
    }
    let request = Request::read(task);
    let tables = given::tables(&request)?;
    let instruction = request.instruction_or_prose().trim().to_owned();
    Ok(Found { tables: tables.into_iter().map(scaled).collect(), instruction })
}

/// `340k` beside `1.2m`: thousands and millions, not metres.
fn scaled(mut table: Table) -> Table {
    let end = |cell: &str, letter: char| {
        let cell = cell.trim();
        cell.to_lowercase().ends_with(letter) && cell.chars().rev().nth(1).is_some_and(|c| c.is_ascii_digit())
    };
    for column in 0..table.columns.len() {
        let own = table.cells(column);
        let mixed = own.iter().any(|cell| end(cell, 'k')) && own.iter().any(|cell| end(cell, 'm'));
        if !mixed {
            continue;
        }
        for row in &mut table.rows {
            if let Some(cell) = row.get_mut(column).filter(|cell| end(cell, 'm')) {
                *cell = format!("{}mn", cell.trim().get(..cell.trim().len() - 1).unwrap_or_default());
            }
        }
    }
    table
}

/// Layouts that the reader of tables takes for others.
fn first(task: &str) -> Option<Rows> {
    let plain = fold(task);
    let spans = || says(&plain, SPANS).then(|| rows::clocked(task)).flatten();
    let listed = || says(&plain, LISTED).then(|| rows::listed(task)).flatten();
    let weighted = || {
        says(&plain, &["weighted", "weight", "gewichtet", "gewichtete", "average"]).then(|| rows::rated(task)).flatten()
    };
    rows::records(task)
        .or_else(|| rows::spaced(task))
        .or_else(|| rows::remarked(task))
        .or_else(spans)
        .or_else(listed)
        .or_else(weighted)
        .filter(|rows| !rows.rest.trim().is_empty())
}

/// Pairs within a sentence that also asks.
pub fn in_sentence(task: &str) -> Option<Found> {
    let Rows { table, rest } = rows::paired(task)?;
    (!rest.trim().is_empty()).then(|| Found { tables: vec![table], instruction: rest.trim().to_owned() })
}
