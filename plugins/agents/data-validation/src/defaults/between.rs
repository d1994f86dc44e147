//! Rules between columns by their names: end and start, total and its parts.

use agent_common::dates;
use agent_common::formula::{Formula, Step};
use agent_common::sheet::{Kind, Sheet};

use crate::clock;
use crate::column_names::{columns_of, named};
use crate::rule::Rule;

/// Columns of which the first is not before the second.
const PAIRS: &[(&[&str], &[&str])] = &[
    (
        &["end", "ende", "checkout", "return", "departure", "until", "finish", "to", "valid_to"],
        &["start", "begin", "beginn", "checkin", "arrival", "from", "pickup", "valid_from"],
    ),
    (&["delivered", "delivery", "shipped", "shipping", "due", "paid"], &["ordered", "order", "issued", "invoice"]),
];

/// Rules between columns: end and start, total and its parts.
pub(crate) fn between(sheet: &Sheet) -> Vec<Rule> {
    let mut found = Vec::new();
    let first = |word: &str, fits: &dyn Fn(usize) -> bool| columns_of(sheet, word).into_iter().find(|at| fits(*at));
    let timely = |at: usize| {
        sheet.kind(at) == Kind::Day || sheet.table.cells(at).iter().any(|cell| clock::minutes(cell).is_some())
    };
    let numeric = |at: usize| sheet.kind(at) == Kind::Number;
    for (late, early) in PAIRS {
        let of = |words: &[&str]| (0..sheet.table.columns.len()).find(|at| timely(*at) && named(sheet, *at, words));
        if let (Some(late), Some(early)) = (of(late), of(early))
            && late != early
            && sheet.kind(late) == sheet.kind(early)
        {
            found.push(Rule::NotBefore(late, early));
        }
    }
    found.extend(weekday(sheet));
    if let (Some(net), Some(vat), Some(gross)) =
        (first("net", &numeric), first("vat", &numeric), first("gross", &numeric))
    {
        let most = agrees(sheet, gross, &Formula::Sum(vec![net, vat]));
        if most {
            found.push(Rule::Equals(gross, Formula::Sum(vec![net, vat])));
        }
    }
    let total = (0..sheet.table.columns.len()).find(|at| {
        numeric(*at) && named(sheet, *at, &["total", "amount", "gesamt", "summe", "betrag", "line_total", "sum"])
    });
    if let (Some(total), Some(price), Some(quantity)) = (total, first("price", &numeric), first("quantity", &numeric)) {
        let product = Formula::Both(Box::new(Formula::Column(quantity)), Step::Times, Box::new(Formula::Column(price)));
        if total != price && total != quantity && agrees(sheet, total, &product) {
            found.push(Rule::Equals(total, product));
        }
    }
    found
}

/// A column of weekdays beside one of days.
pub(crate) fn weekday(sheet: &Sheet) -> Option<Rule> {
    let named = (0..sheet.table.columns.len()).find(|at| {
        let cells = sheet.table.cells(*at);
        cells.iter().filter(|cell| dates::weekday(cell).is_some()).count() * 2 > cells.len()
    })?;
    match sheet.of_kind(Kind::Day).as_slice() {
        [day] => Some(Rule::WeekdayOf(named, *day)),
        _ => None,
    }
}

/// Whether the formula holds in half of the rows at least; else it is not what the column means.
fn agrees(sheet: &Sheet, at: usize, formula: &Formula) -> bool {
    let rows = sheet.table.rows.len();
    let broken = Rule::Equals(at, formula.clone()).check(sheet).len();
    broken * 2 <= rows
}
