//! What the agents of this repository share.
//!
//! The grammar of commands, strict readers of the material that follows a command (tables,
//! series, texts, labelled values), and access to models. Pure functions except for
//! `form` and `model`; agents call bridges themselves.

#![warn(missing_docs, unreachable_pub)]

pub mod cells;
pub mod columns;
pub mod command;
pub mod condition;
mod condition_words;
pub mod dates;
pub mod decimal;
pub mod exact;
pub mod expression;
pub mod figures;
pub mod form;
pub mod formats;
pub mod framed;
pub mod framing;
pub mod grounds;
pub mod html;
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
pub mod number_words;
pub mod overlay;
pub mod patterns;
mod period_style;
pub mod periods;
pub mod prose;
pub mod quantity;
mod quantity_words;
pub mod quotes;
pub mod relations;
mod rule;
pub mod rules;
pub mod sentences;
pub mod sequence;
pub mod slots;
pub mod table;
pub mod table_slots;
pub mod texts;
pub mod time_unit;

use serde::Deserialize;

/// What a bridge answers, as far as an agent reads it.
#[derive(Debug, Deserialize)]
pub struct Answer<T> {
    /// What was found.
    pub result: T,
    /// What the answer does not tell.
    #[serde(default)]
    pub limitations: Vec<String>,
}

/// The limits of several answers, each once, in order.
#[must_use]
pub fn limits(own: &[&str], answers: &[&[String]]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for limit in own.iter().map(|text| (*text).to_owned()).chain(answers.iter().flat_map(|list| list.iter().cloned())) {
        if !all.contains(&limit) {
            all.push(limit);
        }
    }
    all
}
