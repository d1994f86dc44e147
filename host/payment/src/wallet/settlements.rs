//! Settlements: asks a facilitator to move a signed amount, and records the payment.

use std::sync::Arc;

use tollbridge_core::planted::Defect;
use tollbridge_ledger::{Entry, InferenceCharge, Payment, WalletPaid};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, StoredAnswer, SubmitError};
use tollbridge_x402::{Attempt, OnChain, Outcome, TransactionHash, UnclearReason, Verified};

use super::payment::WalletPayment;
use super::rail::WalletRail;
use super::sale::UptoSale;
use super::settlement_row::{OPEN, SettlementRow, SettlementState, booked_key, nonce_key, open_key, put};
use crate::context::PaymentContext;
use crate::declined::{PaymentDeclined, WalletDeclined};
use crate::error::PaymentError;
use crate::intent::IntentRow;
use crate::limits::LOOKUPS_PER_ROUND_MAX;
use crate::processor::ProcessorError;
use crate::quote::IntentHandle;
use crate::recorder::{PaidBy, PaymentRecorder, SANDBOX, intent_put};
use crate::report::ReconcileReport;
use crate::review_schedule::{DueRow, ReviewSchedule};

/// Milliseconds after the expiry of its authorization at which a settlement is looked up:
/// clocks differ, and chains lag.
const SETTLEMENT_OVER_AFTER_MS: u64 = 60_000;

/// Maximum number of attempts to begin a payment while other tasks begin the same one.
const ATTEMPTS_MAX: usize = 8;

/// Settles and books payments by wallet.
pub struct WalletSettlements {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) recorder: Arc<PaymentRecorder>,
    schedule: ReviewSchedule,
}

impl WalletSettlements {
    pub(crate) fn new(context: Arc<PaymentContext>, recorder: Arc<PaymentRecorder>) -> Self {
        Self { context, recorder, schedule: ReviewSchedule::of(Collection::Settlements, OPEN) }
    }

    /// Checks whether a payment could be settled now. Writes nothing.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::Declined`] if it could not, [`PaymentError::Processor`]
    /// if the facilitator gives no clear answer.
    pub async fn verify(&self, payment: &WalletPayment, now_ms: u64) -> Result<(), PaymentError> {
        let rail = self.rail()?;
        // Once a settlement was requested, verification does not show whether the money
        // moved, because that request may have used the nonce: collect instead.
        if self.row(&payment.quote().handle)?.is_some_and(|(row, _)| row.state == SettlementState::Asked) {
            return self.collect(payment, now_ms).await;
        }
        match rail.facilitator.verify(&payment.authorized).await {
            Ok(Verified::Valid) => Ok(()),
            Ok(Verified::Invalid { reason }) => Err(declined(WalletDeclined::Refused(reason))),
            Err(error) => Err(ProcessorError::OutcomeUnknown(error.to_string()).into()),
        }
    }

    /// Settles a payment and books it; does nothing if it is booked already.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::Declined`] if no money moved, [`PaymentError::Processor`]
    /// if it may have moved (repeat the call to learn the outcome), or an error if a
    /// write fails.
    pub async fn collect(&self, payment: &WalletPayment, now_ms: u64) -> Result<(), PaymentError> {
        if self.context.payments.intents.row(&payment.quote().handle)?.is_some() {
            return Ok(());
        }
        let Some((row, attempt)) = self.begin_in_turn(payment, now_ms).await? else { return Ok(()) };
        let transaction = self.have_moved(payment, &row, attempt).await?;
        self.book(payment, row.sale.as_ref(), transaction, now_ms).await
    }

    /// Settles the cost of a sale with the wallet, and returns the change that seals the
    /// sale. Fails with [`PaymentError::FundsInUse`] if an earlier sale for the same
    /// signature exists.
    pub(super) async fn settle_upto(
        &self,
        payment: &WalletPayment,
        sale: UptoSale,
        now_ms: u64,
    ) -> Result<Change, PaymentError> {
        let begun = match Defect::UptoSettledEarly.is_planted() {
            true => Ok(SettlementRow::new(
                payment.taken(),
                payment.authorized.payment().clone(),
                Some(sale.clone()),
                now_ms,
            )),
            false => self.begin_new(payment, Some(sale.clone()), now_ms).await,
        };
        let row = begun.map_err(|error| match error {
            // Another request with the same signature is being settled.
            PaymentError::Conflict => PaymentError::FundsInUse,
            error => error,
        })?;
        let transaction = self.have_moved(payment, &row, Attempt::First).await?;
        sale_change(payment, &sale, transaction, self.books_processor(), now_ms)
    }

