//! The typed input.

use std::collections::BTreeMap;

use agent_common::columns::name_words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Leads, and what makes a lead good: `rules`, `order_by`, `multiply`, or a `profile`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The leads, at most 1,000; with a `profile` at most 20, of which 5 may be different.
    #[schemars(length(min = 1, max = 1_000))]
    pub leads: Option<Vec<Lead>>,
    /// The wanted customer. What it does not name is not scored.
    pub profile: Option<Profile>,
    /// Rules that give points; the score of a lead is their sum.
    #[schemars(length(min = 1, max = 100))]
    pub rules: Option<Vec<Rule>>,
    /// Points of every lead before the rules. Default: 0.
    pub base: Option<f64>,
    /// Fields whose product is the score, in place of rules.
    #[schemars(length(min = 1, max = 5))]
    pub multiply: Option<Vec<String>>,
    /// Fields to order by, the most important first; with rules they decide between equal scores.
    #[schemars(length(min = 1, max = 10))]
    pub order_by: Option<Vec<Order>>,
    /// Conditions that a lead must all meet to be ranked.
    #[schemars(length(min = 1, max = 50))]
    pub only: Option<Vec<Condition>>,
    /// Conditions that leave a lead out; one that is met suffices.
    #[schemars(length(min = 1, max = 50))]
    pub except: Option<Vec<Condition>>,
    /// Leads to list, the best ones. Default: all.
    #[schemars(range(min = 1, max = 1_000))]
    pub top: Option<u32>,
    /// Grades and the scores from which they apply. Default: none; with a profile A from 75, B from 55, C from 35, D.
    #[schemars(length(min = 1, max = 20))]
    pub grades: Option<Vec<Grade>>,
    /// Whether leads that are probably the same are merged. Default: with a profile only.
    pub duplicates: Option<bool>,
    /// Fields that make leads the same if all of them are equal, such as `phone`.
    #[schemars(length(min = 1, max = 10))]
    pub same: Option<Vec<String>>,
}

/// Someone who may buy.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// The person.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// Job title.
    pub title: Option<String>,
    /// The company.
    pub company: Option<String>,
    /// Its web address or domain.
    pub website: Option<String>,
    /// Its industry.
    pub industry: Option<String>,
    /// Its country.
    pub country: Option<String>,
    /// Number of its employees.
    pub employees: Option<u32>,
    /// Anything else, by name, as text, number or true and false: budget, demo, last contact.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100))]
    pub fields: BTreeMap<String, Value>,
}

/// The wanted customer.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Job titles.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub titles: Vec<String>,
    /// Industries, as leads name them.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub industries: Vec<String>,
    /// Countries, as leads name them.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub countries: Vec<String>,
    /// Least employees.
    pub employees_min: Option<u32>,
    /// Most employees.
    pub employees_max: Option<u32>,
}

/// Points for leads that meet all conditions.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Points, negative to take some off.
    pub points: f64,
    /// Conditions that must all be met; none for every lead.
    #[serde(default)]
    #[schemars(length(max = 10))]
    pub when: Vec<Condition>,
    /// A field whose number the points are multiplied by: `visits` for points per visit.
    pub per: Option<String>,
}

/// A test of one field; all members that are given must hold. A missing value meets none but `known: false`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The field: a member of a lead, or a name in its `fields`.
    pub field: String,
    /// The value contains one of these texts as whole words; case does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub contains: Vec<String>,
    /// The value is one of these; case does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub is: Vec<String>,
    /// The number is above this.
    pub above: Option<f64>,
    /// The number is at least this.
    pub at_least: Option<f64>,
    /// The number is below this.
    pub below: Option<f64>,
    /// The number is at most this.
    pub at_most: Option<f64>,
    /// Whether there is a value.
    pub known: Option<bool>,
    /// Reverses the test; a missing value still does not meet it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not: bool,
}

/// A field to order by.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The field; its values are numbers, unless `values` is given.
    pub field: String,
    /// Whether the lowest number comes first. Default: the highest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ascending: bool,
    /// The values in order, the best first, for a field of texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub values: Vec<String>,
}

/// A grade and the score from which it applies.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// Its name: `A`, `hot`.
    #[schemars(length(min = 1, max = 40))]
    pub name: String,
    /// The least score.
    pub at_least: f64,
}

impl Lead {
    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns what to call it.
    pub fn shown(&self, index: usize) -> String {
        let known = [&self.name, &self.company, &self.email].into_iter().flatten().next();
        known.cloned().unwrap_or_else(|| format!("lead {}", index + 1))
    }

    /// Returns its members that the bridges read.
    pub fn contact(&self) -> Self {
        Self { fields: BTreeMap::new(), ..self.clone() }
    }

    /// Returns the members that are texts, with their names.
    fn texts(&mut self) -> [(&'static str, &mut Option<String>); 8] {
        [
            ("name", &mut self.name),
            ("email", &mut self.email),
            ("phone", &mut self.phone),
            ("title", &mut self.title),
            ("company", &mut self.company),
            ("website", &mut self.website),
            ("industry", &mut self.industry),
            ("country", &mut self.country),
        ]
    }

    /// Returns a member that is a text.
    pub fn text_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
        self.texts().into_iter().find(|(own, _)| *own == name).map(|(_, member)| member)
    }

    /// Returns the value of a field as text; none if it is missing or unknown.
    pub fn value(&self, field: &str) -> Option<String> {
        let name = name_words(field);
        let own = self.fields.iter().find(|(own, _)| name_words(own) == name).map(|(_, value)| match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Null => String::new(),
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            other => other.to_string(),
        });
        let member = || {
            if name == ["employees"] {
                return self.employees.map(|count| count.to_string());
            }
            self.clone().text_mut(&name.join(" "))?.take()
        };
        let value = own.or_else(member)?;
        let unknown = matches!(value.trim().to_lowercase().as_str(), "" | "-" | "–" | "n/a" | "null" | "?" | "unknown");
        (!unknown).then_some(value)
    }

    /// Takes over what another entry of the same lead knows.
    pub fn learn(&mut self, other: &Self) {
        for (name, text) in self.texts().into_iter().filter(|(_, text)| text.is_none()) {
            *text = other.value(name);
        }
        self.employees = self.employees.or(other.employees);
        for (name, value) in &other.fields {
            if self.value(name).is_none() {
                self.fields.insert(name.clone(), value.clone());
            }
        }
    }
}
