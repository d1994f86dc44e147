//! Records payments: the payment and the purchased product in one write.
//!
//! A payment for a bridge becomes an intent that calls spend; a payment for credit or a
//! tier is converted at once, in the same record.
//!
//! Invariant: a payment enters the ledger once, however often and through whichever
//! path it is found.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tollbridge_access::{AccessControl, Tier, load_account, update_account};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::{Entry, LedgerAccount, Payment, Purchase, TokenPaid, Topup, random_tx};
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Refusal, SubmitError};

use super::authorizer::exceeds_share;
use super::balance_holds::{Hold, HoldError};
use super::context::PaymentContext;
use super::declined::PaymentDeclined;
use super::error::PaymentError;
use super::event_counters::count_payment;
use super::fees::pending_fee;
use super::intent::IntentRow;
use super::order_row;
use super::quote::{IntentHandle, Quote};

/// Maximum number of attempts to record a purchase while other writers change its
/// account.
const ATTEMPTS_MAX: usize = 8;
/// Name of the sandbox as a processor.
pub(crate) const SANDBOX: &str = "sandbox";

/// Whether a payment is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentOutcome {
    /// Recorded by this call.
    Recorded,
    /// Already paid; nothing was charged again.
    AlreadyPaid,
}

/// Writes payments to the ledger, and converts their remainders to credit.
pub struct PaymentRecorder {
    pub(crate) context: Arc<PaymentContext>,
    /// Access control, whose account cache is invalidated when a tier is bought.
    pub(crate) access: Arc<AccessControl>,
    /// Duration in days of one payment for a tier.
    pub(crate) tier_days: u32,
}

impl PaymentRecorder {
    /// Pays an intent, given by its id or pay token, in the sandbox.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::NotSandbox`] or [`PaymentError::QuoteExpired`]; fails if
    /// a write fails.
    pub async fn pay_in_sandbox(&self, id_or_token: &str, now_ms: u64) -> Result<PaymentOutcome, PaymentError> {
        if !self.context.processor.is_sandbox() {
            return Err(PaymentError::NotSandbox);
        }
        let intent = self.context.payments.intents.status(id_or_token, now_ms)?;
        if intent.paid.is_some() {
            return Ok(PaymentOutcome::AlreadyPaid);
        }
        if intent.expired {
            return Err(PaymentError::QuoteExpired);
        }
        self.book(&intent.quote, &PaidBy::Processor { reference: None }, now_ms).await
    }

