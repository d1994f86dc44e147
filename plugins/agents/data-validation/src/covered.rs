//! Whether the rules that were read of a sentence say all that it says.

use agent_common::columns::Strength;
use agent_common::marks::Mark;
use agent_common::tokens::Sort;

use crate::form::Form;
use crate::rule::Rule;
use crate::sentence::Sentence;

/// Words that make a rule hold for some rows alone, or say what no rule here checks.
const CONDITIONS: &[&str] = &[
    "if",
    "unless",
    "wenn",
    "falls",
    "si",
    "whenever",
    "starting",
    "start",
    "begins",
    "beginning",
    "ending",
    "characters",
    "chars",
    "zeichen",
    "longer",
    "uppercase",
    "lowercase",
    "capital",
    "capitals",
    "multiple",
    "multiples",
    "divisible",
    "consecutive",
    "average",
    "sum",
];

/// What a sentence says beyond its rules: a column, a number, a value or a condition.
pub(crate) fn uncovered(sentence: &Sentence<'_>, own: &[Rule]) -> Option<String> {
    if own.is_empty() || own.iter().any(|rule| matches!(rule, Rule::Unique(columns) if columns.is_empty())) {
        return None;
    }
    let sheet = sentence.sheet;
    let text: String = own.iter().map(|rule| rule.text(sheet) + " ").collect();
    let columns: Vec<usize> = own.iter().flat_map(Rule::columns).collect();
    let said = |at: usize| {
        sentence.pieces.get(at).map(|piece| sentence.text.get(piece.start..piece.end).unwrap_or(&piece.text).to_owned())
    };
    let forms = own.iter().any(|rule| {
        matches!(rule, Rule::Form(_, form) if *form != Form::Day)
            || matches!(
                rule,
                Rule::Sequence(..) | Rule::Age(..) | Rule::NotAfter(..) | Rule::NotEarlier(..) | Rule::Equals(..)
            )
    });
    for at in 0..sentence.pieces.len() {
        let piece = sentence.pieces.get(at)?;
        let bare = match &piece.mark {
            Mark::Column(column, strength) => *strength == Strength::Name && !names(sentence, at, &columns) && !columns.contains(column) && !every(sentence, at),
            Mark::Cell(..) => !own.iter().any(|rule| matches!(rule, Rule::OneOf(_, values) if values.iter().any(|value| agent_common::columns::fold(value).contains(&piece.text)))) && !forms,
            Mark::Other => match piece.token.sort {
                Sort::Number(number) => !forms && !text.contains(&number.text()) && sentence.pieces.len() > 3,
                Sort::Word => sentence.is(at, CONDITIONS) && !forms && !text.contains(piece.text.as_str()),
                _ => false,
            },
        };
        if bare {
            return said(at);
        }
    }
    None
}

/// `DD.MM.YYYY`, `TT.MM.JJJJ`: how days are to be written.
pub(crate) fn day_pattern(text: &str) -> Option<String> {
    let word = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).find(|word| {
        let parts: Vec<&str> = word.split(['.', '/', '-']).collect();
        parts.len() == 3
            && parts
                .iter()
                .all(|part| (2..=4).contains(&part.len()) && part.to_lowercase().chars().all(|c| "dmyjta".contains(c)))
    })?;
    Some(word.to_owned())
}

/// `line total`: the word before a column is a part of its name.
fn names(sentence: &Sentence<'_>, at: usize, columns: &[usize]) -> bool {
    sentence.column(at + 1).is_some_and(|column| columns.contains(&column))
}

/// `every order must have a customer`: the column only says whose.
fn every(sentence: &Sentence<'_>, at: usize) -> bool {
    let whose = [
        "every", "each", "any", "no", "all", "which", "per", "jede", "jeder", "jedes", "chaque", "cada", "two", "same",
        "for", "of", "in", "anyone", "on", "a", "an", "one", "einem", "ein", "un", "une",
    ];
    (at.saturating_sub(2)..at).any(|at| sentence.is(at, &whose))
}
