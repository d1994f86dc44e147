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
use super::super::processor::{
    DisputeCase, DisputeStatus, LookupError, PaymentProcessor, ProcessorDispute, StripeProcessor,
};
use super::super::quote::IntentHandle;
use super::super::recorder::payment_tx;
use super::super::refunds::Refunds;
use super::super::report::ReconcileReport;
use super::recovery::{RecoverySearch, RecoverySources, Shortfall};
use super::standing::StandingDispute;
use super::task_reservations::TaskReservations;
use super::tx::{dispute_opened_tx, dispute_tx};
use super::{earlier_claims, unbooked};

/// How often a dispute is tried while calls spend the same money.
const ATTEMPTS_MAX: usize = 16;

/// Records disputes, and takes the disputed money from whoever has it.
pub struct Disputes {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) orders: Arc<PaymentOrders>,
    pub(crate) refunds: Arc<Refunds>,
    pub(crate) tokens: Arc<TokenCharges>,
    pub(crate) fees: Arc<ProcessorFees>,
    pub(crate) parties: Arc<Parties>,
    /// The queue of tasks, where there is one. It is built on the payments, so it
    /// holds them and they only look it up.
    pub(crate) tasks: Option<Weak<dyn TaskReservations>>,
}

/// Whose money a dispute is about.
struct DisputedPayer {
    payer: Payer,
    /// The account that the payment belongs to, if any.
    account: Option<String>,
}

impl Disputes {
    /// Brings the ledger to where a dispute stands now. Doing it again changes
    /// nothing, whatever order the news came in. A dispute that cannot be recorded
    /// is stored and tried again.
    ///
    /// # Errors
    /// [`PaymentError::FundsInUse`] when calls spend the same money all the time;
    /// what the processor says; or what was not written.
    pub async fn book(&self, dispute: &ProcessorDispute, now_ms: u64) -> Result<(), PaymentError> {
        let turn = self.context.booking_turn().await;
        let outcome = self.apply(dispute, &turn, now_ms).await;
        unbooked::save_outcome(&self.context, &dispute.id, &outcome, now_ms).await?;
        outcome
    }

    /// Looks up a dispute that there is news of, and books it. What the news was about
    /// is kept in mind also when the processor does not say: it tells once.
    ///
    /// # Errors
    /// As [`Self::book`].
    pub(crate) async fn hear(&self, stripe: &StripeProcessor, id: &str, now_ms: u64) -> Result<(), PaymentError> {
        match stripe.dispute(id).await {
            Ok(dispute) => self.book(&dispute, now_ms).await,
            Err(error) => {
                let outcome = Err(error.into());
                unbooked::save_outcome(&self.context, id, &outcome, now_ms).await?;
                outcome
            }
        }
    }

    /// The processor's ids of disputes that could not be recorded yet.
    ///
    /// # Errors
    /// What the store says.
    pub fn unbooked(&self) -> Result<Vec<String>, PaymentError> {
        unbooked::list(&self.context)
    }

    /// What the processor says of a dispute now; none of the sandbox, where nobody
    /// disputes.
    ///
    /// # Errors
    /// It does not say.
    pub async fn case(&self, id: &str) -> Result<Option<DisputeCase>, LookupError> {
        match self.context.processor.as_ref() {
            PaymentProcessor::Stripe(stripe) => stripe.dispute_case(id).await.map(Some),
            _ => Ok(None),
        }
    }

    /// The number of the record that opened a dispute, if it is in the books.
    ///
    /// # Errors
    /// What the store says.
    pub fn opened_seq(&self, id: &str) -> Result<Option<u64>, PaymentError> {
        Ok(self.context.db.seq_of_tx(&dispute_opened_tx(id))?)
    }

