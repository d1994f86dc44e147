//! Series out of sentences: `in May we sold 120, in June 135`, `210 in 2018, a year later 228, then 240`.

use crate::labelled_values::{Series, Source};
use crate::{dates, number_words, quantity, sentences};

/// Fewest values of a series in sentences.
const FEWEST: usize = 3;

/// A label or a value in a sentence, in order.
#[derive(Debug, Clone, PartialEq)]
enum Mark {
    Label(String),
    Year(i32),
    Ordinal(u32, Option<String>),
    Value(f64),
}

/// The series that the sentences of a text tell; those that ask are left out.
pub(crate) fn read(text: &str) -> Option<Series> {
    let told: Vec<&str> =
        sentences::split(text).iter().map(|one| one.text).filter(|one| !one.trim_end().ends_with('?')).collect();
    let marks: Vec<Mark> = told.iter().flat_map(|sentence| marks(sentence)).collect();
    alternating(&marks).or_else(|| years(&marks)).or_else(|| ordinals(&marks))
}

/// A label for each value, always before it or always behind it.
fn alternating(marks: &[Mark]) -> Option<Series> {
    let mut labels = Vec::new();
    let mut values = Vec::new();
    let mut last = None;
    for mark in marks {
        match mark {
            Mark::Label(label) => {
                if last == Some('l') {
                    return None;
                }
                labels.push(label.clone());
                last = Some('l');
            }
            Mark::Year(year) => {
                if last == Some('l') {
                    return None;
                }
                labels.push(year.to_string());
                last = Some('l');
            }
            Mark::Value(value) => {
                if last == Some('v') {
                    return None;
                }
                values.push(*value);
                last = Some('v');
            }
            Mark::Ordinal(..) => return None,
        }
    }
    (values.len() >= FEWEST && labels.len() == values.len()).then(|| Series::of(Source::Prose, labels, values))
}

/// Values between a first and a last year, as many as there are years.
fn years(marks: &[Mark]) -> Option<Series> {
    let years: Vec<i32> =
        marks.iter().filter_map(|m| if let Mark::Year(year) = m { Some(*year) } else { None }).collect();
    let values: Vec<f64> = marks.iter().filter_map(|m| if let Mark::Value(v) = m { Some(*v) } else { None }).collect();
    let (first, last) = (*years.first()?, *years.last()?);
    let ends = matches!(marks, [Mark::Year(_), .., Mark::Year(_), Mark::Value(_)])
        || matches!(marks, [Mark::Value(_), Mark::Year(_), .., Mark::Value(_), Mark::Year(_)]);
    let fits = years.len() == 2 && usize::try_from(last - first + 1).ok()? == values.len();
    let plain = marks.iter().all(|mark| matches!(mark, Mark::Year(_) | Mark::Value(_)));
    (ends && fits && plain && values.len() >= FEWEST)
        .then(|| Series::of(Source::Prose, (first..=last).map(|year| year.to_string()).collect(), values))
}

/// `forty in the first week, forty-four in the second`.
fn ordinals(marks: &[Mark]) -> Option<Series> {
    let mut values = Vec::new();
    let mut unit = None;
    let mut seen = 0;
    let mut last = None;
    for mark in marks {
        match mark {
            Mark::Value(value) => {
                if last == Some('v') {
                    return None;
                }
                values.push(*value);
                last = Some('v');
            }
            Mark::Ordinal(n, name) => {
                seen += 1;
                if *n != seen || last == Some('o') {
                    return None;
                }
                unit = unit.or_else(|| name.clone());
                last = Some('o');
            }
            Mark::Label(_) | Mark::Year(_) => return None,
        }
    }
    let unit = unit?;
    let labels = (1..=values.len()).map(|n| format!("{unit} {n}")).collect();
    (values.len() >= FEWEST && seen as usize == values.len()).then(|| Series::of(Source::Prose, labels, values))
}

const UNITS: [&str; 8] = ["week", "day", "month", "year", "quarter", "hour", "season", "round"];

