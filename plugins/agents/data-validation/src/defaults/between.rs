//! Rules between columns by their names: end and start, total and its parts.

use agent_common::formula::{Formula, Step};
use agent_common::sheet::{Kind, Sheet};

use crate::clock;
use crate::column_names::{columns_of, named};
use crate::rule::{Part, Rule};

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
    found.extend(part(sheet));
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

/// A column that repeats a part of the day beside it.
pub(crate) fn part(sheet: &Sheet) -> Option<Rule> {
    let days = sheet.of_kind(Kind::Day);
    let [day] = days.as_slice() else { return None };
    (0..sheet.table.columns.len()).filter(|at| at != day).find_map(|at| {
        let cells = sheet.table.cells(at);
        let reads = |part: Part| cells.iter().filter(|cell| part.read(cell).is_some()).count() * 2 > cells.len();
        let is = |words: &[&str]| named(sheet, at, words);
        let part = if reads(Part::Weekday) {
            Part::Weekday
        } else if is(&["quarter", "quartal", "trimestre"]) && reads(Part::Quarter) {
            Part::Quarter
        } else if is(&["month", "monat", "mois", "mes"]) && reads(Part::Month) {
            Part::Month
        } else if is(&["year", "jahr", "annee", "ano"]) && reads(Part::Year) {
            Part::Year
        } else {
            return None;
        };
        Some(Rule::PartOf(at, *day, part))
    })
}

/// Whether the formula holds in half of the rows at least; else it is not what the column means.
fn agrees(sheet: &Sheet, at: usize, formula: &Formula) -> bool {
    let rows = sheet.table.rows.len();
    let broken = Rule::Equals(at, formula.clone()).check(sheet).len();
    broken * 2 <= rows
}
