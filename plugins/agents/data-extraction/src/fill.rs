//! Values for fields: by members and labels, by words in a sentence, by form.

use agent_common::columns::fold;
use agent_common::dates;
use serde_json::{Value, json};

use crate::between::BETWEEN;
use crate::labels;
use crate::place::{self, Place};
use crate::sort::Sort;
use crate::spots;
use crate::wanted::Wanted;

/// By what a value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// It is the only one of its form.
    Form,
    /// A word before it.
    Word,
    /// A label, a member or a column.
    Label,
}

/// A value, its raw text, and by what it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub value: Value,
    pub raw: String,
    pub evidence: Evidence,
}

/// The value of a raw text for a field.
pub fn convert(raw: &str, field: &Wanted) -> Option<Value> {
    let raw = raw.trim().trim_end_matches([';', ',']).trim();
    if raw.is_empty() || ["-", "–", "n/a", "null", "none"].contains(&fold(raw).as_str()) {
        return None;
    }
    let first = |sort: Sort| place::all(raw, sort).into_iter().next().map(|place| place.value);
    match field.sort {
        Sort::Day => Some(first(Sort::Day).unwrap_or_else(|| json!(bare(raw)))).filter(|_| {
            raw.chars().any(|c| c.is_ascii_digit())
                || dates::scan(raw, None).len() == 1
                || raw.split_whitespace().count() < 4
        }),
        Sort::Amount => agent_common::quantity::read(raw, None)
            .filter(|whole| !whole.in_words && !whole.percent)
            .and_then(|whole| place::number(&whole.exact))
            .or_else(|| place::money(raw).into_iter().next().map(|place| place.value))
            .or_else(|| first(Sort::Amount)),
        Sort::Count => {
            first(Sort::Count).filter(|_| raw.split_whitespace().count() <= 6).or_else(|| Some(json!(bare(raw))))
        }
        Sort::Percent => first(Sort::Percent)
            .or_else(|| {
                first(Sort::Amount).filter(|_| field.words.iter().any(|word| word == "percent" || word == "percentage"))
            })
            .or_else(|| raw.bytes().any(|byte| byte.is_ascii_digit()).then(|| json!(bare(raw)))),
        Sort::Email | Sort::Url | Sort::Time => first(field.sort).or_else(|| Some(json!(bare(raw)))),
        Sort::Phone | Sort::Iban => {
            first(field.sort).or_else(|| raw.bytes().any(|byte| byte.is_ascii_digit()).then(|| json!(bare(raw))))
        }
        Sort::Code => {
            // `276 098 106 234 557` is one number in groups.
            let grouped =
                raw.split_whitespace().all(|group| group.len() <= 6 && group.bytes().all(|b| b.is_ascii_digit()));
            let short = raw.split_whitespace().count() <= 3 || grouped;
            let coded = first(Sort::Code).filter(|_| !short);
            coded.or_else(|| short.then(|| json!(bare(raw).trim_start_matches('#'))))
        }
        _ => Some(json!(bare(raw))),
    }
}

/// Whether a value has the form of its field, or its field has none.
pub fn is_kind(value: &Value, field: &Wanted) -> bool {
    matches!(field.sort, Sort::Name | Sort::Text | Sort::Code) || is_own(value, field)
}

/// Whether a value that no sign ties to its name can be one: of the form of its field, or short.
pub fn suits(value: &Value, field: &Wanted) -> bool {
    match field.sort {
        Sort::Name | Sort::Text => value.as_str().is_some_and(|text| text.split_whitespace().count() <= 6),
        Sort::Url | Sort::Postcode | Sort::Hashtag | Sort::Mention => true,
        _ => is_own(value, field),
    }
}

fn bare(raw: &str) -> String {
    raw.trim().trim_matches(|c: char| "\"“”„*`".contains(c)).trim_end_matches(['.', ',', ';']).trim().to_owned()
}

