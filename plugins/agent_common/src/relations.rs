//! Operations on whole tables: joining, comparing, leaving out repeated rows, sorting.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cells::{Cells, Notation};
use crate::condition;
use crate::exact::Exact;
use crate::table::Table;

/// Which rows a join keeps.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum JoinKind {
    /// Rows with a partner.
    #[default]
    Inner,
    /// All rows of the first table.
    Left,
    /// All rows of both tables.
    Full,
}

/// Two tables side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The rows, in the order of the first table.
    pub table: Table,
    /// Number of rows of each table without a partner.
    pub alone: (usize, usize),
}

/// Returns the cells of several keys, row by row.
pub fn keys(names: &[String], cells: &Cells<'_>) -> Result<Vec<Vec<String>>, String> {
    let columns: Vec<Vec<String>> = names.iter().map(|name| condition::key(name, cells)).collect::<Result<_, _>>()?;
    let row = |row: usize| columns.iter().map(|cells| cells.get(row).cloned().unwrap_or_default()).collect();
    Ok((0..cells.table.rows.len()).map(row).collect())
}

fn column(table: &Table, name: &str) -> Result<usize, String> {
    table.column(name).ok_or_else(|| condition::unknown(name, &Cells::new(table, Notation::default())))
}

/// Joins two tables on a column of each. The key may repeat in one of them.
///
/// # Errors
/// A column that does not exist, or a key that repeats in both tables.
pub fn join(first: &Table, second: &Table, on: (&str, &str), kind: JoinKind) -> Result<Joined, String> {
    let (left, right) = (column(first, on.0)?, column(second, on.1)?);
    let (left_keys, right_keys) = (first.cells(left), second.cells(right));
    let repeats = |keys: &[&str]| keys.iter().collect::<BTreeSet<_>>().len() < keys.len();
    if repeats(&left_keys) && repeats(&right_keys) {
        return Err(format!(
            "`{}` and `{}` repeat in both tables; a join needs a key that is unique in one",
            on.0, on.1
        ));
    }
    let others: Vec<usize> = (0..second.columns.len()).filter(|at| *at != right).collect();
    let pick =
        |row: &Vec<String>| others.iter().map(|at| row.get(*at).cloned().unwrap_or_default()).collect::<Vec<_>>();
    let mut columns = first.columns.clone();
    for name in pick(&second.columns) {
        let taken = columns.iter().any(|column| column.eq_ignore_ascii_case(&name));
        columns.push(if taken { format!("{name} 2") } else { name });
    }
    let (mut rows, mut used, mut alone) = (Vec::new(), BTreeSet::new(), (0, 0));
    for (row, key) in first.rows.iter().zip(&left_keys) {
        let mut partners =
            right_keys.iter().enumerate().filter(|(_, other)| *other == key && !key.is_empty()).peekable();
        if partners.peek().is_none() {
            alone.0 += 1;
            if kind != JoinKind::Inner {
                rows.push(row.iter().cloned().chain(others.iter().map(|_| String::new())).collect());
            }
        }
        for (at, _) in partners {
            used.insert(at);
            let more = second.rows.get(at).map(pick).unwrap_or_default();
            rows.push(row.iter().cloned().chain(more).collect());
        }
    }
    for (at, row) in second.rows.iter().enumerate().filter(|(at, _)| !used.contains(at)) {
        alone.1 += 1;
        if kind == JoinKind::Full {
            let mut cells = vec![String::new(); first.columns.len()];
            if let (Some(cell), Some(key)) = (cells.get_mut(left), right_keys.get(at)) {
                (*key).clone_into(cell);
            }
            rows.push(cells.into_iter().chain(pick(row)).collect());
        }
    }
    Ok(Joined { table: Table::new(columns, rows), alone })
}

/// The differences between two tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// A row for each difference: `change` (`different`, `missing`, `added`), the key,
    /// `column`, `first`, `second`.
    pub table: Table,
    /// Keys that are in both tables.
    pub both: usize,
    /// Keys of both tables whose rows differ.
    pub different: usize,
    /// Keys that only the first table has.
    pub missing: usize,
    /// Keys that only the second table has.
    pub added: usize,
}