    /// Asks a facilitator to move the money and returns the transaction.
    async fn have_moved(
        &self,
        payment: &WalletPayment,
        row: &SettlementRow,
        attempt: Attempt,
    ) -> Result<TransactionHash, PaymentError> {
        let (rail, asked) = (self.rail()?, payment.to_settle(row.sale.as_ref())?);
        match rail.facilitator.settle(&asked, attempt).await {
            Outcome::Settled(settled) => Ok(settled.transaction),
            Outcome::Refused { reason } => {
                self.set_refused(payment, row).await?;
                Err(declined(WalletDeclined::Refused(reason)))
            }
            // The request was not sent, so no money can have moved.
            Outcome::Unclear { why: UnclearReason::NotSent, detail, .. } if attempt == Attempt::First => {
                self.set_refused(payment, row).await?;
                Err(ProcessorError::OutcomeUnknown(detail).into())
            }
            Outcome::Unclear { why, detail, transaction } => {
                // If the money moved, the chain shows it even though the answer was
                // lost.
                if let Some(Ok(OnChain::Moved(transaction))) = rail.look_up(&asked).await {
                    return Ok(transaction);
                }
                if Defect::UnclearSettlementIsNo.is_planted() {
                    self.set_refused(payment, row).await?;
                    return Err(declined(WalletDeclined::Refused(detail)));
                }
                let transaction = transaction.map(|transaction| transaction.to_string());
                tracing::warn!(intent = payment.handle(), ?why, detail, transaction, "a settlement is unclear");
                Err(ProcessorError::OutcomeUnknown(detail).into())
            }
        }
    }

    /// Begins a payment, and retries while other tasks begin the same one; `None` if the
    /// payment was booked meanwhile.
    async fn begin_in_turn(
        &self,
        payment: &WalletPayment,
        now_ms: u64,
    ) -> Result<Option<(SettlementRow, Attempt)>, PaymentError> {
        for _ in 0..ATTEMPTS_MAX {
            match self.begin(payment, now_ms).await {
                Err(PaymentError::Conflict) => {}
                begun => return begun.map(Some),
            }
            if self.context.payments.intents.row(&payment.quote().handle)?.is_some() {
                return Ok(None);
            }
        }
        Err(PaymentError::FundsInUse)
    }

