//! Payments that have arrived: one write with what they buy.
//!
//! A payment for a bridge becomes an intent that calls draw on; one for credit
//! or a tier becomes that at once, in the same record.

use sha2::{Digest, Sha256};

use super::cashier::{PaymentError, PaymentOutcome, PaymentService};
use super::fees::fee_due;
use super::intent::IntentRow;
use super::orders;
use super::quote::{IntentHandle, Quote};
use tollbridge_access::{Tier, load_account, update_account};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, LedgerAccount, Payment, Purchase, Topup, random_tx};
use tollbridge_store::{Change, Collection, Expect, Hash, Put, Refusal, SubmitError};

/// How often a purchase is tried whose account changes at the same moment.
const TRIES: usize = 8;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

impl PaymentService {
    /// Pays an intent in the sandbox, named by its id or by its pay token. At
    /// most once.
    pub async fn pay_in_sandbox(&self, text: &str, now_ms: u64) -> Result<PaymentOutcome, PaymentError> {
        if !self.processor.is_sandbox() {
            return Err(PaymentError::NotSandbox);
        }
        let standing = self.payments.intent_status(text, now_ms)?;
        if standing.paid.is_some() {
            return Ok(PaymentOutcome::AlreadyPaid);
        }
        if standing.expired {
            return Err(PaymentError::QuoteExpired);
        }
        self.book_payment(&standing.quote, None, now_ms).await
    }

    /// Puts a payment into the books, at most once.
    pub(super) async fn book_payment(
        &self,
        quote: &Quote,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<PaymentOutcome, PaymentError> {
        for _ in 0..TRIES {
            let (change, account) = self.payment(quote, reference.clone(), now_ms)?;
            match self.writer.submit(change).await {
                Ok(_) => {
                    if let Some(account) = account {
                        self.access.directory().invalidate_account(&account);
                    }
                    return Ok(PaymentOutcome::Recorded);
                }
                // The account changed meanwhile: once more, from what it is now.
                Err(SubmitError::Refused(Refusal::Unexpected { collection, .. }))
                    if collection == Collection::Accounts.name() => {}
                // Somebody else wrote it down in the meantime.
                Err(SubmitError::Refused(Refusal::Unexpected { .. } | Refusal::Duplicate { .. })) => {
                    return Ok(PaymentOutcome::AlreadyPaid);
                }
                Err(error) => return Err(PaymentError::Write(error)),
            }
        }
        Err(PaymentError::Conflict)
    }

    /// What remains of an intent becomes credit of the account that owns it.
    pub async fn remainder_to_credit(
        &self,
        intent_id: &str,
        owner: &str,
        now_ms: u64,
    ) -> Result<Millipence, PaymentError> {
        let standing = self.payments.intent_status(intent_id, now_ms)?;
        let row = standing.paid.ok_or(PaymentError::NothingRemaining)?;
        if row.account.as_deref() != Some(owner) {
            return Err(PaymentError::WrongAccount);
        }
        self.rest_to_credit(&standing.quote.handle, owner, now_ms).await
    }

    /// The same for an intent that is known to be the account's.
    pub(super) async fn rest_to_credit(
        &self,
        handle: &IntentHandle,
        owner: &str,
        now_ms: u64,
    ) -> Result<Millipence, PaymentError> {
        let intent = handle.as_str().to_owned();
        let unearned = LedgerAccount::Unearned(intent.clone());
        let hold = self.hold_rest(&unearned, self.store.balance(&unearned.to_string())?)?;
        let amount = hold.amount();
        let entry = Entry::Topup(Topup { intent, account: owner.to_owned(), amount });
        let record = Some(entry.draft(random_tx()?, now_ms)?);
        let written = self.writer.submit(Change { record, ..Change::default() }).await;
        drop(hold);
        written.map_err(PaymentError::Write)?;
        Ok(amount)
    }

    /// Reserves all that is left, unless a call in flight needs some of it.
    pub(super) fn hold_rest(
        &self,
        account: &LedgerAccount,
        left: Millipence,
    ) -> Result<super::funds::Hold, PaymentError> {
        if left <= Millipence::ZERO {
            return Err(PaymentError::NothingRemaining);
        }
        self.payments.funds.hold(&account.to_string(), left).map_err(|error| match error {
            super::HoldError::Reserved => PaymentError::FundsInUse,
            super::HoldError::Insufficient { .. } => PaymentError::NothingRemaining,
            super::HoldError::Store(error) => error.into(),
        })
    }

    /// The change that a payment is, and the account that it changes.
    fn payment(
        &self,
        quote: &Quote,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<(Change, Option<String>), PaymentError> {
        let terms = &quote.terms;
        let processor = self.processor.name().to_owned();
        let row = IntentRow {
            bridge: terms.bridge.clone(),
            account: terms.account.clone(),
            price: terms.price,
            charge: terms.charge,
            paid_ms: now_ms,
            processor: processor.clone(),
            reference: reference.clone(),
        };
        let (intent, amount) = (quote.handle.as_str().to_owned(), terms.charge);
        let mut puts = vec![intent_put(&quote.handle, &row)?, orders::put(&quote.handle, None, Expect::Any)?];
        puts.extend(reference.as_deref().map(|payment| fee_due(payment, now_ms)));
        let mut changed = None;
        let entry = match (terms.product(), terms.account.clone()) {
            (Some(product), Some(account)) => {
                if let Some(tier) = product.strip_prefix("tier:") {
                    puts.extend(self.tier_bought(&account, tier, now_ms)?);
                    changed = Some(account.clone());
                }
                let product = product.to_owned();
                Entry::Purchase(Purchase { account, amount, intent, processor, product, reference })
            }
            (_, account) => {
                Entry::Payment(Payment { intent, bridge: terms.bridge.clone(), account, processor, reference, amount })
            }
        };
        let record = Some(entry.draft(payment_tx(quote.handle.as_str()), now_ms)?);
        Ok((Change { puts, record, ..Change::default() }, changed))
    }

    /// The tier, from now or from the end of what was bought before.
    fn tier_bought(&self, id: &str, tier: &str, now_ms: u64) -> Result<Vec<Put>, PaymentError> {
        let tier: Tier = tier.parse().unwrap_or_default();
        let before = load_account(self.store.as_ref(), id)?;
        // An operator's gift has no end: it is not cut short.
        let endless = before.tier == tier && before.tier_until_ms.is_none();
        let from = before.tier_until_ms.filter(|_| before.tier == tier).unwrap_or(now_ms).max(now_ms);
        let until = from.saturating_add(u64::from(self.tier_days).saturating_mul(DAY_MS));
        let (change, _) = update_account(self.store.as_ref(), id, |account| {
            account.tier = tier;
            account.tier_until_ms = (!endless).then_some(until);
        })?;
        Ok(change.puts)
    }
}

fn intent_put(handle: &IntentHandle, row: &IntentRow) -> Result<Put, PaymentError> {
    Ok(Put {
        collection: Collection::Intents,
        key: handle.as_str().to_owned(),
        value: Some(serde_json::to_vec(row)?),
        expect: Expect::Absent,
    })
}

/// One payment per intent, for ever.
pub(super) fn payment_tx(handle: &str) -> Hash {
    Sha256::new().chain_update(b"tollbridge payment v1").chain_update(handle).finalize().into()
}
