//! `/v1/earn/1`: submits a result for a task; pays 78 pence if the result passes the
//! task's check.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::events;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_ledger::{Entry, LedgerAccount, Notary, TaskReward, salted};
use tollbridge_plugin::{CallContext, PluginInput, Schema, SchemaError};
use tollbridge_store::{Change, Expect, Refusal, Store, SubmitError};

use super::error::{EarningError, invalid};
use super::replay::{EarningReceipt, find_replay, identity, stored_answer};
use super::task::{EarnTask, EarnTasks, RESULT_SIZE, ResultCheck, bad_row, put};
use super::transfer::salt;
use crate::catalog::PluginHost;
use crate::limits::EARN_TASK_PENCE;

/// Time-out of a bridge that checks a task's result.
const EARN_CHECK_MS_MAX: u64 = 5_000;

/// The receipt for a result that passed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarnReceipt {
    task: String,
    earned_pence: i64,
    earned_gbp: String,
    record_id: String,
}

/// A result that an account submits for a task.
#[derive(Clone, Debug)]
pub struct TaskClaim<'a> {
    /// Account id.
    pub account: &'a str,
    /// Id of the task.
    pub task: &'a str,
    /// The submitted result.
    pub result: &'a Value,
    /// `Idempotency-Key` of the request.
    pub idempotency_key: Option<&'a str>,
    /// The body of the request.
    pub body: &'a [u8],
    /// Id of the HTTP request.
    pub request_id: &'a str,
    /// Unix time, milliseconds.
    pub now_ms: u64,
}

const ROUTE: &str = "POST /v1/earn/1";

/// The payment of accounts for results of earn tasks.
pub struct TaskClaims {
    pub(super) tasks: Arc<EarnTasks>,
    pub(super) store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    /// Access to the bridges that check results.
    pub(super) plugins: Option<PluginHost>,
}

impl TaskClaims {
    /// Pays an account for a task if its result passes the check; each account is paid
    /// once per task.
    pub async fn claim(&self, claim: TaskClaim<'_>) -> Result<EarningReceipt, EarningError> {
        let identity = identity(claim.account, ROUTE, Some(claim.task), claim.idempotency_key, claim.body)?;
        if let Some(done) = find_replay(self.store.as_ref(), &self.notary, &identity)? {
            return Ok(done);
        }
        let (task, _) = self.tasks.find(claim.task)?;
        if !task.is_paying() {
            return Err(EarningError::NoTask(task.id));
        }
        let amount = Millipence::from_pence(EARN_TASK_PENCE).unwrap_or_default();
        if self.notary.balance(&LedgerAccount::EarnBudget)? < amount {
            return Err(EarningError::BudgetSpent);
        }
        self.check(&task, &claim).await?;
        self.pay(&claim, &identity, amount).await
    }

    async fn pay(
        &self,
        claim: &TaskClaim<'_>,
        identity: &RequestIdentity,
        amount: Millipence,
    ) -> Result<EarningReceipt, EarningError> {
        let _turn = self.tasks.turn.lock().await;
        // Check again under the lock: concurrent claims may have used up the completions.
        let (mut task, row) = self.tasks.find(claim.task)?;
        if !task.is_paying() {
            return Err(EarningError::NoTask(task.id));
        }
        task.completions += 1;
        let salt = salt()?;
        let entry = Entry::Earn(TaskReward {
            account: claim.account.to_owned(),
            task: task.id.clone(),
            result_sha256: salted(&salt, claim.result.to_string().as_bytes()),
            salt,
            amount,
        });
        let receipt = EarnReceipt {
            task: task.id.clone(),
            earned_pence: amount.pence_floor(),
            earned_gbp: amount.display_gbp(),
            record_id: format!("tx_{}", hex::encode(identity.tx)),
        };
        let body = serde_json::to_vec(&receipt).map_err(bad_row)?;
        let change = Change {
            puts: vec![put(&task, Expect::Exactly(row))?],
            record: Some(entry.draft(identity.tx, claim.now_ms)?),
            answer: Some(stored_answer(identity, body.clone(), claim.now_ms)),
            outbox: vec![events::earn_completed(claim.account, &task.id, amount, claim.now_ms)],
            ..Change::default()
        };
        match self.notary.seal(change, Bytes::from(body)).await {
            Ok(sealed) => Ok(sealed.into()),
            Err(SubmitError::Refused(Refusal::Insufficient { .. })) => Err(EarningError::BudgetSpent),
            Err(error) => Err(error.into()),
        }
    }

    async fn check(&self, task: &EarnTask, claim: &TaskClaim<'_>) -> Result<(), EarningError> {
        match &task.check {
            ResultCheck::Schema(schema) => {
                let (schema, result) = (schema.to_string(), claim.result.clone());
                // Check on a blocking thread: compiling the schema alone takes
                // milliseconds and would delay calls.
                let check = move || Ok::<_, SchemaError>(Schema::parse(&schema, RESULT_SIZE)?.check_complete(&result));
                let checked = tokio::task::spawn_blocking(check).await;
                let checked = checked.map_err(|_| EarningError::Unchecked("the server is stopping".to_owned()))?;
                checked?.map_err(|wrong| {
                    let message = format!("the result does not pass the task's check: {}", wrong.message);
                    EarningError::Invalid { field: format!("/result{}", wrong.field), message }
                })
            }
            ResultCheck::Bridge { name, with } => self.ask(name, with, claim).await,
        }
    }

    /// Checks a result by calling a bridge, free of charge.
    async fn ask(&self, name: &str, with: &Value, claim: &TaskClaim<'_>) -> Result<(), EarningError> {
        let failed = |why: String| EarningError::Unchecked(why);
        let plugins = self.plugins.as_ref().ok_or_else(|| failed("no plugins are loaded".to_owned()))?;
        let offer = plugins.catalog.offer(PluginKind::Bridge, name).map_err(|error| failed(error.to_string()))?;
        let context = CallContext {
            request_id: claim.request_id.to_owned(),
            caller: Some(claim.account.to_owned()),
            share: FairShare::single(claim.account),
            is_nested: false,
            now_ms: claim.now_ms,
            resource: None,
            deadline: Some(Duration::from_millis(EARN_CHECK_MS_MAX)),
            services: plugins.services.clone(),
        };
        let mut input = with.clone();
        if let Some(members) = input.as_object_mut() {
            members.insert("output".to_owned(), claim.result.clone());
        }
        let answer = offer.plugin.call(context, PluginInput::Bridge(input.to_string().into())).await;
        let answer = answer.map_err(|_| failed(format!("the bridge `{name}`, which checks results, failed")))?;
        let answer: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let verdict = answer.pointer("/result/valid").or_else(|| answer.get("valid"));
        match verdict.and_then(Value::as_bool) {
            Some(true) => Ok(()),
            Some(false) => Err(invalid("/result", "the result does not pass the task's check")),
            None => Err(failed(format!("the bridge `{name}` did not return whether the result is valid"))),
        }
    }
}