    /// Looks up settlements whose outcome is unknown or was a refusal. Removes refused
    /// ones that can no longer be carried out, unless the chain shows that the money
    /// moved.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        if self.context.payments.wallet_rail.is_none() {
            return Ok(());
        }
        // Until the authorization expires, only the payer's own repeat may request the
        // settlement again, so that no money moves for a call that failed.
        let since_ms = |row: &SettlementRow| match self.context.payments.wallet_payments.read(&row.payment, now_ms) {
            Ok(Ok(payment)) => Some(over_ms(&payment)).filter(|over_ms| *over_ms <= now_ms),
            Ok(Err(_)) | Err(_) => Some(row.began_ms),
        };
        for due in self.schedule.due(&self.context.db, now_ms, LOOKUPS_PER_ROUND_MAX, since_ms)? {
            self.reconcile_row(due, now_ms, report).await?;
        }
        Ok(())
    }

    async fn reconcile_row(
        &self,
        due: DueRow<SettlementRow>,
        now_ms: u64,
        report: &mut ReconcileReport,
    ) -> Result<(), PaymentError> {
        let Ok(payment) = self.context.payments.wallet_payments.read(&due.row.payment, now_ms)? else {
            tracing::error!(intent = due.key, "a settlement is unclear, and its token is no longer accepted");
            return Ok(());
        };
        report.count(self.look_up(&payment, due, now_ms).await)
    }

    /// Looks up the outcome of a payment whose authorization has expired; returns true
    /// once it is known. Refused settlements are looked up too: if a request arrived
    /// twice, the first may have been carried out although only the refusal of the second
    /// was returned.
    async fn look_up(
        &self,
        payment: &WalletPayment,
        due: DueRow<SettlementRow>,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let DueRow { row, bytes, .. } = due;
        let sale = row.sale.as_ref();
        match self.rail()?.look_up(&payment.to_settle(sale)?).await {
            Some(Ok(OnChain::Moved(transaction))) => self.book(payment, sale, transaction, now_ms).await.map(|()| true),
            Some(Ok(OnChain::Unused | OnChain::UsedOtherwise)) => self.forget(payment, bytes).await.map(|()| true),
            Some(Err(error)) => Err(ProcessorError::OutcomeUnknown(error.to_string()).into()),
            None if row.state == SettlementState::Refused => self.forget(payment, bytes).await.map(|()| true),
            // Ask the facilitator: it may know the outcome, and can no longer move the
            // money.
            None => self.collect(payment, now_ms).await.map(|()| true),
        }
    }

    /// Stores durably that a facilitator is about to be asked. Returns the row and
    /// whether a facilitator may have been asked before.
    async fn begin(&self, payment: &WalletPayment, now_ms: u64) -> Result<(SettlementRow, Attempt), PaymentError> {
        let handle = &payment.quote().handle;
        match self.row(handle)? {
            Some((row, bytes)) => {
                let (asked, before) = (row.asked_again(), Expect::Exactly(bytes));
                self.write(vec![put(open_key(handle), Some(&asked), before)?]).await?;
                // The earlier request moved no money, so this one counts as the first.
                let is_first = row.state == SettlementState::Refused;
                Ok((asked, if is_first { Attempt::First } else { Attempt::Again }))
            }
            None => self.begin_new(payment, None, now_ms).await.map(|row| (row, Attempt::First)),
        }
    }

    /// Begins a payment that has no row yet.
    async fn begin_new(
        &self,
        payment: &WalletPayment,
        sale: Option<UptoSale>,
        now_ms: u64,
    ) -> Result<SettlementRow, PaymentError> {
        // Fail early if the amount to settle is not known yet.
        payment.to_settle(sale.as_ref())?;
        let handle = &payment.quote().handle;
        let row = SettlementRow::new(payment.taken(), payment.authorized.payment().clone(), sale, now_ms);
        let asking = put(open_key(handle), Some(&row), Expect::Absent)?;
        let nonce = put(nonce_key(&payment.authorized), Some(&handle), Expect::Absent)?;
        match self.write(vec![asking, nonce]).await {
            Err(PaymentError::Conflict) => Err(self.begun_by_another(payment)?),
            written => written.map(|()| row),
        }
    }

    /// Returns the error for a payment that a concurrent request has overtaken: one with
    /// the same payment, with another signature for this offer, or with this nonce for
    /// another offer.
    fn begun_by_another(&self, payment: &WalletPayment) -> Result<PaymentError, PaymentError> {
        let taken = self.context.payments.wallet_payments.taken(&payment.quote().handle)?;
        Ok(match taken {
            Some(taken) if taken.is_same(&payment.taken()) => PaymentError::Conflict,
            Some(_) => declined(WalletDeclined::OtherSignature),
            None => declined(WalletDeclined::NonceUsed),
        })
    }

    async fn book(
        &self,
        payment: &WalletPayment,
        sale: Option<&UptoSale>,
        transaction: TransactionHash,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        if let Some(sale) = sale {
            return self.book_sale(payment, sale, transaction, now_ms).await;
        }
        let mut quote = payment.quote().clone();
        if quote.terms.product().is_some() {
            // Credit bought without a key belongs to the wallet.
            quote.terms.account.get_or_insert_with(|| payment.tenant());
        }
        let paid = PaidBy::Wallet {
            transaction: transaction.to_string(),
            token: payment.terms.token_paid(payment.authorized.requirement(), payment.authorized.amount()),
            rows: vec![
                put(open_key(&quote.handle), None::<&SettlementRow>, Expect::Any)?,
                put(booked_key(&quote.handle), Some(&payment.taken()), Expect::Any)?,
            ],
        };
        self.recorder.book(&quote, &paid, now_ms).await.map(drop)
    }

    /// Seals the sale, unless another task has.
    async fn book_sale(
        &self,
        payment: &WalletPayment,
        sale: &UptoSale,
        transaction: TransactionHash,
        now_ms: u64,
    ) -> Result<(), PaymentError> {
        let change = sale_change(payment, sale, transaction, self.books_processor(), now_ms)?;
        match self.context.db.submit(change).await {
            Ok(_) => {}
            Err(SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. })) => return Ok(()),
            Err(error) => return Err(PaymentError::Write(error)),
        }
        self.upto_paid(payment.handle(), sale.amount());
        Ok(())
    }

    /// Returns the processor name under which the ledger records a wallet's payment.
    fn books_processor(&self) -> &'static str {
        if self.context.processor.is_sandbox() { SANDBOX } else { Payment::X402 }
    }

    async fn set_refused(&self, payment: &WalletPayment, row: &SettlementRow) -> Result<(), PaymentError> {
        let before = Expect::Exactly(serde_json::to_vec(row)?);
        let changed = put(open_key(&payment.quote().handle), Some(&row.refused()), before)?;
        match self.write(vec![changed]).await {
            // Another task has sent a later request; only that one's outcome counts.
            Err(PaymentError::Conflict) => Ok(()),
            written => written,
        }
    }

    async fn forget(&self, payment: &WalletPayment, bytes: Vec<u8>) -> Result<(), PaymentError> {
        let gone = put(open_key(&payment.quote().handle), None::<&SettlementRow>, Expect::Exactly(bytes))?;
        let nonce = put(nonce_key(&payment.authorized), None::<&IntentHandle>, Expect::Any)?;
        match self.write(vec![gone, nonce]).await {
            Err(PaymentError::Conflict) => Ok(()),
            written => written,
        }
    }

    pub(super) async fn write(&self, puts: Vec<Put>) -> Result<(), PaymentError> {
        self.context.write_rows(puts).await
    }

    pub(super) fn row(&self, handle: &IntentHandle) -> Result<Option<(SettlementRow, Vec<u8>)>, PaymentError> {
        let Some(bytes) = self.context.db.get(Collection::Settlements, &open_key(handle))? else { return Ok(None) };
        Ok(Some((serde_json::from_slice(&bytes)?, bytes)))
    }

    pub(super) fn rail(&self) -> Result<&WalletRail, PaymentError> {
        self.context.payments.wallet_rail.as_deref().ok_or_else(|| declined(WalletDeclined::NotTaken))
    }
}

