//! Several tables as one: appended, joined by a key, compared; and rows that stand twice.

use std::collections::{BTreeMap, BTreeSet};

use agent_common::columns::{alike, fold, name_words};
use agent_common::table::Table;

/// What came of several tables.
#[derive(Debug, Default)]
pub struct Combined {
    pub table: Table,
    pub removed: usize,
    /// Rows of the first table that have no partner.
    pub unmatched: usize,
    /// What was done, in words.
    pub note: String,
}

/// Whether all tables have the same columns, in any order.
pub fn same_columns(tables: &[Table]) -> bool {
    let names = |table: &Table| table.columns.iter().map(|name| fold(name)).collect::<BTreeSet<_>>();
    tables.first().is_some_and(|first| tables.iter().all(|table| names(table) == names(first)))
}

/// All rows below each other; columns that a table has not stay empty.
pub fn append(tables: &[Table]) -> Combined {
    let mut columns: Vec<String> = Vec::new();
    for name in tables.iter().flat_map(|table| &table.columns) {
        if !columns.iter().any(|column| fold(column) == fold(name)) {
            columns.push(name.clone());
        }
    }
    let mut rows = Vec::new();
    for table in tables {
        let places: Vec<Option<usize>> =
            columns.iter().map(|name| table.columns.iter().position(|own| fold(own) == fold(name))).collect();
        for row in &table.rows {
            rows.push(places.iter().map(|at| at.and_then(|at| row.get(at)).cloned().unwrap_or_default()).collect());
        }
    }
    Combined {
        table: Table::new(columns, rows),
        note: format!("{} tables below each other", tables.len()),
        ..Combined::default()
    }
}

/// The rows without those that stand there already; by some columns, or by all.
pub fn without_repeats(table: &Table, by: &[usize], keep_last: bool) -> (Table, usize) {
    let identity = |row: &Vec<String>| -> Vec<String> {
        let all: Vec<usize> = if by.is_empty() { (0..row.len()).collect() } else { by.to_vec() };
        all.iter()
            .map(|at| {
                row.get(*at)
                    .map(|cell| if by.is_empty() { cell.trim().to_owned() } else { fold(cell.trim()) })
                    .unwrap_or_default()
            })
            .collect()
    };
    let mut known = BTreeSet::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let order: Vec<&Vec<String>> =
        if keep_last { table.rows.iter().rev().collect() } else { table.rows.iter().collect() };
    for row in order {
        let own = identity(row);
        let nameless = !by.is_empty() && own.iter().all(String::is_empty);
        if nameless || known.insert(own) {
            rows.push(row.clone());
        }
    }
    if keep_last {
        rows.reverse();
    }
    let removed = table.rows.len() - rows.len();
    (Table { rows, ragged: Vec::new(), ..table.clone() }, removed)
}

/// The columns by which two tables go together: the one named, else one of the same name, else one whose values fit.
pub fn shared_key(first: &Table, second: &Table, named: Option<&str>) -> Option<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (a, left) in first.columns.iter().enumerate() {
        for (b, right) in second.columns.iter().enumerate() {
            let (x, y) = (name_words(left), name_words(right));
            let both = fold(left) == fold(right) || x == y;
            let part = x.iter().any(|word| y.iter().any(|other| word.len() > 2 && alike(word, other)));
            if both || part {
                pairs.push((a, b));
            }
        }
    }
    let overlap = |(a, b): (usize, usize)| -> usize {
        let right: BTreeSet<String> = second.cells(b).into_iter().map(fold).collect();
        first.cells(a).into_iter().filter(|cell| !cell.is_empty() && right.contains(&fold(cell))).count()
    };
    let wanted = |(a, b): &(usize, usize)| {
        named.is_some_and(|name| {
            [first.columns.get(*a), second.columns.get(*b)]
                .iter()
                .any(|own| own.is_some_and(|own| fold(own) == fold(name)))
        })
    };
    if let Some(pair) = pairs.iter().copied().find(|pair| wanted(pair) && overlap(*pair) > 0) {
        return Some(pair);
    }
    if pairs.iter().all(|pair| overlap(*pair) == 0) {
        pairs = (0..first.columns.len()).flat_map(|a| (0..second.columns.len()).map(move |b| (a, b))).collect();
    }
    let unique = |table: &Table, at: usize| {
        let all: BTreeSet<String> = table.cells(at).into_iter().map(fold).collect();
        all.len() == table.rows.len()
    };
    pairs.into_iter().filter(|pair| overlap(*pair) > 0).max_by_key(|(a, b)| {
        let name = first.columns.get(*a).map(|name| fold(name)) == second.columns.get(*b).map(|name| fold(name));
        (unique(second, *b) || unique(first, *a), name, overlap((*a, *b)), std::cmp::Reverse(*a))
    })
}

