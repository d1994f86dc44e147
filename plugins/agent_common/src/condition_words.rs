//! Conditions in words: `amount is between 3 and 7`, `end must not be before start`.

use serde_json::{Value, json};

use crate::command::Slots;
use crate::condition::{Comparison, Condition, Scalar};
use crate::expression::{self, Expression};
use crate::lexer::{Kind, Token};
use crate::slots::{self, Common};
use crate::table_slots::{TableSlots, glue};
use crate::{cells, columns, dates};

/// What comes between a column and a comparison.
pub(crate) const COPULAS: &str = "must always be|must be|should be|shall be|has to be|have to be|needs to be|need to be|may only \
    be|can only be|must only be|should always be|must|should|may be|can be|is always|is|are|was|were";
/// The same with a negation.
pub(crate) const NEGATIONS: &str = "must not be|should not be|may not be|can not be|cannot be|can't be|must never be|should never \
    be|mustn't be|shouldn't be|is not|isn't|are not|aren't|was not|does not|doesn't|must not|should not";

/// The comparisons in words.
const PHRASES: [(Comparison, &str); 10] = [
    (Comparison::Equal, "=|= =|equals|equal to|equal"),
    (Comparison::NotEqual, "! =|< >|≠|different from"),
    (
        Comparison::Less,
        "<|less than|below|under|smaller than|lower than|fewer than|before|earlier than|younger than|cheaper than",
    ),
    (
        Comparison::AtMost,
        "< =|≤|at most|no more than|up to|on or before|no later than|a maximum of|less than or equal to",
    ),
    (
        Comparison::Greater,
        ">|more than|greater than|above|over|higher than|larger than|bigger than|older than|after|later than|exceeds",
    ),
    (
        Comparison::AtLeast,
        "> =|≥|at least|no less than|on or after|no earlier than|since|a minimum of|greater than or equal to",
    ),
    (Comparison::OneOf, "one of|in|either|any of"),
    (Comparison::Contains, "contains|contain|containing|includes"),
    (Comparison::StartsWith, "starts with|start with|begins with"),
    (Comparison::EndsWith, "ends with|end with"),
];

/// Comparisons that need no value, or zero.
const STATES: [(Comparison, bool, &str); 5] = [
    (Comparison::Empty, false, "empty|blank|missing"),
    (Comparison::NotEmpty, false, "filled|filled in|present"),
    (Comparison::Greater, true, "positive"),
    (Comparison::Less, true, "negative"),
    (Comparison::Equal, true, "zero"),
];

/// Comparisons that need nothing before them.
const HAVE: [(Comparison, bool, &str); 2] = [
    (Comparison::Empty, false, "has no value|have no value"),
    (Comparison::NotEmpty, false, "has a value|have a value"),
];

