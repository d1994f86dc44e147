//! The closed list of commands: arithmetic, and checks of identifiers.

use agent_common::command::{Grammar, Match, Slots};
use agent_common::exact::Exact;
use agent_common::lexer::{Kind, Token};
use agent_common::slots::Common;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::arithmetic::{self, Amount, shown};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// Longest task that can be a command, in bytes.
const TASK_MAX: usize = 1_000;

/// Amounts, expressions, units and codes, besides the common kinds.
struct Values;

impl Slots for Values {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let one = match kind {
            "amount" => arithmetic::amount(tokens),
            "amounts" => amounts(tokens),
            "expression" => arithmetic::expression(tokens).map(|(length, value)| {
                let texts: Vec<&str> = tokens.iter().take(length).map(|token| token.text.as_str()).collect();
                (length, json!([texts.join(" "), value.text()]))
            }),
            "unit" => arithmetic::unit_name(tokens),
            "code" => code(tokens),
            _ => return Common.read(kind, tokens),
        };
        one.into_iter().collect()
    }
}

fn amounts(tokens: &[Token]) -> Option<(usize, Value)> {
    let (mut list, mut at, mut end) = (Vec::new(), 0, 0);
    while let Some((length, amount)) = tokens.get(at..).and_then(arithmetic::amount) {
        list.push(amount);
        end = at + length;
        let between = |token: &&Token| matches!(token.lower.as_str(), "," | ";" | "and" | "+");
        at = end + tokens.get(end..)?.iter().take_while(between).count();
    }
    (list.len() > 1).then(|| (end, json!(list)))
}

/// Reads groups of digits and large letters, as identifiers are written.
fn code(tokens: &[Token]) -> Option<(usize, Value)> {
    let first = tokens.first()?;
    if first.kind == Kind::Quoted {
        return Some((1, json!(first.text)));
    }
    let group = |token: &&Token| {
        let digits = token.text.chars().any(|c| c.is_ascii_digit());
        let large = token.text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        matches!(token.kind, Kind::Word | Kind::Number) && (digits || large) || token.text == "-"
    };
    let groups: Vec<&str> = tokens.iter().take_while(group).map(|token| token.text.as_str()).collect();
    let code = groups.join(" ").replace(" - ", "-");
    code.chars().any(|c| c.is_ascii_digit()).then(|| (groups.len(), json!(code)))
}

/// Puts addresses and DOIs in quotation marks, which the lexer would take apart.
fn quoted(task: &str) -> String {
    let pieces = task.split_inclusive(char::is_whitespace).map(|piece| {
        let bare = piece.trim_end().trim_end_matches(['?', '!', ',', ';', '.']);
        let address = bare.contains('@') && bare.contains('.');
        let doi = bare.starts_with("10.") && bare.contains('/') || bare.starts_with("https://doi.org/");
        if (address || doi) && !bare.contains('"') {
            format!("\"{bare}\"{}", piece.get(bare.len()..).unwrap_or_default())
        } else {
            piece.to_owned()
        }
    });
    pieces.collect()
}

/// Reads a task; none if it is not one of the commands.
///
/// # Errors
/// Several commands.
pub fn read(task: &str) -> Result<Option<Match>, Error> {
    if task.len() > TASK_MAX {
        return Ok(None);
    }
    let reading = Grammar::new(COMMANDS).read(&quoted(task), &Values);
    match reading.found.as_slice() {
        [one] if reading.unread.is_empty() => Ok(Some(one.clone())),
        [_, ..] if reading.unread.is_empty() => {
            Err(Error::invalid("/task", "the task has several commands; send each as a task of its own"))
        }
        _ => Ok(None),
    }
}

/// Computes a command: a sentence with the result, and the result.
///
/// # Errors
/// A command that has no result: two currencies, a division by zero, two kinds of units.
pub fn computed(found: &Match) -> Result<(String, Exact), Error> {
    let none = "this has no exact result: two currencies, two kinds of units, a division by zero or too many digits";
    let result = match found.clause.as_str() {
        "sum" | "mean" | "median" => series(found),
        "change" | "share" => compared(found),
        "value" => expression(found),
        "convert" => converted(found),
        _ => percentage(found),
    };
    result.ok_or_else(|| Error::invalid("/task", none))
}

fn percentage(found: &Match) -> Option<(String, Exact)> {
    let (base, rate) = (Amount::of(found.value("n")?)?, Exact::read(&found.text("p"))?);
    let hundred = Exact::whole(100);
    let share = base.value.times(rate)?.over(hundred)?;
    let (total, rest) = (base.value.plus(share)?, base.value.minus(share)?);
    let text = |value: Exact| base.text(value);
    let (of, part, percent) = (text(base.value), text(share), rate.text());
    Some(match found.clause.as_str() {
        "percentof" => (format!("{percent} % of {of} is {part}."), share),
        "vat" => (format!("{percent} % of {of} is {part}; the total is {}.", text(total)), share),
        "add" => (format!("{of} plus {percent} % ({part}) is {}.", text(total)), total),
        "less" => (format!("{of} less {percent} % ({part}) is {}.", text(rest)), rest),
        "net" => {
            let net = base.value.times(hundred)?.over(hundred.plus(rate)?)?;
            let tax = text(base.value.minus(net)?);
            (format!("{of} with {percent} % included is {} net and {tax} tax.", text(net)), net)
        }
        _ => return None,
    })
}

fn compared(found: &Match) -> Option<(String, Exact)> {
    let (a, b) = (Amount::of(found.value("a")?)?, Amount::of(found.value("b")?)?);
    let (first, second) = (a.text(a.value), b.text(b.value));
    let is_change = found.clause == "change";
    let part = if is_change { b.value.minus(a.value)?.over(a.value)? } else { a.value.over(b.value)? };
    let value = part.times(Exact::whole(100))?;
    let text = if is_change {
        format!("From {first} to {second} is {} %.", shown(value))
    } else {
        format!("{first} is {} % of {second}.", shown(value))
    };
    (a.currency == b.currency).then_some((text, value))
}

fn expression(found: &Match) -> Option<(String, Exact)> {
    let [text, value] = <[String; 2]>::try_from(found.texts("e")).ok()?;
    let value = Exact::read(&value)?;
    Some((format!("{text} = {}", shown(value)), value))
}

fn converted(found: &Match) -> Option<(String, Exact)> {
    let (number, from, to) = (found.text("n"), found.text("from"), found.text("to"));
    let value = arithmetic::convert(Exact::read(&number)?, &from, &to)?;
    Some((format!("{number} {from} = {} {to}", shown(value)), value))
}

fn series(found: &Match) -> Option<(String, Exact)> {
    let list = found.value("list")?.as_array()?;
    let mut all: Vec<Amount> = list.iter().map(Amount::of).collect::<Option<_>>()?;
    let first = all.first()?.clone();
    let count = Exact::whole(i64::try_from(all.len()).ok()?);
    let sum = all.iter().try_fold(Exact::default(), |sum, one| sum.plus(one.value))?;
    let (name, value) = match found.clause.as_str() {
        "sum" => ("sum", sum),
        "mean" => ("average", sum.over(count)?),
        _ => {
            all.sort_by(|a, b| a.value.number().total_cmp(&b.value.number()));
            let (low, high) = (all.get((all.len() - 1) / 2)?, all.get(all.len() / 2)?);
            ("median", low.value.plus(high.value)?.over(Exact::whole(2))?)
        }
    };
    let text = format!("The {name} of {} numbers is {}.", all.len(), first.text(value));
    all.iter().all(|one| one.currency == first.currency).then_some((text, value))
}
