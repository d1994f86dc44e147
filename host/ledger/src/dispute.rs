//! Disputes: payments that buyers reverse through the card scheme, and the accounts that
//! bear the loss.
//!
//! Invariants: as for every entry, the postings follow from the body alone; the parts
//! borne by all accounts sum to the amount.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::bodies::Payer;
use super::canonical_json;
use super::chart::LedgerAccount;
use super::entry_error::EntryError;
use super::names::name;
use super::settlement::Released;
use crate::limits::DISPUTED_OWNERS_MAX;

/// A payment that a buyer reverses through the card scheme. The amount is borne first by
/// the unspent remainder of the payment, then by the credit that the payment became, then
/// by earnings from it that are still on hold; the operator bears the remainder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispute {
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Part borne by an account's credit, if the money of the disputed intent was
    /// converted to credit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit: Option<Released>,
    /// The processor's id of the dispute.
    pub dispute: String,
    /// Parts borne by earnings on hold, ordered by account id, with one part per account.
    /// In a `relieved` record, the parts that are given back to these accounts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub held: Vec<Released>,
    /// The account or intent whose payment is disputed.
    pub payer: Payer,
    /// The part of the amount that the payer had not spent yet.
    #[serde(rename = "recovered_millipence")]
    pub recovered: Millipence,
    /// Stage of the dispute.
    pub stage: DisputeStage,
}

/// A stage of a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStage {
    /// The processor has deducted the amount.
    Opened,
    /// A refund of the payer failed after the dispute was opened, so its money covers
    /// part of the dispute: first the written-off loss, then the parts borne by earnings
    /// on hold.
    Relieved,
    /// The processor has returned the money. The postings reverse those of `opened`, as
    /// changed by any `relieved` records.
    Won,
}

impl Dispute {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        self.check()?;
        match self.stage {
            DisputeStage::Opened => self.taken(),
            DisputeStage::Won => opposite(self.taken()?),
            DisputeStage::Relieved => self.relieved(),
        }
    }

    fn check(&self) -> Result<(), EntryError> {
        name("dispute", &self.dispute)?;
        self.payer.check()?;
        if self.amount <= Millipence::ZERO || !canonical_json::is_safe(self.amount.get()) {
            return Err(EntryError::Amount(self.amount.get()));
        }
        if self.recovered.is_negative() {
            return Err(EntryError::Amount(self.recovered.get()));
        }
        let sorted = self.held.is_sorted_by(|one, next| one.account < next.account);
        if !sorted || self.held.len() > DISPUTED_OWNERS_MAX {
            return Err(malformed("the accounts of earnings on hold are out of order or too many"));
        }
        if self.credit.is_some() && !matches!(self.payer, Payer::Intent(_)) {
            return Err(malformed("only an intent's money can have become credit"));
        }
        let parts = self.credit.iter().chain(&self.held);
        match parts.map(|part| part.amount).find(|amount| *amount <= Millipence::ZERO) {
            Some(amount) => Err(EntryError::Amount(amount.get())),
            None => Ok(()),
        }
    }

    /// Returns the part of the amount that is borne neither by the payer nor by credit or
    /// earnings.
    fn written_off(&self) -> Result<Millipence, EntryError> {
        let parts = self.credit.iter().chain(&self.held).map(|part| part.amount);
        let borne = parts.chain([self.recovered]).try_fold(Millipence::ZERO, Millipence::checked_add);
        let lost = borne.and_then(|borne| self.amount.checked_sub(borne)).filter(|lost| !lost.is_negative());
        lost.ok_or(EntryError::Amount(self.amount.get()))
    }

    /// Returns the postings that take the amount from the accounts that bear it.
    fn taken(&self) -> Result<Vec<Posting>, EntryError> {
        let credit = self.credit.iter().map(|part| (LedgerAccount::Credit(part.account.clone()), part.amount));
        let held = self.held.iter().map(|part| (LedgerAccount::DevPending(part.account.clone()), part.amount));
        let payer = (self.payer.ledger_account(), self.recovered);
        let borne =
            std::iter::once(payer).chain(credit).chain(held).chain([(LedgerAccount::WriteOff, self.written_off()?)]);
        let mut postings = Vec::with_capacity(self.held.len() + 4);
        for (account, part) in borne.filter(|(_, part)| !part.is_zero()) {
            postings.push(account.posting(Millipence::new(-part.get()))?);
        }
        postings.push(LedgerAccount::ProcessorClearing.posting(self.amount)?);
        Ok(postings)
    }

    /// Returns the postings by which the money of a failed refund covers a part of the
    /// dispute and relieves the accounts that bore it before.
    fn relieved(&self) -> Result<Vec<Posting>, EntryError> {
        if self.recovered != self.amount || self.credit.is_some() {
            return Err(malformed("a `relieved` record must contain only the payer's money"));
        }
        let given_back = Self { recovered: Millipence::ZERO, ..self.clone() };
        let mut postings = vec![LedgerAccount::Refunds.posting(Millipence::new(-self.amount.get()))?];
        for part in &self.held {
            postings.push(LedgerAccount::DevPending(part.account.clone()).posting(part.amount)?);
        }
        let written_off = given_back.written_off()?;
        if !written_off.is_zero() {
            postings.push(LedgerAccount::WriteOff.posting(written_off)?);
        }
        Ok(postings)
    }
}

fn opposite(mut postings: Vec<Posting>) -> Result<Vec<Posting>, EntryError> {
    for leg in &mut postings {
        leg.amount = leg.amount.checked_neg().ok_or(EntryError::Amount(leg.amount.get()))?;
    }
    Ok(postings)
}

fn malformed(why: &str) -> EntryError {
    EntryError::Malformed { kind: "dispute", why: why.to_owned() }
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
    fn the_payer_is_named_even_if_nothing_is_left() {
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
    fn money_that_comes_back_bears_the_loss_first_and_then_gives_back_what_was_on_hold() {
        let relieved = |recovered, held: &[(&str, i64)]| {
            let held = held
                .iter()
                .map(|(account, amount)| Released { account: (*account).to_owned(), amount: Millipence::new(*amount) });
            Dispute {
                amount: Millipence::new(100),
                credit: None,
                dispute: "dp_1".to_owned(),
                held: held.collect(),
                payer: Payer::Account("acct_a".to_owned()),
                recovered: Millipence::new(recovered),
                stage: DisputeStage::Relieved,
            }
        };
        let of = |held: &[_]| postings(&Entry::Dispute(relieved(100, held)));
        assert_eq!(of(&[]), legs(&[("refunds", -100), ("write_off", 100)]));
        assert_eq!(of(&[("a", 30)]), legs(&[("refunds", -100), ("dev:a:pending", 30), ("write_off", 70)]));
        assert_eq!(
            of(&[("a", 60), ("b", 40)]),
            legs(&[("refunds", -100), ("dev:a:pending", 60), ("dev:b:pending", 40)])
        );
        for (recovered, held) in [(99, &[][..]), (0, &[]), (100, &[("a", 101)]), (100, &[("b", 1), ("a", 1)])] {
            assert!(relieved(recovered, held).postings().is_err(), "{recovered} {held:?}");
        }
        let credit = Some(Released { account: "c".to_owned(), amount: Millipence::new(1) });
        let payer = Payer::Intent("ab".to_owned());
        assert!(Dispute { credit, payer, ..relieved(100, &[]) }.postings().is_err());
    }
}
