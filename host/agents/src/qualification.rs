//! Qualifications: the measured quality of an agent with a model, and whether the agent may
//! be sold with it.
//!
//! Rows of `Collection::Qualifications`: `{agent}/{model}`, the newest measurement.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_store::{Change, Collection, Db, Expect, Put, Rows, Store, StoreError, SubmitError};

/// Minimum number of answers in a measurement; with fewer, the quality is not known.
pub const ANSWERS_MIN: u32 = 10;
/// Maximum share of wrong answers that admits an agent, in percent.
pub const WRONG_PERCENT_MAX: u32 = 5;

/// The measured quality of an agent with a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Qualification {
    /// Id of the model
    pub model: String,
    /// Version of the agent
    pub version: String,
    /// Time, RFC 3339
    pub measured_at: String,
    /// Number of tasks
    pub tasks: u32,
    /// Tasks that were answered
    pub answered: u32,
    /// Wrong answers
    pub wrong: u32,
    /// Whether the agent uses the model: at least 10 answers, at most 5 % of them wrong
    pub admitted: bool,
}

impl Qualification {
    /// Returns whether the figures admit the agent.
    pub const fn admits(answered: u32, wrong: u32) -> bool {
        answered >= ANSWERS_MIN && wrong.saturating_mul(100) <= answered.saturating_mul(WRONG_PERCENT_MAX)
    }
}

/// The recorded qualifications.
#[derive(Clone)]
pub struct Qualifications {
    store: Arc<dyn Store>,
}

impl Qualifications {
    /// Creates a reader of the store's rows.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Returns the qualifications of an agent, ordered by model.
    pub fn of(&self, agent: &str) -> Result<Vec<Qualification>, StoreError> {
        self.below(&format!("{agent}/")).map(|row| row.map(|(_, one)| one)).collect()
    }

    /// Returns all qualifications, each with its agent.
    pub fn all(&self) -> Result<Vec<(String, Qualification)>, StoreError> {
        self.below("").collect()
    }

    fn below(&self, prefix: &str) -> impl Iterator<Item = Result<(String, Qualification), StoreError>> {
        let rows = Rows::of(self.store.as_ref(), Collection::Qualifications).with_prefix(prefix);
        rows.map(|row| {
            let (key, value) = row?;
            let agent = key.split('/').next().unwrap_or_default().to_owned();
            Ok((agent, serde_json::from_slice(&value).unwrap_or_default()))
        })
    }
}

/// Records a measurement in place of an earlier one of the same agent and model.
pub async fn record(db: &Db, agent: &str, measured: &Qualification) -> Result<(), SubmitError> {
    let value = serde_json::to_vec(measured).unwrap_or_default();
    let put = Put {
        collection: Collection::Qualifications,
        key: format!("{agent}/{}", measured.model),
        expect: Expect::Any,
        value: Some(value),
    };
    db.submit(Change { puts: vec![put], ..Change::default() }).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_answers_with_at_most_a_twentieth_wrong_admit() {
        for (answered, wrong, admits) in [(9, 0, false), (10, 0, true), (19, 1, false), (20, 1, true), (100, 6, false)]
        {
            assert_eq!(Qualification::admits(answered, wrong), admits, "{wrong} of {answered}");
        }
    }
}
