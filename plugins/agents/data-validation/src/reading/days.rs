//! Days that a date is not after or not before: `not in the future`, `after 1 January 2020`.

use agent_common::dates::Date;
use agent_common::sheet::Kind;
use agent_common::tokens::Sort;

use crate::rule::Rule;
use crate::sentence::{FLAGS, Sentence};

/// `not in the future`, `after 1 January 2020`.
pub(crate) fn days(sentence: &Sentence<'_>, topic: Option<usize>, today: Option<Date>) -> Vec<Rule> {
    let sheet = sentence.sheet;
    let is_day = |column: usize| sheet.kind(column) == Kind::Day;
    let mut found = Vec::new();
    let place = |at: usize| {
        sentence
            .column_near(at, &is_day)
            .or(topic.filter(|column| is_day(*column)))
            .or_else(|| sheet.of_kind(Kind::Day).first().copied())
    };
    if sentence.has(&["future", "zukunft", "futur", "futuro"]) {
        let said = sentence
            .pieces
            .iter()
            .find_map(|piece| if let Sort::Day(day) = piece.token.sort { Some(day) } else { None });
        let columns: Vec<usize> = sentence.columns().into_iter().filter(|column| is_day(*column)).collect();
        let columns = if columns.is_empty() { sheet.of_kind(Kind::Day) } else { columns };
        if let Some(day) = said.or(today) {
            found.extend(columns.into_iter().map(|column| Rule::NotAfter(column, day)));
        }
        return found;
    }
    let denied = sentence.says(&["not", "no", "never", "cannot", "nicht", "can't"]);
    let bad = sentence.says(FLAGS) && !sentence.says(&["must", "should", "may", "muss"]);
    let all: Vec<(usize, Date)> = sentence
        .pieces
        .iter()
        .enumerate()
        .filter_map(|(at, piece)| if let Sort::Day(day) = piece.token.sort { Some((at, day)) } else { None })
        .collect();
    if let [(at, first), (_, last)] = all.as_slice()
        && let Some(column) = place(*at)
    {
        return vec![Rule::NotEarlier(column, *first), Rule::NotAfter(column, *last)];
    }
    for (at, day) in all {
        let before = |texts: &[&str]| (at.saturating_sub(2)..at).any(|at| sentence.is(at, texts));
        let Some(column) = place(at) else { continue };
        let early = before(&["before", "until", "till", "vor", "bis", "earlier"]);
        if early || before(&["after", "since", "from", "nach", "seit", "ab", "later"]) {
            found.push(if early != (denied || bad) {
                Rule::NotAfter(column, day)
            } else {
                Rule::NotEarlier(column, day)
            });
        }
    }
    found
}
