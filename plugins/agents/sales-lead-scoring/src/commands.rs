//! The closed list of commands in words.

use agent_common::columns::name_words;
use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{Kind, Token};
use agent_common::material::{self, Tables};
use agent_common::quantity;
use agent_common::slots::{self, Common};
use agent_common::table::Table;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::condition;
use crate::input::{Condition, Grade, Input, Lead, Order, Profile, Rule};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`award 20 points if title contains director`, `rank by budget`, `only companies with more than 50 \
    employees`, `merge duplicates`, with a table of the leads";

/// The slots: columns and conditions on them.
struct Words<'t> {
    table: &'t Table,
}

impl Slots for Words<'_> {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "column" => slots::longest(&self.table.columns, tokens),
            "condition" => condition::read(self.table, tokens),
            "grade" => tokens.first().and_then(grade).map(|name| (1, json!(name))).into_iter().collect(),
            "texts" => texts(tokens).into_iter().collect(),
            _ => Common.read(kind, tokens),
        }
    }
}

fn grade(token: &Token) -> Option<String> {
    let letter = token.text.len() == 1 && ('a'..='f').any(|letter| token.lower.starts_with(letter));
    let named = matches!(token.lower.as_str(), "hot" | "warm" | "cold" | "qualified");
    (letter || named || token.kind == Kind::Quoted).then(|| token.text.clone())
}

fn texts(tokens: &[Token]) -> Option<(usize, Value)> {
    let quoted = |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Quoted);
    let mut found = vec![quoted(0)?.text.clone()];
    let mut at = 1;
    while let Some(next) =
        quoted(at + 1).filter(|_| tokens.get(at).is_some_and(|token| matches!(token.lower.as_str(), "or" | ",")))
    {
        found.push(next.text.clone());
        at += 2;
    }
    Some((at, json!(found)))
}

/// Reads a task in words.
///
/// # Errors
/// A table whose rows differ in length.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let Tables { command, tables } = material::tables(task)?;
    let empty = Table::default();
    let table = tables.first().unwrap_or(&empty);
    let reading = Grammar::new(COMMANDS).read(&command, &Words { table });
    let leads = leads(table);
    let mut form = options(&reading);
    form.leads = (!leads.is_empty()).then_some(leads);
    let header = || table.headless.then(|| "what do the columns mean? Give the table a header".to_owned());
    let question = (form
        .leads
        .is_none()
        .then(|| "no lead found; which leads? Give a table with a header and one lead in each row".to_owned()))
    .or_else(|| (tables.len() > 1).then(|| "which table has the leads? Give one".to_owned()))
    .or_else(header)
    .or_else(|| form::unread(&reading.unread, SHOWN))
    .or_else(|| signs(&command))
    .or_else(|| conflict(&reading, &form))
    .or_else(|| crate::check(&form).err().map(|error| error.message().to_owned()));
    Ok(Draft { form, question })
}

/// Returns the leads of a table.
fn leads(table: &Table) -> Vec<Lead> {
    let named = table.columns.iter().any(|column| name_words(column) == ["name"]);
    let lead = |row: &Vec<String>| {
        let mut lead = Lead::default();
        for (at, (column, cell)) in table.columns.iter().zip(row).enumerate() {
            let value = Some(cell.trim().to_owned()).filter(|cell| !cell.is_empty());
            let name = name_words(column).join(" ");
            if name == "employees" {
                lead.employees = value.as_deref().and_then(whole);
            }
            match lead.text_mut(&name) {
                Some(slot) => *slot = value.clone(),
                None => {
                    lead.fields.insert(column.clone(), json!(cell.trim()));
                }
            }
            if at == 0 && !named {
                lead.name = value;
            }
        }
        lead
    };
    table.rows.iter().map(lead).collect()
}

/// Returns a whole number that can be read in one way.
fn whole(cell: &str) -> Option<u32> {
    let plain = cell.replace(',', "");
    quantity::read(&plain, None).filter(|_| plain.bytes().all(|byte| byte.is_ascii_digit()))?;
    plain.parse().ok()
}

fn condition(found: &Match, slot: &str) -> Option<Condition> {
    found.value(slot).and_then(|value| serde_json::from_value(value.clone()).ok())
}

