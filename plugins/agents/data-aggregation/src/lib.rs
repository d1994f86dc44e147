//! An agent that merges tables, groups and sums them, and reports where they disagree.
//!
//! Merging and sums are done here, exactly as the decimals are written; the
//! bridge `data_profile` looks at the merged table, `entity_match` at rows that
//! may mean the same. Rows that are alike but not equal are reported, not removed.

mod asks;
mod calendar;
mod combining;
mod comparing;
mod compute;
mod conditions;
mod derived;
mod figure;
mod filter;
mod forms;
mod found;
mod given;
mod grouping;
mod groups;
mod input;
mod listing;
mod measures;
mod merge;
mod newest;
mod ordering;
mod outcome;
mod output;
mod phrases;
mod pivot;
mod query;
mod reader;
mod reading;
mod refusal;
mod repeats;
mod reply;
mod replying;
#[cfg(test)]
mod requests;
mod row_words;
mod shape;
mod silent;
mod surcharge;
mod tables;
mod task;
mod totals;
mod typed;
mod units;
mod worded;
mod words;

use agent_common::model;
use tollbridge_sdk::{Call, Error, agent};

pub use crate::input::{Given, Input};
pub use crate::output::{Alike, Column, Output};
pub use crate::worded::answer;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = agent_common::words::of(task, input.as_ref());
    let Input { tables, group_by, key } = input.unwrap_or_default();
    match tables {
        Some(given) => typed::answer(text, given, key.as_deref(), group_by),
        None => model::reread(text, forms::FORMS, |text| answer(text, group_by.as_deref().unwrap_or_default())),
    }
}

agent! { run: run, examples: ["../cases/regions.json"] }
tollbridge_sdk::test_cases!(agent run);
