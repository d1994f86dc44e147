//! Tasks, the budget for them, and who wants to be notified.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::ControlError;
use super::service::Desk;
use tollbridge_market::earning::{BudgetSource, Check, EarningError, NewTask, Task};

/// Addresses shown at a time.
const PAGE: usize = 1_000;

/// A task as the operator words it: a schema or a bridge checks results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskWish {
    pub id: String,
    pub description: String,
    pub schema: Option<Value>,
    pub bridge: Option<String>,
    /// What the bridge is given beside the result.
    pub with: Value,
    pub max_completions: u64,
}

impl Desk {
    pub(super) async fn earn_task_add(&self, wish: TaskWish) -> Result<Value, ControlError> {
        let TaskWish { id, description, schema, bridge, with, max_completions } = wish;
        let new = NewTask { id, description, check: check_of(schema, bridge, with)?, max_completions };
        Ok(view(&self.earning.add_task(&self.writer, new, (self.now_ms)()).await?))
    }

    pub(super) async fn earn_task_open(&self, id: &str, open: bool) -> Result<Value, ControlError> {
        Ok(view(&self.earning.open_task(&self.writer, id, open).await?))
    }

    pub(super) fn earn_task_list(&self) -> Result<Value, ControlError> {
        Ok(json!({ "tasks": self.earning.tasks()?.iter().map(view).collect::<Vec<_>>() }))
    }

    pub(super) fn earn_budget(&self) -> Result<Value, ControlError> {
        Ok(json!({ "budget_gbp": self.earning.budget()?.pounds() }))
    }

    pub(super) async fn earn_budget_add(&self, amount_gbp: &str, from_platform: bool) -> Result<Value, ControlError> {
        let amount = amount_gbp.parse().map_err(|error| ControlError::Refused(format!("{error}")))?;
        let source = if from_platform { BudgetSource::Platform } else { BudgetSource::Own };
        self.earning.fund(&self.writer, source, amount, (self.now_ms)()).await?;
        self.earn_budget()
    }

    /// Addresses that asked to be notified, after one of them in their order.
    pub(super) fn notify_list(&self, after: &str) -> Result<Value, ControlError> {
        let (found, next) = self.accounts.interested(after, PAGE)?;
        let found: Vec<Value> =
            found.iter().map(|one| json!({ "email": one.email, "created_ms": one.created_ms })).collect();
        Ok(json!({ "interested": found, "next": next }))
    }
}

/// How a task is checked, as the command says it.
fn check_of(schema: Option<Value>, bridge: Option<String>, with: Value) -> Result<Check, ControlError> {
    match (schema, bridge) {
        (Some(schema), None) => Ok(Check::Schema(schema)),
        (None, Some(name)) => Ok(Check::Bridge { name, with }),
        _ => Err(ControlError::Refused("name a schema or a bridge that checks results".to_owned())),
    }
}

fn view(task: &Task) -> Value {
    let check = match &task.check {
        Check::Schema(_) => "schema".to_owned(),
        Check::Bridge { name, .. } => format!("bridge {name}"),
    };
    json!({
        "id": task.id,
        "description": task.description,
        "check": check,
        "open": task.open,
        "completions": task.completions,
        "max_completions": task.max_completions,
    })
}

impl From<EarningError> for ControlError {
    fn from(error: EarningError) -> Self {
        match error {
            EarningError::Submit(error) => error.into(),
            EarningError::NoTask(_) => Self::NotFound(error.to_string()),
            EarningError::Store(_) | EarningError::Ledger(_) | EarningError::NoRandomness => {
                Self::Failed(error.to_string())
            }
            other => Self::Refused(other.to_string()),
        }
    }
}
