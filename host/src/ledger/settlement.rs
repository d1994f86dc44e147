//! Records of money that crosses the border: what buyers pay for credit and
//! tiers, what the processor keeps, what goes out to developers, what buyers
//! dispute, and earnings that become free to withdraw.
//!
//! Invariants: as for every entry, the postings follow from the body alone; a
//! withdrawal's amount is in `in_transit` from `reserved` until exactly one of
//! `settled`, `failed` or `rejected`.

use serde::{Deserialize, Serialize};

use super::bodies::Payer;
use super::canon;
use super::chart::LedgerAccount;
use super::entry::{EntryError, name, optional_name, party, transfer};
use crate::limits::RELEASED_PER_RECORD_MAX;
use crate::money::Millipence;
use crate::store::Posting;

/// A product of the checkout that was paid: credit, or a tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purchase {
    pub account: String,
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Public handle of the intent that was paid.
    pub intent: String,
    pub processor: String,
    /// `credit`, `agent:<slug>` or `tier:<tier>`.
    pub product: String,
    /// The processor's own name for the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// What the processor kept for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fee {
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    pub processor: String,
    /// The processor's own name for the transaction that cost it.
    pub reference: String,
}

/// A step of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdraw {
    pub account: String,
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// A short code, for example `account_closed`; no sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The processor's own name for the transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    pub stage: WithdrawStage,
    pub withdrawal: String,
}

/// How far a withdrawal has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithdrawStage {
    /// Set aside; the processor has not been asked yet.
    Reserved,
    /// The processor has moved it.
    Settled,
    /// The processor has refused it: the balance is restored.
    Failed,
    /// The operator has refused it: the balance is restored.
    Rejected,
    /// It came back after it had been moved: the balance is restored.
    Returned,
}

/// A buyer takes a payment back through the card scheme. What is left of the
/// payment bears it; what is not left is a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispute {
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// The processor's own name for the dispute.
    pub dispute: String,
    pub payer: Payer,
    /// The part of the amount that was still there.
    #[serde(rename = "recovered_millipence")]
    pub recovered: Millipence,
    pub stage: DisputeStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStage {
    /// The processor has taken the amount.
    Opened,
    /// The processor has given it back: the opposite of `opened`.
    Won,
}

/// Earnings whose hold has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// By account id, in order, each once.
    pub accounts: Vec<Released>,
    /// Every record below this number has been looked at.
    pub below: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Released {
    pub account: String,
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

impl Purchase {
    /// Whether the money becomes credit; else it is the platform's.
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
        transfer(&LedgerAccount::ProcessorClearing, &to, self.amount)
    }
}

impl Fee {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        name("processor", &self.processor)?;
        name("reference", &self.reference)?;
        transfer(&LedgerAccount::ProcessorFees, &LedgerAccount::ProcessorClearing, self.amount)
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

impl Dispute {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        name("dispute", &self.dispute)?;
        let (amount, recovered) = (self.amount, self.recovered);
        let lost = amount.checked_sub(recovered).filter(|lost| !lost.is_negative());
        let Some(lost) = lost.filter(|_| amount > Millipence::ZERO && canon::is_safe(amount.get())) else {
            return Err(EntryError::Amount(amount.get()));
        };
        if recovered.is_negative() {
            return Err(EntryError::Amount(recovered.get()));
        }
        let signed = |amount: Millipence, taken: bool| match (self.stage, taken) {
            (DisputeStage::Opened, true) | (DisputeStage::Won, false) => Millipence::new(-amount.get()),
            _ => amount,
        };
        let postings = [
            self.payer.ledger_account().posting(signed(recovered, true))?,
            LedgerAccount::WriteOff.posting(signed(lost, true))?,
            LedgerAccount::ProcessorClearing.posting(signed(amount, false))?,
        ];
        Ok(postings.into_iter().filter(|posting| !posting.amount.is_zero()).collect())
    }
}

impl Release {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let sorted = self.accounts.is_sorted_by(|one, next| one.account < next.account);
        if !sorted || self.accounts.is_empty() || self.accounts.len() > RELEASED_PER_RECORD_MAX {
            let why = "its accounts are not in order, none, or too many".to_owned();
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
        let found = entry.postings().unwrap();
        assert_eq!(found.iter().map(|posting| posting.amount.get()).sum::<i64>(), 0);
        let body = entry.body().unwrap();
        assert_eq!(Entry::read(entry.kind(), &body).unwrap(), *entry, "it reads back");
        found.into_iter().map(|posting| (posting.account, posting.amount.get())).collect()
    }

    fn legs(legs: &[(&str, i64)]) -> Vec<(String, i64)> {
        legs.iter().map(|(account, amount)| ((*account).to_owned(), *amount)).collect()
    }

    #[test]
    fn what_is_bought_goes_where_the_product_says() {
        let bought = |product: &str| {
            Entry::Purchase(Purchase {
                account: "acct_a".to_owned(),
                amount: Millipence::new(5_000),
                intent: "ab12".to_owned(),
                processor: "stripe".to_owned(),
                product: product.to_owned(),
                reference: Some("pi_3".to_owned()),
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
    fn a_dispute_takes_what_is_left_and_writes_off_the_rest() {
        let dispute = |stage, recovered| Dispute {
            amount: Millipence::new(500),
            dispute: "dp_1".to_owned(),
            payer: Payer::Intent("ab".to_owned()),
            recovered: Millipence::new(recovered),
            stage,
        };
        let opened = postings(&Entry::Dispute(dispute(DisputeStage::Opened, 200)));
        assert_eq!(opened, legs(&[("unearned:ab", -200), ("write_off", -300), ("processor:clearing", 500)]));
        let won = postings(&Entry::Dispute(dispute(DisputeStage::Won, 200)));
        assert!(opened.iter().zip(&won).all(|(one, other)| one.0 == other.0 && one.1 == -other.1));
        let nothing_left = postings(&Entry::Dispute(dispute(DisputeStage::Opened, 0)));
        assert_eq!(nothing_left, legs(&[("write_off", -500), ("processor:clearing", 500)]));
        for wrong in [-1, 501] {
            assert!(dispute(DisputeStage::Opened, wrong).postings().is_err(), "{wrong}");
        }
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
    fn fees_are_a_cost() {
        let fee = Fee { amount: Millipence::new(27), processor: "stripe".to_owned(), reference: "txn_1".to_owned() };
        assert_eq!(postings(&Entry::Fee(fee)), legs(&[("processor:fees", -27), ("processor:clearing", 27)]));
    }
}
