//! The agent service: its dependencies, and reading its rows.
//!
//! The other files of the crate extend it: `invoke` and `enqueue` accept tasks,
//! `worker` and `attempt` run queued ones, `end` closes them, `views` shows
//! them.

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

/// Events that are buffered for a slow subscriber. One that falls further
/// behind reads the rows instead.
const ENDED_NOTICES_KEPT: usize = 1_024;

/// The dependencies of the service.
pub(super) struct AgentDeps {
    /// Sells and runs the calls.
    pub(super) checkout: Arc<Checkout>,
    /// The handle to the store and its writer.
    pub(super) db: Db,
    /// The clock, Unix time in milliseconds.
    pub(super) now_ms: fn() -> u64,
}

/// Runs and queues the tasks of agents.
pub struct AgentService {
    pub(super) deps: AgentDeps,
    /// Issues the proofs of answered tasks.
    pub proofs: Arc<ProofIssuer>,
    pub(super) queue: Arc<TaskQueue>,
    pub(super) ended: broadcast::Sender<TaskEnded>,
}

/// The event that an open task has ended.
#[derive(Clone, Debug)]
pub struct TaskEnded {
    /// The account of the task.
    pub account: String,
    /// The id of the task.
    pub task: String,
}

impl AgentService {
    /// Creates a service with an empty queue; `run_queue` fills it. `checkout` gets
    /// the queue, from which payments reclaim reserved prices after a dispute.
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

    /// Lowers the limit of open tasks per account, so that a test can reach it.
    #[cfg(feature = "testing")]
    pub fn bound_tasks(&self, open_per_account_max: usize) {
        self.queue.bound(open_per_account_max);
    }

    /// The checkout that sells and runs the calls of tasks.
    pub fn checkout(&self) -> &Arc<Checkout> {
        &self.deps.checkout
    }

    /// Subscribes to the events of open tasks that end from now on.
    pub fn subscribe_ended(&self) -> broadcast::Receiver<TaskEnded> {
        self.ended.subscribe()
    }

    /// Returns the cheapest agent with a skill, among those signed by the
    /// operator's own publishers; deployments of accounts are not approved
    /// automatically.
    pub fn cheapest_with_skill(&self, skill: &str) -> Option<String> {
        let snapshot = self.deps.checkout.catalog.snapshot();
        let skilled =
            snapshot.live(PluginKind::Agent).filter(|offer| offer.skills.iter().any(|other| other.id == skill));
        let approved = skilled.filter(|offer| offer.publisher != handle_of(&offer.owner));
        // An agent with an unmet need is only chosen if there is no other; its call
        // then reports the need.
        let ranked = approved.map(|offer| ((snapshot.unmet_need(offer).is_some(), offer.price, &offer.name), offer));
        ranked.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, offer)| offer.name.clone())
    }

    /// Returns the row of a task, and its exact bytes.
    pub(super) fn row(&self, id: &str) -> Result<Option<(TaskRow, Vec<u8>)>, AgentError> {
        if tx_of_task(id).is_none() {
            return Ok(None);
        }
        let Some(bytes) = self.deps.db.get(Collection::Tasks, id)? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(Some((row, bytes)))
    }
}
