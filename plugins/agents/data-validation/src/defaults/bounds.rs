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
    } else if is(AMOUNTS) {
        Rule::Range(column, zero, None)
    } else {
        Rule::Numeric(column)
    }
}
