//! Records of money that enters or leaves the platform: purchases of credit and tiers,
//! processor fees, withdrawals by developers, and earnings whose hold has ended.
//!
//! Invariants: as for every entry, the postings follow from the body alone; a
//! withdrawal's amount is in `in_transit` from `reserved` until exactly one of `settled`,
//! `failed` or `rejected`; after `settled`, parts of it may be `returned`, any number of
//! times.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::chart::LedgerAccount;
use super::chart::transfer;
use super::entry_error::EntryError;
use super::names::{name, optional_name, party};
use super::token_paid::{TokenPaid, clearing_of};
use crate::limits::RELEASED_PER_RECORD_MAX;

/// A purchase of credit or a tier through the checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purchase {
    /// Account of the buyer.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Public handle of the payment intent that was paid.
    pub intent: String,
    /// Name of the payment processor.
    pub processor: String,
    /// The purchased product: `credit`, `agent:<slug>` or `tier:<tier>`.
    pub product: String,
    /// The processor's id of the payment; for a payment in tokens, the transaction hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The amount in tokens, if the purchase was paid in tokens and not in pounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenPaid>,
}

/// A fee that the processor deducted; negative if the processor returned a fee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fee {
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Name of the payment processor.
    pub processor: String,
    /// The processor's id of the transaction that caused the fee.
    pub reference: String,
}

/// A stage of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdraw {
    /// Account that withdraws its earnings.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Reason for a failure: a short code, for example `account_closed`; not a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The processor's id of the transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Stage of the withdrawal.
    pub stage: WithdrawStage,
    /// Id of the withdrawal.
    pub withdrawal: String,
}

/// A stage of a withdrawal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawStage {
    /// The amount is reserved; no request was sent to the processor yet.
    Reserved,
    /// The processor has transferred the money.
    Settled,
    /// The processor has refused the withdrawal; the balance is restored.
    Failed,
    /// The operator has refused the withdrawal; the balance is restored.
    Rejected,
    /// All or part of the amount came back after the transfer; the balance is restored by
    /// that part.
    Returned,
}

/// Earnings whose hold has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Released amounts, ordered by account id, each account once.
    pub accounts: Vec<Released>,
    /// All records below this number have been processed for releases.
    pub below: u64,
}

/// A part of an account's earnings on hold, or of its credit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Released {
    /// Account id.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

impl Purchase {
    /// Returns whether the buyer receives credit; otherwise the money belongs to the
    /// platform.
    pub fn is_credit(&self) -> bool {
        self.product == "credit" || self.product.starts_with("agent:")
    }

    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        party(&self.intent)?;
        party(&self.account)?;
        name("processor", &self.processor)?;
        name("product", &self.product)?;
        optional_name("reference", self.reference.as_deref())?;
        let to = match self.is_credit() {
            true => LedgerAccount::Credit(self.account.clone()),
            false if self.product.starts_with("tier:") => LedgerAccount::Platform,
            false => return Err(EntryError::Name { member: "product", text: self.product.clone() }),
        };
        self.token.as_ref().map_or(Ok(()), TokenPaid::check)?;
        transfer(&clearing_of(self.token.as_ref()), &to, self.amount)
    }
}

impl Fee {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        name("processor", &self.processor)?;
        name("reference", &self.reference)?;
        let (fees, clearing) = (LedgerAccount::ProcessorFees, LedgerAccount::ProcessorClearing);
        let mut postings = transfer(&fees, &clearing, Millipence::new(self.amount.get().saturating_abs()))?;
        if self.amount.is_negative() {
            for leg in &mut postings {
                leg.amount = leg.amount.checked_neg().ok_or(EntryError::Amount(self.amount.get()))?;
            }
        }
        Ok(postings)
    }
}

impl Withdraw {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        optional_name("reason", self.reason.as_deref())?;
        optional_name("reference", self.reference.as_deref())?;
        let available = LedgerAccount::DevAvailable(self.account.clone());
        let transit = LedgerAccount::InTransit(self.withdrawal.clone());
        party(&self.withdrawal)?;
        match self.stage {
            WithdrawStage::Reserved => transfer(&available, &transit, self.amount),
            WithdrawStage::Settled => {
                party(&self.account)?;
                transfer(&transit, &LedgerAccount::ProcessorClearing, self.amount)
            }
            WithdrawStage::Failed | WithdrawStage::Rejected => transfer(&transit, &available, self.amount),
            WithdrawStage::Returned => transfer(&LedgerAccount::ProcessorClearing, &available, self.amount),
        }
    }
}

