//! Settlements: a facilitator is asked to move what a wallet signed, and what it
//! moved is booked.

use std::sync::Arc;

use tollbridge_core::limits::{RECONCILED_PER_ROUND_MAX, SETTLEMENT_OVER_AFTER_MS};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, SubmitError};
use tollbridge_x402::{Attempt, Outcome, Settled, Verified, Why};

use super::declined::WalletDeclined;
use super::payment::WalletPayment;
use super::rail::WalletRail;
use super::settlement_row::{OPEN, SettlementRow, SettlementState, booked_key, nonce_key, open_key, put};
use crate::context::PaymentContext;
use crate::declined::PaymentDeclined;
use crate::error::PaymentError;
use crate::poll_throttle::PollThrottle;
use crate::processor::ProcessorError;
use crate::quote::IntentHandle;
use crate::recorder::{PaidBy, PaymentRecorder};
use crate::report::ReconcileReport;

/// Takes payments by wallet.
pub struct WalletSettlements {
    pub(crate) context: Arc<PaymentContext>,
    pub(crate) recorder: Arc<PaymentRecorder>,
}

impl WalletSettlements {
    /// Finds out whether a payment could be taken now. Nothing is written.
    ///
    /// # Errors
    /// [`PaymentError::Declined`]: it could not; [`PaymentError::Processor`]: the
    /// facilitator does not say.
    pub async fn verify(&self, payment: &WalletPayment, now_ms: u64) -> Result<(), PaymentError> {
        let rail = self.rail()?;
        // After a settlement was asked for, that its nonce is used says nothing.
        if self.row(&payment.quote().handle)?.is_some_and(|(row, _)| row.state == SettlementState::Asked) {
            return self.collect(payment, now_ms).await;
        }
        match rail.facilitator.verify(&payment.authorized).await {
            Ok(Verified::Valid) => Ok(()),
            Ok(Verified::Invalid { reason }) => Err(declined(WalletDeclined::Refused(reason))),
            Err(error) => Err(ProcessorError::OutcomeUnknown(error.to_string()).into()),
        }
    }

    /// Takes a payment and books it; nothing if it is booked.
    ///
    /// # Errors
    /// [`PaymentError::Declined`]: no money moved; [`PaymentError::Processor`]: it
    /// may have, and asking again finds out; or what was not written.
    pub async fn collect(&self, payment: &WalletPayment, now_ms: u64) -> Result<(), PaymentError> {
        let rail = self.rail()?;
        if self.context.authorizer.intent_row(&payment.quote().handle)?.is_some() {
            return Ok(());
        }
        let (row, attempt) = self.begin(payment, now_ms).await?;
        match rail.facilitator.settle(&payment.authorized, attempt).await {
            Outcome::Settled(settled) => self.book(payment, &settled, now_ms).await,
            Outcome::Refused { reason } => {
                self.set_state(payment, &row, SettlementState::Refused).await?;
                Err(declined(WalletDeclined::Refused(reason)))
            }
            // The request did not leave, so nothing happened by it.
            Outcome::Unclear { why: Why::NotSent, detail, .. } if attempt == Attempt::First => {
                self.set_state(payment, &row, SettlementState::Refused).await?;
                Err(ProcessorError::OutcomeUnknown(detail).into())
            }
            Outcome::Unclear { why, detail, transaction } => {
                let transaction = transaction.map(|transaction| transaction.to_string());
                tracing::warn!(intent = payment.handle(), ?why, detail, transaction, "a settlement is unclear");
                Err(ProcessorError::OutcomeUnknown(detail).into())
            }
        }
    }

    /// Asks again about what is unclear, and forgets what was refused and can be
    /// carried out by nobody any more.
    pub(crate) async fn reconcile(&self, now_ms: u64, report: &mut ReconcileReport) -> Result<(), PaymentError> {
        if self.context.authorizer.wallet().is_none() {
            return Ok(());
        }
        let mut after = OPEN.to_owned();
        loop {
            let rows = self.context.db.list(Collection::Settlements, &after, RECONCILED_PER_ROUND_MAX)?;
            let Some((last, _)) = rows.last() else { return Ok(()) };
            after.clone_from(last);
            for (key, bytes) in rows {
                self.reconcile_row(key, bytes, now_ms, report).await?;
            }
        }
    }

