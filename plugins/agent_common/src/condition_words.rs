//! Conditions in words: `amount is between 3 and 7`, `end must not be before start`.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::command::{Grammar, Slots};
use crate::condition::{Comparison, Condition, Scalar};
use crate::expression::{self, Expression};
use crate::lexer::{Kind, Token};
use crate::slots::{self, Common};
use crate::table_slots::{TableSlots, glue};
use crate::{cells, columns, dates};

/// Words between a column and a comparison.
pub(crate) const COPULAS: &str = "\
    must always be|must be|should be|shall be|has to be|have to be|needs to be|need to be|may only be|can only \
    be|must only be|should always be|must|should|may be|can be|is always|is|are|was|were";
/// The same with a negation.
pub(crate) const NEGATIONS: &str = "\
    must not be|should not be|may not be|can not be|cannot be|can't be|must never be|should never be|mustn't \
    be|shouldn't be|is not|isn't|are not|aren't|was not|does not|doesn't|must not|should not";

/// The comparisons in words. `.right` is the kind of the right side; without it there is none.
const OPERATORS: &str = "
- empty: `({be} (empty|blank|missing)|[{be}] (has|have) no value)`
- not_empty: `({be} (filled [in]|present)|[{be}] (has|have) a value)`
- > .right=zero: `{be} positive`
- < .right=zero: `{be} negative`
- = .right=zero: `{be} zero`
- between .right=range: `{be}`
- between .right=bounds: `[{be}] (between|within|from|in the range [of|from])`
- not_between .right=bounds: `[{be}] (outside [of]|not between)`
- between .right=period: `[{be}] (in|during)`
- = .right=value: `[{be}] (=|= =|equals|equal to|equal)`
- != .right=value: `[{be}] (! =|< >|≠|different from)`
- < .right=value: `[{be}] (<|(less|smaller|lower|fewer|earlier|younger|cheaper) than|below|under|before)`
- <= .right=value: `[{be}] (< =|≤|at most|no (more|later) than|up to|on or before|a maximum of|less than or equal to)`
- > .right=value: `[{be}] (>|(more|greater|higher|larger|bigger|older|later) than|above|over|after|exceeds)`
- >= .right=value: `[{be}] (> =|≥|at least|no (less|earlier) than|on or after|since|a minimum of)`
- >= .right=value: `[{be}] greater than or equal to`
- one_of .right=list: `[{be}] (one of|in|either|any of)`
- contains .right=value: `[{be}] (contains|contain|containing|includes)`
- starts_with .right=value: `[{be}] (starts|start|begins) with`
- ends_with .right=value: `[{be}] (ends|end) with`
- = .right=value: `{be}`
";
static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::new(OPERATORS));

