//! Earn tasks, which the operator offers and pays for.
//!
//! Rows of `Collection::Earning`, key `t/{id}`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::limits::BODY_BYTES_MAX;
use tollbridge_ledger::is_party;
use tollbridge_plugin::{Schema, SizeLimit};
use tollbridge_store::{Change, Collection, Expect, Put, Store, StoreError, Writer};

use super::error::{EarningError, invalid};

/// Maximum number of open tasks at once: all are listed on one page.
const EARN_TASKS_MAX: usize = 1_000;
/// Maximum length of a task's description.
const EARN_DESCRIPTION_CHARS_MAX: usize = 1_000;

/// Maximum size of a result: the maximum size of a request body.
pub(super) const RESULT_SIZE: SizeLimit = SizeLimit { name: "server.max_body", bytes: BODY_BYTES_MAX };

/// An earn task and its number of completions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarnTask {
    /// Id of the task.
    pub id: String,
    /// Description of the work.
    pub description: String,
    /// Check that a result must pass.
    pub check: ResultCheck,
    /// Maximum number of accounts to pay.
    pub max_completions: u64,
    /// Number of completions so far.
    pub completions: u64,
    /// Whether results can be submitted for the task.
    pub open: bool,
    /// Unix time, milliseconds.
    pub created_ms: u64,
}

/// The check that a task's result must pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultCheck {
    /// The result must match a JSON Schema.
    Schema(Value),
    /// A bridge must accept the result. The bridge's input is `with` plus the result as
    /// the member `output`; its answer must have `valid: true`, at the top level or in
    /// `result`.
    Bridge {
        /// Name of the bridge that checks the result.
        name: String,
        /// Members of the bridge's input besides the result.
        with: Value,
    },
}

/// An earn task that the operator adds.
#[derive(Clone, Debug)]
pub struct NewEarnTask {
    /// Id of the task.
    pub id: String,
    /// Description of the work.
    pub description: String,
    /// Check that a result must pass.
    pub check: ResultCheck,
    /// Maximum number of accounts to pay.
    pub max_completions: u64,
}

/// The earn tasks of the operator.
pub struct EarnTasks {
    pub(super) store: Arc<dyn Store>,
    /// Locked while a task is changed.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl EarnTasks {
    /// Adds a task.
    pub async fn add(&self, writer: &Writer, new: NewEarnTask, now_ms: u64) -> Result<EarnTask, EarningError> {
        if !is_party(&new.id) {
            return Err(invalid("/id", "a task's id has 1 to 64 characters out of A-Z a-z 0-9 _ -"));
        }
        if new.description.is_empty() || new.description.chars().count() > EARN_DESCRIPTION_CHARS_MAX {
            return Err(invalid("/description", "describe the task in 1 to 1,000 characters"));
        }
        match &new.check {
            ResultCheck::Schema(schema) => drop(Schema::parse(&schema.to_string(), RESULT_SIZE)?),
            ResultCheck::Bridge { with: Value::Object(_), .. } => {}
            ResultCheck::Bridge { .. } => {
                return Err(invalid("/with", "the input for the bridge must be a JSON object"));
            }
        }
        if self.all()?.len() >= EARN_TASKS_MAX {
            return Err(invalid("", "the maximum number of tasks is reached; remove one first"));
        }
        let NewEarnTask { id, description, check, max_completions } = new;
        let task = EarnTask { id, description, check, max_completions, completions: 0, open: true, created_ms: now_ms };
        let known = EarningError::TaskKnown(task.id.clone());
        let puts = vec![put(&task, Expect::Absent)?];
        writer.submit(Change { puts, ..Change::default() }).await.map_err(|_| known)?;
        Ok(task)
    }

    /// Opens or closes a task.
    pub async fn set_open(&self, writer: &Writer, id: &str, open: bool) -> Result<EarnTask, EarningError> {
        let _turn = self.turn.lock().await;
        let (mut task, _) = self.find(id)?;
        task.open = open;
        let puts = vec![put(&task, Expect::Any)?];
        writer.submit(Change { puts, ..Change::default() }).await?;
        Ok(task)
    }

    /// Returns every task, in id order.
    pub fn all(&self) -> Result<Vec<EarnTask>, EarningError> {
        let rows = self.store.list(Collection::Earning, "t/", EARN_TASKS_MAX.saturating_add(1))?;
        let task_rows = rows.iter().take_while(|(key, _)| key.starts_with("t/"));
        task_rows.map(|(_, row)| read(row).map_err(EarningError::from)).collect()
    }

    /// Returns a task, and the bytes of its row.
    pub(super) fn find(&self, id: &str) -> Result<(EarnTask, Vec<u8>), EarningError> {
        let unknown = || EarningError::NoTask(id.chars().take(64).collect());
        if !is_party(id) {
            return Err(unknown());
        }
        let row = self.store.get(Collection::Earning, &format!("t/{id}"))?.ok_or_else(unknown)?;
        Ok((read(&row)?, row))
    }
}

impl EarnTask {
    /// Returns whether the task still pays for results.
    pub const fn is_paying(&self) -> bool {
        self.open && self.completions < self.max_completions
    }
}

pub(super) fn put(task: &EarnTask, expect: Expect) -> Result<Put, StoreError> {
    let row = serde_json::to_vec(task).map_err(bad_row)?;
    Ok(Put { collection: Collection::Earning, key: format!("t/{}", task.id), value: Some(row), expect })
}

fn read(row: &[u8]) -> Result<EarnTask, StoreError> {
    serde_json::from_slice(row).map_err(bad_row)
}

pub(super) fn bad_row(error: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a row of the earning service", source: Box::new(error) }
}
