//! The closed list of commands: arithmetic, and checks of identifiers.

use agent_common::command::{Grammar, Match, Slots};
use agent_common::exact::Exact;
use agent_common::lexer::{Kind, Token};
use agent_common::slots::Common;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::arithmetic::{self, Amount};
use crate::checks::Check;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");

/// What a command asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A sentence with the result, and the result.
    Figure(String, Exact),
    /// A check of an identifier.
    Check(Check, String),
}

/// Amounts, expressions, units and codes, besides the common kinds.
struct Values;

impl Slots for Values {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let written = |length: usize| {
            let texts: Vec<&str> = tokens.iter().take(length).map(|token| token.text.as_str()).collect();
            texts.join(" ")
        };
        match kind {
            "amount" => {
                arithmetic::amount(tokens).map(|(length, _)| (length, json!(written(length)))).into_iter().collect()
            }
            "amounts" => amounts(tokens).into_iter().collect(),
            "expression" => {
                let read = arithmetic::expression(tokens);
                read.map(|(length, value)| (length, json!([written(length), value.text()]))).into_iter().collect()
            }
            "unit" => arithmetic::unit_name(tokens).map(|(length, name)| (length, json!(name))).into_iter().collect(),
            "code" => code(tokens).into_iter().collect(),
            _ => Common.read(kind, tokens),
        }
    }
}

fn amounts(tokens: &[Token]) -> Option<(usize, Value)> {
    let (mut list, mut at, mut end) = (Vec::new(), 0, 0);
    while let Some((length, _)) = tokens.get(at..).and_then(arithmetic::amount) {
        let texts: Vec<&str> = tokens.get(at..at + length)?.iter().map(|token| token.text.as_str()).collect();
        list.push(texts.join(" "));
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
/// A command that has no result: two commands, two currencies, a division by zero, two
/// kinds of units.
pub fn read(task: &str) -> Result<Option<Command>, Error> {
    if task.len() > 1_000 {
        return Ok(None);
    }
    let reading = Grammar::new(COMMANDS).read(&quoted(task), &Values);
    if !reading.unread.is_empty() {
        return Ok(None);
    }
    match reading.found.as_slice() {
        [] => Ok(None),
        [one] => command(one).map(Some),
        _ => Err(Error::invalid("/task", "the task has several commands; send each as a task of its own")),
    }
}

fn command(found: &Match) -> Result<Command, Error> {
    if let Some(check) = Check::of(&found.clause) {
        return Ok(Command::Check(check, found.text("v")));
    }
    figure(found).ok_or_else(|| {
        let text =
            "this has no exact result: two currencies, two kinds of units, a division by zero or too many digits";
        Error::invalid("/task", text)
    })
}

fn figure(found: &Match) -> Option<Command> {
    let hundred = Exact::whole(100);
    let amount = |slot: &str| read_amount(&found.text(slot));
    let percent = || Exact::read(&found.text("p"));
    let shown = |value: Exact, like: &Amount| money(value, like);
    let answer = |text: String, value: Exact| Some(Command::Figure(text, value));
    match found.clause.as_str() {
        "percentof" | "vat" | "add" | "less" => {
            let (base, rate) = (amount("n")?, percent()?);
            let share = base.value.times(rate)?.over(hundred)?;
            let (of, part) = (shown(base.value, &base), shown(share, &base));
            let (total, whole) = (base.value.plus(share)?, base.value.minus(share)?);
            let rate = rate.text();
            match found.clause.as_str() {
                "percentof" => answer(format!("{rate} % of {of} is {part}."), share),
                "vat" => answer(format!("{rate} % of {of} is {part}; the total is {}.", shown(total, &base)), share),
                "add" => answer(format!("{of} plus {rate} % ({part}) is {}.", shown(total, &base)), total),
                _ => answer(format!("{of} less {rate} % ({part}) is {}.", shown(whole, &base)), whole),
            }
        }
        "net" => {
            let (gross, rate) = (amount("n")?, percent()?);
            let net = gross.value.times(hundred)?.over(hundred.plus(rate)?)?;
            let tax = gross.value.minus(net)?;
            let text = format!(
                "{} with {} % included is {} net and {} tax.",
                shown(gross.value, &gross),
                rate.text(),
                shown(net, &gross),
                shown(tax, &gross)
            );
            answer(text, net)
        }
        "change" | "share" => {
            let (a, b) = (amount("a")?, amount("b")?);
            if a.currency != b.currency {
                return None;
            }
            let (first, second) = (shown(a.value, &a), shown(b.value, &b));
            let change = found.clause == "change";
            let part = if change { b.value.minus(a.value)?.over(a.value)? } else { a.value.over(b.value)? };
            let value = part.times(hundred)?;
            let percent = arithmetic::shown(value);
            let text = if change {
                format!("From {first} to {second} is {percent} %.")
            } else {
                format!("{first} is {percent} % of {second}.")
            };
            answer(text, value)
        }
        "sum" | "mean" | "median" => series(found),
        "value" => {
            let parts = found.texts("e");
            let value = Exact::read(parts.get(1)?)?;
            answer(format!("{} = {}", parts.first()?, arithmetic::shown(value)), value)
        }
        "convert" => {
            let (number, from, to) = (found.text("n"), found.text("from"), found.text("to"));
            let value = arithmetic::convert(Exact::read(&number)?, &from, &to)?;
            answer(format!("{number} {from} = {} {to}", arithmetic::shown(value)), value)
        }
        _ => None,
    }
}

fn series(found: &Match) -> Option<Command> {
    let mut all: Vec<Amount> = found.texts("list").iter().map(|text| read_amount(text)).collect::<Option<_>>()?;
    let first = all.first()?.clone();
    if all.iter().any(|one| one.currency != first.currency) {
        return None;
    }
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
    Some(Command::Figure(format!("The {name} of {} numbers is {}.", all.len(), money(value, &first)), value))
}

fn read_amount(text: &str) -> Option<Amount> {
    arithmetic::amount(&agent_common::lexer::tokens(text)).map(|(_, amount)| amount)
}

/// Returns an amount with its currency, and at least two digits if it has a fraction.
fn money(value: Exact, like: &Amount) -> String {
    let text = arithmetic::shown(value);
    let Some(currency) = &like.currency else { return text };
    let padded =
        if text.split_once('.').is_some_and(|(_, digits)| digits.len() == 1) { format!("{text}0") } else { text };
    if currency.chars().all(char::is_alphabetic) {
        format!("{currency} {padded}")
    } else {
        format!("{currency}{padded}")
    }
}
