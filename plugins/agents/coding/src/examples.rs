//! Calls of examples against the functions that the code defines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::formula::Formula;
use crate::input::Example;

/// Signs and words between a call and its result.
const SIGNS: [&str; 8] = ["->", "=>", "→", "==", "=", "gives ", "returns ", "must be "];
/// Labels before examples.
const LABELS: [&str; 6] = ["examples:", "example:", "check:", "checks:", "tests:", "test:"];

/// Returns the examples in the lines of a text: `add(1, 2) -> 3`, several separated by `;`
/// or a comma. A line that begins with a call and is no example is an error.
pub fn read_all(text: &str) -> Result<Vec<Example>, String> {
    let mut found: Vec<Example> = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let label = LABELS.iter().find_map(|label| {
            let (own, rest) = line.split_at_checked(label.len())?;
            own.eq_ignore_ascii_case(label).then_some(rest)
        });
        let mut rest = label.unwrap_or(line).trim();
        let known = found.len();
        while let Some((call, after)) = call_end(rest).map(|end| rest.split_at(end)) {
            let Some(value) = SIGNS.iter().find_map(|sign| after.trim_start().strip_prefix(sign)) else {
                if found.len() == known && label.is_none() {
                    break;
                }
                return Err(format!("write the example `{rest}` as `call -> result`"));
            };
            let (gives, after) = value.split_at(value_end(value));
            let gives = gives.trim().trim_end_matches('.').trim().to_owned();
            found.push(Example { call: call.trim().to_owned(), gives });
            rest = after.trim_start_matches([',', ';', ' ', '.']);
            rest = rest.strip_prefix("and ").unwrap_or(rest);
        }
    }
    Ok(found)
}

/// Returns where a call ends that a text begins with.
fn call_end(text: &str) -> Option<usize> {
    let (name, rest) = text.split_at(text.find('(')?);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    level(rest, &[')']).filter(|_| is_name).map(|end| name.len() + end + 1)
}

/// Returns where a value ends: before `;`, or before a comma that another call follows.
fn value_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(at) = level(text.get(from..).unwrap_or_default(), &[',', ';']) {
        let rest = text.get(from + at..).unwrap_or_default();
        let next = rest.get(1..).unwrap_or_default().trim_start();
        if rest.starts_with(';') || call_end(next.strip_prefix("and ").unwrap_or(next)).is_some() {
            return from + at;
        }
        from += at + 1;
    }
    text.len()
}

/// Returns the first place of one of some signs outside of quotes and brackets.
fn level(text: &str, signs: &[char]) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
        if quote.is_none() && depth == 0 && signs.contains(&c) {
            return Some(at);
        }
    }
    None
}

/// Returns an example whose call has another result in an example before it.
pub fn contradiction(examples: &[Example]) -> Option<&Example> {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let differs = |a: &Example, b: &Example| bare(&a.call) == bare(&b.call) && bare(&a.gives) != bare(&b.gives);
    let is_second = |(at, one): &(usize, &Example)| examples.iter().take(*at).any(|other| differs(one, other));
    examples.iter().enumerate().find(is_second).map(|(_, one)| one)
}

/// Returns the first example that code of a single arithmetic `return` does not fulfil.
pub fn unfulfilled<'e>(code: &str, examples: &'e [Example]) -> Option<&'e Example> {
    examples.iter().find(|example| {
        let name = example.call.split('(').next().unwrap_or_default().trim();
        formula_of(code, name).and_then(|formula| formula.holds(example)) == Some(false)
    })
}

/// Returns the formula of code that has a single function with a single `return`.
fn formula_of(code: &str, name: &str) -> Option<Formula> {
    let (_, rest) = code.split_once(&format!("{name}("))?;
    let (parameters, body) = rest.split_once(')')?;
    let single = code.matches("return").count() == 1 && !code.contains("if ") && !code.contains(" if(");
    let expression = body.split_once("return ")?.1.split(['\n', ';', '}']).next()?.trim();
    let first = |text: &str| text.split([':', '=', ' ']).next().unwrap_or_default().trim_start_matches('$').to_owned();
    let parameters = parameters.split(',').map(|parameter| first(parameter.trim())).collect();
    let expression = expression.replace('$', "");
    single.then(|| Formula { name: name.to_owned(), parameters, expression })
}

/// A function of the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionSignature {
    /// Its name.
    pub name: String,
    /// Its first line, from 1.
    pub line: usize,
    /// How many parameters it has.
    pub parameters: usize,
    /// Cyclomatic complexity: 1 and one for each decision.
    pub cyclomatic: usize,
}

/// An example's call against the code.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// The call.
    pub call: String,
    /// Whether the code has such a function with so many parameters.
    pub fits: bool,
    /// Why, or why not.
    pub reason: String,
}

/// Compares a call such as `add(1, (2, 3))` by name and number of arguments.
/// More parameters than arguments may be defaults, so they fit.
pub fn check(call: &str, functions: &[FunctionSignature]) -> Checked {
    let (fits, reason) = match arguments(call) {
        None => (false, "not a call of the form name(arguments)".to_owned()),
        Some((name, arguments)) => match functions.iter().find(|function| function.name == name) {
            None => (false, format!("the code has no function `{name}`")),
            Some(FunctionSignature { parameters, .. }) if *parameters < arguments => {
                (false, format!("`{name}` takes {parameters}, the call has {arguments}"))
            }
            Some(function) => (true, format!("`{name}` in line {} takes {}", function.line, function.parameters)),
        },
    };
    Checked { call: call.to_owned(), fits, reason }
}

/// Returns the name and the number of arguments of a call.
fn arguments(call: &str) -> Option<(&str, usize)> {
    let (head, rest) = call.trim().trim_end_matches(';').split_once('(')?;
    let mut inner = rest.strip_suffix(')')?;
    let name = head.rsplit(['.', ' ', ':']).next().filter(|name| !name.is_empty())?;
    let mut count = usize::from(!inner.trim().is_empty());
    while let Some(comma) = level(inner, &[',']) {
        count += 1;
        inner = inner.get(comma + 1..).unwrap_or_default();
    }
    Some((name, count))
}