/// Each row of the first table with what the second one says of its key.
pub fn join(first: &Table, second: &Table, key: (usize, usize), inner: bool) -> Combined {
    let mut partners: BTreeMap<String, Vec<&Vec<String>>> = BTreeMap::new();
    for row in &second.rows {
        partners.entry(fold(row.get(key.1).map_or("", |cell| cell.trim()))).or_default().push(row);
    }
    let own: Vec<usize> = (0..second.columns.len()).filter(|at| *at != key.1).collect();
    let title = |at: &usize| {
        let name = second.columns.get(*at).cloned().unwrap_or_default();
        if first.column(&name).is_some() { format!("{name} (2)") } else { name }
    };
    let columns = first.columns.iter().cloned().chain(own.iter().map(title)).collect();
    let mut rows = Vec::new();
    let mut unmatched = 0;
    for row in &first.rows {
        let found = partners.get(&fold(row.get(key.0).map_or("", |cell| cell.trim())));
        let cells = |partner: Option<&Vec<String>>| -> Vec<String> {
            row.iter()
                .cloned()
                .chain(own.iter().map(|at| partner.and_then(|partner| partner.get(*at)).cloned().unwrap_or_default()))
                .collect()
        };
        match found {
            Some(partners) => rows.extend(partners.iter().map(|partner| cells(Some(partner)))),
            None => {
                unmatched += 1;
                if !inner {
                    rows.push(cells(None));
                }
            }
        }
    }
    let name = first.columns.get(key.0).cloned().unwrap_or_default();
    Combined { table: Table::new(columns, rows), removed: 0, unmatched, note: format!("2 tables joined by {name}") }
}

/// A record that two tables have differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub key: String,
    pub column: String,
    pub first: String,
    pub second: String,
}

/// Two tables by a key.
#[derive(Debug, Default)]
pub struct Comparison {
    pub key: String,
    pub both: Vec<String>,
    pub only_first: Vec<String>,
    pub only_second: Vec<String>,
    pub differences: Vec<Difference>,
}

/// Compares two tables by the values of a key.
pub fn compare(first: &Table, second: &Table, key: (usize, usize)) -> Comparison {
    let by_key = |table: &Table, at: usize| -> BTreeMap<String, Vec<String>> {
        table.rows.iter().map(|row| (fold(row.get(at).map_or("", |cell| cell.trim())), row.clone())).collect()
    };
    let (left, right) = (by_key(first, key.0), by_key(second, key.1));
    let mut out = Comparison { key: first.columns.get(key.0).cloned().unwrap_or_default(), ..Comparison::default() };
    for row in &first.rows {
        let name = row.get(key.0).map_or("", |cell| cell.trim());
        let Some(other) = right.get(&fold(name)) else {
            out.only_first.push(name.to_owned());
            continue;
        };
        out.both.push(name.to_owned());
        for (at, column) in first.columns.iter().enumerate().filter(|(at, _)| *at != key.0) {
            let Some(place) = second.columns.iter().position(|own| fold(own) == fold(column)) else { continue };
            let (a, b) = (row.get(at).map_or("", |c| c.trim()), other.get(place).map_or("", |c| c.trim()));
            if !same(a, b) {
                out.differences.push(Difference {
                    key: name.to_owned(),
                    column: column.clone(),
                    first: a.to_owned(),
                    second: b.to_owned(),
                });
            }
        }
    }
    for row in &second.rows {
        let name = row.get(key.1).map_or("", |cell| cell.trim());
        if !left.contains_key(&fold(name)) {
            out.only_second.push(name.to_owned());
        }
    }
    out
}

fn same(a: &str, b: &str) -> bool {
    let number =
        |text: &str| agent_common::quantity::read(text, None).and_then(|q| agent_common::exact::Exact::read(&q.exact));
    fold(a) == fold(b) || number(a).is_some_and(|a| number(b) == Some(a))
}
