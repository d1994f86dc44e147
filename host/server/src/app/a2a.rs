//! Builds what agent to agent needs: cards from configured addresses, signed
//! with their own key, the operator's binding of skills, and the postman.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::{Base, now_ms};
use tollbridge_agents::Agents;
use tollbridge_agents::a2a::{A2a, Deliveries, Desk, Identity, Rack, Shelf, Skills, follow};
use tollbridge_core::egress::Egress;

/// How often tasks that nobody asked for are forgotten.
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// The room. Notifications are sent, and tasks are followed, from now on.
pub(super) fn open(base: &Base, address: SocketAddr, agents: &Arc<Agents>) -> Result<A2a> {
    let (server, webhooks) = (&base.config.server, &base.config.webhooks);
    let identity = Identity {
        display_name: server.display_name.clone(),
        base_url: server.public_url(address).to_string(),
        provider_url: server.provider_url(address).to_string(),
    };
    let cards = Rack::new(identity.clone(), base.keys.clone())?;
    let skills = Skills::bind(&base.config.agents.skills)?;
    let shelf = Shelf::new(base.store.clone(), base.writer.clone());
    let egress = Arc::new(Egress::new(webhooks.allow_networks.clone())?);
    let desk = Desk::new(shelf.clone(), agents.clone(), skills, egress.clone(), identity.base_url);
    let desk = Arc::new(desk);
    let retries = webhooks.retries.clone();
    let deliveries = Deliveries { shelf: shelf.clone(), egress, bell: desk.bell.clone(), retries, now_ms };
    tokio::spawn(Arc::new(deliveries).run());
    tokio::spawn(keep_tidy(shelf));
    tokio::spawn(follow(desk.clone(), now_ms));
    Ok(A2a { cards, desk })
}

async fn keep_tidy(shelf: Shelf) {
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        if let Err(error) = shelf.tidy(now_ms()).await {
            tracing::warn!(%error, "expired tasks were not forgotten");
        }
    }
}
