//! Figures of a sentence: years, dates, shares, money, measures and counts, brought to one unit each.

use agent_common::{dates, quantity};

/// What a figure measures.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A year of the calendar.
    Year,
    /// A day of the calendar.
    Day,
    /// A share of a hundred.
    Percent,
    /// Money of a currency.
    Money(String),
    /// A measure, in the base unit that is named.
    Measure(&'static str),
    /// Things that are counted.
    Count,
}

/// How exact a figure wants to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Just this.
    Exact,
    /// `about`.
    About,
    /// `more than`, `at least`.
    AtLeast,
    /// `less than`, `at most`.
    AtMost,
}

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it measures.
    pub kind: Kind,
    /// Its value in the base unit.
    pub value: f64,
    /// As written.
    pub text: String,
    /// How exact.
    pub bound: Bound,
    /// The word behind it, in small letters.
    pub noun: String,
    /// Place of its first byte.
    pub start: usize,
}

const UNITS: &[(&[&str], &str, f64)] = &[
    (&["mm", "millimetre", "millimetres", "millimeter", "millimeters"], "m", 0.001),
    (&["cm", "centimetre", "centimetres", "centimeter", "centimeters"], "m", 0.01),
    (&["m", "metre", "metres", "meter", "meters", "mètres", "metros", "metern"], "m", 1.0),
    (
        &["km", "kilometre", "kilometres", "kilometer", "kilometers", "kilomètres", "kilómetros", "kilometern"],
        "m",
        1000.0,
    ),
    (&["mile", "miles"], "m", 1609.344),
    (&["mg"], "g", 0.001),
    (&["g", "gram", "grams", "gramme", "grammes", "gramm"], "g", 1.0),
    (&["kg", "kilo", "kilos", "kilogram", "kilograms", "kilogramm"], "g", 1000.0),
    (&["t", "tonne", "tonnes", "tons", "tonnen"], "g", 1e6),
    (&["ms", "millisecond", "milliseconds"], "s", 0.001),
    (&["s", "sec", "second", "seconds", "sekunden", "secondes"], "s", 1.0),
    (&["min", "mins", "minute", "minutes", "minuten"], "s", 60.0),
    (&["h", "hour", "hours", "hrs", "stunden", "stunde", "heures"], "s", 3600.0),
    (&["day", "days", "tage", "tagen", "jours"], "s", 86400.0),
    (&["week", "weeks", "wochen"], "s", 604_800.0),
    (&["month", "months", "monate", "monaten", "mois", "meses"], "month", 1.0),
    (&["year", "years", "jahre", "jahren", "ans", "años", "jaar"], "month", 12.0),
    (&["ml"], "l", 0.001),
    (&["l", "litre", "litres", "liter", "liters"], "l", 1.0),
    (&["kw"], "w", 1000.0),
    (&["mw", "megawatt", "megawatts"], "w", 1e6),
    (&["gw", "gigawatts"], "w", 1e9),
    (&["hz"], "hz", 1.0),
    (&["khz"], "hz", 1000.0),
    (&["mhz"], "hz", 1e6),
    (&["ghz"], "hz", 1e9),
    (&["inch", "inches"], "in", 1.0),
    (&["°c", "degrees", "grad"], "°", 1.0),
    (&["hectares", "hectare", "ha"], "ha", 1.0),
];
const CURRENCIES: &[(&[&str], &str)] = &[
    (&["euro", "euros", "eur", "€"], "EUR"),
    (&["dollar", "dollars", "usd", "$"], "USD"),
    (&["pound", "pounds", "gbp", "£"], "GBP"),
];
const SHARES: &[(&str, f64)] = &[
    ("two thirds", 200.0 / 3.0),
    ("two-thirds", 200.0 / 3.0),
    ("a third", 100.0 / 3.0),
    ("one third", 100.0 / 3.0),
    ("one-third", 100.0 / 3.0),
    ("three quarters", 75.0),
    ("three-quarters", 75.0),
    ("a quarter", 25.0),
    ("one quarter", 25.0),
    ("a fifth", 20.0),
    ("one fifth", 20.0),
    ("zwei drittel", 200.0 / 3.0),
    ("ein drittel", 100.0 / 3.0),
    ("ein viertel", 25.0),
    ("drei viertel", 75.0),
    ("die hälfte", 50.0),
    ("half of", 50.0),
    ("half the", 50.0),
    ("one half", 50.0),
    ("la moitié", 50.0),
    ("la mitad", 50.0),
    ("un tercio", 100.0 / 3.0),
    ("un tiers", 100.0 / 3.0),
    ("deux tiers", 200.0 / 3.0),
    ("dos tercios", 200.0 / 3.0),
    ("un quart", 25.0),
    ("de helft", 50.0),
];
/// How far a share in words may be from the exact one.
const SHARE_SLACK: f64 = 0.5;

