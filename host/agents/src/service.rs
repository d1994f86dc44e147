//! The service behind agent tasks: what it is built on, and reading its rows.
//!
//! The other files of the crate add to it: `invoke` and `enqueue` accept tasks,
//! `worker` and `attempt` run queued ones, `end` closes them, `views` shows them.

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

/// Notices kept for a slow subscriber. One that falls further behind reads the
/// rows instead.
const ENDED_NOTICES_KEPT: usize = 1_024;

/// What the service is built on.
pub(super) struct AgentDeps {
    /// Sells and runs the calls.
    pub(super) checkout: Arc<Checkout>,
    /// The data folder.
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

/// Notice that an open task has ended.
#[derive(Clone, Debug)]
pub struct TaskEnded {
    /// The account that gave the task.
    pub account: String,
    /// The id of the task.
    pub task: String,
}

impl AgentService {
    /// A service with an empty queue; `run_queue` fills it. `checkout` is given
    /// the queue as what payments take back after a dispute.
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

    /// Fewer open tasks for each account, so that a test reaches the bound.
    #[cfg(feature = "testing")]
    pub fn bound_tasks(&self, open_per_account_max: usize) {
        self.queue.bound(open_per_account_max);
    }

    /// What sells and runs the calls of tasks.
    pub fn checkout(&self) -> &Arc<Checkout> {
        &self.deps.checkout
    }

    /// Notices of every open task that ends from now on.
    pub fn subscribe_ended(&self) -> broadcast::Receiver<TaskEnded> {
        self.ended.subscribe()
    }

    /// The cheapest agent with a skill, among those that the operator's own
    /// publishers signed; what accounts deploy is not approved by itself.
    pub fn cheapest_with_skill(&self, skill: &str) -> Option<String> {
        let snapshot = self.deps.checkout.catalog.snapshot();
        let skilled =
            snapshot.live(PluginKind::Agent).filter(|offer| offer.skills.iter().any(|other| other.id == skill));
        let approved = skilled.filter(|offer| offer.publisher != handle_of(&offer.owner));
        // One that cannot answer now says why, if there is no other.
        let ranked = approved.map(|offer| ((snapshot.unmet_need(offer).is_some(), offer.price, &offer.name), offer));
        ranked.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, offer)| offer.name.clone())
    }

    /// The row of a task, and its exact bytes.
    pub(super) fn row(&self, id: &str) -> Result<Option<(TaskRow, Vec<u8>)>, AgentError> {
        if tx_of_task(id).is_none() {
            return Ok(None);
        }
        let Some(bytes) = self.deps.db.get(Collection::Tasks, id)? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(Some((row, bytes)))
    }
}