fn marks(sentence: &str) -> Vec<Mark> {
    let amounts = quantity::scan(sentence);
    let words = words(sentence);
    let mut found: Vec<(usize, Mark)> = Vec::new();
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match label(sentence, &words, at) {
            Some((mark, count)) => {
                let start = words.get(at).map_or(0, |word| word.0);
                let end = words.get(at + count - 1).map_or(start, |word| word.0 + word.1.len());
                taken.push((start, end));
                found.push((start, mark));
                at += count;
            }
            None => at += 1,
        }
    }
    for amount in amounts {
        let inside = taken.iter().any(|(start, end)| amount.start < *end && amount.end > *start);
        if !inside && !amount.ordinal {
            found.push((amount.start, Mark::Value(amount.value)));
        }
    }
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, mark)| mark).collect()
}

fn words(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut found = Vec::new();
    for part in text.split(|c: char| c.is_whitespace()) {
        let bare = part.trim_matches(|c: char| !c.is_alphanumeric());
        if !bare.is_empty() {
            found.push((at + part.find(bare).unwrap_or(0), bare));
        }
        at += part.len() + text.get(at + part.len()..).and_then(|r| r.chars().next()).map_or(0, char::len_utf8);
    }
    found
}

/// The label that begins with a word, and how many words it takes.
fn label(text: &str, words: &[(usize, &str)], at: usize) -> Option<(Mark, usize)> {
    let word = |at: usize| words.get(at).map_or("", |word| word.1);
    let lower = word(at).to_lowercase();
    let number = |at: usize| word(at).parse::<u32>().ok();
    let year =
        |at: usize| word(at).parse::<i32>().ok().filter(|year| word(at).len() == 4 && (1950..=2060).contains(year));
    let day = |at: usize| {
        let digits = word(at).trim_end_matches(char::is_alphabetic);
        digits.parse::<u32>().ok().filter(|day| (1..=31).contains(day) && word(at).len() <= 4)
    };
    let is_month = |at: usize| {
        let name = word(at);
        name.len() > 2
            && dates::month(name).is_some()
            && (name != "may" && name != "mar" && name != "set" && name != "out")
    };
    let span = |count: usize| {
        let start = words.get(at).map_or(0, |word| word.0);
        let end = words.get(at + count - 1).map_or(start, |word| word.0 + word.1.len());
        Mark::Label(text.get(start..end).unwrap_or_default().to_owned())
    };
    if day(at).is_some() && is_month(at + 1) {
        return Some((span(if year(at + 2).is_some() { 3 } else { 2 }), if year(at + 2).is_some() { 3 } else { 2 }));
    }
    if is_month(at) {
        let count = if year(at + 1).is_some() { 2 } else { 1 };
        return Some((span(count), count));
    }
    let quarter = lower.len() == 2 && lower.starts_with('q') && lower.ends_with(['1', '2', '3', '4']);
    if quarter {
        let count = if year(at + 1).is_some() { 2 } else { 1 };
        return Some((span(count), count));
    }
    if dates::weekday(word(at)).is_some() && lower.len() > 2 && word(at).starts_with(char::is_uppercase) {
        return Some((span(1), 1));
    }
    if UNITS.contains(&lower.as_str()) && (number(at + 1).is_some() || number_words::cardinal(word(at + 1)).is_some()) {
        let n = number(at + 1).or_else(|| number_words::cardinal(word(at + 1)))?;
        return Some((Mark::Label(format!("{lower} {n}")), 2));
    }
    if lower.contains(':') && lower.split(':').all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit())) {
        return Some((span(1), 1));
    }
    if let Some(year) = year(at) {
        let before = at.checked_sub(1).map(|at| word(at).to_lowercase()).unwrap_or_default();
        let keys = ["in", "since", "of", "by", "for", "year", "during", "until", "from", "end", "im", "en", "jahr"];
        return keys.contains(&before.as_str()).then_some((Mark::Year(year), 1));
    }
    // `in the first week, forty-four in the second`
    let ordinal = number_words::ordinal(word(at))?;
    let next = word(at + 1).to_lowercase();
    let unit = UNITS.contains(&next.as_str()).then_some(next);
    let before = at.checked_sub(1).map(|at| word(at).to_lowercase()).unwrap_or_default();
    (unit.is_some() || before == "the").then(|| {
        let count = if unit.is_some() { 2 } else { 1 };
        (Mark::Ordinal(ordinal, unit), count)
    })
}
