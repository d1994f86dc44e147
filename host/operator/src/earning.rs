//! Operator commands for earn tasks and their budget.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::time::now_ms;
use tollbridge_market::earning::{BudgetSource, EarnTask, EarningError, EarningService, NewEarnTask, ResultCheck};
use tollbridge_store::Db;

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// All earn tasks.
    EarnTasks { tasks: Vec<EarnTaskView> }
    /// An earn task in the answer of a command.
    EarnTaskView { id: String, description: String, check: String, open: bool, completions: u64, max_completions: u64 }
    /// The budget that pays for earn tasks.
    EarnBudget { budget_gbp: String }
}

/// An earn task as defined by the operator. A schema or a bridge checks its results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarnTaskSpec {
    /// Id of the task.
    pub id: String,
    /// Description of the work.
    pub description: String,
    /// JSON Schema that a result must satisfy.
    pub schema: Option<Value>,
    /// Bridge that judges a result.
    pub bridge: Option<String>,
    /// Further input of the bridge, passed along with the result.
    pub with: Value,
    /// Maximum number of completions.
    pub max_completions: u64,
}

/// The commands for earn tasks and their budget.
pub(super) struct EarnCommands {
    pub(super) earning: Arc<EarningService>,
    pub(super) db: Db,
}

impl EarnCommands {
    pub(super) async fn add_task(&self, spec: EarnTaskSpec) -> Result<EarnTaskView, OperatorError> {
        let EarnTaskSpec { id, description, schema, bridge, with, max_completions } = spec;
        let new = NewEarnTask { id, description, check: check_of(schema, bridge, with)?, max_completions };
        Ok(view(self.earning.tasks.add(self.db.writer(), new, now_ms()).await?))
    }

    pub(super) async fn open_task(&self, id: &str, open: bool) -> Result<EarnTaskView, OperatorError> {
        Ok(view(self.earning.tasks.set_open(self.db.writer(), id, open).await?))
    }

    pub(super) fn tasks(&self) -> Result<EarnTasks, OperatorError> {
        Ok(EarnTasks { tasks: self.earning.tasks.all()?.into_iter().map(view).collect() })
    }

    pub(super) fn budget(&self) -> Result<EarnBudget, OperatorError> {
        Ok(EarnBudget { budget_gbp: self.earning.budget.remaining()?.pounds() })
    }

    pub(super) async fn fund(&self, amount_gbp: &str, from_platform: bool) -> Result<EarnBudget, OperatorError> {
        let amount = amount_gbp.parse().map_err(|error| OperatorError::Refused(format!("{error}")))?;
        let source = if from_platform { BudgetSource::Platform } else { BudgetSource::Own };
        self.earning.budget.fund(self.db.writer(), source, amount, now_ms()).await?;
        self.budget()
    }
}

/// Returns the check of a task; exactly one of `schema` and `bridge` must be given.
fn check_of(schema: Option<Value>, bridge: Option<String>, with: Value) -> Result<ResultCheck, OperatorError> {
    match (schema, bridge) {
        (Some(schema), None) => Ok(ResultCheck::Schema(schema)),
        (None, Some(name)) => Ok(ResultCheck::Bridge { name, with }),
        _ => Err(OperatorError::Refused("name a schema or a bridge that checks results".to_owned())),
    }
}

fn view(task: EarnTask) -> EarnTaskView {
    let check = match &task.check {
        ResultCheck::Schema(_) => "schema".to_owned(),
        ResultCheck::Bridge { name, .. } => format!("bridge {name}"),
    };
    let EarnTask { id, description, open, completions, max_completions, .. } = task;
    EarnTaskView { id, description, check, open, completions, max_completions }
}

impl From<EarningError> for OperatorError {
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
