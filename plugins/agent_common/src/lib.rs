//! What the agents of this repository share.
//!
//! A task comes in words, a bridge wants members: here stand the readers of
//! plain text (numbers, tables, sentences, labelled lines) and the few ways to
//! say figures. Pure functions; whoever needs a bridge calls it itself.

#![warn(missing_docs, unreachable_pub)]

pub mod answer_format;
pub mod asking;
mod asking_words;
mod blocks;
pub mod chat;
mod choice_phrases;
mod code_lines;
pub mod columns;
mod courtesy;
pub mod dates;
pub mod decimal;
pub mod exact;
mod field_phrases;
mod field_words;
pub mod figures;
pub mod formula;
pub mod function_words;
mod grid;
pub mod grounds;
pub mod handles;
pub mod html;
mod inline;
mod items;
mod labelled_values;
pub mod language;
mod layout;
mod lines;
pub mod marks;
pub mod model;
pub mod number_words;
pub mod numbers;
pub mod pairs;
pub mod patterns;
mod period_style;
pub mod periods;
pub mod phrases;
mod piece;
pub mod prose;
pub mod quantity;
mod quantity_words;
pub mod quotes;
pub mod request;
pub mod rows;
pub mod sentences;
pub mod series;
pub mod series_labels;
mod series_lines;
mod series_prose;
mod series_table;
pub mod sheet;
pub mod table;
pub mod tagless;
pub mod time_unit;
pub mod tokens;
pub mod words;

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
