//! One row of each key: the newest, the oldest, the dearest.

use agent_common::columns::fold;
use agent_common::exact::Exact;
use agent_common::sheet::{Kind, Sheet};
use agent_common::table::Table;

use crate::phrases::says;
use crate::reader::Reader;

const KEEP: &[&str] = &[
    "keep",
    "keeping",
    "retain",
    "behalte",
    "behalten",
    "leave only",
    "only the",
    "just the",
    "one row",
    "one record",
    "one line",
    "one entry",
    "single row",
    "garder",
    "garde",
    "gardez",
    "conserver",
    "want the",
    "need the",
    "give me the",
    "show the",
    "return the",
    "nur den",
    "nur die",
];
const NEWEST: &[&str] = &[
    "most recent",
    "latest",
    "newest",
    "last",
    "neueste",
    "neuesten",
    "letzten",
    "letzte",
    "plus recent",
    "plus recente",
    "mas reciente",
    "most current",
];
const OLDEST: &[&str] =
    &["oldest", "earliest", "first", "alteste", "altesten", "ersten", "plus ancien", "plus ancienne"];
const ROWS: &[&str] = &[
    "record",
    "records",
    "row",
    "rows",
    "entry",
    "entries",
    "line",
    "lines",
    "one",
    "version",
    "zeile",
    "eintrag",
    "datensatz",
    "ligne",
    "fila",
];
const EACH: &[&str] = &[
    "per",
    "for each",
    "for every",
    "each",
    "every",
    "je",
    "pro",
    "par",
    "por",
    "of each",
    "of every",
    "within each",
    "jedem",
    "jeden",
];

/// The rows that are kept, if one of each key is wanted.
pub fn kept(instruction: &str, table: &Table) -> Option<(Table, usize)> {
    let plain = fold(instruction);
    let newest = says(&plain, NEWEST);
    let sheet = Sheet::read(table);
    // `keep the newest price per article` means its row, where a day tells which that is.
    let dated = sheet.of_kind(Kind::Day).len() == 1 && newest && says(&plain, &["keep", "behalte", "garde", "retain"]);
    let rows = says(&plain, ROWS) || dated;
    if !(says(&plain, KEEP) && (newest || says(&plain, OLDEST)) && rows && says(&plain, EACH)) {
        return None;
    }
    let reader = Reader::new(instruction, &sheet);
    let key = behind(&reader, &["per", "each", "every", "je", "pro", "par", "por", "jedem", "jeden"])?;
    let named =
        behind(&reader, &["by", "according", "nach", "on", "based", "laut", "date"]).filter(|column| *column != key);
    let days = sheet.of_kind(Kind::Day);
    let order = named.or(match days.as_slice() {
        [one] => Some(*one),
        _ => None,
    });
    // Without a day it is the order of the rows that tells.
    let rank = |row: usize| -> Option<Exact> {
        match order {
            Some(column) => {
                sheet.day(row, column).map(|day| Exact::whole(day.days())).or_else(|| sheet.number(row, column))
            }
            None => Some(Exact::whole(i64::try_from(row).unwrap_or(0))),
        }
    };
    if days.len() > 1 && named.is_none() {
        return None;
    }
    let better =
        |a: Option<Exact>, b: Option<Exact>| if newest { a > b } else { b.is_none() || (a.is_some() && a < b) };
    let mut best: Vec<usize> = Vec::new();
    for row in 0..sheet.table.rows.len() {
        let own = fold(sheet.cell(row, key).trim());
        match best.iter().position(|other| fold(sheet.cell(*other, key).trim()) == own) {
            Some(at) => {
                let other = best.get(at).copied()?;
                let stamps = order.is_some_and(|column| sheet.cell(row, column) > sheet.cell(other, column));
                let equal = rank(row) == rank(other);
                if better(rank(row), rank(other)) || (equal && newest && stamps) {
                    *best.get_mut(at)? = row;
                }
            }
            None => best.push(row),
        }
    }
    let rows: Vec<Vec<String>> = best.iter().filter_map(|row| sheet.table.rows.get(*row).cloned()).collect();
    let removed = table.rows.len().checked_sub(rows.len())?;
    Some((Table { title: table.title.clone(), ..Table::new(table.columns.clone(), rows) }, removed))
}

/// The column named right behind one of these words.
fn behind(reader: &Reader<'_>, cues: &[&str]) -> Option<usize> {
    (0..reader.pieces.len())
        .filter(|at| reader.is(*at, cues))
        .find_map(|at| (at + 1..at + 4).take_while(|at| !reader.is_stop(*at)).find_map(|at| reader.column(at)))
}
