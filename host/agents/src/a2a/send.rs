//! Sending a message: it becomes a call of an agent, and the answer becomes a task.
//!
//! Invariants:
//! 1. A message has an effect only once: a repeat returns the task of the first one. A
//!    task ends in at most one call. The id of the task's first message determines the
//!    idempotency key of that call, and so the ids of both.
//! 2. A task is written after its call was sealed or durably queued. If the host stops in
//!    between, a repeat of the message finds that call.
//! 3. A call that fails before the agent ran has no effect.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tollbridge_core::egress::Egress;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::idempotency::Digester;
use tollbridge_ledger::task_id;
use tollbridge_market::catalog::CatalogEntry;
use tollbridge_market::checkout::{Call, CheckoutError};
use tollbridge_plugin::Failure;
use tollbridge_store::Hash;
use tracing::Instrument as _;

use super::agent_input::AgentInput;
use super::error::{HandlerError, no_skill};
use super::message::{Message, SendParams};
use super::payment;
use super::push_config::{self, PushConfig};
use super::request_context::RequestContext;
use super::rpc_error::{RpcError, RpcErrorKind};
use super::skills::{OpenSkill, SKILLS, SkillBindings, ids};
use super::task::{A2aTask, A2aTaskState};
use super::task_store::StoredTask;
use super::tasks::A2aTasks;
use super::version::ProtocolVersion;
use crate::error::AgentError;
use crate::invoke::Invocation;
use crate::limits::{A2A_QUESTION_KEPT_MS, TASK_WAIT_MS_MAX};
use crate::task::note_of;

/// Maximum total size of the parts of all messages of one task.
const A2A_TASK_BYTES_MAX: usize = 256 << 10;
/// Maximum number of messages in one task.
const A2A_MESSAGES_PER_TASK_MAX: usize = 64;

/// Member of a task's metadata that names the input which the agent requests, as a JSON
/// pointer into the agent's input.
const MISSING: &str = "missing";
/// The route of every call made here. Together with the message id, it identifies the
/// call.
const ROUTE: &str = "POST /v1/a2a/execute";

/// Whether a message is new or repeated.
enum MessageStatus {
    /// The message was sent before and led to the task with this id.
    Repeat(String),
    /// The message is new and is stored under this name.
    New(String),
}

/// Sends messages to the agents of skills.
pub(super) struct MessageSender {
    pub(super) tasks: Arc<A2aTasks>,
    pub(super) skills: SkillBindings,
    /// Checks the URLs of notification receivers before they are stored.
    pub(super) egress: Arc<Egress>,
}

impl MessageSender {
    /// Returns the skills whose agents can be called now, in the order of the cards.
    pub(super) fn open_skills(&self) -> Vec<OpenSkill> {
        let catalog = self.tasks.agents.checkout.catalog.snapshot();
        let open = SKILLS.into_iter().filter_map(|skill| {
            let agent = self.skills.agent(skill.id)?;
            let CatalogEntry::Live(offer) = catalog.entry(PluginKind::Agent, agent)? else { return None };
            Some(OpenSkill { skill, price: offer.price, commands: offer.commands.clone() })
        });
        open.collect()
    }

    /// Processes a message and returns its task.
    pub(super) async fn send(
        self: &Arc<Self>,
        context: RequestContext,
        send: SendParams,
    ) -> Result<A2aTask, HandlerError> {
        let context = payment::with_payment(&self.tasks.agents.checkout.payments, context, &send.message)?;
        let fingerprint = fingerprint(&send.message);
        let belongs_to = match &send.message.task_id {
            Some(id) => Some(id.clone()),
            None => self.asked_in_context(&context, &send.message)?,
        };
        let guard = self.tasks.in_flight.begin_all(vec![
            format!("m/{}/{}", context.account, send.message.id),
            format!("t/{}/{}", context.account, belongs_to.as_deref().unwrap_or(&send.message.id)),
        ]);
        let guard = guard.ok_or(HandlerError::Busy)?;
        let name = match self.classify(&context, &send.message, &fingerprint)? {
            MessageStatus::Repeat(task) => return self.tasks.reconciled(&context, &task).await,
            MessageStatus::New(name) => name,
        };
        let (stored, mut task) = self.load_or_create(&context, &send.message, belongs_to.as_deref(), &name)?;
        if let Some(config) = send.push.clone() {
            let at = push_pointer(context.version);
            push_config::put(&mut task.push, PushConfig::read(config, at, &self.egress, context.version)?)?;
        }
        let input = AgentInput::of(&mut task, &send.message);
        if let Some(unknown) = task.capability.as_deref().filter(|skill| self.skills.agent(skill).is_none()) {
            return Err(no_skill(unknown).into());
        }
        task.add_message(&send.message, &name);
        within_bounds(&task)?;
        let sender = self.clone();
        // Spawned as a task, so that it completes even if the caller disconnects: the A2A
        // task must be written after its call is sealed.
        let rest = async move {
            let how = (input, send.blocking, send.message.declines);
            let saved = sender.finish(&context, stored.as_ref(), &mut task, how, (&name, fingerprint)).await;
            drop(guard);
            saved?;
            // The agent may have finished before the task was written.
            if task.state.is_with_agent() { sender.tasks.reconciled(&context, &task.id).await } else { Ok(task) }
        };
        tokio::spawn(rest.in_current_span()).await.map_err(|_| HandlerError::OutcomeUnknown)?
    }