/// The figures of a text in order.
pub fn figures(text: &str) -> Vec<Figure> {
    let lower = text.to_lowercase();
    let mut found: Vec<Figure> = Vec::new();
    let days = dates::scan(text, None);
    for day in &days {
        let part = text.get(day.start..day.end).unwrap_or_default();
        #[allow(clippy::cast_precision_loss, reason = "days of the calendar are small")]
        found.push(Figure {
            kind: Kind::Day,
            value: day.date.days() as f64,
            text: part.to_owned(),
            bound: Bound::Exact,
            noun: String::new(),
            start: day.start,
        });
    }
    for (words, value) in SHARES {
        for (at, _) in lower.match_indices(words) {
            let free = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let whole = free(lower.get(..at).and_then(|t| t.chars().next_back()))
                && free(lower.get(at + words.len()..).and_then(|t| t.chars().next()));
            if whole && lower.len() == text.len() {
                found.push(Figure {
                    kind: Kind::Percent,
                    value: *value,
                    text: (*words).to_owned(),
                    bound: Bound::Exact,
                    noun: String::new(),
                    start: at,
                });
            }
        }
    }
    for quantity in quantity::scan(text) {
        let inside = days.iter().any(|day| (day.start..day.end).contains(&quantity.start))
            || found.iter().any(|one| {
                one.kind == Kind::Percent && (one.start..one.start + one.text.len()).contains(&quantity.start)
            });
        let one = quantity.in_words && (quantity.value - 1.0).abs() < 1e-9;
        if !inside && !quantity.ordinal && !one {
            found.extend(figure(text, &quantity));
        }
    }
    found.extend(ratios(text, &found));
    found.sort_by_key(|one| one.start);
    found
}

fn figure(text: &str, quantity: &quantity::Quantity) -> Option<Figure> {
    let written = text.get(quantity.start..quantity.end)?.trim().to_owned();
    let rest = text.get(quantity.end..).unwrap_or_default();
    // `p. 12`, `[1]`, `model A4` are no figures of a claim.
    let before = text.get(..quantity.start).unwrap_or_default();
    let page = ["p. ", "pp. ", "p.", "ch. ", "no. ", "vol. ", "§ ", "["]
        .iter()
        .any(|mark| before.to_lowercase().ends_with(mark));
    let joined = before.ends_with(char::is_alphabetic)
        || (before.ends_with('-') && before.trim_end_matches('-').ends_with(char::is_alphabetic));
    if page || joined {
        return None;
    }
    let noun =
        rest.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default().to_lowercase();
    let unit = quantity.unit.as_deref().map(str::to_lowercase).unwrap_or_default();
    let measured =
        |name: &str| UNITS.iter().find(|(names, ..)| names.contains(&name)).map(|(_, base, factor)| (*base, *factor));
    let near = rest.starts_with([' ', '-', '\u{a0}'])
        && rest.trim_start_matches([' ', '-', '\u{a0}']).to_lowercase().starts_with(&noun);
    let (kind, value) = if quantity.percent {
        (Kind::Percent, quantity.value)
    } else if let Some(currency) = &quantity.currency {
        (Kind::Money(currency.clone()), quantity.value)
    } else if let Some((base, factor)) = measured(&unit).or_else(|| measured(&noun).filter(|_| near)) {
        (Kind::Measure(base), quantity.value * factor)
    } else if let Some((_, code)) = CURRENCIES.iter().find(|(names, _)| near && names.contains(&noun.as_str())) {
        (Kind::Money((*code).to_owned()), quantity.value)
    } else if !quantity.in_words
        && written.len() == 4
        && written.bytes().all(|b| b.is_ascii_digit())
        && (1400.0..2101.0).contains(&quantity.value)
    {
        (Kind::Year, quantity.value)
    } else {
        (Kind::Count, quantity.value)
    };
    Some(Figure { kind, value, text: written, bound: bound(before), noun, start: quantity.start })
}

fn bound(before: &str) -> Bound {
    let lower = before.to_lowercase();
    let tail: Vec<&str> = lower.split_whitespace().rev().take(3).collect();
    let last = |words: &[&str]| tail.first().is_some_and(|word| words.contains(word));
    let pair = |first: &str, second: &str| tail.first() == Some(&second) && tail.get(1) == Some(&first);
    if last(&[
        "about",
        "around",
        "roughly",
        "approximately",
        "some",
        "nearly",
        "almost",
        "circa",
        "ca.",
        "c.",
        "rund",
        "etwa",
        "environ",
        "unos",
        "cerca",
        "ongeveer",
        "~",
    ]) {
        Bound::About
    } else if pair("more", "than")
        || pair("at", "least")
        || last(&["over", "above", "exceeding", "über", "mindestens"])
        || pair("mehr", "als")
    {
        Bound::AtLeast
    } else if pair("less", "than")
        || pair("fewer", "than")
        || pair("at", "most")
        || pair("up", "to")
        || last(&["under", "below", "unter", "höchstens"])
    {
        Bound::AtMost
    } else {
        Bound::Exact
    }
}