/// Reads the words between a column and a comparison; the value is whether they negate it.
pub(crate) fn be(tokens: &[Token]) -> Vec<(usize, Value)> {
    let each = |(words, negative): (&'static str, bool)| {
        lengths(words, tokens).map(move |length| {
            let not = phrase("not", tokens.get(length..).unwrap_or_default()).unwrap_or(0);
            (length + not, json!(negative != (not > 0)))
        })
    };
    [(COPULAS, false), (NEGATIONS, true)].into_iter().flat_map(each).collect()
}

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
            let column = column.as_str().unwrap_or_default();
            let rest = tokens.get(length..).unwrap_or_default();
            for (skip, operator) in GRAMMAR.starts(rest, self) {
                let Ok(is) = serde_json::from_value::<Comparison>(json!(operator.clause)) else { continue };
                let negative = operator.value("be") == Some(&json!(true));
                let right = rest.get(skip..).unwrap_or_default();
                for (more, right) in self.right(&Condition::new(column, is), &operator.text(".right"), right) {
                    let is = if negative { right.is.negated() } else { Some(right.is) };
                    found.extend(is.map(|is| (length + skip + more, Condition { is, ..right })));
                }
            }
        }
        found
    }

    /// Reads the right side of a condition, of the given kind.
    fn right(&self, left: &Condition, kind: &str, tokens: &[Token]) -> Vec<(usize, Condition)> {
        let values = |(length, values)| (length, Condition { values: Some(values), ..left.clone() });
        let one_of = |(length, texts): (usize, Vec<String>)| {
            let values = Some(texts.into_iter().map(Scalar::Text).collect());
            (length, Condition { is: Comparison::OneOf, values, ..left.clone() })
        };
        match kind {
            "zero" => vec![(0, Condition { value: Some(Scalar::Number(0.0)), ..left.clone() })],
            "range" | "bounds" => self.range(tokens, kind == "bounds").into_iter().map(values).collect(),
            "period" => periods(tokens).into_iter().map(values).collect(),
            "list" => self.list(tokens, &self.cells(&left.column), true).into_iter().map(one_of).collect(),
            "value" if left.is == Comparison::Equal => {
                let lists = self.list(tokens, &self.cells(&left.column), false).into_iter().map(one_of);
                lists.chain(self.compared(left, tokens)).collect()
            }
            "value" => self.compared(left, tokens),
            _ => vec![(0, left.clone())],
        }
    }

    /// Reads one value, or a column or formula.
    fn compared(&self, left: &Condition, tokens: &[Token]) -> Vec<(usize, Condition)> {
        let cells = self.cells(&left.column);
        let value = |(length, value)| (length, Condition { value: Some(value), ..left.clone() });
        let mut found: Vec<(usize, Condition)> = self.value(tokens, &cells).into_iter().map(value).collect();
        let other = Expression::read(tokens, &self.names()).into_iter().filter(|(_, one)| !one.columns().is_empty());
        for (length, other) in other {
            // A value that is also the name of a column could be meant as either.
            let text = tokens.get(..length).unwrap_or_default().iter().map(|token| token.lower.as_str());
            let text = text.collect::<Vec<_>>().join(" ");
            if cells.iter().any(|cell| cell.eq_ignore_ascii_case(&text)) {
                found.retain(|(n, _)| *n != length);
            } else {
                found.push((length, Condition { other: Some(other.text()), ..left.clone() }));
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

/// Reads a year, or a month or quarter of a year, as its first and last day.
pub(crate) fn periods(tokens: &[Token]) -> Vec<(usize, Vec<Scalar>)> {
    let [first, rest @ ..] = tokens else { return Vec::new() };
    let year = |token: &Token| {
        let plain = token.kind == Kind::Number && token.text.len() == 4;
        token.text.parse().ok().filter(|year| plain && (1900..2200).contains(year))
    };
    let days = |year: i32, first: u32, last: u32| {
        let day = |month: u32, day: u32| Scalar::Text(format!("{year:04}-{month:02}-{day:02}"));
        vec![day(first, 1), day(last, dates::month_days(year, last))]
    };
    let mut found = Vec::new();
    found.extend(year(first).map(|year| (1, days(year, 1, 12))));
    let named = |name: &&str| {
        let lower = name.to_lowercase();
        lower == first.lower || lower.get(..3) == Some(first.lower.as_str())
    };
    let month = dates::MONTH_NAMES.iter().position(named).and_then(|at| u32::try_from(at + 1).ok());
    let quarter = first.lower.strip_prefix('q').and_then(|rest| rest.parse().ok()).filter(|n| (1..=4).contains(n));
    let span = month.map(|month| (month, month)).or(quarter.map(|quarter: u32| (quarter * 3 - 2, quarter * 3)));
    if let (Some((from, to)), Some(year)) = (span, rest.first().and_then(year)) {
        found.push((2, days(year, from, to)));
    }
    let parts = first.text.split_once('-').map(|(year, month)| (year.parse(), month.parse()));
    if let Some((Ok(year @ 1900..2200), Ok(month @ 1..=12))) = parts {
        found.push((1, days(year, month, month)));
    }
    found
}
