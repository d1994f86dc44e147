//! The closed list of commands in words.

use agent_common::columns;
use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::condition::{Condition, PARTS};
use agent_common::expression;
use agent_common::form::Draft;
use agent_common::formats::{COUNTRIES, FORMATS, is_pattern};
use agent_common::lexer::Token;
use agent_common::material::Tables;
use agent_common::rules::{Rule, Type};
use agent_common::table::Table;
use agent_common::table_slots::TableSlots;
use serde_json::{Value, json};

use crate::Input;

/// The published list.
pub(crate) const COMMANDS: &str = include_str!("../commands.md");
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
                let rule = |name: &str| Some(json!([{ "check": "format", "columns": [name], "format": own(name)?.0 }]));
                columns.filter_map(|(length, name)| Some((length, rule(&name)?))).collect()
            }
            // The slot is a list of one condition.
            "condition" => {
                let one = |(length, list): (usize, Value)| Some((length, list.as_array()?.first()?.clone()));
                self.0.read(kind, tokens).into_iter().filter_map(one).collect()
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
    let mut reading = read(command, &tables);
    for found in &mut reading.found {
        let members = members(found);
        found.slots.extend(members.into_iter().map(|(name, value)| (format!(".rules[]{name}"), value)));
    }
    let mut draft = reading.draft::<Input>(SHOWN);
    let tolerance = reading.all("tolerance").next().and_then(|found| found.text("n").parse::<f64>().ok());
    let ignores_case = reading.all("ignorecase").next().map(|_| true);
    let mut rules: Vec<Rule> = Vec::new();
    for mut rule in draft.form.rules.take().unwrap_or_default() {
        match &mut rule {
            Rule::Unique { ignore_case, .. } => *ignore_case = ignores_case,
            Rule::Formula { tolerance: own, .. } | Rule::Total { tolerance: own, .. } => *own = tolerance,
            _ => {}
        }
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let is_empty = rules.is_empty();
    draft.form.rules = (!is_empty).then_some(rules);
    let missing = table.is_none().then(|| "which table? Give one with a header and a row on each line".to_owned());
    let question = missing.or(draft.question.take()).or_else(|| without_opposite(&reading));
    let none = || is_empty.then(|| format!("which rules should the data keep? Use commands such as {SHOWN}"));
    let question = question.or_else(none).or_else(|| reading.one("tolerance").err());
    draft.question = question.or_else(|| doubt(table?)).or_else(|| TableSlots::new(&tables).ambiguous(command));
    draft
}

/// Returns the members of rules that do not follow from one slot, by their path in `rules`.
fn members(found: &Match) -> Vec<(&'static str, Value)> {
    let count = found.count("n");
    match found.clause.as_str() {
        "unique" => {
            let rule = |name: String| json!({ "check": "unique", "columns": [name] });
            vec![("", found.texts("each").into_iter().map(rule).collect())]
        }
        "exactly" => vec![(".min", json!(count)), (".max", json!(count))],
        "digits" => vec![(".regex", json!(format!(r"\d{{{}}}", count.unwrap_or_default())))],
        "formula" => {
            let (column, formula) = (found.text("column"), found.text("formula"));
            if [" + ", " - ", " * ", " / "].iter().any(|sign| formula.contains(sign)) {
                return vec![(".check", json!("formula")), (".column", json!(column)), (".equals", json!(formula))];
            }
            let that = json!({ "column": column, "is": "=", "other": formula });
            vec![(".check", json!("condition")), (".that", that)]
        }
        "bad" => {
            let negated = |one: Condition| Some(Condition { is: one.is.negated()?, ..one });
            let that = condition(found).and_then(negated);
            that.map(|that| vec![(".check", json!("condition")), (".that", json!(that))]).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Returns the condition of rows that are the problems.
fn condition(found: &Match) -> Option<Condition> {
    serde_json::from_value(found.value("bad")?.clone()).ok()
}

/// Returns the question about a condition of wrong rows from which no rule follows.
fn without_opposite(reading: &Reading) -> Option<String> {
    let open = reading.all("bad").filter_map(condition).find(|one| one.is.negated().is_none())?;
    Some(format!("which rows are right? `{}` has no opposite; give a pattern", open.text()))
}

/// Returns the question about a table without names of columns or with a total.
fn doubt(table: &Table) -> Option<String> {
    if table.headless {
        return Some("what are the columns? Name them in the first line of the table".into());
    }
    let text = "the table has a row with a total; should it be checked like the others? Remove it from the table, or \
        give the rules as `rules`";
    (0..table.rows.len()).any(|row| table.is_total(row)).then(|| text.into())
}
