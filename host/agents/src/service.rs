//! Giving an agent a task, at once or for later, and looking after it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use super::error::AgentError;
use super::proof::{ProofIssuer, SealedTask, TaskProof};
use super::queue::TaskQueue;
use super::task::{TaskPayment, TaskRow, TaskState, TaskView};
use tollbridge_core::limits::{TASKS_PER_ACCOUNT_MAX, TASKS_WAITING_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Notary, TaskMoney, TaskStage, task_id, tx_of_task};
use tollbridge_market::catalog::handle_of;
use tollbridge_market::checkout::{Answer, Call, Checkout, Error as CheckoutError, Identity, Queued, Source};
use tollbridge_payment::PaymentAuthorization;
use tollbridge_runtime::registry::Kind;
use tollbridge_store::{Change, Collection, Hash, Store, Writer};

/// The rooms that agents work with.
pub struct AgentDeps {
    pub checkout: Arc<Checkout>,
    pub store: Arc<dyn Store>,
    pub writer: Arc<Writer>,
    pub notary: Arc<Notary>,
    pub now_ms: fn() -> u64,
}

/// See the module's documentation.
pub struct AgentService {
    pub(super) deps: AgentDeps,
    pub proofs: Arc<ProofIssuer>,
    pub(super) queue: TaskQueue,
    pub(super) ended: broadcast::Sender<TaskEnded>,
}

/// A task that was open and has ended.
#[derive(Clone, Debug)]
pub struct TaskEnded {
    pub account: String,
    pub task: String,
}

/// A task and how long its caller waits for it.
pub struct Invocation {
    /// Of `Kind::Agent`, with an account.
    pub call: Call,
    pub wait: Duration,
}

/// What a caller gets.
#[derive(Debug)]
pub enum InvocationOutcome {
    Completed {
        task_id: String,
        answer: Answer,
        proof: Box<TaskProof>,
    },
    /// It goes on; `GET /v1/tasks/{id}` shows it.
    Accepted {
        task_id: String,
    },
}

/// Ends of tasks that a slow listener may be behind; then it looks for itself.
const ENDS_KEPT: usize = 1_024;

type Running = JoinHandle<Result<Answer, CheckoutError>>;

impl AgentService {
    pub fn new(deps: AgentDeps, proofs: Arc<ProofIssuer>) -> Arc<Self> {
        let (ended, _) = broadcast::channel(ENDS_KEPT);
        Arc::new(Self { deps, proofs, queue: TaskQueue::default(), ended })
    }

    /// Hears of every open task that ends from now on.
    pub fn subscribe_ended(&self) -> broadcast::Receiver<TaskEnded> {
        self.ended.subscribe()
    }

    /// Runs a task. Within the time that its caller waits there is an answer or
    /// an error; after it the task is made durable and goes on.
    pub async fn invoke(self: &Arc<Self>, invocation: Invocation) -> Result<InvocationOutcome, AgentError> {
        let Invocation { mut call, wait } = invocation;
        if let Some(outcome) = self.find_repeat(&call)? {
            return Ok(outcome);
        }
        let identity = call.identity()?;
        let id = task_id(&identity.tx);
        let Identity { tx, fingerprint, .. } = identity;
        call.queued = Some(Box::new(Queued { tx, fingerprint, puts: Vec::new() }));
        let (checkout, attempt) = (self.deps.checkout.clone(), call.clone());
        let mut attempt = Box::pin(async move { checkout.run(attempt).await });
        // It is looked at before the time is, so what is refused before anything
        // runs is refused however short the wait.
        let Ok(ended) = tokio::time::timeout(wait, attempt.as_mut()).await else {
            return self.persist_running(id, call, identity.fingerprint, tokio::spawn(attempt)).await;
        };
        match ended {
            Ok(answer) => self.done(id, answer),
            Err(error) => {
                self.note_failure(&id, &call, &error);
                Err(error.into())
            }
        }
    }