impl TableSlots<'_> {
    /// Reads up to `most` conditions, joined by `and`; each shorter list as well.
    pub(crate) fn conditions(&self, tokens: &[Token], most: usize) -> Vec<(usize, Value)> {
        let mut found: Vec<(usize, Vec<Condition>)> =
            self.condition(tokens).into_iter().map(|(length, one)| (length, vec![one])).collect();
        let mut at = 0;
        while let Some((length, list)) = found.get(at).cloned() {
            at += 1;
            let glue = glue(tokens.get(length..).unwrap_or_default());
            if glue == 0 || list.len() >= most || found.len() > 30 {
                continue;
            }
            for (more, next) in self.condition(tokens.get(length + glue..).unwrap_or_default()) {
                found.push((length + glue + more, list.iter().cloned().chain([next]).collect()));
            }
        }
        found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        found.into_iter().map(|(length, list)| (length, json!(list))).collect()
    }

    /// Reads one condition.
    fn condition(&self, tokens: &[Token]) -> Vec<(usize, Condition)> {
        let mut found = Vec::new();
        for (length, column) in self.key(tokens).into_iter().chain(self.read("formula", tokens)) {
            let column = column.as_str().unwrap_or_default().to_owned();
            let rest = tokens.get(length..).unwrap_or_default();
            let none = [(0, false)];
            let copulas = [(COPULAS, false), (NEGATIONS, true)]
                .map(|(all, not)| lengths(all, rest).map(move |length| (length, not)));
            for (skip, negative) in copulas.into_iter().flatten().chain(none) {
                let after = rest.get(skip..).unwrap_or_default();
                let not = usize::from(skip > 0 && phrase("not", after).is_some());
                let after = after.get(not..).unwrap_or_default();
                let negative = negative != (not > 0);
                for (more, condition) in self.compared(&column, after, skip > 0) {
                    let is = if negative { condition.is.negated() } else { Some(condition.is) };
                    found.extend(is.map(|is| (length + skip + not + more, Condition { is, ..condition })));
                }
            }
        }
        found
    }

    /// Reads a comparison and its values.
    fn compared(&self, column: &str, tokens: &[Token], copula: bool) -> Vec<(usize, Condition)> {
        let plain = |is| Condition { column: column.to_owned(), is, value: None, values: None, other: None };
        let mut found = Vec::new();
        let states = STATES.into_iter().filter(|_| copula).chain(HAVE);
        for (is, zero, words) in states {
            for length in lengths(words, tokens) {
                found.push((length, Condition { value: zero.then_some(Scalar::Number(0.0)), ..plain(is) }));
            }
        }
        let ranges = "between|within|from|in the range|in the range of|in the range from";
        let starts = lengths(ranges, tokens).chain(copula.then_some(0));
        for start in starts {
            for (length, bounds) in self.range(tokens.get(start..).unwrap_or_default(), start > 0) {
                found.push((start + length, Condition { values: Some(bounds), ..plain(Comparison::Between) }));
            }
        }
        for start in lengths("outside|outside of|not between", tokens) {
            for (length, bounds) in self.range(tokens.get(start..).unwrap_or_default(), true) {
                found.push((start + length, Condition { values: Some(bounds), ..plain(Comparison::NotBetween) }));
            }
        }
        for period in lengths("in|during", tokens) {
            for (length, value) in periods(tokens.get(period..).unwrap_or_default(), column) {
                let read = serde_json::from_value::<Vec<Condition>>(value).ok();
                found.extend(read.into_iter().flatten().map(|one| (period + length, one)));
            }
        }
        let same = copula.then_some((0, Comparison::Equal));
        let phrases = PHRASES.iter().flat_map(|(is, all)| lengths(all, tokens).map(move |length| (length, *is)));
        for (start, is) in phrases.chain(same) {
            let rest = tokens.get(start..).unwrap_or_default();
            for (length, value) in self.right(column, is, rest) {
                found.push((start + length, Condition { is: value.is, column: column.to_owned(), ..value }));
            }
        }
        found
    }

    /// Reads what a comparison compares with.
    fn right(&self, column: &str, is: Comparison, tokens: &[Token]) -> Vec<(usize, Condition)> {
        let plain = Condition { column: String::new(), is, value: None, values: None, other: None };
        let several = matches!(is, Comparison::OneOf);
        let mut found = Vec::new();
        if several || matches!(is, Comparison::Equal) {
            for (length, values) in self.list(tokens, &self.cells(column), several) {
                let values: Vec<Scalar> = values.into_iter().map(Scalar::Text).collect();
                found.push((length, Condition { is: Comparison::OneOf, values: Some(values), ..plain.clone() }));
            }
        }
        if several {
            return found;
        }
        for (length, value) in self.value(tokens, &self.cells(column)) {
            found.push((length, Condition { value: Some(value), ..plain.clone() }));
        }
        let other = Expression::read(tokens, &self.names()).into_iter().filter(|(_, one)| !one.columns().is_empty());
        for (length, other) in other {
            // A value that is also the name of a column could be meant as either.
            let text = tokens.get(..length).unwrap_or_default().iter().map(|token| token.lower.as_str());
            let text: Vec<&str> = text.collect();
            let cell = self.cells(column).iter().any(|cell| cell.eq_ignore_ascii_case(&text.join(" ")));
            if cell {
                found.retain(|(n, _)| *n != length);
            } else {
                found.push((length, Condition { other: Some(other.text()), ..plain.clone() }));
            }
        }
        found
    }

    /// Reads a number, a date, a time, a quoted text or the text of an existing cell.
    fn value(&self, tokens: &[Token], cells: &[&str]) -> Vec<(usize, Scalar)> {
        let mut found: Vec<(usize, Scalar)> = Vec::new();
        let Some(first) = tokens.first() else { return found };
        if first.kind == Kind::Quoted {
            return vec![(1, Scalar::Text(first.text.clone()))];
        }
        let mut spoken = String::new();
        for (at, token) in tokens.iter().take(12).enumerate() {
            spoken.push_str(&columns::fold(&token.text));
            let bare = |cell: &str| columns::fold(cell).split_whitespace().collect::<String>();
            if let Some(cell) = cells.iter().find(|cell| !cell.is_empty() && bare(cell) == spoken) {
                found.push((at + 1, Scalar::Text((*cell).to_owned())));
            }
        }
        let dates = Common.read("date", tokens).into_iter();
        found.extend(dates.filter_map(|(length, date)| Some((length, Scalar::Text(date.as_str()?.to_owned())))));
        if cells::moment(&first.text, None).is_some_and(|moment| moment.date.is_none()) {
            found.push((1, Scalar::Text(first.text.clone())));
        }
        if let Some((length, number)) = slots::number(tokens) {
            let percent = tokens.get(length).is_some_and(|token| token.text == "%" || token.lower == "percent");
            found.extend(number.parse().ok().map(|n| (length + usize::from(percent), Scalar::Number(n))));
        }
        found.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        found
    }

    /// Reads two bounds with `and`, `to`, `-` or `..` between them.
    fn range(&self, tokens: &[Token], spoken: bool) -> Vec<(usize, Vec<Scalar>)> {
        let mut found = Vec::new();
        if let Some((low, high)) = tokens.first().and_then(|token| token.text.split_once(['-', '–']))
            && let (Ok(low), Ok(high)) = (low.parse::<f64>(), high.parse::<f64>())
        {
            found.push((1, vec![Scalar::Number(low), Scalar::Number(high)]));
        }
        for (length, low) in self.value(tokens, &[]) {
            let rest = tokens.get(length..).unwrap_or_default();
            let links = if spoken { "to|and|-|–|—|until|. ." } else { "to|-|–|—|until|. ." };
            let link = lengths(links, rest).next();
            let after = link.and_then(|link| rest.get(link..)).unwrap_or_default();
            for (more, high) in self.value(after, &[]) {
                found.push((length + link.unwrap_or(0) + more, vec![low.clone(), high]));
            }
        }
        found
    }

    /// Reads two or more values with commas between them, and `or` or `and` before the last;
    /// or with `or` between all. At least one is a known cell, a number or quoted; a value of
    /// several words is one of these. `commas` says that commas suffice.
    fn list(&self, tokens: &[Token], cells: &[&str], commas: bool) -> Vec<(usize, Vec<String>)> {
        let names = self.names();
        let courtesy = |token: &Token| matches!(token.lower.as_str(), "please" | "thanks" | "thank" | "pls" | "thx");
        let mut found = Vec::new();
        let (mut values, mut known, mut joined): (Vec<String>, bool, bool) = (Vec::new(), false, false);
        let mut at = usize::from(commas && tokens.first().is_some_and(|token| token.text == ":"));
        while let Some(token) = tokens.get(at) {
            let rest = tokens.get(at..).unwrap_or_default();
            if let Some((length, value)) = self.value(rest, cells).into_iter().next() {
                values.push(value.text());
                at += length;
                known = true;
            } else if token.kind == Kind::Word && !courtesy(token) && expression::column(rest, &names).is_empty() {
                values.push(token.text.clone());
                at += 1;
            } else {
                break;
            }
            if values.len() > 1 && known && (commas || joined) {
                found.push((at, values.clone()));
            }
            let rest = tokens.get(at..).unwrap_or_default();
            let comma = usize::from(rest.first().is_some_and(|token| matches!(token.text.as_str(), "," | "/" | "|")));
            let word = rest.get(comma).map_or("", |token| token.lower.as_str());
            let or = word == "or" || (word == "and" && commas && !joined);
            if (comma == 0 && !or) || (joined && word != "or") {
                break;
            }
            joined = joined || or;
            at += comma + usize::from(or);
        }
        found.reverse();
        found
    }
}

