//! Records of money that enters or leaves the platform: what buyers pay for credit and
//! tiers, what the processor keeps, what goes out to developers, what buyers
//! dispute, and earnings that become free to withdraw.
//!
//! Invariants: as for every entry, the postings follow from the body alone; a
//! withdrawal's amount is in `in_transit` from `reserved` until exactly one of
//! `settled`, `failed` or `rejected`.

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::{DISPUTED_OWNERS_MAX, RELEASED_PER_RECORD_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::bodies::Payer;
use super::canonical_json;
use super::chart::LedgerAccount;
use super::chart::transfer;
use super::entry_error::EntryError;
use super::names::{name, optional_name, party};

/// A product of the checkout that was paid: credit, or a tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Purchase {
    /// Account id.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Public handle of the intent that was paid.
    pub intent: String,
    /// Name of the processor.
    pub processor: String,
    /// `credit`, `agent:<slug>` or `tier:<tier>`.
    pub product: String,
    /// The processor's own name for the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// What the processor kept for itself; less than nothing is what it gave back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fee {
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Name of the processor.
    pub processor: String,
    /// The processor's own name for the transaction that cost it.
    pub reference: String,
}

/// A step of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdraw {
    /// Account id.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// A short code, for example `account_closed`; no sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The processor's own name for the transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// How far it is.
    pub stage: WithdrawStage,
    /// Id of the withdrawal.
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
/// payment bears it first, then the credit that it became, then what it earned
/// for others and is still on hold; the rest is a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispute {
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// What it takes of the credit that an intent's money was turned into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit: Option<Released>,
    /// The processor's own name for the dispute.
    pub dispute: String,
    /// What it takes of earnings on hold, by account id, in order, each once.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub held: Vec<Released>,
    /// Who pays.
    pub payer: Payer,
    /// The part of the amount that was still there.
    #[serde(rename = "recovered_millipence")]
    pub recovered: Millipence,
    /// How far it is.
    pub stage: DisputeStage,
}

/// How far a dispute is.
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

/// An amount of an account's earnings on hold, or of its credit.
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

