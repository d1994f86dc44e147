//! Functions whose result is an arithmetic formula of their parameters: written and checked without a model.

use agent_common::patterns::{groups, is_match};

use crate::Example;
use crate::language::Language;

/// A formula with its function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The function's name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
    /// The expression, as written.
    pub expression: String,
}

/// Reads `function NAME(a, b) returning a * b + 1`.
#[must_use]
pub fn read(text: &str) -> Option<Formula> {
    let found = groups(
        r"([A-Za-z_]\w*)\(\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*\)`?\s*,?\s*(?:that |which |should |must |to |simply |just )*(?:returning|returns?|gives?|computes?|=|:=)\s*:?\s*`?([A-Za-z_0-9 ().+*/-]+)",
        text,
    );
    let [_, name, parameters, rest] = found.as_slice() else { return None };
    let parameters: Vec<String> = parameters.split(',').map(|name| name.trim().to_owned()).collect();
    let expression = rest.trim().trim_end_matches(['.', ' ']).trim();
    // A point behind the formula ends the sentence.
    let expression = expression.split(". ").next().unwrap_or(expression).trim();
    let values: Vec<f64> = parameters.iter().map(|_| 2.0).collect();
    // What follows may name the language; anything else would change the result.
    let tail = groups(
        r"(?i)^(.*?)\s+(?:as|in)\s+(?:an?\s+)?(?:python|javascript|typescript|ruby|lua|php)?\s*(?:function)?$",
        expression,
    );
    let expression = tail.get(1).map_or(expression, String::as_str).trim();
    let operates = expression.contains(['+', '*', '/', '-']);
    let formula = Formula { name: name.clone(), parameters, expression: expression.to_owned() };
    (operates && formula.value(&values).is_some()).then_some(formula)
}

impl Formula {
    /// Its value for arguments.
    #[must_use]
    pub fn value(&self, arguments: &[f64]) -> Option<f64> {
        let mut reader = Reader { text: &self.expression, at: 0, names: &self.parameters, values: arguments };
        let value = reader.sum()?;
        reader.rest().trim().is_empty().then_some(value)
    }

    /// Whether an example holds; none where it cannot be told.
    #[must_use]
    pub fn holds(&self, example: &Example) -> Option<bool> {
        let inner =
            example.call.trim().strip_prefix(self.name.as_str())?.trim().strip_prefix('(')?.strip_suffix(')')?;
        let arguments: Option<Vec<f64>> = inner.split(',').map(|value| value.trim().parse().ok()).collect();
        let arguments = arguments.filter(|arguments| arguments.len() == self.parameters.len())?;
        let (value, expect) = (self.value(&arguments)?, example.gives.trim().parse::<f64>().ok()?);
        Some((value - expect).abs() <= expect.abs() * 1e-9 + 1e-9)
    }

    /// The function in a language; none where it would need types that are not told.
    #[must_use]
    pub fn code(&self, language: Language) -> Option<String> {
        let (name, expression) = (&self.name, &self.expression);
        let list = self.parameters.join(", ");
        // Powers are written differently.
        if expression.contains("**")
            && !matches!(language, Language::Python | Language::Javascript | Language::Typescript | Language::Ruby)
        {
            return None;
        }
        let typed =
            |kind: &str| self.parameters.iter().map(|name| format!("{name}: {kind}")).collect::<Vec<_>>().join(", ");
        let dollars = || {
            let with = |text: &str| self.parameters.iter().fold(text.to_owned(), |text, name| replaced(&text, name));
            (self.parameters.iter().map(|name| format!("${name}")).collect::<Vec<_>>().join(", "), with(expression))
        };
        Some(match language {
            Language::Python => format!("def {name}({list}):\n    return {expression}\n"),
            Language::Javascript => format!("function {name}({list}) {{\n  return {expression};\n}}\n"),
            Language::Typescript => {
                format!("function {name}({}): number {{\n  return {expression};\n}}\n", typed("number"))
            }
            Language::Ruby => format!("def {name}({list})\n  {expression}\nend\n"),
            Language::Lua => format!("function {name}({list})\n  return {expression}\nend\n"),
            Language::Php => {
                let (list, expression) = dollars();
                format!("<?php\n\nfunction {name}({list}) {{\n    return {expression};\n}}\n")
            }
            _ => return None,
        })
    }
}

/// The text with `$` before a name.
fn replaced(text: &str, name: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if word == name {
            out.push('$');
        }
        out.push_str(&word);
        word.clear();
        out.push(c);
    }
    out.trim_end().to_owned()
}

struct Reader<'r> {
    text: &'r str,
    at: usize,
    names: &'r [String],
    values: &'r [f64],
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn sign(&mut self, signs: &[&str]) -> Option<String> {
        let skipped = self.rest().len() - self.rest().trim_start().len();
        let sign = signs.iter().find(|sign| self.rest().trim_start().starts_with(**sign))?;
        self.at += skipped + sign.len();
        Some((*sign).to_owned())
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            let next = self.product()?;
            value = if sign == "+" { value + next } else { value - next };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.power()?;
        while !self.rest().trim_start().starts_with("**") {
            let Some(sign) = self.sign(&["*", "/"]) else { break };
            // `//` rounds down in one language and begins a comment in another.
            if self.rest().starts_with('/') {
                return None;
            }
            let next = self.power()?;
            value = if sign == "*" { value * next } else { value / next };
        }
        Some(value)
    }

    fn power(&mut self) -> Option<f64> {
        if self.sign(&["-"]).is_some() {
            return Some(-self.power()?);
        }
        let value = self.atom()?;
        if self.sign(&["**"]).is_some() { Some(value.powf(self.power()?)) } else { Some(value) }
    }

    fn atom(&mut self) -> Option<f64> {
        if self.sign(&["("]).is_some() {
            let value = self.sum()?;
            self.sign(&[")"])?;
            return Some(value);
        }
        let rest = self.rest().trim_start();
        let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '.').collect();
        self.at += self.rest().len() - rest.len() + word.len();
        if is_match(r"^\d", &word) {
            return word.parse().ok();
        }
        let at = self.names.iter().position(|name| *name == word)?;
        self.values.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_written_and_checked() {
        let formula = read("Python function `c_to_f(c)` returning c * 9 / 5 + 32.\nCheck: c_to_f(100) == 212").unwrap();
        assert_eq!(formula.code(Language::Python).as_deref(), Some("def c_to_f(c):\n    return c * 9 / 5 + 32\n"));
        let example = |call: &str, gives: &str| Example { call: call.into(), gives: gives.into() };
        assert_eq!(formula.holds(&example("c_to_f(-40)", "-40")), Some(true));
        assert_eq!(formula.holds(&example("c_to_f(0)", "33")), Some(false));
        assert_eq!(
            read("area(w, h) = w * h as a Python function. area(2, 3) = 6").map(|f| f.expression).as_deref(),
            Some("w * h")
        );
        assert!(read("f(x) returns x * 2 rounded").is_none());
        assert_eq!(read("area(w, h) = w * h").map(|formula| formula.parameters.len()), Some(2));
        assert_eq!(
            read("PHP function area(w, h) returns w * h").and_then(|f| f.code(Language::Php)).as_deref(),
            Some("<?php\n\nfunction area($w, $h) {\n    return $w * $h;\n}\n")
        );
        assert!(read("f(x) returns the sum of the digits").is_none() && read("f(x) = 3").is_none());
    }
}
