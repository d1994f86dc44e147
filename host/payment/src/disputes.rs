//! Disputes: payments that a buyer takes back through the card scheme, as the
//! processor states them. What is left of the payment bears it first, what waits
//! in queued tasks included, then what is left of the credit that it was turned
//! into, then what its spending earned for others and is still on hold; only the
//! rest is written off.
//!
//! What calls in flight have reserved is taken, too: their answers are not sealed
//! then and never leave.

use futures_util::future::BoxFuture;
use sha2::{Digest, Sha256};

use super::arrivals::payment_tx;
use super::bearers::{Bearers, Search};
use super::cashier::{PaymentError, PaymentService};
use super::claims;
use super::held::{ClawbackOffset, HoldReleaseCursor};
use super::processor::{DisputeStatus, ProcessorDispute};
use super::quote::IntentHandle;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Dispute, DisputeStage, Entry, LedgerAccount, LedgerError, PartiesError, Payer, Record};
use tollbridge_store::{Change, Hash, Put, Refusal, SubmitError};

/// How often a dispute is tried while calls draw on the same payment.
const TRIES: usize = 16;

/// Credit that is set aside for tasks that wait.
pub trait TaskReservations: Send + Sync {
    /// Gives tasks of an account up, the newest first, until so much has come back
    /// to its credit or none is left. How much came back.
    fn reclaim<'a>(&'a self, account: &'a str, wanted: Millipence) -> BoxFuture<'a, Result<Millipence, PaymentError>>;
}

/// Whose money a dispute is about.
struct Disputant {
    payer: Payer,
    /// The account that the payment belongs to, if it does to one.
    account: Option<String>,
}

impl PaymentService {
    /// Brings the books to where a dispute stands now. Doing it again changes
    /// nothing, whatever order the news came in. One that cannot be booked is
    /// noted, and tried again by and by.
    pub async fn book_dispute(&self, disputed: &ProcessorDispute, now_ms: u64) -> Result<(), PaymentError> {
        // Two at once would each take for the same spending.
        let _alone = self.disputing.lock().await;
        let outcome = self.follow_dispute(disputed, now_ms).await;
        self.note_outcome(&disputed.id, &outcome, now_ms).await?;
        outcome
    }

    async fn follow_dispute(&self, disputed: &ProcessorDispute, now_ms: u64) -> Result<(), PaymentError> {
        if let Some(handle) = disputed.handle.as_deref().and_then(IntentHandle::parse) {
            // The news of a dispute may overtake that of the payment.
            self.look_now(&handle).await?;
        }
        let Some(disputant) = self.disputant(disputed)? else {
            // Not one of ours: the processor's account may sell other things.
            tracing::warn!(dispute = disputed.id, "a dispute about a payment that is not in the books");
            return Ok(());
        };
        // Money that is on its way back to the buyer leaves, or is there again.
        self.settle_refunds(&disputant.payer, now_ms).await?;
        match (disputed.state, self.opened(&disputed.id)?) {
            (DisputeStatus::Inquiry, _) | (DisputeStatus::FundsWithdrawn, Some(_)) | (DisputeStatus::Won, None) => {}
            (DisputeStatus::FundsWithdrawn, None) => self.take(disputed, disputant, now_ms).await?,
            (DisputeStatus::Won, Some(opened)) => {
                let spent = disputant.account.map(|account| claims::put(&account, &opened.dispute, None));
                let won = Dispute { stage: DisputeStage::Won, ..opened };
                self.book(won, Vec::from_iter(spent), now_ms).await?;
            }
        }
        for charged in &disputed.charged {
            self.book_fee(charged, None, now_ms).await?;
        }
        Ok(())
    }