    /// Determines whether a message was sent before, and the name under which it is
    /// stored, which is usually its id. A known id with other content is an error if the
    /// message would lead to a call. If the message only starts a conversation, it counts
    /// as a separate message, for clients that reuse ids carelessly.
    fn classify(
        &self,
        context: &RequestContext,
        message: &Message,
        fingerprint: &Hash,
    ) -> Result<MessageStatus, HandlerError> {
        let fingerprinted = format!("{}#{}", message.id, hex::encode(fingerprint));
        for name in [message.id.clone(), fingerprinted] {
            match self.tasks.store.seen_message(&context.account, &name)? {
                None => return Ok(MessageStatus::New(name)),
                Some(before) if before.fingerprint == *fingerprint => return Ok(MessageStatus::Repeat(before.task)),
                Some(_) if message.capability.is_some() || message.task_id.is_some() => break,
                Some(_) => {}
            }
        }
        Err(HandlerError::MessageIdReused)
    }

    /// Returns the newest task of the message's context, if its agent asked a question
    /// and the message names no other capability. Clients that store no task ids answer
    /// questions in this way.
    fn asked_in_context(&self, context: &RequestContext, message: &Message) -> Result<Option<String>, HandlerError> {
        let Some(context_id) = &message.context_id else { return Ok(None) };
        let mut newest = None;
        self.tasks.store.walk(&context.account, None, |entry| {
            // Stop at older tasks: their questions have expired.
            let may_ask = entry.updated_ms.saturating_add(A2A_QUESTION_KEPT_MS) > context.now_ms;
            newest = (entry.summary.context_id == *context_id).then_some(entry);
            newest.is_none() && may_ask
        })?;
        let Some(entry) = newest.filter(|entry| entry.summary.state == A2aTaskState::InputRequired) else {
            return Ok(None);
        };
        let stored = self.tasks.store.find(&context.account, &entry.id, context.now_ms)?;
        let asked = stored.and_then(|stored| stored.task.capability);
        Ok(asked.filter(|asked| message.capability.as_ref().is_none_or(|named| named == asked)).map(|_| entry.id))
    }

    /// Returns the task to which a message belongs: the task that it names or answers, or
    /// a new one.
    fn load_or_create(
        &self,
        context: &RequestContext,
        message: &Message,
        belongs_to: Option<&str>,
        name: &str,
    ) -> Result<(Option<StoredTask>, A2aTask), HandlerError> {
        let Some(id) = belongs_to else {
            self.tasks.store.check_quota(&context.account)?;
            let context_id = message.context_id.clone().map_or_else(|| random("ctx_"), Ok)?;
            // Clients choose message ids freely, but an idempotency key must be a valid
            // header value.
            let key = hex::encode(Sha256::digest(name));
            let tx = call(context, "", key.clone(), String::new()).identity().map_err(AgentError::from)?.tx;
            return Ok((None, A2aTask::new(task_id(&tx), key, context_id)));
        };
        let stored = self.tasks.require(context, id)?;
        if stored.task.state != A2aTaskState::InputRequired {
            let detail = format!("the task is {}; send a message without `taskId`", stored.task.state.as_str());
            let error = RpcError::params("/params/message/taskId", detail);
            return Err(error.kind(RpcErrorKind::TaskTakesNoMessage).into());
        }
        if message.context_id.as_ref().is_some_and(|context_id| *context_id != stored.task.context_id) {
            let detail = "`contextId` does not match the task; leave it out";
            return Err(RpcError::params("/params/message/contextId", detail).into());
        }
        let task = stored.task.clone();
        Ok((Some(stored), task))
    }

    /// Asks which capability is wanted, or calls the agent of the named capability; then
    /// writes the task.
    async fn finish(
        &self,
        context: &RequestContext,
        stored: Option<&StoredTask>,
        task: &mut A2aTask,
        (input, blocking, declines): (AgentInput, bool, bool),
        seen_message: (&str, Hash),
    ) -> Result<(), HandlerError> {
        match task.capability.clone() {
            _ if declines => payment::decline(task),
            None => task.note = Some(format!("Which skill is wanted? Name one in metadata.capability: {}.", ids())),
            Some(capability) => self.run(context, task, &capability, (input, blocking)).await?,
        }
        // No notification while the agent is working: the response already reports this
        // state.
        let notify = !task.state.is_with_agent();
        self.tasks.save(&context.account, stored, task, Some(seen_message), notify, context.now_ms).await
    }