    /// What became of this very task, if it was accepted or answered before;
    /// whoever could do it now, and for how much, changes nothing.
    pub fn find_repeat(&self, call: &Call) -> Result<Option<InvocationOutcome>, AgentError> {
        if call.idempotency_key.is_none() {
            return Ok(None);
        }
        call.check_key()?;
        let identity = call.identity()?;
        let id = task_id(&identity.tx);
        if identity.repeatable && self.is_open(&id, call, &identity.fingerprint)? {
            return Ok(Some(InvocationOutcome::Accepted { task_id: id }));
        }
        match self.deps.checkout.replay(&identity)? {
            Some(answer) => self.done(id, answer).map(Some),
            None => Ok(None),
        }
    }

    fn done(&self, id: String, mut answer: Answer) -> Result<InvocationOutcome, AgentError> {
        // It was sealed a moment ago, or answered long ago.
        let sealed = match &mut answer {
            Answer::Paid { sealed, task, .. } => task.take().and_then(|route| SealedTask::of(sealed, *route)),
            _ => None,
        };
        let answered = match sealed {
            Some(answered) => answered,
            None => self.proofs.answered(&id)?.ok_or(AgentError::TaskNotFound)?,
        };
        let proof = Box::new(self.proofs.prove(&answered)?);
        Ok(InvocationOutcome::Completed { task_id: id, answer, proof })
    }

    /// Whether this very task was accepted before and is not done.
    fn is_open(&self, id: &str, call: &Call, fingerprint: &Hash) -> Result<bool, AgentError> {
        let Some((row, _)) = self.row(id)? else { return Ok(false) };
        if call.account.as_deref() != Some(&row.account) || row.fingerprint != *fingerprint {
            return Err(CheckoutError::KeyReused.into());
        }
        Ok(row.state.is_open())
    }

    /// Makes a task durable that is running already.
    async fn persist_running(
        self: &Arc<Self>,
        id: String,
        call: Call,
        fingerprint: Hash,
        running: Running,
    ) -> Result<InvocationOutcome, AgentError> {
        let payment = match &call.source {
            Source::Intent(intent) => TaskPayment::Intent(intent.clone()),
            _ => TaskPayment::Credit,
        };
        let mut row = self.new_row(&call, fingerprint, payment, Millipence::ZERO)?;
        row.state = TaskState::Working;
        let change = Change { puts: row.puts(&id, None), ..Change::default() };
        self.queue.reserve_slot(&row.account)?;
        let kept = self.deps.writer.submit(change).await;
        if let Err(error) = kept {
            self.queue.release_slot(&row.account);
            return Err(error.into());
        }
        self.queue.add_detached(&id);
        let (this, task) = (self.clone(), id.clone());
        tokio::spawn(async move { this.await_running(task, running).await });
        Ok(InvocationOutcome::Accepted { task_id: id })
    }

    /// Accepts a task for later. From credit its price is set aside in the same
    /// write; an intent must suffice now and is drawn when the task is answered.
    pub async fn enqueue(self: &Arc<Self>, call: Call) -> Result<String, AgentError> {
        if let Some(earlier) = self.find_previous(&call)? {
            return Ok(earlier.task_id);
        }
        let identity = call.identity()?;
        let accepted = self.deps.checkout.accept(&call).await?;
        self.insert_queued(&call, identity, accepted).await
    }

    /// Makes a task durable that waits, with the price that is reserved for it.
    pub(crate) async fn insert_queued(
        &self,
        call: &Call,
        identity: Identity,
        (price, mut draw): (Millipence, PaymentAuthorization),
    ) -> Result<String, AgentError> {
        let id = task_id(&identity.tx);
        let payment = match &call.source {
            Source::Intent(intent) => TaskPayment::Intent(intent.clone()),
            _ => TaskPayment::Held,
        };
        let mut row = self.new_row(call, identity.fingerprint, payment, price)?;
        let counts = draw.spend_reservation.as_ref().map(|spend_reservation| spend_reservation.row(&identity.tx));
        row.counted = counts.as_ref().map(|put| put.key.clone());
        self.queue.reserve_slot(&row.account)?;
        let record = money_entry(&id, &row, TaskStage::Held).draft(derived_tx(b"held", &identity.tx), row.created_ms);
        let puts = row.puts(&id, None).into_iter().chain(counts).collect();
        let change = Change { puts, record: Some(record?), ..Change::default() };
        let written = self.deps.writer.submit(change).await;
        if let (Ok(_), Some(spend_reservation)) = (&written, &mut draw.spend_reservation) {
            spend_reservation.commit();
        }
        drop(draw);
        if let Err(error) = written {
            self.queue.release_slot(&row.account);
            return Err(error.into());
        }
        self.queue.add(&id, row.not_before_ms);
        Ok(id)
    }

