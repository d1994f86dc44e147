//! Charges for answered nested calls of a call that itself has no paid answer.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::{Earnings, Entry, NestedCosts, Notary, Payer, random_tx, split_tree};
use tollbridge_payment::PaymentAuthorization;
use tollbridge_store::{Change, Db, Hash, Put};

use super::call::Call;
use super::call_tree::TreeCosts;
use super::error::CheckoutError;
use crate::catalog::Offer;

/// The service that charges for answered nested calls if their parent call has no paid
/// answer.
pub(super) struct NestedCharges {
    pub(super) db: Db,
    pub(super) notary: Arc<Notary>,
    pub(super) earnings: Earnings,
}

impl NestedCharges {
    /// Charges the owner of a plugin for the answered nested calls of a call that is free or
    /// was not paid.
    pub(super) async fn charge_owner(
        &self,
        call: &Call,
        offer: &Offer,
        costs: &mut TreeCosts,
    ) -> Result<(), CheckoutError> {
        let free = NestedPayer { payer: None, gross: Millipence::ZERO, inference: None };
        match self.entry(call, offer, free, costs)? {
            Some(entry) => self.record(call, &entry, random()?, Vec::new()).await,
            None => Ok(()),
        }
    }

    /// Charges a failed call for its answered nested calls, up to the call's price;
    /// returns the amount charged.
    pub(super) async fn charge_failed(
        &self,
        call: &Call,
        offer: &Offer,
        payment: &mut PaymentAuthorization,
        costs: &mut TreeCosts,
    ) -> Result<Millipence, CheckoutError> {
        // The operator pays the model costs of the operator's own plugins if they fail.
        let inference = costs.inference.filter(|_| offer.plugin.is_deployed());
        let owed = costs.owed.checked_add(inference.unwrap_or_default()).unwrap_or(payment.amount);
        let gross = owed.min(payment.amount);
        let mut payer = payment.payer.clone();
        loop {
            let paid_by = Some(payer.clone()).filter(|_| !gross.is_zero());
            let costs = self.entry(call, offer, NestedPayer { payer: paid_by, gross, inference }, costs)?;
            let Some(entry) = costs else { return Ok(Millipence::ZERO) };
            let tx = random()?;
            let spent = payment.spend_reservation.as_mut().map(|spend_reservation| {
                spend_reservation.reduce_to(gross);
                spend_reservation.row(&tx)
            });
            match (self.record(call, &entry, tx, spent.into_iter().collect()).await, payer) {
                // The task was cancelled while it ran, so its reservation has become
                // credit again; charge that credit.
                (Err(CheckoutError::InProgress), Payer::Task { account, .. }) => payer = Payer::Account(account),
                (Err(error), _) => return Err(error),
                (Ok(()), _) => break,
            }
        }
        offer.meter.count_revenue(gross);
        if let Some(spend_reservation) = &mut payment.spend_reservation {
            spend_reservation.commit();
        }
        Ok(gross)
    }

    /// Builds the ledger entry that pays for the nested calls and models of a call that
    /// itself has no paid answer; `None` if there is nothing to pay.
    fn entry(
        &self,
        call: &Call,
        offer: &Offer,
        NestedPayer { payer, gross, inference }: NestedPayer,
        costs: &mut TreeCosts,
    ) -> Result<Option<Entry>, CheckoutError> {
        if costs.nested.is_empty() && inference.is_none() || Defect::NestedCallsUnpaid.is_planted() {
            return Ok(None);
        }
        split_tree(self.notary.policy(), (gross, inference), &mut costs.nested)?;
        Ok(Some(Entry::Nested(NestedCosts {
            component_sha256: offer.sha256,
            earnings: self.earnings,
            gross,
            inference,
            nested: costs.nested.clone(),
            owner: offer.owner.clone(),
            payer,
            plugin: offer.name.clone(),
            plugin_kind: offer.kind,
            policy: *self.notary.policy_seal(),
            request_id: call.request_id.clone(),
            version: offer.version_text.clone(),
        })))
    }

    async fn record(&self, call: &Call, entry: &Entry, tx: Hash, puts: Vec<Put>) -> Result<(), CheckoutError> {
        let record = Some(entry.draft(tx, call.now_ms)?);
        self.db.submit(Change { record, puts, ..Change::default() }).await?;
        Ok(())
    }
}

/// The payer and the amounts to charge for the nested calls of a call that itself has no
/// paid answer.
struct NestedPayer {
    payer: Option<Payer>,
    gross: Millipence,
    inference: Option<Millipence>,
}

fn random() -> Result<Hash, CheckoutError> {
    random_tx().map_err(|_| CheckoutError::NoRandomness)
}