    /// Waits until no chain carries the payment out any more: until then its payer
    /// may repeat the call, and nobody else has money moved for a call that failed.
    async fn reconcile_row(
        &self,
        key: String,
        bytes: Vec<u8>,
        now_ms: u64,
        report: &mut ReconcileReport,
    ) -> Result<(), PaymentError> {
        let row: SettlementRow = serde_json::from_slice(&bytes)?;
        let Ok(payment) = self.context.authorizer.read_wallet_payment(&row.payment, now_ms)? else {
            tracing::error!(key, "a settlement is unclear, and its token is not the one that is taken now");
            return Ok(());
        };
        let over_ms = payment.authorized.valid_before().saturating_mul(1000).saturating_add(SETTLEMENT_OVER_AFTER_MS);
        if now_ms < over_ms {
            return Ok(());
        }
        if row.state == SettlementState::Refused {
            return self.forget(&payment, key, bytes).await;
        }
        let wait_ms = PollThrottle::backoff_ms(over_ms, now_ms);
        if self.context.throttle.try_acquire(&key, now_ms, wait_ms) {
            report.count(self.collect(&payment, now_ms).await.map(|()| true))?;
        }
        Ok(())
    }

    /// Makes durable that a facilitator is about to be asked, and says whether one
    /// may have been before.
    async fn begin(&self, payment: &WalletPayment, now_ms: u64) -> Result<(SettlementRow, Attempt), PaymentError> {
        let handle = &payment.quote().handle;
        match self.row(handle)? {
            Some((row, _)) if row.state == SettlementState::Asked => Ok((row, Attempt::Again)),
            Some((row, bytes)) => {
                let asked = row.in_state(SettlementState::Asked);
                let asking = put(open_key(handle), Some(&asked), Expect::Exactly(bytes))?;
                self.write(vec![asking]).await?;
                Ok((asked, Attempt::First))
            }
            None => {
                let row = SettlementRow::new(payment, now_ms);
                let asking = put(open_key(handle), Some(&row), Expect::Absent)?;
                let nonce = put(nonce_key(payment), Some(&handle), Expect::Absent)?;
                match self.write(vec![asking, nonce]).await {
                    Err(PaymentError::Conflict) if self.row(handle)?.is_none() => {
                        Err(declined(WalletDeclined::NonceUsed))
                    }
                    written => written.map(|()| (row, Attempt::First)),
                }
            }
        }
    }

    async fn book(&self, payment: &WalletPayment, settled: &Settled, now_ms: u64) -> Result<(), PaymentError> {
        let (rail, quote) = (self.rail()?, payment.quote());
        let paid = PaidBy::Wallet {
            transaction: settled.transaction.to_string(),
            token: payment.terms.token_paid(rail),
            rows: vec![
                put(open_key(&quote.handle), None::<&SettlementRow>, Expect::Any)?,
                put(booked_key(&quote.handle), Some(&payment.taken()), Expect::Any)?,
            ],
        };
        self.recorder.book(quote, &paid, now_ms).await.map(drop)
    }

    async fn set_state(
        &self,
        payment: &WalletPayment,
        row: &SettlementRow,
        state: SettlementState,
    ) -> Result<(), PaymentError> {
        let before = serde_json::to_vec(row)?;
        let changed = put(open_key(&payment.quote().handle), Some(&row.in_state(state)), Expect::Exactly(before))?;
        match self.write(vec![changed]).await {
            // Somebody else asked too, and knows more.
            Err(PaymentError::Conflict) => Ok(()),
            written => written,
        }
    }

    async fn forget(&self, payment: &WalletPayment, key: String, bytes: Vec<u8>) -> Result<(), PaymentError> {
        let gone = put(key, None::<&SettlementRow>, Expect::Exactly(bytes))?;
        let nonce = put(nonce_key(payment), None::<&IntentHandle>, Expect::Any)?;
        match self.write(vec![gone, nonce]).await {
            Err(PaymentError::Conflict) => Ok(()),
            written => written,
        }
    }

    async fn write(&self, puts: Vec<Put>) -> Result<(), PaymentError> {
        match self.context.db.submit(Change { puts, ..Change::default() }).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Err(PaymentError::Conflict),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    fn row(&self, handle: &IntentHandle) -> Result<Option<(SettlementRow, Vec<u8>)>, PaymentError> {
        let Some(bytes) = self.context.db.get(Collection::Settlements, &open_key(handle))? else { return Ok(None) };
        Ok(Some((serde_json::from_slice(&bytes)?, bytes)))
    }

    fn rail(&self) -> Result<&WalletRail, PaymentError> {
        self.context.authorizer.wallet().ok_or_else(|| declined(WalletDeclined::NotTaken))
    }
}

fn declined(why: WalletDeclined) -> PaymentError {
    PaymentDeclined::from(why).into()
}
