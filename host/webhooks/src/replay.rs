//! Replay: queues sent or dead deliveries again, with the same ids and bytes.

use tollbridge_ledger::events::EventId;
use tollbridge_store::{OutboxRow, Put};

use super::delivery_worker::{self, EndpointState};
use super::endpoint::WebhookEndpoint;
use super::error::WebhookError;
use super::queue::{self, AttemptHistory, PendingDelivery};
use super::service::Webhooks;
use crate::limits::WEBHOOK_REPLAY_MAX;

/// The deliveries to send again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// One event, by its id.
    Event(String),
    /// All dead deliveries, oldest first.
    Dead,
    /// Deliveries that became dead since a time (Unix milliseconds), oldest first.
    DeadSince(u64),
    /// All events since a time (Unix milliseconds) that are still stored.
    Since(u64),
}

impl Webhooks {
    /// Queues the selected deliveries again, with their original ids, and returns their
    /// number. Dead deliveries above the limit of one request remain for the next
    /// request.
    pub async fn replay(&self, account: &str, id: &str, what: &Replay) -> Result<usize, WebhookError> {
        let served = self.find(account, id)?;
        let mut buffered = served.progress.lock().await;
        let mut progress = buffered.now().clone();
        let endpoint = served.endpoint.load_full();
        let now_ms = (self.context.clock)();
        let (mut puts, mut queued) = (Vec::new(), 0_usize);
        let dead_since = match what {
            Replay::Dead => Some(0),
            Replay::DeadSince(since_ms) => Some(*since_ms),
            Replay::Event(_) | Replay::Since(_) => None,
        };
        if let Some(since_ms) = dead_since {
            for dead in self.dead_since(id, since_ms)? {
                puts.push(dead.remove_dead(id));
                progress.dead = progress.dead.saturating_sub(1);
                puts.push(again(id, &dead, now_ms)?);
                queued += 1;
            }
        } else {
            for row in self.events_to_replay(account, &endpoint, what)? {
                let waiting = PendingDelivery { place: row.place, due_ms: now_ms, tried: AttemptHistory::default() };
                puts.push(again(id, &waiting, now_ms)?);
                queued += 1;
            }
        }
        if queued > 0 {
            progress.waiting = progress.waiting.saturating_add(u64::try_from(queued).unwrap_or(0));
            delivery_worker::write(&self.context, &served, &mut buffered, progress, puts).await?;
            wake(&served);
        }
        Ok(queued)
    }

    /// Returns the deliveries that became dead since a time, up to the limit of one
    /// request.
    fn dead_since(&self, id: &str, since_ms: u64) -> Result<Vec<PendingDelivery>, WebhookError> {
        let (mut found, mut after) = (Vec::new(), None);
        while found.len() < WEBHOOK_REPLAY_MAX {
            let page = queue::dead(self.context.db.store(), id, after, WEBHOOK_REPLAY_MAX)?;
            let Some(last) = page.last() else { break };
            after = Some(last.place);
            // For a dead delivery, `due_ms` is the time at which it became dead.
            found.extend(page.into_iter().filter(|dead| dead.due_ms >= since_ms));
        }
        found.truncate(WEBHOOK_REPLAY_MAX);
        Ok(found)
    }

    fn events_to_replay(
        &self,
        account: &str,
        endpoint: &WebhookEndpoint,
        what: &Replay,
    ) -> Result<Vec<OutboxRow>, WebhookError> {
        let store = self.context.db.store();
        match what {
            Replay::Event(text) => {
                let gone = || WebhookError::NoEvent(text.chars().take(64).collect());
                let event: EventId = text.parse().map_err(|_| gone())?;
                let row = store.outgoing(account, event.place)?.filter(|row| EventId::of(row) == event);
                Ok(vec![row.ok_or_else(gone)?])
            }
            Replay::Since(since_ms) => {
                let (mut places, mut after) = (Vec::new(), None);
                loop {
                    let page = store.outbox(account, after, 500)?;
                    let Some(last) = page.last() else { return Ok(places) };
                    after = Some(last.place);
                    places
                        .extend(page.into_iter().filter(|row| row.time_ms >= *since_ms && endpoint.wants(&row.event)));
                    if places.len() > WEBHOOK_REPLAY_MAX {
                        return Err(WebhookError::ReplayTooMany);
                    }
                }
            }
            Replay::Dead | Replay::DeadSince(_) => Ok(Vec::new()),
        }
    }
}

fn again(id: &str, waiting: &PendingDelivery, now_ms: u64) -> Result<Put, WebhookError> {
    let fresh = PendingDelivery { place: waiting.place, due_ms: now_ms, tried: AttemptHistory::default() };
    Ok(fresh.put_waiting(id)?)
}

fn wake(served: &EndpointState) {
    served.waker.notify_one();
}
