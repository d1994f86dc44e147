//! Runs a task while its caller waits.
//!
//! Invariant: a refused call leaves no row; a task that runs longer than its caller waits
//! becomes durable before the caller gets its id.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::task::JoinHandle;
use tollbridge_core::finish::Finish;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_ledger::task_id;
use tollbridge_market::checkout::{Call, CallAnswer, CheckoutError, PaymentSource, TaskContext};
use tollbridge_store::{Change, Hash};

use super::error::AgentError;
use super::proof::{SealedTask, TaskProof};
use super::queue::TaskSlot;
use super::service::AgentService;
use super::task::{TaskPayment, TaskRow, TaskState};

/// A call of an agent, and how long its caller waits.
pub struct Invocation {
    /// The call; its kind must be
    /// [`PluginKind::Agent`](tollbridge_core::plugin_kind::PluginKind::Agent).
    pub call: Call,
    /// Maximum time that the caller waits for the answer.
    pub wait: Duration,
}

/// The result of an invocation.
#[derive(Debug)]
pub enum InvocationOutcome {
    /// The task was answered, either now or by an earlier request.
    Completed {
        /// The id of the task: `task_` and the transaction id in hexadecimal.
        task_id: String,
        /// The answer and its cost.
        answer: CallAnswer,
        /// The proof of the answer.
        proof: Box<TaskProof>,
    },
    /// The task continues in the background; `GET /v1/tasks/{id}` returns it.
    Accepted {
        /// The id of the task: `task_` and the transaction id in hexadecimal.
        task_id: String,
    },
}

type Running = JoinHandle<Result<CallAnswer, CheckoutError>>;

