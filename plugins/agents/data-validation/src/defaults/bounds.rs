//! Bounds that numbers have by the name of their column.

use agent_common::exact::Exact;
use agent_common::sheet::Sheet;

use crate::column_names::named;
use crate::rule::Rule;

const AMOUNTS: &[&str] = &[
    "quantity",
    "qty",
    "menge",
    "price",
    "preis",
    "stock",
    "weight",
    "gewicht",
    "salary",
    "gehalt",
    "height",
    "count",
    "units",
    "pieces",
    "hours",
    "stunden",
    "guests",
    "distance",
    "km",
    "visits",
    "anzahl",
    "bestand",
    "unit_price",
    "unitprice",
    "cost",
    "duration",
];

pub(crate) fn bounds(sheet: &Sheet, column: usize) -> Rule {
    let (zero, number) = (Some((Exact::default(), true)), |n: i64| Some((Exact::whole(n), true)));
    let is = |words: &[&str]| named(sheet, column, words);
    if is(&["age", "alter", "edad"]) {
        Rule::Range(column, zero, number(120))
    } else if is(&["percent", "percentage", "pct", "prozent", "share", "humidity", "anteil"]) {
        Rule::Range(column, zero, number(100))
    } else if is(&["latitude", "lat"]) {
        Rule::Range(column, number(-90), number(90))
    } else if is(&["longitude", "lon", "lng"]) {
        Rule::Range(column, number(-180), number(180))
    } else if is(&["spo2", "o2", "saturation", "oxygen", "sao2"]) {
        Rule::Range(column, zero, number(100))
    } else if is(&["pulse", "puls", "heartrate", "bpm", "heart", "hr"]) {
        Rule::Range(column, number(20), number(250))
    } else if is(&["systolic", "systole"]) {
        Rule::Range(column, number(50), number(280))
    } else if is(&["diastolic", "diastole"]) {
        Rule::Range(column, number(20), number(180))
    } else if is(&["ph"]) {
        Rule::Range(column, zero, number(14))
    } else if let Some(rule) = shifted(sheet, column) {
        rule
    } else if is(AMOUNTS) {
        Rule::Range(column, zero, None)
    } else {
        Rule::Numeric(column)
    }
}

/// `369` among `36.9` and `37.4`: cells ten times the others, which lie close together.
fn shifted(sheet: &Sheet, column: usize) -> Option<Rule> {
    let mut values: Vec<Exact> = (0..sheet.table.rows.len()).filter_map(|row| sheet.number(row, column)).collect();
    values.sort_unstable();
    let middle = *values.get(values.len() / 2)?;
    let (low, high) = (middle.over(Exact::whole(2))?, middle.times(Exact::whole(2))?);
    let (far_low, far_high) = (middle.over(Exact::whole(5))?, middle.times(Exact::whole(5))?);
    let near = values.iter().filter(|value| **value >= low && **value <= high).count();
    let far = values.iter().filter(|value| **value <= far_low || **value >= far_high).count();
    let tight = middle > Exact::default() && near >= 3 && far > 0 && near + far == values.len() && far * 3 <= near;
    tight.then_some(Rule::Range(column, Some((low, true)), Some((high, true))))
}