    /// Makes one call of an agent: waits for the answer, or enqueues the call durably.
    async fn run(
        &self,
        context: &RequestContext,
        task: &mut A2aTask,
        capability: &str,
        (input, blocking): (AgentInput, bool),
    ) -> Result<(), HandlerError> {
        let agent = self.skills.agent(capability).ok_or_else(|| no_skill(capability))?;
        let call = call(context, agent, task.key.clone(), input.into_body());
        let payment = payment::payment_of(context);
        task.metadata.remove(MISSING);
        if self.tasks.agents.views.find_previous(&call)?.is_none() {
            let wait = Duration::from_millis(TASK_WAIT_MS_MAX);
            // Do not enqueue a call paid by a wallet: the signature is valid only for a
            // short time.
            let accepted = match blocking || payment.is_some() {
                true => self.tasks.agents.invoke(Invocation { call: call.clone(), wait }).await.map(drop),
                false => self.tasks.agents.enqueue(call.clone()).await.map(drop),
            };
            match accepted {
                // The agent ran and failed.
                Err(AgentError::Call(error)) if ends_task(&error) => {
                    task.note = Some(note_of(&error.to_string(), error.charged()));
                    task.state = A2aTaskState::Failed;
                    return Ok(());
                }
                Err(AgentError::Call(ref error))
                    if payment::wait(&self.tasks.base_url, context, task, agent, error) =>
                {
                    return Ok(());
                }
                // The agent requests missing input; the user's next message continues the
                // task.
                Err(AgentError::Call(ref error)) if let Some((field, question)) = missing_input(error) => {
                    task.note = Some(note_of(question, error.charged()));
                    task.proposal = error.proposed_input().cloned();
                    task.metadata.insert(MISSING.to_owned(), field.into());
                    return Ok(());
                }
                accepted => accepted?,
            }
        }
        let view = self.tasks.agents.views.find_previous(&call)?.ok_or(HandlerError::OutcomeUnknown)?;
        task.update_from_call(&view, &self.tasks.base_url);
        if let Some(payment) = payment {
            payment::add_receipt(&self.tasks.agents.checkout.payments, task, &payment);
        }
        Ok(())
    }
}

/// Returns the JSON pointer of the push notification settings in a request to send a
/// message.
const fn push_pointer(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::V0_3 => "/params/configuration/pushNotificationConfig",
        ProtocolVersion::V1 => "/params/configuration/taskPushNotificationConfig",
    }
}

/// Builds the call of an agent. `agent` and `body` do not affect the call's identity.
fn call(context: &RequestContext, agent: &str, key: String, body: String) -> Call {
    Call {
        request_id: context.request_id.clone(),
        now_ms: context.now_ms,
        account: Some(context.account.clone()),
        share: context.share.clone(),
        kind: PluginKind::Agent,
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

/// Returns the input member that an agent refused as missing or invalid, and the agent's
/// message to the user.
fn missing_input(error: &CheckoutError) -> Option<(&str, &str)> {
    match error.cause() {
        CheckoutError::Plugin(Failure::InvalidInput { field, message, .. }) => Some((field, message)),
        _ => None,
    }
}

/// Returns whether a failure ends the task. Other failures are returned to the caller as
/// errors, so that the message can be corrected or sent again.
fn ends_task(error: &CheckoutError) -> bool {
    let CheckoutError::Plugin(failure) = error.cause() else { return false };
    match failure {
        Failure::Internal(_)
        | Failure::Trapped(_)
        | Failure::BadOutput(_)
        | Failure::TimedOut(_)
        | Failure::Upstream(_) => true,
        // The agent requests input, or the caller can correct the message and send it
        // again.
        Failure::InvalidInput { .. }
        | Failure::NotFound(_)
        | Failure::Unavailable(_)
        | Failure::NoProvider(_)
        | Failure::Overloaded { .. } => false,
    }
}

/// Returns a digest of a message's content, which distinguishes messages with the same
/// id.
fn fingerprint(message: &Message) -> Hash {
    let mut digest = Digester::new("");
    let parts = serde_json::to_vec(&message.parts).unwrap_or_default();
    let texts = [&message.task_id, &message.context_id, &message.capability].map(|text| text.as_deref().unwrap_or(""));
    for part in texts.map(str::as_bytes).into_iter().chain([parts.as_slice()]) {
        digest = digest.part(part);
    }
    digest.finish()
}

fn within_bounds(task: &A2aTask) -> Result<(), RpcError> {
    let parts = task.history.iter().flat_map(|entry| &entry.parts);
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

/// Returns `prefix` followed by 128 random bits.
fn random(prefix: &str) -> Result<String, HandlerError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| HandlerError::NoRandomness)?;
    Ok(format!("{prefix}{}", hex::encode(bytes)))
}
