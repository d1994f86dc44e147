//! Operator commands for earn tasks, their budget, and requests for notification.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tollbridge_market::earning::{BudgetSource, EarnTask, EarningError, NewEarnTask, ResultCheck};

use super::error::OperatorError;
use super::service::OperatorService;

/// Number of addresses shown at a time.
const PAGE: usize = 1_000;

/// A task as defined by the operator: a schema or a bridge checks results.
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
    /// Additional input of the bridge beside the result.
    pub with: Value,
    /// Maximum number of completions.
    pub max_completions: u64,
}

impl OperatorService {
    pub(super) async fn earn_task_add(&self, spec: EarnTaskSpec) -> Result<Value, OperatorError> {
        let EarnTaskSpec { id, description, schema, bridge, with, max_completions } = spec;
        let new = NewEarnTask { id, description, check: check_of(schema, bridge, with)?, max_completions };
        Ok(view(&self.earning.add_task(self.db.writer(), new, (self.now_ms)()).await?))
    }

    pub(super) async fn earn_task_open(&self, id: &str, open: bool) -> Result<Value, OperatorError> {
        Ok(view(&self.earning.open_task(self.db.writer(), id, open).await?))
    }

    pub(super) fn earn_task_list(&self) -> Result<Value, OperatorError> {
        Ok(json!({ "tasks": self.earning.tasks()?.iter().map(view).collect::<Vec<_>>() }))
    }

    pub(super) fn earn_budget(&self) -> Result<Value, OperatorError> {
        Ok(json!({ "budget_gbp": self.earning.budget()?.pounds() }))
    }

    pub(super) async fn earn_budget_add(&self, amount_gbp: &str, from_platform: bool) -> Result<Value, OperatorError> {
        let amount = amount_gbp.parse().map_err(|error| OperatorError::Refused(format!("{error}")))?;
        let source = if from_platform { BudgetSource::Platform } else { BudgetSource::Own };
        self.earning.fund(self.db.writer(), source, amount, (self.now_ms)()).await?;
        self.earn_budget()
    }

    /// Lists addresses that asked to be notified, in order, after one of them.
    pub(super) fn notify_list(&self, after: &str) -> Result<Value, OperatorError> {
        let (requests, next) = self.accounts.notify_requests(after, PAGE)?;
        let requests: Vec<Value> =
            requests.iter().map(|one| json!({ "email": one.email, "created_ms": one.created_ms })).collect();
        Ok(json!({ "interested": requests, "next": next }))
    }
}

/// Returns the check of a task from the members of the command.
fn check_of(schema: Option<Value>, bridge: Option<String>, with: Value) -> Result<ResultCheck, OperatorError> {
    match (schema, bridge) {
        (Some(schema), None) => Ok(ResultCheck::Schema(schema)),
        (None, Some(name)) => Ok(ResultCheck::Bridge { name, with }),
        _ => Err(OperatorError::Refused("name a schema or a bridge that checks results".to_owned())),
    }
}

fn view(task: &EarnTask) -> Value {
    let check = match &task.check {
        ResultCheck::Schema(_) => "schema".to_owned(),
        ResultCheck::Bridge { name, .. } => format!("bridge {name}"),
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
