//! Points by the caller's rules, orders and products.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use agent_common::columns::{fold, name_words};
use agent_common::{figures, number_columns};
use tollbridge_sdk::Error;

use crate::input::{Condition, Input, Lead, Order, Rule};
use crate::output::{Contribution, Ranked};

/// The leads, with the numbers of the fields that are compared.
pub struct Sheet<'l> {
    leads: &'l [Lead],
    numbers: BTreeMap<Vec<String>, Vec<Option<f64>>>,
}

/// A contribution, and whether its values are known.
type Part = (Contribution, bool);

impl<'l> Sheet<'l> {
    /// Reads the fields that an input names.
    pub fn new(leads: &'l [Lead], input: &Input) -> Result<Self, Error> {
        let mut sheet = Self { leads, numbers: BTreeMap::new() };
        let rules = input.rules.iter().flatten();
        let filters = input.only.iter().chain(&input.except).flatten();
        let conditions: Vec<&Condition> = rules.clone().flat_map(|rule| &rule.when).chain(filters).collect();
        for condition in conditions {
            let tests = condition.numbers().len() + condition.contains.len() + condition.is.len();
            if tests == 0 && condition.known.is_none() {
                let text = format!(
                    "the condition on `{}` has no test; give `contains`, `is`, `above` or the like",
                    condition.field
                );
                return Err(Error::invalid("/rules", text));
            }
            sheet.read(&condition.field, !condition.numbers().is_empty())?;
        }
        let orders = input.order_by.iter().flatten();
        for order in orders {
            sheet.read(&order.field, order.values.is_empty())?;
        }
        for field in rules.filter_map(|rule| rule.per.as_ref()).chain(input.multiply.iter().flatten()) {
            sheet.read(field, true)?;
        }
        Ok(sheet)
    }

    /// Checks that a field exists, and reads its numbers.
    fn read(&mut self, field: &str, numeric: bool) -> Result<(), Error> {
        let invalid = |text: String| Error::invalid("/leads", text);
        let values: Vec<Option<String>> = self.leads.iter().map(|lead| lead.value(field)).collect();
        if values.iter().all(Option::is_none) {
            return Err(invalid(format!("no lead has a value for `{field}`")));
        }
        if !numeric {
            return Ok(());
        }
        let texts: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or_default()).collect();
        let numbers =
            number_columns::numbers(&texts).map_err(|error| invalid(format!("in the column `{field}` {error}")))?;
        let text =
            numbers.iter().zip(&values).enumerate().find(|(_, (number, value))| number.is_none() && value.is_some());
        if let Some((at, (_, value))) = text {
            let name = self.leads.get(at).map(|lead| lead.shown(at)).unwrap_or_default();
            return Err(invalid(format!("`{field}` of {name} is no number: {}", value.clone().unwrap_or_default())));
        }
        self.numbers.insert(name_words(field), numbers);
        Ok(())
    }

    fn number(&self, at: usize, field: &str) -> Option<f64> {
        self.numbers.get(&name_words(field))?.get(at).copied().flatten()
    }

    /// Returns whether a lead meets a condition; none if the value is missing.
    pub fn meets(&self, at: usize, condition: &Condition) -> Option<bool> {
        let value = self.leads.get(at)?.value(&condition.field);
        if let Some(known) = condition.known {
            return Some((value.is_some() == known) != condition.not);
        }
        let value = value?;
        let words = format!(" {} ", words(&value));
        let contains = |text: &String| words.contains(&format!(" {} ", self::words(text)));
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let same = |text: &String| {
            fold(text.trim()) == fold(value.trim()) || number(text).is_some_and(|wanted| number(&value) == Some(wanted))
        };
        let texts = (condition.contains.is_empty() || condition.contains.iter().any(contains))
            && (condition.is.is_empty() || condition.is.iter().any(same));
        let fits = match condition.numbers().is_empty() {
            true => true,
            false => {
                let number = self.number(at, &condition.field)?;
                condition.numbers().iter().all(|(test, limit)| test.holds(number, *limit))
            }
        };
        Some((texts && fits) != condition.not)
    }

    /// Returns the points of a lead, and the share of the values that are known.
    pub fn score(&self, at: usize, input: &Input) -> Ranked {
        let mut parts: Vec<Part> = Vec::new();
        if let Some(base) = input.base {
            parts.push((part("base", base, base, "every lead"), true));
        }
        parts.extend(input.rules.iter().flatten().map(|rule| self.points(at, rule)));
        if let Some(fields) = &input.multiply {
            parts.push(self.product(at, fields));
        }
        for order in input.order_by.iter().flatten() {
            let value = self.leads.get(at).and_then(|lead| lead.value(&order.field));
            let reason = value.clone().unwrap_or_else(|| "not known".to_owned());
            parts.push((part(&format!("order by {}", order.field), 0.0, 0.0, &reason), value.is_some()));
        }
        let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let known = count(parts.iter().filter(|(_, known)| *known).count()) / count(parts.len().max(1));
        let score = figures::round(parts.iter().map(|(part, _)| part.points).sum());
        Ranked {
            rank: 0,
            index: at,
            lead: self.leads.get(at).map(|lead| lead.shown(at)).unwrap_or_default(),
            score,
            grade: None,
            known: figures::round(known),
            contributions: parts.into_iter().map(|(part, _)| part).collect(),
            email: None,
            email_suggestion: None,
            merged: Vec::new(),
        }
    }

    fn points(&self, at: usize, rule: &Rule) -> Part {
        let met: Vec<Option<bool>> = rule.when.iter().map(|condition| self.meets(at, condition)).collect();
        let amount = rule.per.as_ref().map(|field| self.number(at, field));
        let known = met.iter().all(Option::is_some) && amount != Some(None);
        let meets = met.iter().all(|met| *met == Some(true));
        let points = if meets {
            figures::round(rule.points * amount.flatten().unwrap_or(f64::from(amount.is_none())))
        } else {
            0.0
        };
        let value = |field: &String| {
            self.leads.get(at).and_then(|lead| lead.value(field)).unwrap_or_else(|| "not known".to_owned())
        };
        let mut fields: Vec<&String> = rule.when.iter().map(|condition| &condition.field).chain(&rule.per).collect();
        fields.dedup();
        let values: Vec<String> = fields.into_iter().map(|field| format!("{field}: {}", value(field))).collect();
        let mut names: Vec<String> = rule.when.iter().map(Condition::text).collect();
        names.extend(rule.per.iter().map(|field| format!("per {field}")));
        let most = if rule.per.is_some() { points.max(0.0) } else { rule.points.max(0.0) };
        (part(&names.join(" and "), points, most, &values.join(", ")), known)
    }

    fn product(&self, at: usize, fields: &[String]) -> Part {
        let numbers: Option<Vec<f64>> = fields.iter().map(|field| self.number(at, field)).collect();
        let points = numbers.as_ref().map_or(0.0, |numbers| figures::round(numbers.iter().product()));
        let reason = if numbers.is_some() { "the product" } else { "a factor is not known" };
        (part(&fields.join(" × "), points, points.max(0.0), reason), numbers.is_some())
    }

    /// Compares two leads, the better first.
    pub fn compare(&self, a: &Ranked, b: &Ranked, orders: &[Order]) -> Ordering {
        let by = |order: &Order| {
            let place = |at: usize| -> Option<f64> {
                if order.values.is_empty() {
                    return self.number(at, &order.field).map(|number| if order.ascending { number } else { -number });
                }
                let value = fold(&self.leads.get(at)?.value(&order.field)?);
                let place = order.values.iter().position(|one| fold(one) == value)?;
                u32::try_from(place).ok().map(f64::from)
            };
            // What is not known comes last.
            let [a, b] = [place(a.index), place(b.index)].map(|place| place.unwrap_or(f64::MAX));
            a.total_cmp(&b)
        };
        orders.iter().fold(b.score.total_cmp(&a.score), |order, next| order.then_with(|| by(next)))
    }
}

