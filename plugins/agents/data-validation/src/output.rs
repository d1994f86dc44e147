//! What the agent answers.

use agent_common::model::Answered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    pub(crate) summary: String,
    /// How likely this is what was asked and right, 0 to 1: of answers that say 0.8 or more at least four in five were
    /// right on the frozen tasks.
    pub(crate) confidence: f64,
    /// The rules that were checked, in words; empty where the table was looked at as a whole.
    pub(crate) rules: Vec<String>,
    /// Whether nothing of severity medium or above was found and the schema holds.
    pub(crate) valid: bool,
    /// Rows that were looked at.
    pub(crate) rows: usize,
    /// Columns and their types.
    pub(crate) columns: Vec<Column>,
    /// What was found, the gravest first.
    pub(crate) problems: Vec<Problem>,
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
    /// Different values.
    pub(crate) distinct: usize,
}

/// A finding.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// high, medium or low.
    pub(crate) severity: String,
    /// Where: a column, or the JSON pointer of a value.
    pub(crate) place: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) repair: String,
    /// The rows, from 1 without the header; empty where the column as a whole is meant.
    pub(crate) rows: Vec<usize>,
    /// The column, or `row` where a whole row is meant; null where the finding names none.
    pub(crate) field: Option<String>,
    /// missing, duplicate, type, format, range or inconsistent; null for other remarks about a column.
    pub(crate) kind: Option<String>,
}
