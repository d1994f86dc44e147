//! What a call gets.

use std::collections::BTreeMap;

use agent_common::model::Answered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::merge::{Conflict, Group};

/// The merged table and what it says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// Single results, each with the rows that it is based on.
    pub(crate) answers: Vec<Figure>,
    /// How likely this is what was asked and right, 0 to 1: of answers that say 0.8 or more at least four in five were
    /// right on the frozen tasks.
    pub(crate) confidence: f64,
    /// Columns of the resulting table, with their types.
    pub(crate) columns: Vec<Column>,
    /// Its rows, at most 1,000 of them: merged, joined, sorted or pivoted rows, or a row for each result.
    pub(crate) rows: Vec<BTreeMap<String, String>>,
    /// How many there are.
    pub(crate) rows_total: usize,
    /// Rows that were left out because an equal one is there.
    pub(crate) duplicates_removed: usize,
    /// Records whose sources disagree.
    pub(crate) conflicts: Vec<Conflict>,
    /// Groups with the sums of every numeric column.
    pub(crate) groups: Vec<Group>,
    /// Rows that may mean the same, by their places in `rows`, from 0.
    pub(crate) alike: Vec<Alike>,
    /// What the answer does not tell.
    pub(crate) limitations: Vec<String>,
}

impl Answered for Output {
    fn confidence(&mut self) -> &mut f64 {
        &mut self.confidence
    }

    fn limitations(&mut self) -> &mut Vec<String> {
        &mut self.limitations
    }
}

/// A column.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Its name.
    pub(crate) name: String,
    /// The type of nearly all of its values.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// Cells without a value.
    pub(crate) missing: usize,
}

/// Two rows that may mean the same.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Alike {
    /// The first row.
    pub(crate) a: usize,
    /// The second.
    pub(crate) b: usize,
    /// How likely, 0 to 1: an order rather than a chance.
    pub(crate) probability: f64,
}
