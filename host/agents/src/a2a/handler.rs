//! Operations on A2A tasks: read, cancel, change.
//!
//! Invariants:
//! 1. A task processes one message at a time.
//! 2. While the agent's call for a task is open, only the agent service decides the
//!    task's state; `reconciler` copies it.

use std::sync::Arc;

use tokio::sync::Notify;
use tollbridge_core::egress::Egress;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::in_flight::{InFlight, InFlightGuard};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::CatalogEntry;
use tollbridge_market::checkout::{CheckoutError, PaymentSource};
use tollbridge_payment::DailySpendLimit;
use tollbridge_store::Hash;

use super::error::{HandlerError, no_task};
use super::rpc_error::{RpcError, RpcErrorKind};
use super::skills::{OpenSkill, SKILLS, SkillBindings};
use super::task::{A2aTask, A2aTaskState};
use super::task_store::{StoredTask, TaskStore};
use super::version::ProtocolVersion;
use crate::error::AgentError;
use crate::service::AgentService;

/// Executes the operations of the A2A protocol.
pub struct A2aHandler {
    pub(super) tasks: TaskStore,
    pub(super) agents: Arc<AgentService>,
    pub(super) skills: SkillBindings,
    /// Checks the URLs of notification receivers before they are stored.
    pub(super) egress: Arc<Egress>,
    /// The public base URL of the proofs of answers.
    pub(super) base_url: String,
    /// Notified when a push notification becomes due.
    pub push_wakeup: Arc<Notify>,
    pub(super) in_flight: InFlight<String>,
}

/// The account, time and payment source of a request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The protocol version that the client uses.
    pub version: ProtocolVersion,
    /// The account of the API key.
    pub account: String,
    /// The account's fair share of the agents' slots.
    pub share: FairShare,
    /// The id of the HTTP request.
    pub request_id: String,
    /// The time of the request, Unix time in milliseconds.
    pub now_ms: u64,
    /// The source from which the call is paid.
    pub source: PaymentSource,
    /// Whether the client accepts requests for payment by a wallet.
    pub asks_wallets: bool,
    /// The daily credit limit of the key.
    pub spend: Option<DailySpendLimit>,
    /// The maximum cost of the agent's call.
    pub max_cost: Option<Millipence>,
}

impl A2aHandler {
    /// Creates a handler; `base_url` is the public base URL of proofs.
    pub fn new(
        tasks: TaskStore,
        agents: Arc<AgentService>,
        skills: SkillBindings,
        egress: Arc<Egress>,
        base_url: String,
    ) -> Self {
        Self { tasks, agents, skills, egress, base_url, push_wakeup: Arc::default(), in_flight: InFlight::default() }
    }

    /// Cancels a task.
    pub(super) async fn cancel(&self, context: &RequestContext, id: &str) -> Result<A2aTask, HandlerError> {
        let not_cancelable = |why: &str| HandlerError::Rpc(RpcError::new(RpcErrorKind::NotCancelable, why));
        let at_work = "the agent is already running and cannot be canceled; it answers soon";
        self.require(context, id)?;
        let _guard = self.begin(context, id).ok_or_else(|| not_cancelable(at_work))?;
        let stored = self.require(context, id)?;
        if stored.task.state.is_with_agent() {
            match self.agents.cancel(&context.account, id).await {
                // The call has ended, but perhaps not by this cancellation; the task's
                // state, which is read below, shows which.
                Ok(_) | Err(AgentError::AlreadyEnded(_) | AgentError::Call(CheckoutError::InProgress)) => {}
                Err(AgentError::NotCancelable) => return Err(not_cancelable(at_work)),
                Err(error) => return Err(error.into()),
            }
            let task = self.reconciled(context, id).await?;
            return match task.state {
                A2aTaskState::Canceled => Ok(task),
                other => Err(not_cancelable(&format!("it is already {}", other.as_str()))),
            };
        }
        if stored.task.state.is_end() {
            return Err(not_cancelable(&format!("it is already {}", stored.task.state.as_str())));
        }
        let mut task = stored.task.clone();
        (task.state, task.note) = (A2aTaskState::Canceled, None);
        self.save(&context.account, Some(&stored), &mut task, None, true, context.now_ms).await?;
        Ok(task)
    }

    /// Returns the skills whose agents can be called now, in the order of the cards.
    pub(super) fn open_skills(&self) -> Vec<OpenSkill> {
        let catalog = self.agents.checkout.catalog.snapshot();
        let open = SKILLS.into_iter().filter_map(|skill| {
            let agent = self.skills.agent(skill.id)?;
            let CatalogEntry::Live(offer) = catalog.entry(PluginKind::Agent, agent)? else { return None };
            Some(OpenSkill { skill, price: offer.price })
        });
        open.collect()
    }

    /// Returns a task of the caller's account after updating it from the agent's call.
    pub(super) async fn reconciled(&self, context: &RequestContext, id: &str) -> Result<A2aTask, HandlerError> {
        let settled = self.reconcile(&context.account, id, context.now_ms).await?;
        settled.ok_or_else(|| HandlerError::Rpc(no_task(id)))
    }

    /// Acquires the exclusive right to change a task; returns `None` while another
    /// request holds it.
    pub(super) fn begin(&self, context: &RequestContext, id: &str) -> Option<InFlightGuard<String>> {
        self.in_flight.begin(format!("t/{}/{id}", context.account))
    }

    pub(super) fn require(&self, context: &RequestContext, id: &str) -> Result<StoredTask, HandlerError> {
        let stored = self.tasks.find(&context.account, id, context.now_ms)?;
        stored.ok_or_else(|| HandlerError::Rpc(no_task(id)))
    }

    /// Writes a changed task, and wakes the push worker if notifications are due.
    pub(super) async fn save(
        &self,
        account: &str,
        stored: Option<&StoredTask>,
        task: &mut A2aTask,
        seen_message: Option<(&str, Hash)>,
        notify: bool,
        now_ms: u64,
    ) -> Result<(), HandlerError> {
        self.tasks.save(account, stored, task, seen_message, notify, now_ms).await?;
        if notify && !task.push.is_empty() {
            self.push_wakeup.notify_one();
        }
        Ok(())
    }
}
