//! Calls of examples against the functions that the code defines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