impl AgentService {
    /// Runs a task. If it does not end within the caller's wait, it is made durable
    /// and continues in the background.
    pub fn invoke(
        self: &Arc<Self>,
        invocation: Invocation,
    ) -> BoxFuture<'static, Result<InvocationOutcome, AgentError>> {
        // Boxed, so that the crates above do not compile the whole path again.
        self.clone().invoke_here(invocation).boxed()
    }

    async fn invoke_here(self: Arc<Self>, invocation: Invocation) -> Result<InvocationOutcome, AgentError> {
        let Invocation { mut call, wait } = invocation;
        if let Some(outcome) = self.find_repeat(&call)? {
            return Ok(outcome);
        }
        // Reserve a queue slot before the task starts, because the task may run longer
        // than its caller waits.
        let late = Defect::PlaceReservedLate.is_planted();
        let tenant = tenant(&call)?;
        let slot = match tenant.as_deref().map(|tenant| self.queue.reserve_slot(tenant)) {
            Some(Ok(slot)) => Some(slot),
            Some(Err(AgentError::QueueFull(_))) if late => None,
            // The queue is full, or the caller could not fetch the answer later. The
            // caller then waits until the task ends.
            Some(Err(AgentError::ServerFull)) | None => None,
            Some(Err(error)) => return Err(error),
        };
        let may_outlive = slot.is_some() || (late && tenant.is_some());
        let wait = if may_outlive { wait } else { Duration::MAX };
        let identity = call.identity()?;
        let id = task_id(&identity.tx);
        let RequestIdentity { tx, fingerprint, .. } = identity;
        call.queued = Some(Box::new(TaskContext { tx, fingerprint, puts: Vec::new(), carried_on: false }));
        let mut attempt = self.checkout.run(call.clone());
        // `timeout` polls the task before the timer, so a refused call returns its error
        // even if `wait` is zero.
        let Ok(ended) = tokio::time::timeout(wait, attempt.as_mut()).await else {
            let (this, running) = (self.clone(), tokio::spawn(attempt));
            if let Some(tenant) = tenant.filter(|_| late) {
                self.queue.reserve_slot(&tenant)?;
            }
            let persist = async move { this.persist_running(id, call, fingerprint, running, slot).await };
            return Finish::new(persist).await;
        };
        match ended {
            Ok(answer) => self.done(id, answer),
            Err(error) => {
                self.ender.note_failure(&id, &call, &error);
                Err(error.into())
            }
        }
    }

    /// Returns the outcome of an earlier request with the same key, if it was accepted or
    /// answered. The current agent and price do not matter.
    pub fn find_repeat(&self, call: &Call) -> Result<Option<InvocationOutcome>, AgentError> {
        if call.repeat_key().is_none() {
            return Ok(None);
        }
        call.check_key()?;
        let identity = call.identity()?;
        let id = task_id(&identity.tx);
        if identity.is_repeatable() && self.is_open(&id, call, &identity.fingerprint)? {
            return Ok(Some(InvocationOutcome::Accepted { task_id: id }));
        }
        match self.checkout.answers.replay(&identity)? {
            Some(answer) => self.done(id, answer).map(Some),
            None => Ok(None),
        }
    }

    fn done(&self, id: String, mut answer: CallAnswer) -> Result<InvocationOutcome, AgentError> {
        // A new answer carries its record; the record of an older answer is read from the
        // ledger.
        let sealed = match &mut answer {
            CallAnswer::Paid { sealed, task, .. } => task.take().and_then(|route| SealedTask::of(sealed, *route)),
            _ => None,
        };
        let answered = match sealed {
            Some(answered) => answered,
            None => self.proofs.answered(&id)?.ok_or(AgentError::TaskNotFound)?,
        };
        let proof = Box::new(self.proofs.prove(&answered)?);
        Ok(InvocationOutcome::Completed { task_id: id, answer, proof })
    }

    /// Returns whether this task was accepted by an earlier request and is still open.
    fn is_open(&self, id: &str, call: &Call, fingerprint: &Hash) -> Result<bool, AgentError> {
        let Some((row, _)) = TaskRow::find(&self.checkout.db, id)? else { return Ok(false) };
        if call.account.as_deref() != Some(&row.account) || row.fingerprint != *fingerprint {
            return Err(CheckoutError::KeyReused.into());
        }
        Ok(row.state.is_open())
    }

    /// Writes the row of a running task, so that it continues in the background.
    async fn persist_running(
        &self,
        id: String,
        call: Call,
        fingerprint: Hash,
        running: Running,
        slot: Option<TaskSlot>,
    ) -> Result<InvocationOutcome, AgentError> {
        let payment = match &call.source {
            PaymentSource::Intent(intent) => TaskPayment::Intent(intent.clone()),
            PaymentSource::Wallet(payment) => TaskPayment::Wallet(payment.encode()),
            // The token was charged before the task started; from then on its intent
            // pays.
            PaymentSource::Token(payment) => TaskPayment::Intent(payment.expose_intent_id().to_owned()),
            _ => TaskPayment::Credit,
        };
        let mut row = TaskRow::queued(&call, fingerprint, payment, Millipence::ZERO)?;
        row.state = TaskState::Working;
        let mut change = Change { puts: row.puts(&id, None), ..Change::default() };
        change.puts.extend(call.queued.as_ref().and_then(|task| call.token_use(&task.tx)));
        // Registered before the row is written, because the row can be seen and canceled
        // at once.
        self.queue.add_detached(&id);
        if let Err(error) = self.checkout.db.submit(change).await {
            drop(self.queue.follow_detached(&id));
            // The task is running and may be charged. The caller has no id to ask for it
            // later, so it must wait for the end.
            tracing::warn!(task = id, %error, "a running task could not be made durable; its caller waits for it");
            return match running.await {
                Ok(Ok(answer)) => self.done(id, answer),
                Ok(Err(error)) => Err(error.into()),
                Err(_) => Err(CheckoutError::Lost.into()),
            };
        }
        if let Some(slot) = slot {
            slot.keep();
        }
        let (attempts, task) = (self.attempts.clone(), id.clone());
        tokio::spawn(async move { attempts.await_running(task, running).await });
        Ok(InvocationOutcome::Accepted { task_id: id })
    }
}

/// Returns the tenant whose queue slot a task uses. Returns `None` if the caller is
/// unknown and so could not fetch the answer later.
fn tenant(call: &Call) -> Result<Option<String>, AgentError> {
    match (&call.account, &call.source) {
        (Some(account), _) => Ok(Some(account.clone())),
        (None, PaymentSource::Wallet(payment)) => Ok(Some(payment.tenant())),
        (None, PaymentSource::Token(_) | PaymentSource::Intent(_)) => Ok(None),
        (None, _) => Err(CheckoutError::CreditNeedsKey.into()),
    }
}
