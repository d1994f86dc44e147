//! Builds what agent to agent needs: cards from configured addresses, signed
//! with their own key, the operator's binding of skills, and the postman.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use super::{Base, now_ms};
use crate::a2a::{A2a, Cards, Deliveries, Desk, Identity, Shelf, Skills};
use crate::checkout::Checkout;
use crate::egress::Egress;
use crate::signing::{PublicKey, Signer};

/// How often tasks that nobody asked for are forgotten.
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// The room and the public half of the key that signs its cards. Notifications
/// are sent from now on.
pub(super) fn open(base: &Base, address: SocketAddr, checkout: &Arc<Checkout>) -> Result<(A2a, PublicKey)> {
    let (server, webhooks) = (&base.config.server, &base.config.webhooks);
    let identity = Identity {
        display_name: server.display_name.clone(),
        base_url: server.public_url(address).to_string(),
        provider_url: server.provider_url(address).to_string(),
    };
    let signer = Signer::open(&base.vault, "cards")?;
    let cards = Cards::build(&identity, &signer)?;
    let skills = Skills::bind(&base.config.agents.skills)?;
    let shelf = Shelf::new(base.store.clone(), base.writer.clone());
    let egress = Arc::new(Egress::new(webhooks.allow_networks.clone())?);
    let desk = Desk::new(shelf.clone(), checkout.clone(), skills, egress.clone());
    let retries = webhooks.retries.clone();
    let deliveries = Deliveries { shelf: shelf.clone(), egress, bell: desk.bell.clone(), retries, now_ms };
    tokio::spawn(Arc::new(deliveries).run());
    tokio::spawn(keep_tidy(shelf));
    Ok((A2a { cards, desk: Arc::new(desk) }, signer.public().clone()))
}

async fn keep_tidy(shelf: Shelf) {
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        if let Err(error) = shelf.tidy(now_ms()).await {
            tracing::warn!(%error, "expired tasks were not forgotten");
        }
    }
}
