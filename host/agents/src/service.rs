//! The agent service: its dependencies, and reading its rows.
//!
//! Other files of this crate add methods: `invoke` and `enqueue` accept tasks, `worker`
//! and `attempt` run queued tasks, `end` ends tasks, `views` shows them to callers.

use std::sync::{Arc, Weak};

use tokio::sync::broadcast;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::tx_of_task;
use tollbridge_market::catalog::handle_of;
use tollbridge_market::checkout::Checkout;
use tollbridge_payment::TaskReservations;
use tollbridge_store::{Collection, Db};

use super::error::AgentError;
use super::proof::ProofIssuer;
use super::queue::TaskQueue;
use super::task::TaskRow;

/// Number of end events that are buffered for a slow subscriber. A subscriber that falls
/// further behind reads the rows instead.
const ENDED_NOTICES_KEPT: usize = 1_024;

/// The dependencies of the agent service.
pub(super) struct AgentDeps {
    /// Sells and runs the calls of agents.
    pub(super) checkout: Arc<Checkout>,
    /// The handle to the store and its writer.
    pub(super) db: Db,
    /// Returns the current Unix time in milliseconds.
    pub(super) now_ms: fn() -> u64,
}

/// Runs agents' tasks, immediately or through a queue.
pub struct AgentService {
    pub(super) deps: AgentDeps,
    /// Issues the proofs of answered tasks.
    pub proofs: Arc<ProofIssuer>,
    pub(super) queue: Arc<TaskQueue>,
    pub(super) ended: broadcast::Sender<TaskEnded>,
}

/// The event that reports the end of an open task.
#[derive(Clone, Debug)]
pub struct TaskEnded {
    /// The account that requested the task.
    pub account: String,
    /// The id of the task.
    pub task: String,
}

impl AgentService {
    /// Creates a service with an empty queue; `run_queue` fills it. `checkout` builds the
    /// checkout and receives the queue, from which payments reclaim reserved prices after
    /// a dispute.
    pub fn new(
        proofs: Arc<ProofIssuer>,
        now_ms: fn() -> u64,
        checkout: impl FnOnce(Weak<dyn TaskReservations>) -> Arc<Checkout>,
    ) -> Arc<Self> {
        let (ended, _) = broadcast::channel(ENDED_NOTICES_KEPT);
        Arc::new_cyclic(|service: &Weak<Self>| {
            let checkout = checkout(service.clone());
            let deps = AgentDeps { db: checkout.db.clone(), checkout, now_ms };
            Self { deps, proofs, queue: Arc::default(), ended }
        })
    }

    /// Lowers the limit of open tasks per account, so that tests can reach it.
    #[cfg(feature = "testing")]
    pub fn bound_tasks(&self, open_per_account_max: usize) {
        self.queue.bound(open_per_account_max);
    }

    /// Returns the checkout that sells and runs the calls of tasks.
    pub fn checkout(&self) -> &Arc<Checkout> {
        &self.deps.checkout
    }

    /// Subscribes to events about open tasks that end from now on.
    pub fn subscribe_ended(&self) -> broadcast::Receiver<TaskEnded> {
        self.ended.subscribe()
    }

    /// Returns the cheapest agent with a skill, among the agents signed by the operator's
    /// own publishers. Agents that accounts deployed are excluded, because the operator
    /// has not approved them.
    pub fn cheapest_with_skill(&self, skill: &str) -> Option<String> {
        let snapshot = self.deps.checkout.catalog.snapshot();
        let skilled =
            snapshot.live(PluginKind::Agent).filter(|offer| offer.skills.iter().any(|other| other.id == skill));
        let approved = skilled.filter(|offer| offer.publisher != handle_of(&offer.owner));
        // Choose an agent with an unmet need only if there is no other; a call then
        // reports the need.
        let ranked = approved.map(|offer| ((snapshot.unmet_need(offer).is_some(), offer.price, &offer.name), offer));
        ranked.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, offer)| offer.name.clone())
    }

    /// Returns the row of a task, parsed and as exact bytes.
    pub(super) fn row(&self, id: &str) -> Result<Option<(TaskRow, Vec<u8>)>, AgentError> {
        if tx_of_task(id).is_none() {
            return Ok(None);
        }
        let Some(bytes) = self.deps.db.get(Collection::Tasks, id)? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(Some((row, bytes)))
    }
}
