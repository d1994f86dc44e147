//! Functions whose result is an arithmetic formula of their parameters: written and checked without a model.

use std::collections::HashMap;

use crate::input::{Example, Language};

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

impl Formula {
    /// Returns whether the expression is arithmetic of the parameters.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.expression.contains(['+', '*', '/', '-']) && self.value(&vec![2.0; self.parameters.len()]).is_some()
    }

    /// Returns its value for arguments.
    fn value(&self, arguments: &[f64]) -> Option<f64> {
        let values = self.parameters.iter().map(String::as_str).zip(arguments.iter().copied()).collect();
        let mut reader = Reader { rest: &self.expression, values };
        let value = reader.sum()?;
        reader.rest.trim().is_empty().then_some(value)
    }

    /// Returns whether an example holds; none if it cannot be computed.
    #[must_use]
    pub fn holds(&self, example: &Example) -> Option<bool> {
        let call = example.call.trim().strip_prefix(self.name.as_str())?;
        let inner = call.trim().strip_prefix('(')?.strip_suffix(')')?;
        let arguments: Option<Vec<f64>> = inner.split(',').map(|value| value.trim().parse().ok()).collect();
        let arguments = arguments.filter(|arguments| arguments.len() == self.parameters.len())?;
        let (value, expect) = (self.value(&arguments)?, example.gives.trim().parse::<f64>().ok()?);
        Some((value - expect).abs() <= expect.abs() * 1e-9 + 1e-9)
    }

    /// Returns the function in a language; none if it would need types that are not stated, or writes powers
    /// differently.
    #[must_use]
    pub fn code(&self, language: Language) -> Option<String> {
        let Self { name, parameters, expression } = self;
        let list = parameters.join(", ");
        let numbers = parameters.iter().map(|name| format!("{name}: number")).collect::<Vec<_>>().join(", ");
        let code = match language {
            Language::Python => format!("def {name}({list}):\n    return {expression}\n"),
            Language::Javascript => format!("function {name}({list}) {{\n  return {expression};\n}}\n"),
            Language::Typescript => format!("function {name}({numbers}): number {{\n  return {expression};\n}}\n"),
            Language::Ruby => format!("def {name}({list})\n  {expression}\nend\n"),
            Language::Lua if !expression.contains("**") => {
                format!("function {name}({list})\n  return {expression}\nend\n")
            }
            _ => return None,
        };
        Some(code)
    }
}

/// An expression from the next sign on, and the values of its names.
struct Reader<'r> {
    rest: &'r str,
    values: HashMap<&'r str, f64>,
}

impl Reader<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            value = match () {
                () if self.takes("+") => value + self.product()?,
                () if self.takes("-") => value - self.product()?,
                () => return Some(value),
            };
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.power()?;
        loop {
            value = match () {
                // It rounds down in one language and begins a comment in another.
                () if self.takes("//") => return None,
                () if self.takes("*") => value * self.power()?,
                () if self.takes("/") => value / self.power()?,
                () => return Some(value),
            };
        }
    }

    fn power(&mut self) -> Option<f64> {
        if self.takes("-") {
            return Some(-self.power()?);
        }
        let value = self.atom()?;
        if self.takes("**") { Some(value.powf(self.power()?)) } else { Some(value) }
    }

    fn atom(&mut self) -> Option<f64> {
        if self.takes("(") {
            let value = self.sum()?;
            return self.takes(")").then_some(value);
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().ok();
        }
        self.values.get(word).copied()
    }
}
