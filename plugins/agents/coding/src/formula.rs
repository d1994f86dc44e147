//! Functions whose result is an arithmetic formula of their parameters: written and checked without a model.

use crate::input::Example;
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

impl Formula {
    /// Returns whether the expression is arithmetic of the parameters.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let values: Vec<f64> = self.parameters.iter().map(|_| 2.0).collect();
        self.expression.contains(['+', '*', '/', '-']) && self.value(&values).is_some()
    }

    /// Returns its value for arguments.
    #[must_use]
    pub fn value(&self, arguments: &[f64]) -> Option<f64> {
        let mut reader = Reader { text: &self.expression, at: 0, names: &self.parameters, values: arguments };
        let value = reader.sum()?;
        reader.rest().trim().is_empty().then_some(value)
    }

    /// Returns whether an example holds; none if it cannot be computed.
    #[must_use]
    pub fn holds(&self, example: &Example) -> Option<bool> {
        let inner =
            example.call.trim().strip_prefix(self.name.as_str())?.trim().strip_prefix('(')?.strip_suffix(')')?;
        let arguments: Option<Vec<f64>> = inner.split(',').map(|value| value.trim().parse().ok()).collect();
        let arguments = arguments.filter(|arguments| arguments.len() == self.parameters.len())?;
        let (value, expect) = (self.value(&arguments)?, example.gives.trim().parse::<f64>().ok()?);
        Some((value - expect).abs() <= expect.abs() * 1e-9 + 1e-9)
    }

    /// Returns the function in a language; none if it would need types that are not stated.
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
        Some(match language {
            Language::Python => format!("def {name}({list}):\n    return {expression}\n"),
            Language::Javascript => format!("function {name}({list}) {{\n  return {expression};\n}}\n"),
            Language::Typescript => {
                format!("function {name}({}): number {{\n  return {expression};\n}}\n", typed("number"))
            }
            Language::Ruby => format!("def {name}({list})\n  {expression}\nend\n"),
            Language::Lua => format!("function {name}({list})\n  return {expression}\nend\n"),
            _ => return None,
        })
    }
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
        if word.starts_with(|c: char| c.is_ascii_digit()) {
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
        let formula = |name: &str, parameters: &[&str], expression: &str| Formula {
            name: name.into(),
            parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
            expression: expression.into(),
        };
        let celsius = formula("c_to_f", &["c"], "c * 9 / 5 + 32");
        assert_eq!(celsius.code(Language::Python).as_deref(), Some("def c_to_f(c):\n    return c * 9 / 5 + 32\n"));
        let example = |call: &str, gives: &str| Example { call: call.into(), gives: gives.into() };
        assert_eq!(celsius.holds(&example("c_to_f(-40)", "-40")), Some(true));
        assert_eq!(celsius.holds(&example("c_to_f(0)", "33")), Some(false));
        let area = formula("area", &["w", "h"], "w * h");
        assert!(area.is_sound() && !formula("f", &["x"], "x * y").is_sound() && !formula("f", &["x"], "x").is_sound());
    }
}
