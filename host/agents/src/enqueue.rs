//! Accepts tasks to run later.
//!
//! Invariant: one write reserves the price, seals the ledger record of the reservation,
//! and creates the task's row.

use std::sync::Arc;

use tollbridge_core::finish::Finish;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_ledger::{TaskStage, task_id};
use tollbridge_market::checkout::{Call, PaymentSource};
use tollbridge_payment::PaymentAuthorization;
use tollbridge_store::{Change, Hash};

use super::end::{derived_tx, money_entry};
use super::error::AgentError;
use super::service::AgentService;
use super::task::{TaskPayment, TaskRow};

impl AgentService {
    /// Accepts a task to run later. If the task is paid from credit, the same write
    /// reserves its price. A payment intent must cover the price now, but is charged only
    /// when the task is answered.
    pub async fn enqueue(self: &Arc<Self>, call: Call) -> Result<String, AgentError> {
        if let Some(earlier) = self.views.find_previous(&call)? {
            return Ok(earlier.task_id);
        }
        let identity = call.identity()?;
        let accepted = self.checkout.accept(&call).await?;
        let this = self.clone();
        Finish::new(async move { this.insert_queued(&call, identity, accepted).await }).await
    }

    /// Writes the row of a queued task together with its reserved price.
    pub(crate) async fn insert_queued(
        &self,
        call: &Call,
        identity: RequestIdentity,
        (price, mut draw): (Millipence, PaymentAuthorization),
    ) -> Result<String, AgentError> {
        let id = task_id(&identity.tx);
        let payment = match &call.source {
            PaymentSource::Intent(intent) => TaskPayment::Intent(intent.clone()),
            PaymentSource::Wallet(payment) => TaskPayment::Wallet(payment.encode()),
            PaymentSource::Token(payment) => TaskPayment::Intent(payment.expose_intent_id().to_owned()),
            _ => TaskPayment::Held,
        };
        let mut row = TaskRow::queued(call, identity.fingerprint, payment, price)?;
        let counts = draw.spend_reservation.as_ref().map(|spend_reservation| spend_reservation.row(&identity.tx));
        row.counted = counts.as_ref().map(|put| put.key.clone());
        let slot = self.queue.reserve_slot(&row.account)?;
        let mut change = queued_change(&id, &row, &identity.tx)?;
        change.puts.extend(counts);
        change.puts.extend(call.token_use(&identity.tx));
        let written = self.checkout.db.submit(change).await;
        if let (Ok(_), Some(spend_reservation)) = (&written, &mut draw.spend_reservation) {
            spend_reservation.commit();
        }
        drop(draw);
        written?;
        slot.keep();
        self.queue.add(&row.share(), &id, row.not_before_ms);
        Ok(id)
    }
}

/// Returns the change that accepts a task to run later.
pub(super) fn queued_change(id: &str, row: &TaskRow, tx: &Hash) -> Result<Change, AgentError> {
    let held = if row.payment == TaskPayment::Held { row.price } else { Millipence::ZERO };
    let record = money_entry(id, row, held, TaskStage::Held).draft(derived_tx(b"held", tx), row.created_ms)?;
    Ok(Change { puts: row.puts(id, None), record: Some(record), ..Change::default() })
}
