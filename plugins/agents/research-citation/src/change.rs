//! Values over time: which way they went and by which factor.

use crate::facts::{Figure, Kind, figures};
use agent_common::prose;

/// What a claim says of a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// It became more.
    Up,
    /// It became less.
    Down,
    /// It became so many times as much.
    Times(f64),
}

const UP: &[&str] = &[
    "rose",
    "rise",
    "risen",
    "grew",
    "grown",
    "increased",
    "increase",
    "climbed",
    "gained",
    "more",
    "higher",
    "stieg",
    "gestiegen",
    "augmenté",
    "aumentó",
    "aumento",
    "creció",
    "toegenomen",
    "up",
];
const DOWN: &[&str] = &[
    "fell",
    "fallen",
    "dropped",
    "declined",
    "decreased",
    "decrease",
    "shrank",
    "fewer",
    "less",
    "lower",
    "sank",
    "gesunken",
    "zurückgegangen",
    "baissé",
    "diminué",
    "disminuyó",
    "bajó",
    "gedaald",
    "down",
];
const TIMES: &[(&str, f64)] = &[
    ("doubled", 2.0),
    ("tripled", 3.0),
    ("trebled", 3.0),
    ("quadrupled", 4.0),
    ("halved", 0.5),
    ("verdoppelt", 2.0),
    ("verdreifacht", 3.0),
    ("halbiert", 0.5),
    ("doublé", 2.0),
    ("duplicó", 2.0),
];
/// How far a factor in words may be from the exact one.
const FACTOR_SLACK: f64 = 0.05;

/// What a claim says of a change; none where it names a size of it, or no change.
pub fn claimed(claim: &str) -> Option<Change> {
    let lower = claim.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if let Some((_, factor)) = TIMES.iter().find(|(word, _)| words.contains(word)) {
        return Some(Change::Times(*factor));
    }
    match (has(UP), has(DOWN)) {
        (true, false) => Some(Change::Up),
        (false, true) => Some(Change::Down),
        _ => None,
    }
}

/// Whether values by year in the sources bear a change out; none where they do not tell.
pub fn borne_out(claim: &str, sources: &[&str]) -> Option<bool> {
    let change = claimed(claim)?;
    let said = figures(claim);
    // A size of the change is for the comparison of figures.
    if said.iter().any(|one| !matches!(one.kind, Kind::Year)) {
        return None;
    }
    let years: Vec<f64> = said.iter().map(|one| one.value).collect();
    let mut points: Vec<(f64, Figure)> =
        sources.iter().flat_map(|text| prose::sentences(text).into_iter().flat_map(|s| of_sentence(s.text))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.dedup_by(|a, b| (a.0 - b.0).abs() < 0.5);
    let kinds = points.first().map(|(_, figure)| figure.kind.clone())?;
    if points.iter().any(|(_, figure)| figure.kind != kinds) {
        return None;
    }
    let at = |year: f64| points.iter().find(|(y, _)| (y - year).abs() < 0.5).map(|(_, figure)| figure.value);
    let (low, high) = match years.as_slice() {
        [] => (points.first()?.1.value, points.last()?.1.value),
        [one] => {
            let first = at(*one)?;
            let last = points.last().filter(|(year, _)| year > one)?;
            (first, last.1.value)
        }
        [a, b] => (at(a.min(*b))?, at(a.max(*b))?),
        _ => return None,
    };
    if points.len() < 2 || low <= 0.0 || (low - high).abs() < 1e-12 {
        return None;
    }
    Some(match change {
        Change::Up => high > low,
        Change::Down => high < low,
        Change::Times(factor) => (high / low / factor - 1.0).abs() <= FACTOR_SLACK,
    })
}

/// Years with the value that belongs to each: `2018 – 4.1 m`, `8,214 in 2010`, `in 1995 we counted 310`.
fn of_sentence(sentence: &str) -> Vec<(f64, Figure)> {
    let all = figures(sentence);
    let (years, values): (Vec<Figure>, Vec<Figure>) = all.into_iter().partition(|one| one.kind == Kind::Year);
    if years.is_empty() || years.len() != values.len() {
        return Vec::new();
    }
    let first = values.first().map(|one| one.kind.clone());
    if values.iter().any(|one| Some(&one.kind) != first.as_ref()) {
        return Vec::new();
    }
    years.into_iter().map(|year| year.value).zip(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_computed() {
        let cases = [
            (
                "sales tripled between 2018 and 2021",
                "Sales: 2018 – 4.1 m; 2019 – 6.0 m; 2020 – 9.9 m; 2021 – 12.3 m.",
                Some(true),
            ),
            (
                "La población disminuyó entre 2010 y 2020.",
                "La población pasó de 8.214 habitantes en 2010 a 9.037 en 2020.",
                Some(false),
            ),
            (
                "The number of pairs has fallen since 1995",
                "In 1995 we counted 310 breeding pairs, in 2020 only 190.",
                Some(true),
            ),
            (
                "It employed more people in 2022 than in 2020.",
                "In 2020 it employed 410 people.\nIn 2022 it employed 365 people.",
                Some(false),
            ),
            ("Sales doubled", "Sales rose by a tenth.", None),
            ("The lake is deep", "2010: 5. 2011: 6.", None),
        ];
        for (claim, source, expect) in cases {
            assert_eq!(borne_out(claim, &[source]), expect, "{claim}");
        }
    }
}
