//! Ends queued tasks whose payment was disputed.
//!
//! Invariant: a task that is ended here was not answered, and when `reclaim` returns, the
//! task's reserved price is the caller's credit again.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tollbridge_core::blocking::blocking;
use tollbridge_core::money::Millipence;
use tollbridge_market::checkout::CheckoutError;
use tollbridge_payment::{PaymentError, TaskReservations};
use tollbridge_store::{Collection, Store};

use super::end::{TaskEnd, TaskFinisher};
use super::error::AgentError;
use super::task::{TaskError, TaskPayment, TaskRow};

/// Number of rows that are read at a time.
const PAGE: usize = 1_000;

impl TaskReservations for TaskFinisher {
    fn reclaim<'a>(&'a self, account: &'a str, claimed: Millipence) -> BoxFuture<'a, Result<Millipence, PaymentError>> {
        let ended = self.release_reserved(account, claimed);
        async move { ended.await.map_err(|error| PaymentError::TaskReservations(error.to_string())) }.boxed()
    }
}

impl TaskFinisher {
    async fn release_reserved(&self, account: &str, claimed: Millipence) -> Result<Millipence, AgentError> {
        let mut reclaimed = Millipence::ZERO;
        // Most accounts have no open tasks; for them, no rows are read.
        let open = self.queue.open_of(account);
        if open == 0 {
            return Ok(reclaimed);
        }
        let (store, owner) = (self.checkout.db.shared_store(), account.to_owned());
        let tasks = blocking(move || reserved_tasks(&store, &owner, open)).await;
        let mut tasks = tasks.map_err(|_| CheckoutError::Lost)??;
        tasks.sort_unstable_by(|one, other| other.cmp(one));
        for (_, id) in tasks {
            if reclaimed >= claimed {
                break;
            }
            let Some((row, before)) = TaskRow::find(&self.checkout.db, &id)?.filter(|(row, _)| row.state.is_open())
            else {
                continue;
            };
            let reserved = self.reserved(&id, &row)?;
            let error = TaskError {
                kind: "unpaid".to_owned(),
                message: "the payment for this task was disputed".to_owned(),
                charged: Millipence::ZERO,
                input: None,
            };
            match self.end(&id, row, before, TaskEnd::Failed { error, by_agent: false }).await {
                Ok(()) => reclaimed = reclaimed.checked_add(reserved).unwrap_or(reclaimed),
                // The task was answered or changed concurrently.
                Err(AgentError::Call(CheckoutError::InProgress)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(reclaimed)
    }
}

/// Returns the acceptance times and ids of an account's open tasks that have a reserved
/// price. `open` is the number of the account's open tasks, after which the scan stops.
/// Blocks.
fn reserved_tasks(store: &Arc<dyn Store>, account: &str, open: usize) -> Result<Vec<(u64, String)>, AgentError> {
    let (mut tasks, mut after, mut seen) = (Vec::new(), String::new(), 0);
    while seen < open {
        let rows = store.list(Collection::OpenTasks, &after, PAGE)?;
        let Some((last, _)) = rows.last() else { break };
        after.clone_from(last);
        for (id, _) in rows {
            let Some(bytes) = store.get(Collection::Tasks, &id)? else { continue };
            let row: TaskRow =
                serde_json::from_slice(&bytes).map_err(|error| AgentError::Damaged(error.to_string()))?;
            if row.account == account {
                seen += 1;
                let held = row.payment == TaskPayment::Held && !row.price.is_zero();
                tasks.extend(held.then_some((row.created_ms, id)));
            }
        }
    }
    Ok(tasks)
}
