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
        let mut rest = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let label =
            LABELS.iter().find(|label| rest.get(..label.len()).is_some_and(|own| own.eq_ignore_ascii_case(label)));
        rest = rest.get(label.map_or(0, |label| label.len())..).unwrap_or_default().trim();
        let mut first = true;
        while let Some(end) = call_end(rest) {
            let (call, after) = rest.split_at(end);
            let after = after.trim_start();
            let Some(value) = SIGNS.iter().find_map(|sign| after.strip_prefix(sign)) else {
                if first && label.is_none() {
                    break;
                }
                return Err(format!("write the example `{rest}` as `call -> result`"));
            };
            let stop = value_end(value);
            let gives = value.get(..stop).unwrap_or_default().trim().trim_end_matches('.').trim();
            found.push(Example { call: call.trim().to_owned(), gives: gives.to_owned() });
            rest = value.get(stop..).unwrap_or_default().trim_start_matches([',', ';', ' ', '.']);
            rest = rest.strip_prefix("and ").unwrap_or(rest);
            first = false;
        }
    }
    Ok(found)
}

/// Returns where a call ends that a text begins with.
fn call_end(text: &str) -> Option<usize> {
    let name = text.find('(')?;
    let head = text.get(..name)?;
    let is_name = !head.is_empty() && head.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    is_name.then(|| level(text.get(name..)?, |depth, c| depth == 0 && c == ')').map(|end| name + end + 1))?
}

/// Returns where a value ends: before `;`, or before a comma that another call follows.
fn value_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(at) = level(text.get(from..).unwrap_or_default(), |depth, c| depth == 0 && matches!(c, ',' | ';')) {
        let end = from + at;
        let next = text.get(end + 1..).unwrap_or_default().trim_start();
        let next = next.strip_prefix("and ").unwrap_or(next);
        if text.get(end..).is_some_and(|rest| rest.starts_with(';')) || call_end(next).is_some() {
            return end;
        }
        from = end + 1;
    }
    text.len()
}

/// Returns the first place outside of quotes at which a test of depth and character holds.
fn level(text: &str, is: impl Fn(u32, char) -> bool) -> Option<usize> {
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
        if quote.is_none() && is(depth, c) {
            return Some(at);
        }
    }
    None
}

/// Returns two examples with one call and two results.
pub fn contradiction(examples: &[Example]) -> Option<&Example> {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let same = |a: &Example, b: &Example| bare(&a.call) == bare(&b.call) && bare(&a.gives) != bare(&b.gives);
    examples
        .iter()
        .enumerate()
        .find(|(at, one)| examples.iter().take(*at).any(|other| same(one, other)))
        .map(|(_, one)| one)
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
    let answer = |fits, reason: String| Checked { call: call.to_owned(), fits, reason };
    let Some((name, arguments)) = read(call) else {
        return answer(false, "not a call of the form name(arguments)".into());
    };
    match functions.iter().find(|function| function.name == name) {
        None => answer(false, format!("the code has no function `{name}`")),
        Some(function) if function.parameters < arguments => {
            answer(false, format!("`{name}` takes {}, the call has {arguments}", function.parameters))
        }
        Some(function) => answer(true, format!("`{name}` in line {} takes {}", function.line, function.parameters)),
    }
}

fn read(call: &str) -> Option<(&str, usize)> {
    let (head, rest) = call.trim().trim_end_matches(';').split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    let name = head.rsplit(['.', ' ', ':']).next().filter(|name| !name.is_empty())?;
    let (mut depth, mut quote, mut commas) = (0_u32, None, 0);
    for c in inner.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => commas += 1,
            _ => {}
        }
    }
    Some((name, if inner.trim().is_empty() { 0 } else { commas + 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_in_lines() {
        let shown = |text: &str| {
            let all = read_all(text).unwrap_or_else(|error| vec![Example { call: error, gives: String::new() }]);
            all.iter().map(|one| format!("{} {}", one.call, one.gives)).collect::<Vec<_>>().join(" | ")
        };
        let cases = [
            ("Check: c_to_f(100) == 212, c_to_f(-40) == -40", "c_to_f(100) 212 | c_to_f(-40) -40"),
            ("- f([1, 2]) -> [2, 4]\n- f([]) -> []", "f([1, 2]) [2, 4] | f([]) []"),
            ("gross(100, 19) = 119.0; gross(9.99, 7) = 10.69", "gross(100, 19) 119.0 | gross(9.99, 7) 10.69"),
            ("t(\"a, b(\", 4) → \"abc…\" and\nx", "t(\"a, b(\", 4) \"abc…\" and"),
            ("Takes f(x) and more", ""),
            ("Examples: f(1) is 2", "write the example `f(1) is 2` as `call -> result` "),
        ];
        for (text, expect) in cases {
            assert_eq!(shown(text), expect, "{text}");
        }
        assert!(contradiction(&read_all("f(1) = 2; f( 1) = 3").unwrap()).is_some());
    }

    #[test]
    fn simple_code_is_computed() {
        let examples = read_all("bmi(80, 2) -> 20").unwrap();
        for (code, fulfilled) in [
            ("def bmi(kg: float, m: float) -> float:\n    return kg / m ** 2\n", true),
            ("def bmi(kg, m):\n    return kg / m\n", false),
            ("function bmi(kg, m) { return kg / (m * m); }", true),
            ("function bmi(kg, m) { return kg; }", false),
            ("def bmi(kg, m):\n    return round(kg / m, 1)\n", true),
        ] {
            assert_eq!(unfulfilled(code, &examples).is_none(), fulfilled, "{code}");
        }
    }

    #[test]
    fn calls_are_compared_by_name_and_number() {
        let add = [FunctionSignature { name: "add".into(), line: 1, parameters: 2, cyclomatic: 1 }];
        for (call, fits) in [
            ("add(1, 2)", true),
            ("m.add((1, 2), 'a,b');", true),
            ("add()", true),
            ("add(1, 2, 3)", false),
            ("sub(1)", false),
            ("add", false),
            ("(1)", false),
        ] {
            assert_eq!(check(call, &add).fits, fits, "{call}");
        }
    }
}
