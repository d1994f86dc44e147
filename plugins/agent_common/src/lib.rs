//! Shared parts of the agents of this repository.
//!
//! The grammar of commands, strict readers of the material that follows a command (tables,
//! series, texts, labelled values), and access to models. Pure functions except for
//! `form` and `model`; agents call bridges themselves.

#![warn(missing_docs, unreachable_pub)]

mod assignment;
pub mod cells;
pub mod columns;
pub mod command;
pub mod condition;
mod condition_words;
pub mod dates;
pub mod exact;
pub mod expression;
pub mod figures;
pub mod form;
pub mod formats;
pub mod framed;
pub mod grounds;
pub mod labels;
pub mod language;
pub mod language_names;
pub mod lexer;
pub mod material;
pub mod measures;
pub mod merging;
pub mod model;
pub mod number_columns;
pub mod number_runs;
mod number_words;
pub mod overlay;
pub mod patterns;
mod period_style;
pub mod periods;
pub mod quantity;
pub mod relations;
mod rule;
pub mod rules;
pub mod sentences;
pub mod sequence;
pub mod slots;
pub mod table;
pub mod table_slots;
pub mod testing;
pub mod texts;
pub mod time_unit;

pub use framed as framing;

use serde::Deserialize;

/// The answer of a bridge, as far as an agent reads it.
#[derive(Debug, Deserialize)]
pub struct Answer<T> {
    /// The result.
    pub result: T,
    /// What the answer does not cover.
    #[serde(default)]
    pub limitations: Vec<String>,
}

/// Returns the limits of several answers, each once, in order.
pub fn limits(own: &[&str], answers: &[&[String]]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for limit in own.iter().map(|text| (*text).to_owned()).chain(answers.iter().flat_map(|list| list.iter().cloned())) {
        if !all.contains(&limit) {
            all.push(limit);
        }
    }
    all
}

/// Returns the rows of a table of test cases.
#[cfg(test)]
fn rows<T: serde::de::DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).unwrap()
}