/// Returns the time after which no chain accepts the payment, Unix milliseconds.
const fn over_ms(payment: &WalletPayment) -> u64 {
    payment.authorized.valid_before().saturating_mul(1000).saturating_add(SETTLEMENT_OVER_AFTER_MS)
}

/// Returns the change to write when a sale is paid: the record, the answer for repeats,
/// and the payment and use of the offer's intent.
fn sale_change(
    payment: &WalletPayment,
    sale: &UptoSale,
    transaction: TransactionHash,
    processor: &str,
    now_ms: u64,
) -> Result<Change, PaymentError> {
    let (handle, reference) = (&payment.quote().handle, transaction.to_string());
    let token = payment.terms.token_paid(payment.authorized.requirement(), payment.units(sale.amount())?);
    let row = IntentRow {
        bridge: payment.sold_as().to_owned(),
        account: None,
        price: sale.amount(),
        charge: sale.amount(),
        paid_ms: now_ms,
        processor: processor.to_owned(),
        reference: Some(reference.clone()),
    };
    let (intent, processor) = (handle.as_str().to_owned(), processor.to_owned());
    let wallet = Some(WalletPaid { intent: intent.clone(), processor, reference, token });
    let entry = Entry::Inference(InferenceCharge { wallet, ..sale.charge.clone() });
    Ok(Change {
        puts: vec![
            put(open_key(handle), None::<&SettlementRow>, Expect::Any)?,
            put(booked_key(handle), Some(&payment.taken()), Expect::Any)?,
            intent_put(handle, &row)?,
        ],
        record: Some(entry.draft(sale.tx, now_ms)?),
        answer: Some(StoredAnswer { intent: Some(intent), body: sale.body.clone(), ..sale.answer.clone() }),
        ..Change::default()
    })
}

pub(super) fn declined(why: WalletDeclined) -> PaymentError {
    PaymentDeclined::from(why).into()
}
