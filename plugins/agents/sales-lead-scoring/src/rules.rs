//! Points by the caller's rules, orders and products.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use agent_common::columns::{fold, name_words};
use agent_common::figures::round;
use agent_common::number_columns;
use tollbridge_sdk::Error;

use crate::input::{Condition, Input, Lead, Rule};
use crate::output::{Contribution, Ranked};

/// The leads, with the numbers of the fields that are compared.
pub struct Sheet<'l> {
    leads: &'l [Lead],
    input: &'l Input,
    numbers: BTreeMap<Vec<String>, Vec<Option<f64>>>,
}

/// A contribution, and whether its values are known.
type Part = (Contribution, bool);
/// A comparison of two numbers.
type Test = fn(&f64, &f64) -> bool;

impl<'l> Sheet<'l> {
    /// Reads the fields that an input names.
    pub fn new(leads: &'l [Lead], input: &'l Input) -> Result<Self, Error> {
        let mut sheet = Self { leads, input, numbers: BTreeMap::new() };
        let rules = || input.rules.iter().flatten();
        let filters = input.only.iter().chain(&input.except).flatten();
        for condition in rules().flat_map(|rule| &rule.when).chain(filters) {
            let has_limits = condition.limits().next().is_some();
            if !has_limits && condition.contains.is_empty() && condition.is.is_empty() && condition.known.is_none() {
                let text = format!("the condition on `{}` has no test", condition.field);
                return Err(Error::invalid("/rules", format!("{text}; give `contains`, `is`, `above` or the like")));
            }
            sheet.read(&condition.field, has_limits)?;
        }
        for order in input.order_by.iter().flatten() {
            sheet.read(&order.field, order.values.is_empty())?;
        }
        for field in rules().filter_map(|rule| rule.per.as_ref()).chain(input.multiply.iter().flatten()) {
            sheet.read(field, true)?;
        }
        Ok(sheet)
    }

