//! A lead in words.

use crate::leads::Lead;

/// A lead, and all that is said of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Person {
    pub lead: Lead,
    /// What to call it.
    pub name: String,
    /// Labels and values where the task has them.
    pub fields: Vec<(String, String)>,
    /// All words about it.
    pub text: String,
}

impl Person {
    /// Labels and values; none where all of them are empty.
    pub fn of_fields(fields: Vec<(String, String)>) -> Option<Self> {
        let empty = |value: &str| {
            matches!(value.trim().to_lowercase().as_str(), "" | "-" | "–" | "n/a" | "null" | "none" | "?" | "unknown")
        };
        let mut lead = Lead::default();
        for (label, value) in fields.iter().filter(|(_, value)| !empty(value)) {
            lead.learn(label, value);
        }
        let told: Vec<String> = fields
            .iter()
            .filter(|(_, value)| !value.trim().is_empty())
            .map(|(label, value)| format!("{label}: {value}"))
            .collect();
        let known = fields.iter().any(|(_, value)| !empty(value));
        let first = || fields.iter().map(|(_, value)| value.trim()).find(|value| !empty(value)).map(str::to_owned);
        let name = lead.name.clone().or_else(|| lead.company.clone()).or_else(|| lead.email.clone()).or_else(first)?;
        known.then(|| Self { lead, name, fields, text: told.join("; ") })
    }

    /// A name, and words that follow it.
    pub fn of_words(name: &str, words: &str) -> Self {
        let mut lead = Lead { name: Some(name.to_owned()), ..Lead::default() };
        let tokens = words.split(|c: char| c.is_whitespace() || ",;<>()".contains(c));
        lead.email = tokens
            .map(|word| word.trim_end_matches('.'))
            .find(|word| word.contains('@') && word.len() > 3)
            .map(str::to_owned);
        lead.phone = agent_common::patterns::groups(r"(?:\+|\b0)\d[\d \-/()]{6,18}\d", words).first().cloned();
        Self { lead, name: name.to_owned(), fields: Vec::new(), text: words.trim().to_owned() }
    }
}