/// The best of labelled values.
pub fn by_label(pairs: &[(String, String)], field: &Wanted) -> Option<Found> {
    let scored = pairs.iter().filter_map(|(label, raw)| {
        let fit = labels::fit(&field.words, &labels::words(label));
        let value = convert(raw, field)?;
        (fit > 1 || (fit == 1 && is_own(&value, field))).then_some((fit, value, raw))
    });
    let all: Vec<(u32, Value, &String)> = scored.collect();
    let best = all.iter().map(|(fit, ..)| *fit).max()?;
    let mut top = all.iter().filter(|(fit, ..)| *fit == best);
    let (_, value, raw) = top.next()?;
    // Two labels that say it in part: which is meant is not known.
    let other = top.any(|(_, other, _)| other != value);
    (best > 1 || !other).then(|| Found { value: value.clone(), raw: (*raw).clone(), evidence: Evidence::Label })
}

/// Whether a value has the form that its field wants.
fn is_own(value: &Value, field: &Wanted) -> bool {
    let text = value.as_str().unwrap_or_default();
    match field.sort {
        Sort::Day => text.len() == 10 && text.bytes().filter(|byte| *byte == b'-').count() == 2,
        Sort::Amount | Sort::Count | Sort::Percent => value.is_number(),
        Sort::Email => text.contains('@'),
        Sort::Time => text.contains(':'),
        Sort::Code | Sort::Phone | Sort::Iban => text.bytes().any(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// The value behind a word that says the field, in its sentence: `order number is BX 7781`, `CPF 123.456.789-09`.
pub fn by_word(text: &str, field: &Wanted) -> Option<Found> {
    let mut best: Option<(usize, usize, Found)> = None;
    for way in labels::ways(&field.words) {
        for (start, end) in labels::places(text, &way) {
            let rest = text.get(end..).unwrap_or_default();
            // The stop of `No.` ends no sentence.
            let short = end - start <= 3 || way.ends_with(" no") || way.ends_with(" nr");
            let rest = if short { rest.trim_start_matches(['.', ':', '#', ' ']) } else { rest };
            let stop = spots::sentence_stop(rest)
                .or_else(|| rest.find(".\n"))
                .or_else(|| rest.find("\n\n"))
                .unwrap_or(rest.len())
                .min(rest.len());
            let clause = rest.get(..stop + usize::from(stop < rest.len())).unwrap_or(rest);
            let Some((place, gap)) = behind(clause, field) else { continue };
            let raw = clause.get(place.start..place.end).unwrap_or_default().to_owned();
            let found = Found { value: place.value, raw, evidence: Evidence::Word };
            let rank = (way.len(), usize::MAX - gap);
            if best.as_ref().is_none_or(|(len, near, _)| (*len, *near) < rank) {
                best = Some((rank.0, rank.1, found));
            }
        }
    }
    best.map(|(.., found)| found)
}

/// The first value of the field's kind in a clause behind its name, and how far behind it stands.
fn behind(clause: &str, field: &Wanted) -> Option<(Place, usize)> {
    let places = match field.sort {
        Sort::Amount => {
            let money = place::money(clause);
            if money.is_empty() { place::all(clause, Sort::Amount) } else { money }
        }
        Sort::Name | Sort::Text => named(clause),
        sort => place::all(clause, sort),
    };
    let mut joined = places;
    if field.sort == Sort::Code {
        joined = joined.into_iter().map(|place| with_letters(clause, place)).collect();
    }
    joined.into_iter().find_map(|place| {
        let gap = clause.get(..place.start)?;
        let words: Vec<String> = fold(gap)
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let fine = words.len() <= 5 && words.iter().all(|word| BETWEEN.contains(&word.as_str()));
        let loose =
            matches!(field.sort, Sort::Amount | Sort::Day | Sort::Email | Sort::Phone | Sort::Iban | Sort::Time)
                && words.len() <= 6
                && !gap.contains([';', '\n']);
        let strict = matches!(field.sort, Sort::Name | Sort::Text) && words.len() > 2;
        ((fine || loose) && !strict).then_some((place, gap.len() + if fine { 0 } else { 1_000 }))
    })
}

/// `BX 7781`: capital letters before digits belong to a code.
fn with_letters(text: &str, place: Place) -> Place {
    let before = text.get(..place.start).unwrap_or_default();
    let trimmed = before.trim_end_matches(' ');
    let word = trimmed.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let letters = (1..=4).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_uppercase())
        && before.len() - trimmed.len() == 1;
    let own = text.get(place.start..place.end).unwrap_or_default();
    if letters
        && own.bytes().all(|byte| byte.is_ascii_digit())
        && !["NO", "NR", "ID", "IS", "CPF", "VAT", "REF", "EUR", "USD", "GBP"].contains(&word)
    {
        let start = trimmed.len() - word.len();
        return Place { value: json!(text.get(start..place.end).unwrap_or_default()), start, end: place.end };
    }
    place
}

/// Runs of capitalised words.
fn named(clause: &str) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let words = place::words(clause);
    let big = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    let small = ["of", "the", "and", "&", "de", "da", "do", "der", "van", "von", "di", "la", "le", "du"];
    for (at, (start, word)) in words.iter().enumerate() {
        let gap = run.is_none_or(|(_, end)| {
            clause.get(end..*start).is_some_and(|gap| gap.chars().all(|c| c == ' ' || c == '.'))
        });
        let joins = run.is_some() && small.contains(word) && words.get(at + 1).is_some_and(|(_, next)| big(next));
        if (big(word) || joins) && gap {
            run = Some((run.map_or(*start, |(from, _)| from), start + word.len()));
        } else {
            if let Some((from, to)) = run.take() {
                found.push(Place { value: json!(clause.get(from..to).unwrap_or_default()), start: from, end: to });
            }
            if big(word) {
                run = Some((*start, start + word.len()));
            }
        }
    }
    if let Some((from, to)) = run {
        found.push(Place { value: json!(clause.get(from..to).unwrap_or_default()), start: from, end: to });
    }
    found
}

/// All values of a form that tells what they are; the only ones for others.
pub fn by_form(text: &str, field: &Wanted, alone: bool) -> Option<Found> {
    let certain =
        matches!(field.sort, Sort::Email | Sort::Phone | Sort::Iban | Sort::Url | Sort::Hashtag | Sort::Mention);
    let places = match field.sort {
        Sort::Amount => place::money(text),
        Sort::Day | Sort::Percent | Sort::Time => place::all(text, field.sort),
        _ if certain => place::all(text, field.sort),
        _ => return None,
    };
    let mut different: Vec<&Place> = Vec::new();
    for place in &places {
        if !different.iter().any(|own| own.value == place.value) {
            different.push(place);
        }
    }
    let raw = |place: &Place| text.get(place.start..place.end).unwrap_or_default().to_owned();
    if field.many || matches!(field.sort, Sort::Hashtag | Sort::Mention) {
        let own: Vec<Value> = different.iter().map(|place| place.value.clone()).collect();
        let plain = field.words.len() < 3 && (certain || field.words.len() == 1);
        return (!own.is_empty() && plain).then(|| Found {
            value: json!(own),
            raw: different.first().map(|place| raw(place)).unwrap_or_default(),
            evidence: Evidence::Form,
        });
    }
    match different.as_slice() {
        [one] if certain || alone => Some(Found { value: one.value.clone(), raw: raw(one), evidence: Evidence::Form }),
        _ => None,
    }
}

/// Whether a text has nothing that a field of this kind could be.
pub fn has_none(text: &str, field: &Wanted) -> bool {
    // A fax number is always called one.
    if field.words.iter().any(|word| word == "fax") {
        return !fold(text).contains("fax");
    }
    match field.sort {
        Sort::Amount | Sort::Count => place::all(text, Sort::Amount).is_empty(),
        Sort::Name | Sort::Text | Sort::Code | Sort::Postcode => false,
        sort => place::all(text, sort).is_empty(),
    }
}