    async fn take(&self, disputed: &ProcessorDispute, disputant: Disputant, now_ms: u64) -> Result<(), PaymentError> {
        let Disputant { payer, account } = disputant;
        let handle = disputed.handle.as_deref().unwrap_or_default();
        // What was earned before the payment did not come from it.
        let paid = self.store.seq_of_tx(&payment_tx(handle))?.unwrap_or(0);
        let mut search = Search::new(&self.store, &self.parties, payer.clone());
        for _ in 0..TRIES {
            let left = self.store.balance(&payer.ledger_account().to_string())?;
            let recovered = left.min(disputed.amount).max(Millipence::ZERO);
            let lost = disputed.amount.checked_sub(recovered).unwrap_or_default();
            if let Payer::Account(account) = &payer
                && self.called_back(account, lost).await?
            {
                continue;
            }
            let place = HoldReleaseCursor::read(self.store.as_ref())?;
            let found = match lost.is_zero() {
                true => Bearers::default(),
                false => {
                    let there = self.credit_of(account.as_deref())?;
                    self.parties.up_to_date().await?;
                    let (back, found) = look(search, (lost, there), paid).await?;
                    search = back;
                    found
                }
            };
            if let Some(spent) = &found.spent
                && self.called_back(&spent.account, spent.amount).await?
            {
                continue;
            }
            let Bearers { credit, held, spent } = found;
            // What is on hold now must still be when this is written.
            let mut puts = vec![place.put(place.below)];
            for one in &held {
                let passed = ClawbackOffset::read(self.store.as_ref(), &one.account)?;
                let more = passed.amount.checked_add(one.amount).unwrap_or(passed.amount);
                puts.push(passed.put(more));
            }
            puts.extend(spent.map(|spent| claims::put(&spent.account, &disputed.id, Some(spent.amount))));
            let (amount, dispute) = (disputed.amount, disputed.id.clone());
            let stage = DisputeStage::Opened;
            let opened = Dispute { amount, credit, dispute, held, payer: payer.clone(), recovered, stage };
            if self.book(opened, puts, now_ms).await? {
                return Ok(());
            }
        }
        Err(PaymentError::FundsInUse)
    }

    /// Lets credit come back that waits in tasks, as far as it is wanted; whether
    /// any did.
    async fn called_back(&self, account: &str, wanted: Millipence) -> Result<bool, PaymentError> {
        let Some(tasks) = self.tasks.get().and_then(std::sync::Weak::upgrade) else { return Ok(false) };
        if wanted <= Millipence::ZERO {
            return Ok(false);
        }
        Ok(!tasks.reclaim(account, wanted).await?.is_zero())
    }

    fn credit_of(&self, account: Option<&str>) -> Result<Millipence, PaymentError> {
        let Some(account) = account else { return Ok(Millipence::ZERO) };
        Ok(self.store.balance(&LedgerAccount::Credit(account.to_owned()).to_string())?)
    }

    /// False when the balances were others than they seemed a moment before.
    async fn book(&self, dispute: Dispute, puts: Vec<Put>, now_ms: u64) -> Result<bool, PaymentError> {
        let tx = dispute_tx(&dispute.dispute, dispute.stage);
        let record = Some(Entry::Dispute(dispute).draft(tx, now_ms)?);
        match self.writer.submit(Change { puts, record, ..Change::default() }).await {
            Ok(_) | Err(SubmitError::Refused(Refusal::Duplicate { .. })) => Ok(true),
            Err(SubmitError::Refused(Refusal::Insufficient { .. } | Refusal::Unexpected { .. })) => Ok(false),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// The record that opened a dispute; none when it is new.
    fn opened(&self, id: &str) -> Result<Option<Dispute>, PaymentError> {
        let Some(seq) = self.store.seq_of_tx(&opened_tx(id))? else { return Ok(None) };
        let bytes = self.store.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        Ok(match Entry::read(&record.kind, &record.body)? {
            Entry::Dispute(dispute) => Some(dispute),
            _ => None,
        })
    }

    /// Who pays for a dispute: the intent, or the account that bought credit.
    fn disputant(&self, disputed: &ProcessorDispute) -> Result<Option<Disputant>, PaymentError> {
        let Some(handle) = disputed.handle.as_deref().and_then(IntentHandle::parse) else { return Ok(None) };
        let row = self.payments.row(&handle)?;
        Ok(row.map(|row| {
            let payer = match &row.account {
                Some(account) if row.bridge.starts_with("product:") => Payer::Account(account.clone()),
                _ => Payer::Intent(handle.as_str().to_owned()),
            };
            Disputant { payer, account: row.account }
        }))
    }
}

/// Searches where it may block.
async fn look(
    mut search: Search,
    sums: (Millipence, Millipence),
    since: u64,
) -> Result<(Search, Bearers), PartiesError> {
    let look = move || search.bearers(sums, since).map(|found| (search, found));
    tokio::task::spawn_blocking(look).await.map_err(|_| PartiesError::Task)?
}

/// The transaction that opens a dispute.
pub(super) fn opened_tx(id: &str) -> Hash {
    dispute_tx(id, DisputeStage::Opened)
}

fn dispute_tx(id: &str, stage: DisputeStage) -> Hash {
    let stage: &[u8] = match stage {
        DisputeStage::Opened => b"opened",
        DisputeStage::Won => b"won",
    };
    let digest = Sha256::new().chain_update(b"tollbridge dispute v1").chain_update(stage);
    digest.chain_update(id).finalize().into()
}
