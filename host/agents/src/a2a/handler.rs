//! Where messages become calls of agents, and answers become tasks.
//!
//! Invariants:
//! 1. A message counts once: a repeat finds the task that the first one led to.
//!    A task ends in one call at most: its first message's id makes the
//!    idempotency key of that call, and so the id of both.
//! 2. A task is written after its call was sealed, or was put into the durable
//!    queue. Should the host stop in between, a repeat of the message gets what
//!    became of that call, not a new one.
//! 3. One message at a time works on a task.
//! 4. What fails before the agent ran leaves nothing behind.
//! 5. What becomes of a task that is with its agent is decided by the agents'
//!    room alone; here it is followed (`follow.rs`).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;

use super::agent_input::AgentInput;
use super::in_flight::{InFlightGuard, InFlightSet};
use super::message::{Message, SendParams};
use super::push_config::{self, PushConfig};
use super::rpc::{RpcError, RpcErrorKind};
use super::skills::{SkillBindings, ids};
use super::task::{A2aTask, A2aTaskState};
use super::task_store::{StoredTask, TaskStore, TaskStoreError};
use crate::{AgentError, AgentService, Invocation};
use tollbridge_core::egress::Egress;
use tollbridge_core::limits::{A2A_MESSAGES_PER_TASK_MAX, A2A_TASK_BYTES_MAX, TASK_WAIT_MS_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::task_id;
use tollbridge_market::checkout::{Call, Error as CheckoutError, Source};
use tollbridge_payment::DailySpendLimit;
use tollbridge_runtime::plugins::Failure;
use tollbridge_runtime::registry::Kind;
use tollbridge_store::{Hash, StoreError};

/// Every call through this door is one route: a message id is used once.
const ROUTE: &str = "POST /v1/a2a/execute";

/// The desk, shared by all requests.
pub struct RequestHandler {
    pub(super) tasks: TaskStore,
    pub(super) agents: Arc<AgentService>,
    skills: SkillBindings,
    /// Checks the addresses of receivers before they are kept.
    pub(super) egress: Arc<Egress>,
    /// Where the proofs of answers are read.
    pub(super) base_url: String,
    /// Rung when a notification becomes due.
    pub push_wakeup: Arc<Notify>,
    busy: InFlightSet,
}

/// What a message is by its id and content.
enum MessageStatus {
    /// It came before, and led to this task.
    Repeat(String),
    /// It is new; the name that it is remembered by.
    New(String),
}

/// Who asks, when, and with what money.
#[derive(Clone, Debug)]
pub struct RequestContext {
    pub account: String,
    pub request_id: String,
    pub now_ms: u64,
    pub source: Source,
    /// What the key may spend of credit on one day.
    pub spend: Option<DailySpendLimit>,
    /// The most that the call of an agent may cost.
    pub max_cost: Option<Millipence>,
}

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    #[error("{}", .0.detail)]
    Rpc(RpcError),
    /// The agent's call was refused or failed before it could be a task.
    #[error(transparent)]
    Agents(#[from] AgentError),
    #[error("another message works on this task, or this very message is on its way")]
    Busy,
    /// The same message id came before, with other content.
    #[error("this messageId was used for another message; use a new one")]
    MessageIdReused,
    #[error(transparent)]
    Store(#[from] TaskStoreError),
    #[error("no randomness is available")]
    NoRandomness,
    #[error("the outcome is unknown; send the same message again")]
    OutcomeUnknown,
}

impl RequestHandler {
    pub fn new(
        tasks: TaskStore,
        agents: Arc<AgentService>,
        skills: SkillBindings,
        egress: Arc<Egress>,
        base_url: String,
    ) -> Self {
        Self { tasks, agents, skills, egress, base_url, push_wakeup: Arc::default(), busy: InFlightSet::default() }
    }

    /// `message/send`: the task that the message led to.
    pub async fn send(self: &Arc<Self>, context: RequestContext, send: SendParams) -> Result<Value, HandlerError> {
        let fingerprint = fingerprint(&send.message);
        let turn = self.busy.enter([
            format!("m/{}/{}", context.account, send.message.id),
            format!("t/{}/{}", context.account, send.message.task_id.as_deref().unwrap_or(&send.message.id)),
        ]);
        let turn = turn.ok_or(HandlerError::Busy)?;
        let name = match self.recognise(&context, &send.message, &fingerprint)? {
            MessageStatus::Repeat(task) => return self.get(&context, &task, send.history_length).await,
            MessageStatus::New(name) => name,
        };
        let (found, mut task) = self.task_of(&context, &send.message, &name)?;
        if let Some(config) = send.push.clone() {
            let at = "/params/configuration/pushNotificationConfig";
            push_config::put(&mut task.push, PushConfig::read(config, at, &self.egress)?)?;
        }
        let work = AgentInput::of(&mut task, &send.message);
        if let Some(unknown) = task.capability.as_deref().filter(|skill| self.skills.agent(skill).is_none()) {
            return Err(no_skill(unknown).into());
        }
        task.add_message(&send.message, &name);
        within_bounds(&task)?;
        let this = self.clone();
        // A caller that hangs up must not part the seal from the task.
        let rest = async move {
            let saved =
                this.finish(&context, found.as_ref(), &mut task, (work, send.blocking), (&name, fingerprint)).await;
            drop(turn);
            saved?;
            // Its agent may have been quicker than the write.
            let task = if task.state.is_with_agent() { this.reconciled(&context, &task.id).await? } else { task };
            Ok(task.view(send.history_length))
        };
        tokio::spawn(rest).await.map_err(|_| HandlerError::OutcomeUnknown)?
    }

    /// `tasks/get`.
    pub async fn get(
        &self,
        context: &RequestContext,
        id: &str,
        history_length: Option<usize>,
    ) -> Result<Value, HandlerError> {
        Ok(self.reconciled(context, id).await?.view(history_length))
    }

    /// `tasks/cancel`.
    pub async fn cancel(&self, context: &RequestContext, id: &str) -> Result<Value, HandlerError> {
        let not_cancelable = |why: &str| HandlerError::Rpc(RpcError::new(RpcErrorKind::NotCancelable, why));
        let at_work = "its agent is at work and answers soon";
        self.require(context, id)?;
        let _turn = self.turn(context, id).ok_or_else(|| not_cancelable(at_work))?;
        let found = self.require(context, id)?;
        if found.task.state.is_with_agent() {
            match self.agents.cancel(&context.account, id).await {
                // It ended, this way or another; which one is told below.
                Ok(_) | Err(AgentError::AlreadyEnded(_) | AgentError::Call(CheckoutError::InProgress)) => {}
                Err(AgentError::NotCancelable) => return Err(not_cancelable(at_work)),
                Err(error) => return Err(error.into()),
            }
            let task = self.reconciled(context, id).await?;
            return match task.state {
                A2aTaskState::Canceled => Ok(task.view(None)),
                other => Err(not_cancelable(&format!("it is {} already", other.as_str()))),
            };
        }
        if found.task.state.is_end() {
            return Err(not_cancelable(&format!("it is {} already", found.task.state.as_str())));
        }
        let mut task = found.task.clone();
        (task.state, task.note) = (A2aTaskState::Canceled, None);
        self.save(&context.account, Some(&found), &mut task, None, true, context.now_ms).await?;
        Ok(task.view(None))
    }

    /// A task of the asker's, brought to where its call is.
    async fn reconciled(&self, context: &RequestContext, id: &str) -> Result<A2aTask, HandlerError> {
        let settled = self.reconcile(&context.account, id, context.now_ms).await?;
        settled.ok_or_else(|| HandlerError::Rpc(no_task(id)))
    }

    /// The right to change a task; none while somebody else has it.
    pub(super) fn turn(&self, context: &RequestContext, id: &str) -> Option<InFlightGuard> {
        self.busy.enter([format!("t/{}/{id}", context.account)])
    }

    pub(super) fn require(&self, context: &RequestContext, id: &str) -> Result<StoredTask, HandlerError> {
        let found = self.tasks.find(&context.account, id, context.now_ms)?;
        found.ok_or_else(|| HandlerError::Rpc(no_task(id)))
    }

    /// Whether a message came before, and the name it is remembered by: its
    /// id. Other content under a known id is misuse where it would lead to a
    /// call. Where it only begins a conversation it is a message of its own,
    /// for clients that number carelessly.
    fn recognise(
        &self,
        context: &RequestContext,
        message: &Message,
        fingerprint: &Hash,
    ) -> Result<MessageStatus, HandlerError> {
        let own = format!("{}#{}", message.id, hex::encode(fingerprint));
        for name in [message.id.clone(), own] {
            match self.tasks.seen_message(&context.account, &name)? {
                None => return Ok(MessageStatus::New(name)),
                Some(before) if before.fingerprint == *fingerprint => return Ok(MessageStatus::Repeat(before.task)),
                Some(_) if message.capability.is_some() || message.task_id.is_some() => break,
                Some(_) => {}
            }
        }
        Err(HandlerError::MessageIdReused)
    }

    /// The task that a message belongs to: the one that it names, or a new one.
    fn task_of(
        &self,
        context: &RequestContext,
        message: &Message,
        name: &str,
    ) -> Result<(Option<StoredTask>, A2aTask), HandlerError> {
        let Some(id) = &message.task_id else {
            self.tasks.check_quota(&context.account)?;
            let context_id = message.context_id.clone().map_or_else(|| random("ctx_"), Ok)?;
            // Clients choose ids of messages freely; a key must fit a header.
            let key = hex::encode(Sha256::digest(name));
            let tx = call(context, "", key.clone(), String::new()).identity().map_err(AgentError::from)?.tx;
            return Ok((None, A2aTask::new(task_id(&tx), key, context_id)));
        };
        let found = self.require(context, id)?;
        if found.task.state != A2aTaskState::InputRequired {
            let detail = format!("the task is {}; send a message without `taskId`", found.task.state.as_str());
            return Err(RpcError::params("/params/message/taskId", detail).into());
        }
        if message.context_id.as_ref().is_some_and(|context_id| *context_id != found.task.context_id) {
            let detail = "`contextId` is not that of the task; leave it out";
            return Err(RpcError::params("/params/message/contextId", detail).into());
        }
        let task = found.task.clone();
        Ok((Some(found), task))
    }

    /// Asks for a skill, or gives the agent of the one that was named its task,
    /// and writes what came of it.
    async fn finish(
        &self,
        context: &RequestContext,
        found: Option<&StoredTask>,
        task: &mut A2aTask,
        (work, blocking): (AgentInput, bool),
        heard: (&str, Hash),
    ) -> Result<(), HandlerError> {
        match task.capability.clone() {
            None => task.note = Some(format!("Which skill shall do this? Name one in metadata.capability: {}.", ids())),
            Some(capability) => self.run(context, task, &capability, (work, blocking)).await?,
        }
        // Who is told that the agent has it needs no notification of the same.
        let notify = !task.state.is_with_agent();
        self.save(&context.account, found, task, Some(heard), notify, context.now_ms).await
    }

    /// One call of an agent: awaited, or put into the durable queue.
    async fn run(
        &self,
        context: &RequestContext,
        task: &mut A2aTask,
        capability: &str,
        (work, blocking): (AgentInput, bool),
    ) -> Result<(), HandlerError> {
        let agent = self.skills.agent(capability).ok_or_else(|| no_skill(capability))?;
        let call = call(context, agent, task.key.clone(), work.into_body());
        if self.agents.find_previous(&call)?.is_none() {
            let wait = Duration::from_millis(TASK_WAIT_MS_MAX);
            let given = match blocking {
                true => self.agents.invoke(Invocation { call: call.clone(), wait }).await.map(drop),
                false => self.agents.enqueue(call.clone()).await.map(drop),
            };
            match given {
                // The agent ran and has no answer. Nothing was charged.
                Err(AgentError::Call(CheckoutError::Plugin(failure))) if ends_task(&failure) => {
                    task.note = Some(format!("{failure}; nothing was charged"));
                    task.state = A2aTaskState::Failed;
                    return Ok(());
                }
                given => given?,
            }
        }
        let view = self.agents.find_previous(&call)?.ok_or(HandlerError::OutcomeUnknown)?;
        task.update_from_call(&view, &self.base_url);
        Ok(())
    }

    /// Writes a changed task; rings for the notifications that are due by it.
    pub(super) async fn save(
        &self,
        account: &str,
        found: Option<&StoredTask>,
        task: &mut A2aTask,
        heard: Option<(&str, Hash)>,
        notify: bool,
        now_ms: u64,
    ) -> Result<(), HandlerError> {
        self.tasks.save(account, found, task, heard, notify, now_ms).await?;
        if notify && !task.push.is_empty() {
            self.push_wakeup.notify_one();
        }
        Ok(())
    }
}

/// The call of an agent. Only `agent` and `body` are not part of its identity.
fn call(context: &RequestContext, agent: &str, key: String, body: String) -> Call {
    Call {
        request_id: context.request_id.clone(),
        now_ms: context.now_ms,
        account: Some(context.account.clone()),
        kind: Kind::Agent,
        name: agent.to_owned(),
        route: ROUTE.to_owned(),
        body: body.into(),
        source: context.source.clone(),
        idempotency_key: Some(key),
        queued: None,
        spend: context.spend.clone(),
        max_cost: context.max_cost,
    }
}

/// Whether a failure is the end of a task. The others are told as errors: the
/// caller can correct them, or try again with the same message.
fn ends_task(failure: &Failure) -> bool {
    match failure {
        Failure::Internal(_)
        | Failure::Trapped(_)
        | Failure::BadOutput(_)
        | Failure::TimedOut(_)
        | Failure::Upstream(_) => true,
        Failure::InvalidInput { .. }
        | Failure::NotFound(_)
        | Failure::Unavailable(_)
        | Failure::NoProvider(_)
        | Failure::Overloaded { .. } => false,
    }
}

/// What makes a message the same as another of its id.
fn fingerprint(message: &Message) -> Hash {
    let mut digest = Sha256::new();
    let parts = serde_json::to_vec(&message.parts).unwrap_or_default();
    let texts = [&message.task_id, &message.context_id, &message.capability].map(|text| text.as_deref().unwrap_or(""));
    for part in texts.map(str::as_bytes).into_iter().chain([parts.as_slice()]) {
        // Lengths keep ("a", "bc") apart from ("ab", "c").
        digest.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

fn within_bounds(task: &A2aTask) -> Result<(), RpcError> {
    let parts = task.history.iter().flat_map(|said| &said.parts);
    let bytes: usize = parts.map(|part| part.to_string().len()).fold(0, usize::saturating_add);
    if bytes > A2A_TASK_BYTES_MAX || task.history.len() > A2A_MESSAGES_PER_TASK_MAX {
        let detail = format!(
            "a task takes at most {A2A_MESSAGES_PER_TASK_MAX} messages and {A2A_TASK_BYTES_MAX} bytes of parts; keep \
             large input with POST /v1/resources and name it as `resource_id`"
        );
        return Err(RpcError::params("/params/message/parts", detail));
    }
    Ok(())
}

fn no_task(id: &str) -> RpcError {
    let shown: String = id.chars().take(80).collect();
    RpcError::new(RpcErrorKind::TaskNotFound, format!("this account has no task {shown}; tasks are kept for a day"))
        .with("code", "E012")
}

fn no_skill(capability: &str) -> RpcError {
    let shown: String = capability.chars().take(80).collect();
    RpcError::params(
        "/params/message/metadata/capability",
        format!("there is no skill `{shown}`; the skills are {}", ids()),
    )
    .with("code", "E007")
}

/// A name with 128 random bits.
fn random(prefix: &str) -> Result<String, HandlerError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| HandlerError::NoRandomness)?;
    Ok(format!("{prefix}{}", hex::encode(bytes)))
}

impl From<RpcError> for HandlerError {
    fn from(error: RpcError) -> Self {
        Self::Rpc(error)
    }
}

impl From<StoreError> for HandlerError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.into())
    }
}
