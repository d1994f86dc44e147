//! The closed list of commands in words.

use agent_common::cells::{DayOrder, DecimalSign, Notation};
use agent_common::columns;
use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::condition::{Comparison, Condition, PARTS};
use agent_common::expression;
use agent_common::form::{self, Draft};
use agent_common::formats::{COUNTRIES, FORMATS, Format, is_pattern};
use agent_common::lexer::Token;
use agent_common::material::Tables;
use agent_common::rules::{Rule, Type};
use agent_common::table::Table;
use agent_common::table_slots::TableSlots;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Input;
/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`id must be unique`, `age must be between 18 and 99`, `email must be valid`, `total = qty * price`, \
    `no empty cells`, each with the table above or below";

/// The types with their names.
const TYPES: [(Type, &str); 5] = [
    (Type::Integer, "whole number|whole numbers|integer|integers"),
    (Type::Number, "number|numbers|numeric"),
    (Type::Date, "date|dates"),
    (Type::Time, "time|times"),
    (Type::Boolean, "yes or no|boolean|true or false"),
];

/// The slots of tables, and those of this agent.
struct Words<'t>(TableSlots<'t>);

impl Slots for Words<'_> {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let one = |found: Option<(usize, Value)>| found.into_iter().collect();
        match kind {
            "type" => one(named(&TYPES, tokens)),
            "format" => one(named(&FORMATS, tokens)),
            "country" => one(named(&COUNTRIES, tokens)),
            "part" => one(tokens.first().and_then(|token| {
                let part = PARTS.iter().find(|(name, _)| *name == token.lower && *name != "week")?;
                Some((1, json!(part.0)))
            })),
            "strict" => one(tokens.first().filter(|token| token.lower == "strictly").map(|_| (1, json!(true)))),
            "datepattern" => {
                let text = |length: usize| {
                    tokens.get(..length).map(|all| all.iter().map(|token| token.text.as_str()).collect::<String>())
                };
                let read =
                    |length: usize| text(length).filter(|text| is_pattern(text)).map(|text| (length, json!(text)));
                (1..=9).rev().filter_map(read).collect()
            }
            "formatcolumn" => {
                let columns = expression::column(tokens, &self.0.names()).into_iter();
                let own = |name: &str| {
                    FORMATS.iter().find(|(_, words)| {
                        words.split('|').any(|word| columns::name_words(name) == columns::name_words(word))
                    })
                };
                columns.filter_map(|(length, name)| Some((length, json!([[name], own(&name)?.0])))).collect()
            }
            _ => self.0.read(kind, tokens),
        }
    }
}

/// Returns the entry whose longest name the tokens begin with.
fn named<T: serde::Serialize>(all: &[(T, &str)], tokens: &[Token]) -> Option<(usize, Value)> {
    let length = |phrase: &str| {
        let words: Vec<&str> = phrase.split(' ').collect();
        let same = tokens.get(..words.len())?.iter().map(|token| token.lower.as_str()).eq(words.iter().copied());
        same.then_some(words.len())
    };
    let of = |(value, words): &(T, &str)| Some((words.split('|').filter_map(length).max()?, json!(value)));
    all.iter().filter_map(of).max_by_key(|(length, _)| *length)
}

/// Returns whether every word of a command is understood.
fn read(command: &str, tables: &[Table]) -> Reading {
    Grammar::new(COMMANDS).read(command, &Words(TableSlots::new(tables)))
}

/// Returns whether every word of a command is understood.
pub fn is_complete(split: &Tables) -> bool {
    let reading = read(&split.command, &split.tables);
    reading.unread.is_empty() && !reading.found.is_empty()
}

