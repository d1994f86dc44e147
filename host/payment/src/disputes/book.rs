//! Recording disputes.

use std::sync::{Arc, Weak};

use tollbridge_core::blocking::blocking;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{
    Dispute, DisputeStage, Entry, LedgerAccount, LedgerError, Parties, PartiesError, Payer, Record,
};
use tollbridge_store::{Change, Put, Refusal, SubmitError};

use super::super::context::{BookingTurn, PaymentContext};
use super::super::earnings_release::{ClawbackOffset, HoldReleaseCursor};
use super::super::error::PaymentError;
use super::super::event_counters::count_dispute;
use super::super::fees::ProcessorFees;
use super::super::mpp::TokenCharges;
use super::super::orders::PaymentOrders;
use super::super::processor::{DisputeCase, DisputeStatus, LookupError, ProcessorBooks, ProcessorDispute};
use super::super::quote::IntentHandle;
use super::super::recorder::payment_tx;
use super::super::refunds::Refunds;
use super::super::report::ReconcileReport;
use super::recovery::{RecoverySearch, RecoverySources, Shortfall};
use super::task_reservations::TaskReservations;
use super::tx::{dispute_opened_tx, dispute_tx};
use super::unresolved::UnresolvedDispute;
use super::{earlier_claims, unbooked};

/// Maximum number of attempts to record a dispute while calls spend the same money.
const ATTEMPTS_MAX: usize = 16;

/// Records disputes, and takes the disputed money from the accounts that received it.
pub struct Disputes {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) orders: Arc<PaymentOrders>,
    pub(crate) refunds: Arc<Refunds>,
    pub(crate) tokens: Arc<TokenCharges>,
    pub(crate) fees: Arc<ProcessorFees>,
    pub(crate) parties: Arc<Parties>,
    /// The task queue, if there is one. The queue owns the payment service, so this
    /// reference is weak.
    pub(crate) tasks: Option<Weak<dyn TaskReservations>>,
}

/// The payer whose payment is disputed.
struct DisputedPayer {
    payer: Payer,
    /// Account that the payment belongs to, if any.
    account: Option<String>,
}

impl Disputes {
    /// Updates the ledger to the current state of a dispute. Idempotent; events may
    /// arrive in any order. A dispute that cannot be recorded is stored and retried.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::FundsInUse`] if calls keep spending the same money; fails
    /// if the processor returns an error or a write fails.
    pub async fn book(&self, dispute: &ProcessorDispute, now_ms: u64) -> Result<(), PaymentError> {
        let turn = self.context.booking_turn().await;
        let outcome = self.apply(dispute, &turn, now_ms).await;
        unbooked::save_outcome(&self.context, &dispute.id, &outcome, now_ms).await?;
        outcome
    }

    /// Handles an event about a dispute: looks up the dispute and records it. If the
    /// processor does not answer, the dispute is stored for a retry, because the event is
    /// not sent again.
    ///
    /// # Errors
    ///
    /// Same as [`Self::book`].
    pub(crate) async fn handle_event(
        &self,
        books: &dyn ProcessorBooks,
        id: &str,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        match books.dispute(id).await {
            Ok(dispute) => self.book(&dispute, now_ms).await,
            Err(error) => {
                let outcome = Err(error.into());
                unbooked::save_outcome(&self.context, id, &outcome, now_ms).await?;
                outcome
            }
        }
    }