/// Returns how many tokens a phrase takes at the beginning.
fn phrase(words: &str, tokens: &[Token]) -> Option<usize> {
    let mut length = 0;
    for word in words.split_whitespace() {
        let token = tokens.get(length).filter(|token| token.kind != Kind::Quoted)?;
        if token.lower.replace('’', "'") != word {
            return None;
        }
        length += 1;
    }
    (length > 0).then_some(length)
}

/// Returns the lengths of the phrases that the tokens begin with, out of a list with `|`.
pub(crate) fn lengths<'a>(phrases: &'a str, tokens: &'a [Token]) -> impl Iterator<Item = usize> + 'a {
    phrases.split('|').filter_map(move |words| phrase(words, tokens))
}

/// Reads a year, a month of a year or a quarter of a year as a condition on a column.
pub(crate) fn periods(tokens: &[Token], column: &str) -> Vec<(usize, Value)> {
    let year = |at: usize| {
        let token = tokens.get(at).filter(|token| token.kind == Kind::Number && token.text.len() == 4)?;
        token.text.parse::<i32>().ok().filter(|year| (1900..2200).contains(year))
    };
    let mut found = Vec::new();
    let mut add = |length: usize, year: i32, first: u32, last: u32| {
        let last_day = dates::month_days(year, last);
        let bound = |month: u32, day: u32| Scalar::Text(format!("{year:04}-{month:02}-{day:02}"));
        let values = Some(vec![bound(first, 1), bound(last, last_day)]);
        let condition =
            Condition { column: column.to_owned(), is: Comparison::Between, value: None, values, other: None };
        found.push((length, json!([condition])));
    };
    if let Some(year) = year(0) {
        add(1, year, 1, 12);
    }
    if let Some(first) = tokens.first() {
        let english = dates::MONTH_NAMES.iter().position(|name| {
            let lower = name.to_lowercase();
            lower == first.lower || lower.get(..3) == Some(first.lower.as_str())
        });
        if let (Some(at), Some(year)) = (english, year(1)) {
            let month = u32::try_from(at + 1).unwrap_or(1);
            add(2, year, month, month);
        }
        let quarter = first.lower.strip_prefix('q').and_then(|rest| rest.parse::<u32>().ok());
        if let (Some(quarter @ 1..=4), Some(year)) = (quarter, year(1)) {
            add(2, year, quarter * 3 - 2, quarter * 3);
        }
        let parts: Option<(i32, u32)> =
            first.text.split_once('-').and_then(|(year, month)| Some((year.parse().ok()?, month.parse().ok()?)));
        if let Some((year @ 1900..2200, month @ 1..=12)) = parts {
            add(1, year, month, month);
        }
    }
    found
}