    /// Checks that a field exists, and reads its numbers.
    fn read(&mut self, field: &str, is_numeric: bool) -> Result<(), Error> {
        let invalid = |text: String| Error::invalid("/leads", text);
        let values: Vec<Option<String>> = self.leads.iter().map(|lead| lead.value(field)).collect();
        if values.iter().all(Option::is_none) {
            return Err(invalid(format!("no lead has a value for `{field}`")));
        }
        if !is_numeric {
            return Ok(());
        }
        let texts: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or_default()).collect();
        let numbers = number_columns::numbers(&texts);
        let numbers = numbers.map_err(|error| invalid(format!("in the column `{field}` {error}")))?;
        for (at, (number, text)) in numbers.iter().zip(&texts).enumerate() {
            if number.is_none() && !text.is_empty() {
                let name = self.leads.get(at).map(|lead| lead.shown(at)).unwrap_or_default();
                return Err(invalid(format!("`{field}` of {name} is no number: {text}")));
            }
        }
        self.numbers.insert(name_words(field), numbers);
        Ok(())
    }

    fn value(&self, at: usize, field: &str) -> Option<String> {
        self.leads.get(at)?.value(field)
    }

    fn number(&self, at: usize, field: &str) -> Option<f64> {
        self.numbers.get(&name_words(field))?.get(at).copied().flatten()
    }

    /// Returns whether a lead meets a condition; none if the value is missing.
    pub fn meets(&self, at: usize, condition: &Condition) -> Option<bool> {
        let value = self.value(at, &condition.field);
        if let Some(known) = condition.known {
            return Some((value.is_some() == known) != condition.not);
        }
        let value = value?;
        let spaced = |text: &str| format!(" {} ", words(text));
        let contains = |text: &String| spaced(&value).contains(&spaced(text));
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let is_same = |text: &String| {
            fold(text.trim()) == fold(value.trim()) || number(text).is_some_and(|wanted| number(&value) == Some(wanted))
        };
        let mut holds = (condition.contains.is_empty() || condition.contains.iter().any(contains))
            && (condition.is.is_empty() || condition.is.iter().any(is_same));
        for (_, limit, is_within) in condition.limits() {
            holds &= is_within(&self.number(at, &condition.field)?, &limit);
        }
        Some(holds != condition.not)
    }

    /// Returns the points of a lead, and the share of the values that are known.
    pub fn score(&self, at: usize) -> Ranked {
        let input = self.input;
        let mut parts: Vec<Part> =
            input.base.map(|base| part("base", base, base, "every lead", true)).into_iter().collect();
        parts.extend(input.rules.iter().flatten().map(|rule| self.points(at, rule)));
        parts.extend(input.multiply.iter().map(|fields| self.product(at, fields)));
        for order in input.order_by.iter().flatten() {
            let value = self.value(at, &order.field);
            let reason = value.as_deref().unwrap_or("not known");
            parts.push(part(&format!("order by {}", order.field), 0.0, 0.0, reason, value.is_some()));
        }
        let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let known = count(parts.iter().filter(|(_, known)| *known).count()) / count(parts.len().max(1));
        Ranked {
            index: at,
            lead: self.leads.get(at).map(|lead| lead.shown(at)).unwrap_or_default(),
            score: round(parts.iter().map(|(part, _)| part.points).sum()),
            known: round(known),
            contributions: parts.into_iter().map(|(part, _)| part).collect(),
            ..Ranked::default()
        }
    }

    fn points(&self, at: usize, rule: &Rule) -> Part {
        let met: Vec<Option<bool>> = rule.when.iter().map(|condition| self.meets(at, condition)).collect();
        let amount = rule.per.as_ref().map_or(Some(1.0), |field| self.number(at, field));
        let is_met = met.iter().all(|met| *met == Some(true));
        let points = if is_met { round(rule.points * amount.unwrap_or(0.0)) } else { 0.0 };
        let mut fields: Vec<&String> = rule.when.iter().map(|condition| &condition.field).chain(&rule.per).collect();
        fields.dedup();
        let value = |field: &str| self.value(at, field).unwrap_or_else(|| "not known".to_owned());
        let values: Vec<String> = fields.into_iter().map(|field| format!("{field}: {}", value(field))).collect();
        let mut names: Vec<String> = rule.when.iter().map(Condition::text).collect();
        names.extend(rule.per.iter().map(|field| format!("per {field}")));
        let most = if rule.per.is_some() { points } else { rule.points }.max(0.0);
        let is_known = amount.is_some() && met.iter().all(Option::is_some);
        part(&names.join(" and "), points, most, &values.join(", "), is_known)
    }

    fn product(&self, at: usize, fields: &[String]) -> Part {
        let numbers: Option<Vec<f64>> = fields.iter().map(|field| self.number(at, field)).collect();
        let points = numbers.as_ref().map_or(0.0, |numbers| round(numbers.iter().product()));
        let reason = if numbers.is_some() { "the product" } else { "a factor is not known" };
        part(&fields.join(" × "), points, points.max(0.0), reason, numbers.is_some())
    }

    /// Compares two leads, the better first.
    pub fn compare(&self, a: &Ranked, b: &Ranked) -> Ordering {
        let mut order = b.score.total_cmp(&a.score);
        for by in self.input.order_by.iter().flatten() {
            let place = |at: usize| {
                if by.values.is_empty() {
                    return self.number(at, &by.field).map(|number| if by.ascending { number } else { -number });
                }
                let value = fold(&self.value(at, &by.field)?);
                let place = by.values.iter().position(|one| fold(one) == value)?;
                u32::try_from(place).ok().map(f64::from)
            };
            // What is not known comes last.
            let [a, b] = [a.index, b.index].map(|at| place(at).unwrap_or(f64::MAX));
            order = order.then(a.total_cmp(&b));
        }
        order
    }
}

fn part(name: &str, points: f64, most: f64, reason: &str, is_known: bool) -> Part {
    (Contribution { part: name.to_owned(), points, most, reason: reason.to_owned() }, is_known)
}

fn words(text: &str) -> String {
    fold(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

impl Condition {
    /// Returns the comparisons with a number: their names, the number, and the test.
    fn limits(&self) -> impl Iterator<Item = (&'static str, f64, Test)> {
        let all: [(_, _, Test); 4] = [
            ("above", self.above, f64::gt),
            ("at least", self.at_least, f64::ge),
            ("below", self.below, f64::lt),
            ("at most", self.at_most, f64::le),
        ];
        all.into_iter().filter_map(|(name, limit, holds)| Some((name, limit?, holds)))
    }

    /// Returns the condition in words.
    fn text(&self) -> String {
        let texts = [("contains", &self.contains), ("is", &self.is)].into_iter().filter(|(_, texts)| !texts.is_empty());
        let mut tests: Vec<String> = texts.map(|(name, texts)| format!("{name} {}", texts.join(" or "))).collect();
        tests.extend(self.limits().map(|(name, limit, _)| format!("{name} {limit}")));
        tests.extend(self.known.map(|known| if known { "is known" } else { "is not known" }.to_owned()));
        let not = if self.not { "not: " } else { "" };
        format!("{not}{} {}", self.field, tests.join(" and "))
    }
}
