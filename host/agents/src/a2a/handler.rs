//! The operations of the protocol, in services that both protocol versions call.

use std::sync::Arc;

use tollbridge_core::egress::Egress;
use tollbridge_core::in_flight::InFlight;

use super::push_settings::PushSettings;
use super::send::MessageSender;
use super::skills::SkillBindings;
use super::task_store::TaskStore;
use super::tasks::A2aTasks;
use crate::service::AgentService;

/// The services that execute the operations of the A2A protocol.
pub struct A2aHandler {
    /// The tasks of all accounts.
    pub tasks: Arc<A2aTasks>,
    pub(super) messages: Arc<MessageSender>,
    pub(super) push: PushSettings,
}

impl A2aHandler {
    /// Creates a handler; `base_url` is the public base URL of proofs.
    pub fn new(
        store: TaskStore,
        agents: Arc<AgentService>,
        skills: SkillBindings,
        egress: Arc<Egress>,
        base_url: String,
    ) -> Self {
        let (push_wakeup, in_flight) = (Arc::default(), InFlight::default());
        let tasks = Arc::new(A2aTasks { store, agents, base_url, push_wakeup, in_flight });
        let messages = MessageSender { tasks: tasks.clone(), skills, egress: egress.clone() };
        Self { messages: Arc::new(messages), push: PushSettings { tasks: tasks.clone(), egress }, tasks }
    }
}
