//! The closed list of commands in words.

use std::collections::BTreeSet;

use agent_common::columns::name_words;
use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{Kind, Token};
use agent_common::material::{self, Tables};
use agent_common::quantity;
use agent_common::slots::{self, Common};
use agent_common::table::Table;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::condition;
use crate::input::{Input, Lead};

/// The published list.
pub const COMMANDS: &str = include_str!("../commands.md");
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
            "grade" => tokens.first().filter(is_grade).map(|token| (1, json!(token.text))).into_iter().collect(),
            "texts" => texts(tokens).into_iter().collect(),
            _ => Common.read(kind, tokens),
        }
    }
}

fn is_grade(token: &&Token) -> bool {
    let is_letter = matches!(token.lower.as_bytes(), [b'a'..=b'f']);
    is_letter || matches!(token.lower.as_str(), "hot" | "warm" | "cold" | "qualified") || token.kind == Kind::Quoted
}

fn texts(tokens: &[Token]) -> Option<(usize, Value)> {
    let quoted = |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Quoted);
    let is_link = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.lower.as_str(), "or" | ","));
    let mut texts = vec![quoted(0)?.text.clone()];
    let mut end = 1;
    while let Some(next) = quoted(end + 1).filter(|_| is_link(end)) {
        texts.push(next.text.clone());
        end += 2;
    }
    Some((end, json!(texts)))
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
    let mut draft = reading.draft::<Input>(SHOWN);
    let form = &mut draft.form;
    let opening = reading.found.iter().filter(|found| found.slots.iter().any(|(name, _)| name.starts_with(".rules")));
    for (rule, found) in form.rules.iter_mut().flatten().zip(opening) {
        rule.points = if found.clause == "minus" { -rule.points } else { rule.points };
    }
    let product = reading.one("product");
    if let Ok(Some(found)) = &product {
        form.multiply = Some(vec![found.text("a"), found.text("b")]);
    }
    form.leads = Some(leads(table)).filter(|leads| !leads.is_empty());
    let none = "no lead found; which leads? Give a table with a header and one lead in each row";
    let problem = |is: bool, text: &str| is.then(|| text.to_owned());
    draft.question = problem(form.leads.is_none(), none)
        .or_else(|| problem(tables.len() > 1, "which table has the leads? Give one"))
        .or_else(|| problem(table.headless, "what do the columns mean? Give the table a header"))
        .or(draft.question)
        .or_else(|| signs(&command))
        .or_else(|| product.err())
        .or_else(|| repeated(form))
        .or_else(|| crate::check(form).err().map(|error| error.message().to_owned()));
    Ok(draft)
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
                Some(text) => *text = value.clone(),
                None => drop(lead.fields.insert(column.clone(), json!(cell.trim()))),
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

/// Returns the question about a dash before a number that may be a mark of a list.
fn signs(command: &str) -> Option<String> {
    let is_bullet = |line: &str| {
        let rest = line.trim().strip_prefix("- ").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let text = "is the dash before a number a minus? Write `minus 20 points`, or leave the dash out";
    command.lines().any(is_bullet).then(|| text.to_owned())
}

/// Returns the question about two clauses on the same thing.
fn repeated(form: &Input) -> Option<String> {
    let orders = form.order_by.iter().flatten().map(|order| format!("order {}", order.field));
    let grades = || form.grades.iter().flatten();
    let names = grades().map(|grade| format!("grade {}", grade.name));
    let limits = grades().map(|grade| format!("grade from {}", grade.at_least));
    let rules = form.rules.iter().flatten().map(|rule| format!("{:?} {:?}", rule.when, rule.per));
    let mut all = BTreeSet::new();
    let is_repeated = orders.chain(names).chain(limits).chain(rules).any(|one| !all.insert(one));
    let text = "two clauses are about the same column, grade or condition; keep one of them";
    is_repeated.then(|| text.to_owned())
}
