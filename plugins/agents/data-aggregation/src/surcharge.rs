//! A rate that comes on top of a sum: `with 19 % VAT on top`, `plus 10 % tip`.

use agent_common::exact::Exact;

use crate::query::Surcharge;
use crate::reader::Reader;

const NAMES: &[&str] = &[
    "vat",
    "tax",
    "mwst",
    "ust",
    "mehrwertsteuer",
    "iva",
    "tva",
    "btw",
    "gst",
    "tip",
    "service",
    "surcharge",
    "trinkgeld",
];
const ADDED: &[&str] = &[
    "top",
    "plus",
    "added",
    "add",
    "incl",
    "including",
    "with",
    "inklusive",
    "inkl",
    "zzgl",
    "mit",
    "avec",
    "con",
    "gross",
    "brutto",
    "+",
];

/// Reads the rate and marks its words.
pub fn read(reader: &mut Reader<'_>) -> Option<Surcharge> {
    let at = (0..reader.pieces.len()).find(|at| {
        reader.piece(*at).is_some_and(|piece| piece.token.number().is_some())
            && !reader.is_used(*at)
            && (at + 1..at + 5).chain(at.saturating_sub(2)..*at).any(|at| reader.is(at, NAMES))
    })?;
    let percent = (at..at + 3).any(|at| {
        reader.is(at, &["%", "percent", "per", "pct", "prozent"])
            || reader.piece(at).is_some_and(|piece| piece.text.ends_with('%'))
    });
    let name_at = (at + 1..at + 5).chain(at.saturating_sub(2)..at).find(|at| reader.is(*at, NAMES))?;
    let span = at.saturating_sub(4)..(name_at.max(at) + 4).min(reader.pieces.len());
    let added = span.clone().filter(|at| reader.is(*at, ADDED)).collect::<Vec<_>>();
    if !percent || added.is_empty() {
        return None;
    }
    let rate = reader.piece(at)?.token.number()?;
    let name = reader.piece(name_at)?.text.clone();
    for place in added.into_iter().chain([at, name_at]) {
        reader.mark(place, place + 1);
    }
    let sign = (at + 1..at + 3).find(|at| reader.is(*at, &["%", "percent", "pct", "prozent"]));
    sign.into_iter().for_each(|place| reader.mark(place, place + 1));
    Some(Surcharge { rate, name })
}

/// A sum with the rate on top.
pub fn on_top(sum: Exact, surcharge: &Surcharge) -> Option<Exact> {
    let factor = surcharge.rate.over(Exact::whole(100))?.plus(Exact::whole(1))?;
    sum.times(factor)
}
