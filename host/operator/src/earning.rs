//! Operator commands for earn tasks, their budget, and requests for notification.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_market::accounts::NotifyRequest;
use tollbridge_market::earning::{BudgetSource, EarnTask, EarningError, NewEarnTask, ResultCheck};

use super::answers::answers;
use super::error::OperatorError;
use super::service::OperatorService;

answers! {
    /// All earn tasks.
    EarnTasks { tasks: Vec<EarnTaskView> }
    /// An earn task as shown.
    EarnTaskView { id: String, description: String, check: String, open: bool, completions: u64, max_completions: u64 }
    /// The budget that pays for earn tasks.
    EarnBudget { budget_gbp: String }
    /// A page of addresses that asked to be notified.
    NotifyPage { interested: Vec<NotifyView>, next: Option<String> }
    /// An address that asked to be notified.
    NotifyView { email: String, created_ms: u64 }
}

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
    pub(super) async fn earn_task_add(&self, spec: EarnTaskSpec) -> Result<EarnTaskView, OperatorError> {
        let EarnTaskSpec { id, description, schema, bridge, with, max_completions } = spec;
        let new = NewEarnTask { id, description, check: check_of(schema, bridge, with)?, max_completions };
        Ok(view(self.earning.add_task(self.db.writer(), new, (self.now_ms)()).await?))
    }

    pub(super) async fn earn_task_open(&self, id: &str, open: bool) -> Result<EarnTaskView, OperatorError> {
        Ok(view(self.earning.open_task(self.db.writer(), id, open).await?))
    }

    pub(super) fn earn_task_list(&self) -> Result<EarnTasks, OperatorError> {
        Ok(EarnTasks { tasks: self.earning.tasks()?.into_iter().map(view).collect() })
    }

    pub(super) fn earn_budget(&self) -> Result<EarnBudget, OperatorError> {
        Ok(EarnBudget { budget_gbp: self.earning.budget()?.pounds() })
    }

    pub(super) async fn earn_budget_add(
        &self,
        amount_gbp: &str,
        from_platform: bool,
    ) -> Result<EarnBudget, OperatorError> {
        let amount = amount_gbp.parse().map_err(|error| OperatorError::Refused(format!("{error}")))?;
        let source = if from_platform { BudgetSource::Platform } else { BudgetSource::Own };
        self.earning.fund(self.db.writer(), source, amount, (self.now_ms)()).await?;
        self.earn_budget()
    }

    /// Lists addresses that asked to be notified, in order, after one of them.
    pub(super) fn notify_list(&self, after: &str) -> Result<NotifyPage, OperatorError> {
        let (requests, next) = self.accounts.notify_requests(after, PAGE)?;
        let view = |NotifyRequest { email, created_ms }| NotifyView { email, created_ms };
        Ok(NotifyPage { interested: requests.into_iter().map(view).collect(), next })
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
