//! Disputes: payments that a buyer takes back through the card scheme, as the
//! processor states them. What is left of the payment bears it first, then what
//! is left of the credit that it was turned into, then what its spending earned
//! for others and is still on hold; only the rest is written off.

use sha2::{Digest, Sha256};

use super::arrivals::payment_tx;
use super::cashier::{Cashier, PayError};
use super::held::{Bearers, HoldsPlace, PassedOver, bearers_of};
use super::processor::{Disputed, DisputedState};
use super::quote::Handle;
use crate::ledger::{Dispute, DisputeStage, Entry, LedgerAccount, LedgerError, PartiesError, Payer, Record};
use crate::money::Millipence;
use crate::store::{Change, Hash, Put, Refusal, SubmitError};

/// How often a dispute is tried while calls draw on the same payment.
const TRIES: usize = 16;

impl Cashier {
    /// Brings the books to where a dispute stands now. Doing it again changes
    /// nothing, whatever order the news came in.
    pub async fn book_dispute(&self, disputed: &Disputed, now_ms: u64) -> Result<(), PayError> {
        if let Some(handle) = disputed.handle.as_deref().and_then(Handle::parse) {
            // The news of a dispute may overtake that of the payment.
            self.look_now(&handle).await?;
        }
        let Some(payer) = self.payer_of(disputed)? else {
            // Not one of ours: the processor's account may sell other things.
            tracing::warn!(dispute = disputed.id, "a dispute about a payment that is not in the books");
            return Ok(());
        };
        match (disputed.state, self.opened(&disputed.id)?) {
            (DisputedState::Inquiry, _) | (DisputedState::Taken, Some(_)) | (DisputedState::Won, None) => {}
            (DisputedState::Taken, None) => self.take(disputed, payer, now_ms).await?,
            (DisputedState::Won, Some(opened)) => {
                let won = Dispute { stage: DisputeStage::Won, ..opened };
                self.book(won, Vec::new(), now_ms).await?;
            }
        }
        for charged in &disputed.charged {
            self.book_fee(charged, None, now_ms).await?;
        }
        Ok(())
    }

    async fn take(&self, disputed: &Disputed, payer: Payer, now_ms: u64) -> Result<(), PayError> {
        let handle = disputed.handle.as_deref().unwrap_or_default();
        let paid = self.store.seq_of_tx(&payment_tx(handle))?.unwrap_or(0);
        for _ in 0..TRIES {
            let left = self.store.balance(&payer.ledger_account().to_string())?;
            let recovered = left.min(disputed.amount).max(Millipence::ZERO);
            let lost = disputed.amount.checked_sub(recovered).unwrap_or_default();
            let place = HoldsPlace::read(self.store.as_ref())?;
            let Bearers { credit, held } = match lost.is_zero() {
                true => Bearers { credit: None, held: Vec::new() },
                // What was earned before the payment did not come from it.
                false => self.bearers(disputed, &payer, lost, paid).await?,
            };
            // What is on hold now must still be when this is written.
            let mut puts = vec![place.put(place.below)];
            for one in &held {
                let passed = PassedOver::read(self.store.as_ref(), &one.account)?;
                let more = passed.amount.checked_add(one.amount).unwrap_or(passed.amount);
                puts.push(passed.put(more));
            }
            let (amount, dispute) = (disputed.amount, disputed.id.clone());
            let stage = DisputeStage::Opened;
            let opened = Dispute { amount, credit, dispute, held, payer: payer.clone(), recovered, stage };
            if self.book(opened, puts, now_ms).await? {
                return Ok(());
            }
        }
        Err(PayError::InUse)
    }

    /// Who bears what is spent of a payment that was made with a record.
    async fn bearers(
        &self,
        disputed: &Disputed,
        payer: &Payer,
        lost: Millipence,
        paid: u64,
    ) -> Result<Bearers, PayError> {
        let there = self.credit_of(disputed)?;
        self.parties.up_to_date().await?;
        let (store, parties, payer) = (self.store.clone(), self.parties.clone(), payer.clone());
        let look = move || bearers_of(store.as_ref(), &parties, &payer, (lost, there), paid);
        Ok(tokio::task::spawn_blocking(look).await.map_err(|_| PartiesError::Task)??)
    }

    /// The credit of the account that a disputed intent belongs to.
    fn credit_of(&self, disputed: &Disputed) -> Result<Millipence, PayError> {
        let handle = disputed.handle.as_deref().and_then(Handle::parse);
        let row = handle.map(|handle| self.payments.row(&handle)).transpose()?.flatten();
        let Some(account) = row.and_then(|row| row.account) else { return Ok(Millipence::ZERO) };
        Ok(self.store.balance(&LedgerAccount::Credit(account).to_string())?)
    }

    /// False when the balances were others than they seemed a moment before.
    async fn book(&self, dispute: Dispute, puts: Vec<Put>, now_ms: u64) -> Result<bool, PayError> {
        let tx = dispute_tx(&dispute.dispute, dispute.stage);
        let record = Some(Entry::Dispute(dispute).draft(tx, now_ms)?);
        match self.writer.submit(Change { puts, record, ..Change::default() }).await {
            Ok(_) | Err(SubmitError::Refused(Refusal::Duplicate { .. })) => Ok(true),
            Err(SubmitError::Refused(Refusal::Insufficient { .. } | Refusal::Unexpected { .. })) => Ok(false),
            Err(error) => Err(PayError::Write(error)),
        }
    }

    /// The record that opened a dispute; none when it is new.
    fn opened(&self, id: &str) -> Result<Option<Dispute>, PayError> {
        let Some(seq) = self.store.seq_of_tx(&dispute_tx(id, DisputeStage::Opened))? else { return Ok(None) };
        let bytes = self.store.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        Ok(match Entry::read(&record.kind, &record.body)? {
            Entry::Dispute(dispute) => Some(dispute),
            _ => None,
        })
    }

    /// Who pays for a dispute: the intent, or the account that bought credit.
    fn payer_of(&self, disputed: &Disputed) -> Result<Option<Payer>, PayError> {
        let Some(handle) = disputed.handle.as_deref().and_then(Handle::parse) else { return Ok(None) };
        let row = self.payments.row(&handle)?;
        Ok(row.map(|row| match row.account {
            Some(account) if row.bridge.starts_with("product:") => Payer::Account(account),
            _ => Payer::Intent(handle.as_str().to_owned()),
        }))
    }
}

fn dispute_tx(id: &str, stage: DisputeStage) -> Hash {
    let stage: &[u8] = match stage {
        DisputeStage::Opened => b"opened",
        DisputeStage::Won => b"won",
    };
    let digest = Sha256::new().chain_update(b"tollbridge dispute v1").chain_update(stage);
    digest.chain_update(id).finalize().into()
}