    /// Returns the processor's ids of disputes that could not be recorded yet.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn unbooked(&self) -> Result<Vec<String>, PaymentError> {
        unbooked::list(&self.context)
    }

    /// Returns the processor's current data on a dispute; `None` in the sandbox, which
    /// has no disputes.
    ///
    /// # Errors
    ///
    /// Fails if the processor does not answer.
    pub async fn case(&self, id: &str) -> Result<Option<DisputeCase>, LookupError> {
        match self.context.processor.books() {
            Some(books) => books.dispute_case(id).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the sequence number of the record that opened a dispute; `None` if the
    /// dispute is not in the ledger.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn opened_seq(&self, id: &str) -> Result<Option<u64>, PaymentError> {
        Ok(self.context.db.seq_of_tx(&dispute_opened_tx(id))?)
    }

    /// Looks up each dispute that could not be recorded and retries it.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        let Some(books) = self.context.processor.books() else { return Ok(()) };
        for id in self.unbooked()? {
            let booked = match books.dispute(&id).await {
                Ok(dispute) => match self.book(&dispute, now_ms).await {
                    // Already logged; continue with the other disputes.
                    Err(PaymentError::FundsInUse | PaymentError::Parties(_)) => Ok(false),
                    outcome => outcome.map(|()| true),
                },
                Err(error) => Err(error.into()),
            };
            report.count(booked)?;
        }
        Ok(())
    }

    async fn apply(&self, dispute: &ProcessorDispute, turn: &BookingTurn<'_>, now_ms: u64) -> Result<(), PaymentError> {
        if let Some(handle) = dispute.handle.as_deref().and_then(IntentHandle::parse) {
            // The event about the dispute may arrive before the event about the
            // payment.
            self.orders.check_now(&handle, now_ms).await?;
            self.tokens.check_now(&handle, now_ms).await?;
        }
        let Some(disputed) = self.disputed_payer(dispute)? else {
            // This server did not receive the payment: the operator may use the same
            // processor account for other sales.
            tracing::warn!(dispute = dispute.id, "the disputed payment is not in the ledger");
            return Ok(());
        };
        // Settle pending refunds first: the money of each one either goes to the payer
        // for good or returns to the payer's balance, which decides how much the dispute
        // can take.
        self.refunds.reconcile_payer(&disputed.payer, turn, now_ms).await?;
        match (dispute.status, self.find_opening(&dispute.id)?) {
            (DisputeStatus::Inquiry, _) | (DisputeStatus::FundsWithdrawn, Some(_)) | (DisputeStatus::Won, None) => {}
            (DisputeStatus::FundsWithdrawn, None) => self.open(dispute, disputed, now_ms).await?,
            (DisputeStatus::Won, Some(opened)) => self.book_won(opened, disputed.account, now_ms).await?,
        }
        for fee in &dispute.fees {
            self.fees.book(fee, None, now_ms).await?;
        }
        Ok(())
    }

    /// Returns the money of a won dispute to the accounts that bear the dispute now.
    async fn book_won(&self, opened: Dispute, account: Option<String>, now_ms: u64) -> Result<(), PaymentError> {
        let unresolved = UnresolvedDispute::find(&self.context.db, account.as_deref(), &opened)?;
        let mut puts = Vec::from_iter(unresolved.as_ref().map(UnresolvedDispute::removal));
        puts.extend(account.map(|account| earlier_claims::put(&account, &opened.dispute, None)));
        let now = unresolved.map_or(opened, UnresolvedDispute::into_dispute);
        let won = Dispute { stage: DisputeStage::Won, ..now };
        if self.commit(won, puts, now_ms).await? { Ok(()) } else { Err(PaymentError::Conflict) }
    }

    /// Takes the disputed amount from the accounts that received it.
    async fn open(&self, dispute: &ProcessorDispute, disputed: DisputedPayer, now_ms: u64) -> Result<(), PaymentError> {
        let DisputedPayer { payer, account } = disputed;
        let handle = dispute.handle.as_deref().unwrap_or_default();
        // Earnings recorded before the payment cannot come from it.
        let since = self.context.db.seq_of_tx(&payment_tx(handle))?.unwrap_or(0);
        let mut search = RecoverySearch::new(&self.context.db.shared_store(), &self.parties, payer.clone());
        for _ in 0..ATTEMPTS_MAX {
            let remaining = self.context.db.balance(&payer.ledger_account().to_string())?;
            let recovered = remaining.min(dispute.amount).max(Millipence::ZERO);
            let lost = dispute.amount.checked_sub(recovered).unwrap_or_default();
            if let Payer::Account(account) = &payer
                && self.reclaim_from_tasks(account, lost).await?
            {
                continue;
            }
            let cursor = HoldReleaseCursor::read(self.context.db.store())?;
            let sources = match lost.is_zero() {
                true => RecoverySources::default(),
                false => {
                    let credit = self.credit_balance(account.as_deref())?;
                    self.parties.up_to_date().await?;
                    let (returned, sources) = search_blocking(search, Shortfall { lost, credit, since }).await?;
                    search = returned;
                    sources
                }
            };
            if let Some(spent) = &sources.spent_credit
                && self.reclaim_from_tasks(&spent.account, spent.amount).await?
            {
                continue;
            }
            let mut puts = self.puts(&dispute.id, &cursor, &sources)?;
            let opened = Dispute {
                amount: dispute.amount,
                credit: sources.credit,
                dispute: dispute.id.clone(),
                held: sources.held,
                payer: payer.clone(),
                recovered,
                stage: DisputeStage::Opened,
            };
            let spent_credit = sources.spent_credit.as_ref().map_or(Millipence::ZERO, |spent| spent.amount);
            puts.extend(UnresolvedDispute::put_new(&opened, account.as_deref(), spent_credit)?);
            if self.commit(opened, puts, now_ms).await? {
                return Ok(());
            }
        }
        Err(PaymentError::FundsInUse)
    }

    /// Returns the rows written together with the record of an opened dispute.
    fn puts(
        &self,
        dispute: &str,
        cursor: &HoldReleaseCursor,
        sources: &RecoverySources,
    ) -> Result<Vec<Put>, PaymentError> {
        // Make the write fail if earnings were released since the sources were read.
        let mut puts = vec![cursor.put(cursor.released_below)];
        for held in &sources.held {
            let offset = ClawbackOffset::read(self.context.db.store(), &held.account)?;
            puts.push(offset.put(offset.amount.checked_add(held.amount).unwrap_or(offset.amount)));
        }
        let spent = sources.spent_credit.as_ref();
        puts.extend(spent.map(|spent| earlier_claims::put(&spent.account, dispute, Some(spent.amount))));
        Ok(puts)
    }

    /// Cancels queued tasks of an account to release up to `claimed` of the credit that
    /// they reserve. Returns whether any credit was released.
    async fn reclaim_from_tasks(&self, account: &str, claimed: Millipence) -> Result<bool, PaymentError> {
        let Some(tasks) = self.tasks.as_ref().and_then(Weak::upgrade) else { return Ok(false) };
        if claimed <= Millipence::ZERO {
            return Ok(false);
        }
        Ok(!tasks.reclaim(account, claimed).await?.is_zero())
    }

    fn credit_balance(&self, account: Option<&str>) -> Result<Millipence, PaymentError> {
        let Some(account) = account else { return Ok(Millipence::ZERO) };
        Ok(self.context.db.balance(&LedgerAccount::Credit(account.to_owned()).to_string())?)
    }

    /// Writes one stage of a dispute. Returns false if balances or rows have changed
    /// since they were read.
    async fn commit(&self, dispute: Dispute, puts: Vec<Put>, now_ms: u64) -> Result<bool, PaymentError> {
        let tx = dispute_tx(&dispute.dispute, dispute.stage);
        let (stage, amount) = (dispute.stage, dispute.amount);
        let record = Some(Entry::Dispute(dispute).draft(tx, now_ms)?);
        match self.context.db.submit(Change { puts, record, ..Change::default() }).await {
            Ok(_) => {
                count_dispute(stage, amount);
                Ok(true)
            }
            Err(SubmitError::Refused(Refusal::Duplicate { .. })) => Ok(true),
            Err(SubmitError::Refused(Refusal::Insufficient { .. } | Refusal::Unexpected { .. })) => Ok(false),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    /// Returns the record that opened the dispute; `None` if the dispute is new.
    fn find_opening(&self, id: &str) -> Result<Option<Dispute>, PaymentError> {
        let Some(seq) = self.context.db.seq_of_tx(&dispute_opened_tx(id))? else { return Ok(None) };
        let bytes = self.context.db.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        Ok(match Entry::read(&record.kind, &record.body)? {
            Entry::Dispute(dispute) => Some(dispute),
            _ => None,
        })
    }

    /// Returns the payer of the disputed payment; `None` if the payment is not in the
    /// ledger.
    fn disputed_payer(&self, dispute: &ProcessorDispute) -> Result<Option<DisputedPayer>, PaymentError> {
        let Some(handle) = dispute.handle.as_deref().and_then(IntentHandle::parse) else { return Ok(None) };
        let row = self.context.payments.intents.row(&handle)?;
        Ok(row.map(|row| DisputedPayer { payer: row.payer(&handle), account: row.account }))
    }
}

/// Finds the credit and the held earnings that cover a shortfall; runs on a thread for
/// blocking work.
async fn search_blocking(
    mut search: RecoverySearch,
    shortfall: Shortfall,
) -> Result<(RecoverySearch, RecoverySources), PartiesError> {
    let run = move || search.sources(shortfall).map(|sources| (search, sources));
    blocking(run).await.map_err(|_| PartiesError::Task)?
}