    /// Looks up each dispute that could not be recorded and tries once more.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        let PaymentProcessor::Stripe(stripe) = self.context.processor.as_ref() else { return Ok(()) };
        for id in self.unbooked()? {
            let booked = match stripe.dispute(&id).await {
                Ok(dispute) => match self.book(&dispute, now_ms).await {
                    // Logged already; the other disputes have their turn.
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
            // The news of a dispute may overtake that of the payment.
            self.orders.check_now(&handle, now_ms).await?;
            self.tokens.check_now(&handle, now_ms).await?;
        }
        let Some(disputed) = self.disputed_payer(dispute)? else {
            // Not one of ours: the processor's account may sell other things.
            tracing::warn!(dispute = dispute.id, "a dispute about a payment that is not in the ledger");
            return Ok(());
        };
        // Money that is on its way back to the buyer leaves, or is there again.
        self.refunds.reconcile_payer(&disputed.payer, turn, now_ms).await?;
        match (dispute.status, self.find_opening(&dispute.id)?) {
            (DisputeStatus::Inquiry, _) | (DisputeStatus::FundsWithdrawn, Some(_)) | (DisputeStatus::Won, None) => {}
            (DisputeStatus::FundsWithdrawn, None) => self.open(dispute, disputed, now_ms).await?,
            (DisputeStatus::Won, Some(opened)) => self.win(opened, disputed.account, now_ms).await?,
        }
        for fee in &dispute.fees {
            self.fees.book(fee, None, now_ms).await?;
        }
        Ok(())
    }

    /// Gives everything back to whoever bears it now.
    async fn win(&self, opened: Dispute, account: Option<String>, now_ms: u64) -> Result<(), PaymentError> {
        let standing = StandingDispute::find(&self.context.db, account.as_deref(), &opened)?;
        let mut puts = Vec::from_iter(standing.as_ref().map(StandingDispute::removal));
        puts.extend(account.map(|account| earlier_claims::put(&account, &opened.dispute, None)));
        let now = standing.map_or(opened, StandingDispute::into_dispute);
        let won = Dispute { stage: DisputeStage::Won, ..now };
        if self.commit(won, puts, now_ms).await? { Ok(()) } else { Err(PaymentError::Conflict) }
    }

    /// Takes the disputed amount from whoever has it.
    async fn open(&self, dispute: &ProcessorDispute, disputed: DisputedPayer, now_ms: u64) -> Result<(), PaymentError> {
        let DisputedPayer { payer, account } = disputed;
        let handle = dispute.handle.as_deref().unwrap_or_default();
        // What was earned before the payment did not come from it.
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
            puts.extend(StandingDispute::put_new(&opened, account.as_deref(), spent_credit)?);
            if self.commit(opened, puts, now_ms).await? {
                return Ok(());
            }
        }
        Err(PaymentError::FundsInUse)
    }

    /// The rows that go with the record of an opened dispute.
    fn puts(
        &self,
        dispute: &str,
        cursor: &HoldReleaseCursor,
        sources: &RecoverySources,
    ) -> Result<Vec<Put>, PaymentError> {
        // What is on hold now must still be when this is written.
        let mut puts = vec![cursor.put(cursor.released_below)];
        for held in &sources.held {
            let offset = ClawbackOffset::read(self.context.db.store(), &held.account)?;
            puts.push(offset.put(offset.amount.checked_add(held.amount).unwrap_or(offset.amount)));
        }
        let spent = sources.spent_credit.as_ref();
        puts.extend(spent.map(|spent| earlier_claims::put(&spent.account, dispute, Some(spent.amount))));
        Ok(puts)
    }

    /// Reclaims credit that queued tasks reserve, as far as it is wanted; whether
    /// any came back.
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

    /// Writes one stage of a dispute. False when balances or rows have changed
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

    /// What the record says that opened a dispute; `None` when it is new.
    fn find_opening(&self, id: &str) -> Result<Option<Dispute>, PaymentError> {
        let Some(seq) = self.context.db.seq_of_tx(&dispute_opened_tx(id))? else { return Ok(None) };
        let bytes = self.context.db.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        Ok(match Entry::read(&record.kind, &record.body)? {
            Entry::Dispute(dispute) => Some(dispute),
            _ => None,
        })
    }

    /// Who pays for a dispute; `None` when its payment is not in the ledger.
    fn disputed_payer(&self, dispute: &ProcessorDispute) -> Result<Option<DisputedPayer>, PaymentError> {
        let Some(handle) = dispute.handle.as_deref().and_then(IntentHandle::parse) else { return Ok(None) };
        let row = self.context.authorizer.intent_row(&handle)?;
        Ok(row.map(|row| DisputedPayer { payer: row.payer(&handle), account: row.account }))
    }
}

/// Searches on a thread that may block.
async fn search_blocking(
    mut search: RecoverySearch,
    shortfall: Shortfall,
) -> Result<(RecoverySearch, RecoverySources), PartiesError> {
    let run = move || search.sources(shortfall).map(|sources| (search, sources));
    blocking(run).await.map_err(|_| PartiesError::Task)?
}
