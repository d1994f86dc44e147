//! What a statement is worth for a summary: decisions, dates, amounts, results, and how much others speak of the same.

use std::collections::BTreeSet;

use crate::statements::Statement;
use crate::wants::Scope;

const DECISIONS: &[&str] = &[
    "decision",
    "decided",
    "decide to",
    "agreed",
    "approved",
    "resolved",
    "resolution",
    "voted",
    "adopted",
    "accepted",
    "rejected",
    "postponed",
    "settled",
    "signed",
    "confirmed",
    "concluded",
    "will be given",
    "goes up",
    "chose",
    "chosen",
    "opted",
    "beschlossen",
    "beschluss",
    "entschieden",
    "décidé",
    "adopté",
    "acordó",
    "decidió",
    "aprobó",
    "besloten",
];
const ACTIONS: &[&str] = &[
    "action",
    "to do",
    "todo",
    "next step",
    "task",
    "owner",
    "responsible",
    "aufgabe",
    "will send",
    "will write",
    "will prepare",
    "will contact",
    "will call",
    "by monday",
    "by tuesday",
    "by wednesday",
    "by thursday",
    "by friday",
];
const QUESTIONS: &[&str] = &[
    "open question",
    "question",
    "open",
    "tbd",
    "unclear",
    "to be decided",
    "to be clarified",
    "unresolved",
    "offene frage",
    "offen",
];
const WEIGHTY: &[&str] = &[
    "conclusion",
    "in conclusion",
    "results",
    "result",
    "as a result",
    "therefore",
    "overall",
    "in total",
    "impact",
    "cause",
    "fix",
    "problem",
    "deadline",
    "must",
    "have to",
    "has to",
    "needs to",
    "no later than",
    "starting",
    "from ",
    "until",
    "effective",
    "new",
    "instead of",
    "because",
    "due to",
    "increase",
    "raise",
    "rise",
    "close",
    "cancel",
    "delay",
    "reopen",
    "launch",
    "replace",
    "critical",
    "urgent",
    "important",
    "expire",
    "failed",
    "agree",
    "lower",
    "not change",
    "wird",
    "werden",
    "sera",
    "será",
    "maximum",
    "at most",
];
const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const BACKGROUND: &[&str] = &[
    "background",
    "history",
    "previously",
    "in the past",
    "for example",
    "for instance",
    "as you may have noticed",
    "i thought",
    "i think",
    "we were welcomed",
    "around the world",
    "it was a success",
    "said",
    "according to",
];

/// Whether a statement is of the kind that is wanted.
pub fn fits(statement: &Statement, scope: Scope) -> bool {
    let label = statement.label.to_lowercase();
    let text = statement.text.to_lowercase();
    let has = |list: &[&str]| {
        list.iter()
            .any(|word| label.contains(word) || text.starts_with(word) || (word.len() > 5 && text.contains(word)))
    };
    match scope {
        Scope::All => true,
        Scope::Figures => statement.text.chars().any(|c| c.is_ascii_digit()),
        Scope::Dates => {
            !agent_common::dates::scan(&statement.text, None).is_empty()
                || statement.text.split(|c: char| !c.is_alphanumeric()).any(|word| {
                    word.len() > 2
                        && (agent_common::dates::month(word).is_some()
                            || WEEKDAYS.contains(&word.to_lowercase().as_str()))
                })
        }
        Scope::Decisions | Scope::Outcome => has(DECISIONS),
        Scope::Actions => has(ACTIONS) && !label.contains("question"),
        Scope::Questions => {
            QUESTIONS.iter().any(|word| label.contains(word) || text.starts_with(word))
                || (statement.text.ends_with('?') && label.is_empty())
        }
    }
}

/// The words of a statement, without those that are everywhere.
pub fn words(text: &str) -> BTreeSet<String> {
    agent_common::sentences::stems(text)
}

/// The facts of a statement: figures and names.
pub fn facts(text: &str) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    for (at, raw) in text
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '/' | '"' | '“' | '”'))
        .filter(|word| !word.is_empty())
        .enumerate()
    {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric() && c != '%' && c != '€' && c != '£' && c != '$');
        let figure = word.chars().any(|c| c.is_ascii_digit());
        let name = at > 0 && word.chars().count() > 2 && word.chars().next().is_some_and(char::is_uppercase);
        if figure || name {
            facts.insert(word.to_lowercase());
        }
    }
    facts
}

/// The worth of each statement.
pub fn all(statements: &[Statement]) -> Vec<f64> {
    let read: Vec<BTreeSet<String>> = statements.iter().map(|one| words(&one.text)).collect();
    let total = statements.len().max(1);
    statements
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let own = read.get(at).cloned().unwrap_or_default();
            #[allow(clippy::cast_precision_loss, reason = "words of a text")]
            let shared: f64 = read
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, theirs)| {
                    own.intersection(theirs).count() as f64 / (own.len().max(theirs.len()).max(1) as f64)
                })
                .sum::<f64>()
                / total as f64;
            single(one, at) + (shared * 10.0).min(1.5)
        })
        .collect()
}

fn single(one: &Statement, at: usize) -> f64 {
    let lower = format!("{} {}", one.label.to_lowercase(), one.text.to_lowercase());
    let has = |list: &[&str]| list.iter().any(|word| lower.contains(word));
    let length = one.text.split_whitespace().count();
    #[allow(clippy::cast_precision_loss, reason = "facts of a sentence")]
    let facts = facts(&one.text).len().min(4) as f64;
    let mut worth = facts * 0.7;
    worth += if has(DECISIONS) { 2.5 } else { 0.0 };
    worth += if has(ACTIONS) { 1.0 } else { 0.0 };
    worth += if has(WEIGHTY) { 1.0 } else { 0.0 };
    worth += if at == 0 {
        2.0
    } else if one.leads {
        0.7
    } else {
        0.0
    };
    let label = one.label.to_lowercase();
    worth += if label.contains("conclusion") {
        4.0
    } else if label.contains("result") || label.contains("what happened") || label.contains("impact") {
        2.0
    } else {
        0.0
    };
    worth -= if has(BACKGROUND) { 1.2 } else { 0.0 };
    worth -= if one.text.ends_with('?') { 1.0 } else { 0.0 };
    worth -= if length < 4 { 1.5 } else { 0.0 };
    worth -= if one.text.ends_with('!') || one.text.starts_with(['"', '“']) { 1.0 } else { 0.0 };
    worth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_and_figures_weigh_more() {
        let one = |text: &str| Statement {
            text: text.into(),
            unit: 0,
            document: 0,
            start: 0,
            label: String::new(),
            leads: false,
        };
        let texts = [
            "We met in the hall.",
            "It was decided to raise the fee to £52 from January.",
            "Somebody asked about the keys?",
            "The bus is blue.",
        ];
        let statements: Vec<Statement> = texts.iter().map(|text| one(text)).collect();
        let worth = all(&statements);
        assert!(worth[1] > worth[0] && worth[0] > worth[2] && worth[1] > worth[3], "{worth:?}");
        assert!(
            fits(statements.get(1).unwrap(), Scope::Decisions) && !fits(statements.first().unwrap(), Scope::Decisions)
        );
    }
}