fn options(reading: &Reading) -> Input {
    let number = |found: &Match| found.text("n").parse::<f64>().ok();
    let columns = |name: &str, slot: &str| -> Vec<String> { reading.all(name).map(|found| found.text(slot)).collect() };
    let mut form = Input::default();
    let mut rules = Vec::new();
    for found in &reading.found {
        let sign = if found.clause == "minus" { -1.0 } else { 1.0 };
        let conditions = ["c", "d"].into_iter().filter_map(|slot| condition(found, slot));
        match found.clause.as_str() {
            "points" | "minus" => {
                let points = sign * number(found).unwrap_or_default();
                rules.push(Rule { points, when: conditions.collect(), per: None });
            }
            "per" => {
                let per = Some(found.text("column"));
                rules.push(Rule { points: number(found).unwrap_or_default(), when: Vec::new(), per });
            }
            "high" | "low" => {
                let order = Order { field: found.text("column"), ascending: found.clause == "low", values: Vec::new() };
                form.order_by.get_or_insert_default().push(order);
            }
            "only" => form.only.get_or_insert_default().extend(conditions),
            "without" => form.except.get_or_insert_default().extend(conditions),
            "grade" => {
                let grade = Grade { name: found.text("g"), at_least: number(found).unwrap_or_default() };
                form.grades.get_or_insert_default().push(grade);
            }
            "product" => form.multiply = Some(vec![found.text("a"), found.text("b")]),
            "base" => form.base = number(found),
            "top" => form.top = found.count("n"),
            "duplicates" => form.duplicates = Some(true),
            _ => {}
        }
    }
    form.rules = (!rules.is_empty()).then_some(rules);
    let same = columns("same", "column");
    form.same = (!same.is_empty()).then_some(same);
    form.profile = profile(reading);
    form
}

fn profile(reading: &Reading) -> Option<Profile> {
    let texts = |name: &str| reading.all(name).flat_map(|found| found.texts("v")).collect::<Vec<String>>();
    let bound = |slot: &str| reading.all("employees").next().and_then(|found| found.text(slot).parse().ok());
    let profile = Profile {
        titles: texts("titles"),
        industries: texts("industries"),
        countries: texts("countries"),
        employees_min: bound("a"),
        employees_max: bound("b"),
    };
    (profile != Profile::default()).then_some(profile)
}

/// Returns the question about a dash before a number that may be a mark of a list.
fn signs(command: &str) -> Option<String> {
    let is_bullet = |line: &str| {
        let rest = line.trim().strip_prefix("- ").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let text = "is the dash before a number a minus? Write `minus 20 points`, or leave the dash out";
    command.lines().any(is_bullet).then(|| text.to_owned())
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading, form: &Input) -> Option<String> {
    let twice = ["base", "top", "product", "employees"].iter().find_map(|name| reading.one(name).err());
    let orders = form.order_by.as_deref().unwrap_or_default();
    let order =
        orders.iter().enumerate().any(|(at, order)| orders.iter().skip(at + 1).any(|next| next.field == order.field));
    let grades = form.grades.as_deref().unwrap_or_default();
    let grade = grades
        .iter()
        .enumerate()
        .any(|(at, one)| grades.iter().skip(at + 1).any(|next| next.name == one.name || next.at_least == one.at_least));
    let rules = form.rules.as_deref().unwrap_or_default();
    let rule = rules
        .iter()
        .enumerate()
        .any(|(at, one)| rules.iter().skip(at + 1).any(|next| next.when == one.when && next.per == one.per));
    let text = "two clauses are about the same column, grade or condition; keep one of them";
    twice.or_else(|| (order || grade || rule).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    const TABLE: &str = "name,title,employees,demo\nAnn,Sales Director,250,yes\nBo,Intern,12,no";

    fn read(task: &str) -> Result<Input, String> {
        let draft = draft(task).map_err(|error| error.message().to_owned())?;
        draft.question.map_or(Ok(draft.form), Err)
    }

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(read(example).err(), None, "{example}");
        }
    }

    #[test]
    fn rules_in_words() {
        let task = format!(
            "Score these leads\n+20 if title contains director\n-5 if demo is no\n3 points per employees\n\n{TABLE}"
        );
        let points: Vec<f64> = read(&task).unwrap().rules.unwrap().iter().map(|rule| rule.points).collect();
        assert_eq!(points, [20.0, -5.0, 3.0]);
        let both = read(&format!("10 points if demo is yes and if employees above 100\n\n{TABLE}")).unwrap();
        assert_eq!(both.rules.unwrap().first().map(|rule| rule.when.len()), Some(2));
        let filtered = read(&format!("Rank by employees, without those where demo is no\n\n{TABLE}")).unwrap();
        assert_eq!(filtered.except.unwrap().first().map(|condition| condition.is.clone()), Some(vec!["no".to_owned()]));
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        for (command, expect) in [
            ("Score these leads", "what makes a lead good"),
            ("Score these leads\n- 20 points if title contains director", "minus"),
            ("Score these leads: –20 points if demo is no", "does not know"),
            ("20 points if title contains boss", "does not know"),
            ("20 points if they are nice", "does not know"),
            ("rank by employees, fewer employees is better", "same column"),
            ("20 points if demo is yes, 10 points if demo is yes", "same column"),
            ("rank by title", "is no number"),
        ] {
            let found = read(&format!("{command}\n\n{TABLE}")).err().unwrap_or_default();
            assert!(found.contains(expect), "{command}: {found}");
        }
        assert!(read("Score my leads, 5 points if title contains CFO").unwrap_err().contains("no lead found"));
    }
}
