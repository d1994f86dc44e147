//! Disputes: payments that a buyer takes back through the card scheme, as the
//! processor states them. What is left of the payment bears it; what has been
//! spent is written off.

use sha2::{Digest, Sha256};

use super::cashier::{Cashier, PayError};
use super::processor::{Disputed, DisputedState};
use super::quote::Handle;
use crate::ledger::{Dispute, DisputeStage, Entry, Payer};
use crate::money::Millipence;
use crate::store::{Change, Collection, Expect, Hash, Put, Refusal, SubmitError};

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
        let opened = self.taken(&disputed.id)?;
        match (disputed.state, opened) {
            (DisputedState::Inquiry, _) | (DisputedState::Taken, Some(_)) | (DisputedState::Won, None) => Ok(()),
            (DisputedState::Taken, None) => self.take(disputed, payer, now_ms).await,
            (DisputedState::Won, Some(recovered)) => {
                self.book(disputed, payer, DisputeStage::Won, recovered, now_ms).await.map(drop)
            }
        }
    }

    async fn take(&self, disputed: &Disputed, payer: Payer, now_ms: u64) -> Result<(), PayError> {
        for _ in 0..TRIES {
            let left = self.store.balance(&payer.ledger_account().to_string())?;
            let recovered = left.min(disputed.amount).max(Millipence::ZERO);
            if self.book(disputed, payer.clone(), DisputeStage::Opened, recovered, now_ms).await? {
                return Ok(());
            }
        }
        Err(PayError::InUse)
    }

    /// False when less was left than it seemed a moment before.
    async fn book(
        &self,
        disputed: &Disputed,
        payer: Payer,
        stage: DisputeStage,
        recovered: Millipence,
        now_ms: u64,
    ) -> Result<bool, PayError> {
        let dispute = disputed.id.clone();
        let entry = Entry::Dispute(Dispute { amount: disputed.amount, dispute, payer, recovered, stage });
        let record = Some(entry.draft(dispute_tx(&disputed.id, stage), now_ms)?);
        let puts = match stage {
            DisputeStage::Opened => vec![Put {
                collection: Collection::Refunds,
                key: dispute_key(&disputed.id),
                value: Some(serde_json::to_vec(&recovered)?),
                expect: Expect::Absent,
            }],
            DisputeStage::Won => Vec::new(),
        };
        match self.writer.submit(Change { puts, record, ..Change::default() }).await {
            Ok(_) | Err(SubmitError::Refused(Refusal::Duplicate { .. } | Refusal::Unexpected { .. })) => Ok(true),
            Err(SubmitError::Refused(Refusal::Insufficient { .. })) => Ok(false),
            Err(error) => Err(PayError::Write(error)),
        }
    }

    /// What was recovered when the dispute was opened; none when it is new.
    fn taken(&self, id: &str) -> Result<Option<Millipence>, PayError> {
        let row = self.store.get(Collection::Refunds, &dispute_key(id))?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
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

fn dispute_key(id: &str) -> String {
    format!("dispute/{id}")
}

fn dispute_tx(id: &str, stage: DisputeStage) -> Hash {
    let stage: &[u8] = match stage {
        DisputeStage::Opened => b"opened",
        DisputeStage::Won => b"won",
    };
    let digest = Sha256::new().chain_update(b"tollbridge dispute v1").chain_update(stage);
    digest.chain_update(id).finalize().into()
}