    fn new_row(
        &self,
        call: &Call,
        fingerprint: Hash,
        payment: TaskPayment,
        price: Millipence,
    ) -> Result<TaskRow, AgentError> {
        let account = call.account.clone().ok_or(CheckoutError::CreditNeedsKey)?;
        let body = String::from_utf8(call.body.to_vec()).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(TaskRow {
            account,
            agent: call.name.clone(),
            body,
            fingerprint,
            request_id: call.request_id.clone(),
            payment,
            price,
            spend: call.spend.clone(),
            counted: None,
            state: TaskState::Queued,
            failed_attempts: 0,
            not_before_ms: call.now_ms,
            created_ms: call.now_ms,
            updated_ms: call.now_ms,
            error: None,
        })
    }

    /// The cheapest agent with a skill, among those that the operator's own
    /// publishers signed; what accounts deploy is not approved by itself.
    pub fn cheapest_with_skill(&self, skill: &str) -> Option<String> {
        let snapshot = self.deps.checkout.catalog.snapshot();
        let able = snapshot.live(Kind::Agent).filter(|offer| offer.skills.iter().any(|own| own.id == skill));
        let approved = able.filter(|offer| offer.publisher != handle_of(&offer.owner));
        approved.min_by(|a, b| (a.price, &a.name).cmp(&(b.price, &b.name))).map(|offer| offer.name.clone())
    }

    /// Withdraws an open task: its price goes back, and an answer that is still
    /// being worked on is refused.
    pub async fn cancel(&self, account: &str, id: &str) -> Result<TaskView, AgentError> {
        let found = self.row(id)?.filter(|(row, _)| row.account == account);
        let Some((row, before)) = found else {
            let view = self.task(account, id)?;
            return Err(AgentError::AlreadyEnded(view.state.as_str()));
        };
        if !row.state.is_open() {
            return Err(AgentError::AlreadyEnded(row.state.as_str()));
        }
        if self.queue.is_detached(id) {
            return Err(AgentError::NotCancelable);
        }
        self.end(id, row, before, TaskState::Canceled, None).await?;
        self.task(account, id)
    }

    /// The row of a task, and its exact bytes.
    pub(super) fn row(&self, id: &str) -> Result<Option<(TaskRow, Vec<u8>)>, AgentError> {
        if tx_of_task(id).is_none() {
            return Ok(None);
        }
        let Some(bytes) = self.deps.store.get(Collection::Tasks, id)? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(Some((row, bytes)))
    }
}

/// What the ledger is told of a queued task.
pub(super) fn money_entry(id: &str, row: &TaskRow, stage: TaskStage) -> Entry {
    let held = row.payment == TaskPayment::Held;
    Entry::Task(TaskMoney {
        account: row.account.clone(),
        agent: row.agent.clone(),
        amount: if held { row.price } else { Millipence::ZERO },
        stage,
        task: id.to_owned(),
    })
}

/// A transaction of a task other than its answer, of which there is one.
pub(super) fn derived_tx(what: &[u8], tx: &Hash) -> Hash {
    use sha2::{Digest, Sha256};
    Sha256::new()
        .chain_update(b"tollbridge task ")
        .chain_update(what)
        .chain_update([0])
        .chain_update(tx)
        .finalize()
        .into()
}

impl TaskQueue {
    /// One more open task of an account, if it may have it.
    pub(super) fn reserve_slot(&self, account: &str) -> Result<(), AgentError> {
        let mut state = self.state.lock();
        if state.open >= TASKS_WAITING_MAX {
            return Err(AgentError::ServerFull);
        }
        let own = state.by_account.entry(account.to_owned()).or_default();
        if *own >= TASKS_PER_ACCOUNT_MAX {
            return Err(AgentError::QueueFull(TASKS_PER_ACCOUNT_MAX));
        }
        *own += 1;
        state.open += 1;
        Ok(())
    }
}