impl Dispute {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        name("dispute", &self.dispute)?;
        self.payer.check()?;
        let amount = self.amount;
        if amount <= Millipence::ZERO || !canonical_json::is_safe(amount.get()) {
            return Err(EntryError::Amount(amount.get()));
        }
        if self.recovered.is_negative() {
            return Err(EntryError::Amount(self.recovered.get()));
        }
        let sorted = self.held.is_sorted_by(|one, next| one.account < next.account);
        if !sorted || self.held.len() > DISPUTED_OWNERS_MAX {
            let why = "the accounts that it takes from are not in order, or too many".to_owned();
            return Err(EntryError::Malformed { kind: "dispute", why });
        }
        let mut borne = vec![(self.payer.ledger_account(), self.recovered)];
        if let Some(Released { account, amount }) = &self.credit {
            if !matches!(self.payer, Payer::Intent(_)) {
                let why = "only an intent's money can have become credit".to_owned();
                return Err(EntryError::Malformed { kind: "dispute", why });
            }
            if *amount <= Millipence::ZERO {
                return Err(EntryError::Amount(amount.get()));
            }
            borne.push((LedgerAccount::Credit(account.clone()), *amount));
        }
        for Released { account, amount } in &self.held {
            if *amount <= Millipence::ZERO {
                return Err(EntryError::Amount(amount.get()));
            }
            borne.push((LedgerAccount::DevPending(account.clone()), *amount));
        }
        let sum = borne.iter().try_fold(Millipence::ZERO, |sum, (_, part)| sum.checked_add(*part));
        let lost = sum.and_then(|sum| amount.checked_sub(sum)).filter(|lost| !lost.is_negative());
        borne.push((LedgerAccount::WriteOff, lost.ok_or(EntryError::Amount(amount.get()))?));
        let taken = |amount: Millipence| match self.stage {
            DisputeStage::Opened => Millipence::new(-amount.get()),
            DisputeStage::Won => amount,
        };
        let mut postings = Vec::with_capacity(borne.len() + 1);
        for (account, part) in borne.into_iter().filter(|(_, part)| !part.is_zero()) {
            postings.push(account.posting(taken(part))?);
        }
        postings.push(LedgerAccount::ProcessorClearing.posting(Millipence::new(-taken(amount).get()))?);
        Ok(postings)
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
    fn a_dispute_takes_what_is_left_then_what_is_held_and_writes_off_the_rest() {
        let dispute = |stage, recovered, held: &[(&str, i64)]| Dispute {
            amount: Millipence::new(500),
            credit: None,
            dispute: "dp_1".to_owned(),
            held: held
                .iter()
                .map(|(account, amount)| Released { account: (*account).to_owned(), amount: Millipence::new(*amount) })
                .collect(),
            payer: Payer::Intent("ab".to_owned()),
            recovered: Millipence::new(recovered),
            stage,
        };
        let opened = |recovered, held: &[_]| postings(&Entry::Dispute(dispute(DisputeStage::Opened, recovered, held)));
        let (left, loss, back) = ("unearned:ab", "write_off", "processor:clearing");
        assert_eq!(opened(200, &[]), legs(&[(left, -200), (loss, -300), (back, 500)]));
        assert_eq!(opened(0, &[]), legs(&[(loss, -500), (back, 500)]));
        let held = [("a", 200), ("b", 40)];
        let of_both = legs(&[(left, -200), ("dev:a:pending", -200), ("dev:b:pending", -40), (loss, -60), (back, 500)]);
        assert_eq!(opened(200, &held), of_both);
        assert_eq!(
            opened(260, &held),
            legs(&[(left, -260), ("dev:a:pending", -200), ("dev:b:pending", -40), (back, 500)])
        );
        let with_credit = |payer: Payer, amount: i64| {
            let credit = Some(Released { account: "c".to_owned(), amount: Millipence::new(amount) });
            Entry::Dispute(Dispute { credit, payer, ..dispute(DisputeStage::Opened, 200, &held) })
        };
        let intent = Payer::Intent("ab".to_owned());
        let of_three = [
            (left, -200),
            ("credit:c", -50),
            ("dev:a:pending", -200),
            ("dev:b:pending", -40),
            (loss, -10),
            (back, 500),
        ];
        assert_eq!(postings(&with_credit(intent.clone(), 50)), legs(&of_three));
        for (payer, amount) in
            [(intent.clone(), 0), (intent.clone(), -1), (intent, 61), (Payer::Account("c".to_owned()), 50)]
        {
            assert!(with_credit(payer, amount).postings().is_err(), "{amount}");
        }
        let won = postings(&Entry::Dispute(dispute(DisputeStage::Won, 200, &held)));
        assert!(of_both.iter().zip(&won).all(|(one, other)| one.0 == other.0 && one.1 == -other.1));
        for (recovered, held) in [
            (-1, &[][..]),
            (501, &[]),
            (261, &held),
            (0, &[("b", 1), ("a", 1)]),
            (0, &[("a", 1), ("a", 1)]),
            (0, &[("a", 0)]),
            (0, &[("a", -1)]),
        ] {
            assert!(dispute(DisputeStage::Opened, recovered, held).postings().is_err(), "{recovered} {held:?}");
        }
    }

    #[test]
    fn whoever_paid_has_a_name_also_where_nothing_is_left() {
        let task = |account: &str, task: &str| Payer::Task { account: account.to_owned(), task: task.to_owned() };
        for recovered in [0, 200] {
            let of = |payer| {
                let dispute = Dispute {
                    amount: Millipence::new(500),
                    credit: None,
                    dispute: "dp_1".to_owned(),
                    held: Vec::new(),
                    payer,
                    recovered: Millipence::new(recovered),
                    stage: DisputeStage::Opened,
                };
                dispute.postings()
            };
            assert!(of(task("acct_a", "task_1")).is_ok());
            for wrong in [
                Payer::Intent("a@b".to_owned()),
                Payer::Account(String::new()),
                task("a b", "task_1"),
                task("acct_a", "task:1"),
            ] {
                assert!(matches!(of(wrong.clone()), Err(EntryError::Party(_))), "{wrong:?} {recovered}");
            }
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