    /// Records a payment unless it is already recorded.
    pub(crate) async fn book(&self, quote: &Quote, paid: &PaidBy, now_ms: u64) -> Result<PaymentOutcome, PaymentError> {
        for _ in 0..ATTEMPTS_MAX {
            let (change, changed_account) = self.payment_change(quote, paid, now_ms)?;
            match self.context.db.submit(change).await {
                Ok(_) => {
                    count_payment(paid.rail(self.context.processor.name()), quote.terms.charge);
                    if let Some(account) = changed_account {
                        self.access.directory().invalidate_account(&account);
                    }
                    return Ok(PaymentOutcome::Recorded);
                }
                // The account changed meanwhile: read its row and try again.
                Err(SubmitError::Refused(Refusal::Unexpected { collection, .. }))
                    if collection == Collection::Accounts.name() => {}
                // Another task recorded the payment meanwhile.
                Err(SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. })) => {
                    return Ok(PaymentOutcome::AlreadyPaid);
                }
                Err(error) => return Err(PaymentError::Write(error)),
            }
        }
        Err(PaymentError::Conflict)
    }

    /// Converts the remainder of an intent to credit of the account that owns the intent.
    ///
    /// # Errors
    ///
    /// Returns [`PaymentError::NothingRemaining`], [`PaymentError::WrongAccount`] or
    /// [`PaymentError::FundsInUse`]; fails if a write fails.
    pub async fn remainder_to_credit(
        &self,
        intent_id: &str,
        owner: &str,
        now_ms: u64,
    ) -> Result<Millipence, PaymentError> {
        let intent = self.context.payments.intents.status(intent_id, now_ms)?;
        let row = intent.paid.ok_or(PaymentError::NothingRemaining)?;
        if row.account.as_deref() != Some(owner) {
            return Err(PaymentError::WrongAccount);
        }
        self.convert_remainder(&intent.quote.handle, owner, now_ms).await
    }

    /// Converts the remainder of an intent to credit; the caller has checked that the
    /// intent belongs to `owner`.
    ///
    /// # Errors
    ///
    /// Fails if nothing is left, if a call holds part of it, or if a write fails.
    pub async fn convert_remainder(
        &self,
        handle: &IntentHandle,
        owner: &str,
        now_ms: u64,
    ) -> Result<Millipence, PaymentError> {
        let intent = handle.as_str().to_owned();
        let unearned = LedgerAccount::Unearned(intent.clone());
        let remaining = self.context.db.balance(&unearned.to_string())?;
        let hold = self.hold_remainder(&unearned, remaining).await?;
        let amount = hold.amount();
        let entry = Entry::Topup(Topup { intent, account: owner.to_owned(), amount });
        let record = Some(entry.draft(random_tx()?, now_ms)?);
        let written = self.context.db.submit(Change { record, ..Change::default() }).await;
        drop(hold);
        written.map_err(PaymentError::Write)?;
        Ok(amount)
    }

    /// Holds the whole remaining balance of a ledger account; fails if a call in flight
    /// holds part of it.
    pub(crate) async fn hold_remainder(
        &self,
        account: &LedgerAccount,
        remaining: Millipence,
    ) -> Result<Hold, PaymentError> {
        if remaining <= Millipence::ZERO {
            return Err(PaymentError::NothingRemaining);
        }
        let (payments, name) = (&self.context.payments, account.to_string());
        let attempt = || {
            payments.authorizer.holds.hold(&name, remaining).map_err(|error| match error {
                HoldError::Insufficient { balance } => PaymentDeclined::InsufficientIntent(balance),
                other => exceeds_share(account, other),
            })
        };
        payments.shares.reserve(attempt).await.map_err(|declined| match declined {
            PaymentDeclined::InsufficientIntent(_) => PaymentError::NothingRemaining,
            PaymentDeclined::Store(error) => error.into(),
            _ => PaymentError::FundsInUse,
        })
    }

    /// Returns the change that records a payment, and the account whose row it changes,
    /// if any.
    fn payment_change(
        &self,
        quote: &Quote,
        paid: &PaidBy,
        now_ms: u64,
    ) -> Result<(Change, Option<String>), PaymentError> {
        let mut change = paid_change(quote, paid, self.context.processor.name(), now_ms)?;
        let tier = quote.terms.product().and_then(|product| product.strip_prefix("tier:"));
        let (Some(tier), Some(account)) = (tier, quote.terms.account.clone()) else { return Ok((change, None)) };
        change.puts.extend(self.extend_tier(&account, tier, now_ms)?);
        Ok((change, Some(account)))
    }

    /// Returns the account's row with the tier extended by one period, from now or from
    /// the end of the current period.
    fn extend_tier(&self, account_id: &str, tier: &str, now_ms: u64) -> Result<Vec<Put>, PaymentError> {
        let tier: Tier = tier.parse().unwrap_or_default();
        let before = load_account(self.context.db.store(), account_id)?;
        // A tier granted by the operator has no end, and a purchase must not add one.
        let endless = before.tier == tier && before.tier_until_ms.is_none();
        let from = before.tier_until_ms.filter(|_| before.tier == tier).unwrap_or(now_ms).max(now_ms);
        let until = from.saturating_add(u64::from(self.tier_days).saturating_mul(DAY_MS));
        let (change, _) = update_account(self.context.db.store(), account_id, |account| {
            account.tier = tier;
            account.tier_until_ms = (!endless).then_some(until);
        })?;
        Ok(change.puts)
    }
}

