//! The thread on which webhooks are delivered: one, and of low priority, so
//! that a busy server answers calls first.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{Base, now_ms};
use crate::webhooks::Webhooks;

/// As low as it goes; on an idle machine it makes no difference.
const NICE: i32 = 19;

/// How often the thread looks whether the server is still there.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Starts deliveries; they end when the last one who holds them lets go.
pub(super) fn start(base: &Base) -> Result<Arc<Webhooks>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime for webhooks does not start")?;
    let handle = runtime.handle().clone();
    let webhooks = Arc::new(Webhooks::start(
        base.store.clone(),
        base.writer.clone(),
        base.listeners.clone(),
        &base.config.webhooks,
        now_ms,
        handle,
    )?);
    let served = Arc::downgrade(&webhooks);
    std::thread::Builder::new()
        .name("webhooks".to_owned())
        .spawn(move || {
            // On Linux this concerns the thread that asks, no other.
            if let Err(error) = rustix::process::nice(NICE) {
                tracing::debug!(%error, "webhooks are delivered at normal priority");
            }
            // Dropping the runtime lets go of the store, which then closes cleanly.
            runtime.block_on(async {
                while served.strong_count() > 0 {
                    tokio::time::sleep(LOOK_EVERY).await;
                }
            });
        })
        .context("the thread for webhooks does not start")?;
    Ok(webhooks)
}