/// The figures that a claim says; the two of a ratio are one.
pub fn said(claim: &str) -> Vec<Figure> {
    let all = figures(claim);
    let ratios: Vec<(usize, usize)> =
        all.iter().filter(|one| one.kind == Kind::Percent).map(|one| (one.start, one.start + one.text.len())).collect();
    let inside =
        |one: &Figure| one.kind == Kind::Count && ratios.iter().any(|(from, to)| (*from..*to).contains(&one.start));
    all.into_iter().filter(|one| !inside(one)).collect()
}

/// `97 of the 118`, `3 in 10`, `one out of five` as shares.
fn ratios(text: &str, figures: &[Figure]) -> Vec<Figure> {
    let counts: Vec<&Figure> = figures.iter().filter(|one| one.kind == Kind::Count).collect();
    let mut found = Vec::new();
    for pair in counts.windows(2) {
        let [part, whole] = pair else { continue };
        let between = text.get(part.start + part.text.len()..whole.start).unwrap_or_default().trim().to_lowercase();
        let joins =
            ["in", "of", "out of", "of the", "of its", "of our", "von", "von den", "sur", "de", "de los", "out of the"]
                .contains(&between.as_str());
        // `Of the 118 guests, 97 …`
        let lead = text.get(..part.start).unwrap_or_default().trim_end().to_lowercase();
        let turned = ["of the", "of", "von den", "von", "de los", "sur les", "out of"]
            .iter()
            .any(|word| lead == *word || lead.ends_with(&format!(" {word}")));
        if turned
            && between.contains(',')
            && between.len() < 30
            && !between.contains('.')
            && whole.value <= part.value
            && part.value > 0.0
        {
            found.push(Figure {
                kind: Kind::Percent,
                value: whole.value / part.value * 100.0,
                text: format!("{} of {}", whole.text, part.text),
                bound: Bound::Exact,
                noun: String::new(),
                start: part.start,
            });
        }
        if joins && whole.value > 0.0 && part.value <= whole.value {
            found.push(Figure {
                kind: Kind::Percent,
                value: part.value / whole.value * 100.0,
                text: text.get(part.start..whole.start + whole.text.len()).unwrap_or_default().to_owned(),
                bound: Bound::Exact,
                noun: String::new(),
                start: part.start,
            });
        }
    }
    found
}

impl Figure {
    /// Whether both measure the same.
    pub fn comparable(&self, other: &Self) -> bool {
        self.kind == other.kind
            || matches!((&self.kind, &other.kind), (Kind::Year, Kind::Count) | (Kind::Count, Kind::Year))
    }

    /// Whether a source's figure bears this one out.
    pub fn borne_out(&self, found: &Self) -> bool {
        if !self.comparable(found) {
            return false;
        }
        if self.kind == Kind::Percent && (self.value.fract() != 0.0 || found.value.fract() != 0.0) {
            let words =
                self.text.chars().all(|c| !c.is_ascii_digit()) || found.text.chars().all(|c| !c.is_ascii_digit());
            if (self.value - found.value).abs() <= if words { SHARE_SLACK } else { 0.05 } {
                return true;
            }
        }
        let size = self.value.abs().max(1e-9);
        let near = |share: f64| (self.value - found.value).abs() <= size * share;
        let loose = self.bound == Bound::About || found.bound == Bound::About;
        match self.bound {
            Bound::AtLeast if found.bound != Bound::AtMost => found.value >= self.value - size * 1e-6,
            Bound::AtMost if found.bound != Bound::AtLeast => found.value <= self.value + size * 1e-6,
            _ => near(if loose && self.kind != Kind::Year { 0.03 } else { 1e-6 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_one_kind_are_held_against_each_other() {
        // Claim, source, whether the first figure of the claim is borne out by any of the source.
        let cases = [
            ("1.2 million visitors", "1,200,000 visitors", true),
            ("mesure 8,4 km", "Long de 8,4 kilomètres", true),
            ("Zwei Drittel nutzen", "66,7 Prozent nutzen", true),
            ("64 % answered", "64 per cent", true),
            ("3 in 10 homes", "thirty per cent of homes", true),
            ("about 500 people", "508 people", true),
            ("more than 50 firms", "58 firms", true),
            ("240 patients", "204 patients", false),
            ("in 1887", "in 1878", false),
            ("3 hours", "180 minutes", true),
            ("95 % effective", "59 % effective", false),
            ("fourteen species", "14 species", true),
            ("£420", "420 pounds", true),
        ];
        for (claim, source, expect) in cases {
            let (said, found) = (said(claim), figures(source));
            let first = said.first().unwrap_or_else(|| panic!("no figure in {claim}"));
            assert_eq!(found.iter().any(|one| first.borne_out(one)), expect, "{claim} | {source}: {said:?} {found:?}");
        }
    }
}