/// The source of a payment.
#[derive(Clone, Debug)]
pub(crate) enum PaidBy {
    /// Paid at the processor.
    Processor {
        /// The processor's id of the payment.
        reference: Option<String>,
    },
    /// Paid at the processor, with a token that came with a call.
    Token {
        /// The processor's id of the payment.
        reference: String,
        /// Rows written with the payment.
        rows: Vec<Put>,
    },
    /// Paid by a wallet.
    Wallet {
        /// Hash of the transaction.
        transaction: String,
        /// Token and amount paid.
        token: TokenPaid,
        /// Rows written with the payment.
        rows: Vec<Put>,
    },
}

impl PaidBy {
    /// Returns the name of the rail that carried the payment; `processor` is the name of
    /// this server's processor.
    const fn rail<'p>(&self, processor: &'p str) -> &'p str {
        match self {
            Self::Processor { .. } | Self::Token { .. } => processor,
            Self::Wallet { .. } => Payment::X402,
        }
    }
}

/// Returns the change that records a payment for any purchase. `processor` is the
/// processor of this server.
pub(crate) fn paid_change(quote: &Quote, paid: &PaidBy, processor: &str, now_ms: u64) -> Result<Change, PaymentError> {
    let terms = &quote.terms;
    let mut puts = vec![order_row::put(&quote.handle, None, Expect::Any)?];
    let (paid_at, reference, token) = match paid {
        PaidBy::Processor { reference } => {
            puts.extend(reference.as_deref().map(|payment| pending_fee(payment, now_ms)));
            (processor, reference.clone(), None)
        }
        PaidBy::Token { reference, rows } => {
            puts.push(pending_fee(reference, now_ms));
            puts.extend(rows.iter().cloned());
            (processor, Some(reference.clone()), None)
        }
        PaidBy::Wallet { transaction, token, rows } => {
            puts.extend(rows.iter().cloned());
            (Payment::X402, Some(transaction.clone()), Some(token.clone()))
        }
    };
    let row = IntentRow {
        bridge: terms.bridge.clone(),
        account: terms.account.clone(),
        price: terms.price,
        charge: terms.charge,
        paid_ms: now_ms,
        processor: paid_at.to_owned(),
        reference: reference.clone(),
    };
    puts.push(intent_put(&quote.handle, &row)?);
    let (intent, amount) = (quote.handle.as_str().to_owned(), terms.charge);
    // In the sandbox no real money moves, so the ledger names only the sandbox as the
    // processor.
    let processor = if processor == SANDBOX { SANDBOX } else { paid_at }.to_owned();
    let entry = match (terms.product().map(str::to_owned), terms.account.clone()) {
        (Some(product), Some(account)) => {
            Entry::Purchase(Purchase { account, amount, intent, processor, product, reference, token })
        }
        (_, account) => {
            let bridge = terms.bridge.clone();
            Entry::Payment(Payment { intent, bridge, account, processor, reference, token, amount })
        }
    };
    let record = Some(entry.draft(payment_tx(quote.handle.as_str()), now_ms)?);
    Ok(Change { puts, record, ..Change::default() })
}

/// Returns a put that writes nothing, and makes its change fail if the intent is paid.
pub(crate) fn unpaid(handle: &IntentHandle) -> Put {
    Put { collection: Collection::Intents, key: handle.as_str().to_owned(), value: None, expect: Expect::Absent }
}

pub(crate) fn intent_put(handle: &IntentHandle, row: &IntentRow) -> Result<Put, PaymentError> {
    Ok(Put {
        collection: Collection::Intents,
        key: handle.as_str().to_owned(),
        value: Some(serde_json::to_vec(row)?),
        expect: Expect::Absent,
    })
}

/// Returns the transaction id of an intent's payment. An intent has only this one, so it
/// can be paid only once.
pub(crate) fn payment_tx(handle: &str) -> Hash {
    Sha256::new().chain_update(b"tollbridge payment v1").chain_update(handle).finalize().into()
}