fn part(name: &str, points: f64, most: f64, reason: &str) -> Contribution {
    Contribution { part: name.to_owned(), points, most, reason: reason.to_owned() }
}

fn words(text: &str) -> String {
    fold(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A comparison with a limit.
#[derive(Debug, Clone, Copy)]
pub enum Test {
    Above,
    AtLeast,
    Below,
    AtMost,
}

impl Test {
    fn holds(self, number: f64, limit: f64) -> bool {
        match self {
            Self::Above => number > limit,
            Self::AtLeast => number >= limit,
            Self::Below => number < limit,
            Self::AtMost => number <= limit,
        }
    }
}

impl Condition {
    fn numbers(&self) -> Vec<(Test, f64)> {
        let all = [
            (Test::Above, self.above),
            (Test::AtLeast, self.at_least),
            (Test::Below, self.below),
            (Test::AtMost, self.at_most),
        ];
        all.into_iter().filter_map(|(test, limit)| Some((test, limit?))).collect()
    }

    /// Returns the condition in words.
    fn text(&self) -> String {
        let mut tests = Vec::new();
        if !self.contains.is_empty() {
            tests.push(format!("contains {}", self.contains.join(" or ")));
        }
        if !self.is.is_empty() {
            tests.push(format!("is {}", self.is.join(" or ")));
        }
        for (test, limit) in self.numbers() {
            let name = match test {
                Test::Above => "above",
                Test::AtLeast => "at least",
                Test::Below => "below",
                Test::AtMost => "at most",
            };
            tests.push(format!("{name} {limit}"));
        }
        tests.extend(self.known.map(|known| if known { "is known" } else { "is not known" }.to_owned()));
        let not = if self.not { "not: " } else { "" };
        format!("{not}{} {}", self.field, tests.join(" and "))
    }
}
