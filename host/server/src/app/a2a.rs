//! Builds the agent-to-agent service: cards for the configured addresses, signed with their own
//! key, the operator's skill bindings, and the notification worker.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::task::JoinSet;
use tollbridge_agents::AgentService;
use tollbridge_agents::a2a::{
    A2aHandler, A2aService, CardCache, CardIdentity, PushWorker, SkillBindings, TaskStore, run_reconciler,
};
use tollbridge_core::egress::Egress;
use tollbridge_core::time::now_ms;

use super::base::Base;

/// Interval between deletions of expired tasks.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// Builds the A2A service.
pub(super) fn open(base: &Base, address: SocketAddr, agents: &Arc<AgentService>) -> Result<A2aService> {
    let (server, webhooks) = (&base.config.server, &base.config.webhooks);
    let identity = CardIdentity {
        display_name: server.display_name.clone(),
        base_url: server.public_url(address).to_string(),
        provider_url: server.provider_url(address).to_string(),
        takes_wallets: agents.checkout.payments.wallet_rail.is_some(),
    };
    let cards = CardCache::new(identity.clone(), base.keys.clone(), now_ms())?;
    let skills = SkillBindings::bind(&base.config.agents.skills)?;
    let egress = Arc::new(Egress::new(webhooks.allow_networks.clone())?);
    let tasks = TaskStore::new(base.db.clone());
    let handler = A2aHandler::new(tasks, agents.clone(), skills, egress, identity.base_url);
    Ok(A2aService { cards, handler })
}

/// Starts sending notifications and following tasks.
pub(super) fn begin(base: &Base, service: &A2aService, duties: &mut JoinSet<()>) -> Result<()> {
    let webhooks = &base.config.webhooks;
    let (store, tasks) = (TaskStore::new(base.db.clone()), &service.handler.tasks);
    let egress = Arc::new(Egress::new(webhooks.allow_networks.clone())?);
    let (push_wakeup, retries) = (tasks.push_wakeup.clone(), webhooks.retries.clone());
    let worker = PushWorker { tasks: store.clone(), egress, push_wakeup, retries, now_ms };
    duties.spawn(Arc::new(worker).run());
    duties.spawn(delete_expired_tasks(store));
    duties.spawn(run_reconciler(tasks.clone(), now_ms));
    Ok(())
}

async fn delete_expired_tasks(tasks: TaskStore) {
    loop {
        tokio::time::sleep(CLEANUP_INTERVAL).await;
        if let Err(error) = tasks.delete_expired(now_ms()).await {
            tracing::warn!(%error, "cannot delete expired tasks");
        }
    }
}