/// Reads a command in words about a table.
pub fn draft(command: &str, table: Option<&Table>) -> Draft<Input> {
    let tables: Vec<Table> = table.cloned().into_iter().collect();
    let reading = read(command, &tables);
    let has = |name: &str| reading.all(name).next().is_some();
    let tolerance = reading.all("tolerance").next().and_then(|found| found.text("n").parse::<f64>().ok());
    let ignore_case = has("ignorecase").then_some(true);
    let mut rules: Vec<Rule> = Vec::new();
    for rule in reading.found.iter().flat_map(|found| rules_of(found, tolerance, ignore_case)) {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let notation = Notation {
        decimal: if has("comma") { Some(DecimalSign::Comma) } else { has("point").then_some(DecimalSign::Point) },
        dates: if has("dayfirst") {
            Some(DayOrder::DayFirst)
        } else {
            has("monthfirst").then_some(DayOrder::MonthFirst)
        },
    };
    let single = reading.one("tolerance").err();
    let headless = table.is_some_and(|table| table.headless);
    let total = table.is_some_and(|table| (0..table.rows.len()).any(|row| table.is_total(row)));
    let question = table
        .is_none()
        .then(|| "which table? Give one with a header and a row on each line".to_owned())
        .or_else(|| form::unread(&reading.unread, SHOWN))
        .or_else(|| rules.is_empty().then(|| format!("which rules should the data keep? Use commands such as {SHOWN}")))
        .or_else(|| (has("comma") && has("point") || has("dayfirst") && has("monthfirst")).then(|| "two clauses contradict each other; which one applies?".into()))
        .or(single)
        .or_else(|| {
            let all = reading.all("bad").filter_map(|found| value::<Vec<Condition>>(found, "bad")).flatten();
            let mut open = all.filter(|one| one.is.negated().is_none());
            open.next().map(|one| format!("which rows are right? `{}` has no opposite; give a pattern", one.text()))
        })
        .or_else(|| headless.then(|| "what are the columns? Name them in the first line of the table".into()))
        .or_else(|| total.then(|| "the table has a row with a total; should it be checked like the others? Remove it from the table, or give the rules as `rules`".into()))
        .or_else(|| TableSlots::new(&tables).ambiguous(command));
    let notation = (notation != Notation::default()).then_some(notation);
    let rules = (!rules.is_empty()).then_some(rules);
    Draft { form: Input { rules, notation, ..Input::default() }, question }
}

fn value<T: DeserializeOwned>(found: &Match, slot: &str) -> Option<T> {
    serde_json::from_value(found.value(slot)?.clone()).ok()
}

/// Returns the rules of one clause.
fn rules_of(found: &Match, tolerance: Option<f64>, ignore_case: Option<bool>) -> Vec<Rule> {
    let (columns, column) = (found.texts("columns"), found.text("column"));
    let some = |columns: &[String]| (!columns.is_empty()).then(|| columns.to_vec());
    let count = found.count("n");
    let bound = |slot: &str| found.count(slot).map(i64::from);
    let rule = match found.clause.as_str() {
        "required" | "filled" => Some(Rule::Required { columns: some(&columns) }),
        "unique" => {
            return columns.into_iter().map(|name| Rule::Unique { columns: Some(vec![name]), ignore_case }).collect();
        }
        "together" => Some(Rule::Unique { columns: some(&columns), ignore_case }),
        "rows" => Some(Rule::Unique { columns: None, ignore_case }),
        "type" => value(found, "type").map(|kind| Rule::Type { columns, kind }),
        "format" => match value::<(Vec<String>, Format)>(found, "named") {
            Some((columns, format)) => Some(Rule::Format { columns, format, country: None }),
            None => value(found, "format").map(|format| Rule::Format { columns, format, country: None }),
        },
        "postcode" => Some(Rule::Format { columns, format: Format::Postcode, country: country(found) }),
        "dates" => Some(Rule::Dates { columns, pattern: found.text("pattern") }),
        "pattern" => Some(Rule::Pattern { columns, regex: found.text("regex") }),
        "digits" => count.map(|n| Rule::Pattern { columns, regex: format!(r"\d{{{n}}}") }),
        "exactly" => Some(Rule::Length { columns, min: count, max: count }),
        "longest" => Some(Rule::Length { columns, min: None, max: count }),
        "shortest" => Some(Rule::Length { columns, min: count, max: None }),
        "formula" => {
            let equals = found.text("formula");
            if [" + ", " - ", " * ", " / "].iter().any(|sign| equals.contains(sign)) {
                Some(Rule::Formula { column, equals, tolerance })
            } else {
                let other = Some(equals);
                let that = Condition { column, is: Comparison::Equal, value: None, values: None, other };
                Some(Rule::Condition { that, when: None })
            }
        }
        "ascending" | "descending" => Some(Rule::Ascending {
            column,
            descending: found.clause == "descending",
            strict: found.value("strict").is_some(),
        }),
        "gaps" => Some(Rule::Consecutive { column, from: bound("from"), to: bound("to") }),
        "total" => found.text("n").parse().ok().map(|equals| Rule::Total { column, equals, tolerance }),
        "part" => value(found, "part").map(|part| Rule::DatePart { column, part, of: found.text("of") }),
        "age" => Some(Rule::Age { column, born: found.text("born"), on: found.text("on") }),
        "rule" | "ifthen" | "bad" => return conditions(found),
        _ => None,
    };
    rule.into_iter().collect()
}

/// Returns the code of the country of a clause.
fn country(found: &Match) -> Option<String> {
    value(found, "country")
}

/// Returns the rules of a clause with conditions.
fn conditions(found: &Match) -> Vec<Rule> {
    let list = |slot: &str| value::<Vec<Condition>>(found, slot).unwrap_or_default();
    let when = value::<Vec<Condition>>(found, "when");
    let negated = |one: Condition| Condition { is: one.is.negated().unwrap_or(one.is), ..one };
    let wanted = list("that").into_iter().chain(list("then")).chain(list("bad").into_iter().map(negated));
    wanted.map(|that| Rule::Condition { that, when: when.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use agent_common::{command, table_slots};

    use super::*;
    use crate::checked;

    /// Returns the question, or the places of all problems.
    fn told(task: &str) -> String {
        let split = match table_slots::split(task, is_complete) {
            Ok(split) => split,
            Err(error) => return error.message().to_owned(),
        };
        let table = split.tables.first();
        let draft = draft(&split.command, table);
        let rules = draft.form.rules.clone().unwrap_or_default();
        let places = || match checked(table.unwrap_or(&Table::default()), &rules, &draft.form) {
            Ok(output) => output.problems.iter().map(|problem| problem.place.clone()).collect::<Vec<_>>().join("; "),
            Err(error) => error.message().to_owned(),
        };
        draft.question.clone().unwrap_or_else(places)
    }

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            let text = told(example);
            assert!(text.starts_with("row ") || text.starts_with("column "), "{example}\n{text}");
        }
    }

    /// Tasks of a user who knows only the list, checked by hand: what the answer or the question says.
    #[test]
    fn tasks_are_answered_or_refused() {
        let tasks: Vec<[String; 2]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        let wrong = |[task, expect]: &[String; 2]| {
            let text = told(task);
            let right = text.contains(expect) && (!expect.is_empty() || text.is_empty());
            (!right).then(|| format!("{task}\n=> {text}\n"))
        };
        let wrong: Vec<String> = tasks.iter().filter_map(wrong).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