impl Release {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let sorted = self.accounts.is_sorted_by(|one, next| one.account < next.account);
        if !sorted || self.accounts.is_empty() || self.accounts.len() > RELEASED_PER_RECORD_MAX {
            let why = "the accounts are out of order, missing, or too many".to_owned();
            return Err(EntryError::Malformed { kind: "release", why });
        }
        let mut postings = Vec::with_capacity(2 * self.accounts.len());
        for Released { account, amount } in &self.accounts {
            let (from, to) = (LedgerAccount::DevPending(account.clone()), LedgerAccount::DevAvailable(account.clone()));
            postings.extend(transfer(&from, &to, *amount)?);
        }
        Ok(postings)
    }
}

#[cfg(test)]
mod tests {
    use super::super::entry::Entry;
    use super::*;

    fn postings(entry: &Entry) -> Vec<(String, i64)> {
        let derived = entry.postings().unwrap();
        assert_eq!(derived.iter().map(|posting| posting.amount.get()).sum::<i64>(), 0);
        let body = entry.body().unwrap();
        assert_eq!(Entry::read(entry.kind(), &body).unwrap(), *entry, "it reads back");
        derived.into_iter().map(|posting| (posting.account, posting.amount.get())).collect()
    }

    fn legs(legs: &[(&str, i64)]) -> Vec<(String, i64)> {
        legs.iter().map(|(account, amount)| ((*account).to_owned(), *amount)).collect()
    }

    #[test]
    fn a_purchase_is_posted_to_the_account_of_its_product() {
        let bought = |product: &str| {
            Entry::Purchase(Purchase {
                account: "acct_a".to_owned(),
                amount: Millipence::new(5_000),
                intent: "ab12".to_owned(),
                processor: "stripe".to_owned(),
                product: product.to_owned(),
                reference: Some("pi_3".to_owned()),
                token: None,
            })
        };
        let credit = legs(&[("processor:clearing", -5_000), ("credit:acct_a", 5_000)]);
        assert_eq!(postings(&bought("credit")), credit);
        assert_eq!(postings(&bought("agent:scholar")), credit);
        assert_eq!(postings(&bought("tier:pro")), legs(&[("processor:clearing", -5_000), ("platform", 5_000)]));
        assert!(bought("yacht").postings().is_err());
    }

    #[test]
    fn a_withdrawal_moves_through_transit() {
        let step = |stage| {
            Entry::Withdraw(Withdraw {
                account: "acct_a".to_owned(),
                amount: Millipence::new(700),
                reason: None,
                reference: None,
                stage,
                withdrawal: "wd_1".to_owned(),
            })
        };
        let (have, way) = ("dev:acct_a:available", "in_transit:wd_1");
        assert_eq!(postings(&step(WithdrawStage::Reserved)), legs(&[(have, -700), (way, 700)]));
        assert_eq!(postings(&step(WithdrawStage::Settled)), legs(&[(way, -700), ("processor:clearing", 700)]));
        for stage in [WithdrawStage::Failed, WithdrawStage::Rejected] {
            assert_eq!(postings(&step(stage)), legs(&[(way, -700), (have, 700)]));
        }
        assert_eq!(postings(&step(WithdrawStage::Returned)), legs(&[("processor:clearing", -700), (have, 700)]));
    }

    #[test]
    fn a_release_names_each_account_once_and_in_order() {
        let release = |accounts: &[&str]| Release {
            accounts: accounts
                .iter()
                .map(|account| Released { account: (*account).to_owned(), amount: Millipence::new(8) })
                .collect(),
            below: 9,
        };
        let good = postings(&Entry::Release(release(&["a", "b"])));
        assert_eq!(
            good,
            legs(&[("dev:a:pending", -8), ("dev:a:available", 8), ("dev:b:pending", -8), ("dev:b:available", 8)])
        );
        for wrong in [&[][..], &["b", "a"], &["a", "a"]] {
            assert!(release(wrong).postings().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn fees_are_a_cost_and_may_come_back() {
        let fee = |amount| {
            let amount = Millipence::new(amount);
            Entry::Fee(Fee { amount, processor: "stripe".to_owned(), reference: "txn_1".to_owned() })
        };
        assert_eq!(postings(&fee(27)), legs(&[("processor:fees", -27), ("processor:clearing", 27)]));
        assert_eq!(postings(&fee(-27)), legs(&[("processor:fees", 27), ("processor:clearing", -27)]), "given back");
        assert!(fee(0).postings().is_err());
        assert!(fee(i64::MIN).postings().is_err());
    }
}