/// Compares the columns that two tables have in common, by a key.
///
/// # Errors
/// A column that does not exist, or a key that is not unique.
pub fn compare(first: &Table, second: &Table, key: &[String]) -> Result<Compared, String> {
    let indexed = |table: &Table| -> Result<BTreeMap<Vec<String>, usize>, String> {
        let mut index = BTreeMap::new();
        for (at, key) in keys(key, &Cells::new(table, Notation::default()))?.into_iter().enumerate() {
            if let Some(before) = index.insert(key.clone(), at) {
                let key = key.join(", ");
                return Err(format!("rows {} and {} of one table have the key `{key}`", before + 1, at + 1));
            }
        }
        Ok(index)
    };
    let (left, right) = (indexed(first)?, indexed(second)?);
    let is_key = |name: &String| key.iter().any(|key| key.eq_ignore_ascii_case(name));
    let shared: Vec<(usize, usize, &String)> = first
        .columns
        .iter()
        .enumerate()
        .filter(|(_, name)| !is_key(name))
        .filter_map(|(at, name)| Some((at, second.column(name)?, name)))
        .collect();
    let (mut rows, mut counts) = (Vec::new(), (0, 0));
    let cell = |table: &Table, row: usize, at: usize| -> String {
        table.rows.get(row).and_then(|row| row.get(at)).map(|cell| cell.trim().to_owned()).unwrap_or_default()
    };
    let line = |change: &str, key: &[String], rest: [String; 3]| -> Vec<String> {
        [change.to_owned()].into_iter().chain(key.iter().cloned()).chain(rest).collect()
    };
    for (key, at) in &left {
        let Some(other) = right.get(key) else { continue };
        counts.0 += 1;
        let before = rows.len();
        for (a, b, name) in &shared {
            let (a, b) = (cell(first, *at, *a), cell(second, *other, *b));
            let equal = a == b || Exact::read(&a).is_some_and(|a| Exact::read(&b) == Some(a));
            if !equal {
                rows.push(line("different", key, [(*name).clone(), a, b]));
            }
        }
        counts.1 += usize::from(rows.len() > before);
    }
    let alone = |one: &BTreeMap<Vec<String>, usize>, other: &BTreeMap<Vec<String>, usize>, change: &str| -> Vec<_> {
        let none = || [String::new(), String::new(), String::new()];
        one.keys().filter(|key| !other.contains_key(*key)).map(|key| line(change, key, none())).collect()
    };
    let (missing, added) = (alone(&left, &right, "missing"), alone(&right, &left, "added"));
    let (gone, new) = (missing.len(), added.len());
    rows.extend(missing.into_iter().chain(added));
    let ends = ["column", "first", "second"].map(str::to_owned);
    let columns = ["change".to_owned()].into_iter().chain(key.iter().cloned()).chain(ends).collect();
    Ok(Compared { table: Table::new(columns, rows), both: counts.0, different: counts.1, missing: gone, added: new })
}

/// Sorts the rows of a table by columns, each upwards or downwards (`true`); cells without
/// a value come last. Returns the number of rows to keep so that at least `top` are kept
/// and no row is left out that equals the last one kept.
///
/// # Errors
/// A column that does not exist or can mean two things.
pub fn sort(table: &mut Table, by: &[(String, bool)], notation: Notation, top: Option<usize>) -> Result<usize, String> {
    let mut order: Vec<usize> = (0..table.rows.len()).collect();
    let cells = Cells::new(table, notation);
    let mut columns = Vec::new();
    for (name, down) in by {
        let at = column(table, name)?;
        columns.push((cells.ranks(at)?, *down));
    }
    let compare = |a: &usize, b: &usize| {
        let one = |(ranks, down): &(Vec<Option<usize>>, bool)| {
            let rank = |row: usize| ranks.get(row).copied().flatten();
            Some(blanks_last(rank(*a), rank(*b), *down)).filter(|ordering| ordering.is_ne())
        };
        columns.iter().find_map(one).unwrap_or(Ordering::Equal)
    };
    order.sort_by(compare);
    let top = top.unwrap_or(order.len()).min(order.len());
    let ties = match top.checked_sub(1).and_then(|at| order.get(at)) {
        Some(last) if !by.is_empty() => order.iter().skip(top).take_while(|next| compare(last, next).is_eq()).count(),
        _ => 0,
    };
    let rows = order.iter().filter_map(|at| table.rows.get(*at).cloned()).collect();
    table.rows = rows;
    Ok(top + ties)
}

fn blanks_last(a: Option<usize>, b: Option<usize>, down: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if down => b.cmp(&a),
        (Some(a), Some(b)) => a.cmp(&b),
        _ => b.is_some().cmp(&a.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells;

    fn shown(table: &Table) -> String {
        table.rows.iter().map(|row| row.join("|")).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn joins_keep_what_they_say() {
        let customers = cells::table("no,name\n1,Ann\n2,Bo\n3,Cy").unwrap();
        let orders = cells::table("order,no,name\nA,2,x\nB,1,y\nC,2,z\nD,9,w").unwrap();
        let of = |kind| join(&customers, &orders, ("no", "no"), kind).unwrap();
        assert_eq!(shown(&of(JoinKind::Inner).table), "1|Ann|B|y / 2|Bo|A|x / 2|Bo|C|z");
        assert_eq!(shown(&of(JoinKind::Full).table), "1|Ann|B|y / 2|Bo|A|x / 2|Bo|C|z / 3|Cy|| / 9||D|w");
        assert_eq!((of(JoinKind::Left).table.rows.len(), of(JoinKind::Left).alone), (4, (1, 1)));
        assert_eq!(of(JoinKind::Inner).table.columns, ["no", "name", "order", "name 2"]);
        assert!(join(&orders, &orders, ("no", "no"), JoinKind::Inner).is_err());
    }

    #[test]
    fn differences_by_key() {
        let old = cells::table("sku,stock\nA1,40\nA2,15\nA3,0").unwrap();
        let new = cells::table("sku,stock\nA1,40.0\nA2,18\nA4,7").unwrap();
        let found = compare(&old, &new, &["sku".into()]).unwrap();
        assert_eq!(shown(&found.table), "different|A2|stock|15|18 / missing|A3||| / added|A4|||");
        assert_eq!((found.both, found.different, found.missing, found.added), (2, 1, 1, 1));
        assert!(compare(&old, &new, &["stock".into()]).is_ok() && compare(&old, &new, &["x".into()]).is_err());
    }

    #[test]
    fn sorting_keeps_ties() {
        let mut table = cells::table("a,b\nx,9\ny,10\nz,\nw,9").unwrap();
        let by = [("b".to_owned(), true)];
        assert_eq!(sort(&mut table, &by, Notation::default(), Some(2)), Ok(3));
        assert_eq!(shown(&table), "y|10 / x|9 / w|9 / z|");
    }
}
