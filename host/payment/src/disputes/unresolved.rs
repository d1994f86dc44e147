//! Disputes that have not been won, and the accounts that bear their cost now. A refund
//! that fails after a dispute was recorded returns money that would have covered part of
//! the dispute; that money relieves the accounts that bear the cost.
//!
//! Rows of `Collection::Refunds`: `disputed/{party}/{dispute}` has the body of the
//! dispute's record with its current values; the party is the account of the payment, or
//! the intent if it has none. The row is written with the record that opens the dispute,
//! unless the payer bears the whole cost, and removed when the dispute is won.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Dispute, DisputeStage, Entry, Payer, Released};
use tollbridge_store::{Collection, Db, Draft, Expect, Put, Rows};

use super::super::error::PaymentError;
use super::earlier_claims;
use super::tx::dispute_relief_tx;

const PREFIX: &str = "disputed/";

/// A dispute that has not been won, and whose cost the payer does not bear alone.
pub(crate) struct UnresolvedDispute {
    key: String,
    /// Bytes of the row as read, which the next write expects to find unchanged.
    bytes: Vec<u8>,
    row: UnresolvedDisputeRow,
}

#[derive(Clone, Serialize, Deserialize)]
struct UnresolvedDisputeRow {
    dispute: Dispute,
    /// The part of an intent's money that became credit of its account and was already
    /// spent.
    spent_credit: Millipence,
}

/// The part of a failed refund's money that a dispute claims.
pub(crate) struct DisputeRelief {
    puts: Vec<Put>,
    relief: Dispute,
}

impl UnresolvedDispute {
    /// Returns the row of a newly opened dispute; `None` if the payer bears the whole
    /// cost. `account` is the account of the payment; `spent_credit` is the amount
    /// claimed from that account's spending.
    pub(super) fn put_new(
        dispute: &Dispute,
        account: Option<&str>,
        spent_credit: Millipence,
    ) -> Result<Option<Put>, PaymentError> {
        if dispute.recovered == dispute.amount {
            return Ok(None);
        }
        let row = UnresolvedDisputeRow { dispute: dispute.clone(), spent_credit };
        let key = key(account, &dispute.payer, &dispute.dispute);
        Ok(Some(put(key, Some(serde_json::to_vec(&row)?), Expect::Any)))
    }

    /// Finds a dispute by the record that opened it.
    pub(super) fn find(db: &Db, account: Option<&str>, opened: &Dispute) -> Result<Option<Self>, PaymentError> {
        let key = key(account, &opened.payer, &opened.dispute);
        let row = db.get(Collection::Refunds, &key)?;
        row.map(|bytes| Self::read(key, bytes)).transpose()
    }

    /// Returns the disputes that may claim money returned to a payer: the payer's own,
    /// and those of intents whose money became the payer's credit.
    pub(crate) fn of_payer(db: &Db, account: Option<&str>, payer: &Payer) -> Result<Vec<Self>, PaymentError> {
        let prefix = key(account, payer, "");
        let mut unresolved = Vec::new();
        for row in Rows::of(db.store(), Collection::Refunds).with_prefix(prefix) {
            let (key, bytes) = row?;
            unresolved.push(Self::read(key, bytes)?);
        }
        Ok(unresolved)
    }

    fn read(key: String, bytes: Vec<u8>) -> Result<Self, PaymentError> {
        Ok(Self { key, row: serde_json::from_slice(&bytes)?, bytes })
    }

    /// Returns the write that removes the row when the dispute is won.
    pub(super) fn removal(&self) -> Put {
        put(self.key.clone(), None, Expect::Exactly(self.bytes.clone()))
    }

    /// Returns the body of the dispute's record with its current values.
    pub(super) fn into_dispute(self) -> Dispute {
        self.row.dispute
    }

    /// Returns the part of `available`, money returned to a payer, that the dispute
    /// claims. The part first reduces the write-off, then repays, in proportion, the
    /// owners whose earnings on hold were claimed. `None` if nothing remains for this
    /// payer's money to cover.
    pub(crate) fn relief(&self, payer: &Payer, available: Millipence) -> Result<Option<DisputeRelief>, PaymentError> {
        let UnresolvedDisputeRow { dispute, spent_credit } = &self.row;
        let held: i64 = dispute.held.iter().map(|part| part.amount.get()).fold(0, i64::saturating_add);
        let credit = dispute.credit.as_ref().map_or(0, |part| part.amount.get());
        let borne = dispute.recovered.get().saturating_add(credit).saturating_add(held);
        let written_off = dispute.amount.get().saturating_sub(borne).max(0);
        let is_own = *payer == dispute.payer;
        let lacked = match payer {
            _ if is_own => written_off.saturating_add(held),
            Payer::Account(_) => written_off.saturating_add(held).min(spent_credit.get()),
            Payer::Intent(_) | Payer::Task { .. } => 0,
        };
        let amount = available.get().min(lacked);
        if amount <= 0 {
            return Ok(None);
        }
        let back = shares_of(&dispute.held, held, amount.saturating_sub(written_off).max(0));
        let amount = Millipence::new(amount);
        let mut after = self.row.clone();
        after.dispute.held = remaining(&dispute.held, &back);
        let mut puts = Vec::new();
        match payer {
            Payer::Account(account) if !is_own => {
                after.spent_credit = spent_credit.checked_sub(amount).unwrap_or_default();
                let credit = Millipence::new(credit).checked_add(amount).unwrap_or(amount);
                after.dispute.credit = Some(Released { account: account.clone(), amount: credit });
                puts.push(earlier_claims::put(account, &dispute.dispute, Some(after.spent_credit)));
            }
            _ => after.dispute.recovered = dispute.recovered.checked_add(amount).unwrap_or(dispute.recovered),
        }
        puts.push(put(self.key.clone(), Some(serde_json::to_vec(&after)?), Expect::Exactly(self.bytes.clone())));
        let relief = Dispute {
            amount,
            credit: None,
            dispute: dispute.dispute.clone(),
            held: given_back(&dispute.held, &back),
            payer: payer.clone(),
            recovered: amount,
            stage: DisputeStage::Relieved,
        };
        Ok(Some(DisputeRelief { puts, relief }))
    }
}

impl DisputeRelief {
    /// Returns the amount that the dispute claims.
    pub(crate) fn amount(&self) -> Millipence {
        self.relief.amount
    }

    /// Returns the ledger record of this relief. Its transaction id is unique per dispute
    /// and refund, so that a refund relieves a dispute only once.
    pub(crate) fn record(&self, refund: &str, now_ms: u64) -> Result<Draft, PaymentError> {
        let tx = dispute_relief_tx(&self.relief.dispute, refund);
        Ok(Entry::Dispute(self.relief.clone()).draft(tx, now_ms)?)
    }

    /// Returns the rows written with the record.
    pub(crate) fn into_puts(self) -> Vec<Put> {
        self.puts
    }
}

fn remaining(held: &[Released], back: &[i64]) -> Vec<Released> {
    let kept = held.iter().zip(back).map(|(part, back)| Released {
        account: part.account.clone(),
        amount: Millipence::new(part.amount.get().saturating_sub(*back)),
    });
    kept.filter(|part| !part.amount.is_zero()).collect()
}

fn given_back(held: &[Released], back: &[i64]) -> Vec<Released> {
    let given = held.iter().zip(back).filter(|(_, back)| **back > 0);
    given.map(|(part, back)| Released { account: part.account.clone(), amount: Millipence::new(*back) }).collect()
}

/// Splits `wanted` among the parts of `held` in proportion to their size, by largest
/// remainder; on a tie, the earlier part gets the unit. `total` is the sum of `held` and
/// at least `wanted`.
fn shares_of(held: &[Released], total: i64, wanted: i64) -> Vec<i64> {
    let total = i128::from(total.max(1));
    let product = |part: &Released| i128::from(part.amount.get()) * i128::from(wanted);
    let floor = |part| i64::try_from(product(part) / total).unwrap_or(0);
    let mut shares: Vec<i64> = held.iter().map(floor).collect();
    let left = usize::try_from(wanted.saturating_sub(shares.iter().sum())).unwrap_or(0);
    let mut order: Vec<_> = shares.iter_mut().zip(held).collect();
    order.sort_by_key(|(_, part)| std::cmp::Reverse(product(part) % total));
    // Each share was rounded down by less than one unit, so adding one never exceeds its
    // part of `held`.
    order.into_iter().take(left).for_each(|(share, _)| *share = share.saturating_add(1));
    shares
}

const fn put(key: String, value: Option<Vec<u8>>, expect: Expect) -> Put {
    Put { collection: Collection::Refunds, key, value, expect }
}

fn key(account: Option<&str>, payer: &Payer, dispute: &str) -> String {
    let (Payer::Intent(own) | Payer::Account(own) | Payer::Task { account: own, .. }) = payer;
    format!("{PREFIX}{}/{dispute}", account.unwrap_or(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unresolved(recovered: i64, held: &[(&str, i64)]) -> UnresolvedDispute {
        let part = |(account, amount): &(&str, i64)| Released {
            account: (*account).to_owned(),
            amount: Millipence::new(*amount),
        };
        let dispute = Dispute {
            amount: Millipence::new(500),
            credit: None,
            dispute: "dp_1".to_owned(),
            held: held.iter().map(part).collect(),
            payer: Payer::Intent("i".to_owned()),
            recovered: Millipence::new(recovered),
            stage: DisputeStage::Opened,
        };
        let row = UnresolvedDisputeRow { dispute, spent_credit: Millipence::new(60) };
        UnresolvedDispute { key: "disputed/i/dp_1".to_owned(), bytes: serde_json::to_vec(&row).unwrap(), row }
    }

    fn amounts(parts: &[Released]) -> Vec<(&str, i64)> {
        parts.iter().map(|part| (part.account.as_str(), part.amount.get())).collect()
    }

    #[test]
    fn losses_are_relieved_first_and_owners_then() {
        let payer = Payer::Intent("i".to_owned());
        let held = [("a", 200), ("b", 100), ("c", 1)];
        // 500 minus the recovered 100 and the 301 on hold: 99 are written off.
        let dispute = unresolved(100, &held);
        for (available, taken, back, kept) in [
            (50, 50, vec![], held.to_vec()),
            (99, 99, vec![], held.to_vec()),
            (102, 102, vec![("a", 2), ("b", 1)], vec![("a", 198), ("b", 99), ("c", 1)]),
            (399, 399, vec![("a", 199), ("b", 100), ("c", 1)], vec![("a", 1)]),
            (400, 400, held.to_vec(), vec![]),
            (9_000, 400, held.to_vec(), vec![]),
        ] {
            let relief = dispute.relief(&payer, Millipence::new(available)).unwrap().unwrap();
            let after = row_after(&relief);
            assert_eq!(relief.amount().get(), taken, "{available}");
            let given: i64 = relief.relief.held.iter().map(|part| part.amount.get()).sum();
            assert_eq!(given, (taken - 99).max(0), "{available}");
            assert_eq!((amounts(&relief.relief.held), amounts(&after.dispute.held)), (back, kept), "{available}");
            assert_eq!(after.dispute.recovered.get(), 100 + taken);
            assert!(relief.record("rf_1", 1).is_ok());
            let won = Dispute { stage: DisputeStage::Won, ..after.dispute };
            assert!(Entry::Dispute(won).draft([1; 32], 1).is_ok(), "{available}");
        }
        assert!(dispute.relief(&payer, Millipence::ZERO).unwrap().is_none());
        assert!(unresolved(500, &[]).relief(&payer, Millipence::new(5)).unwrap().is_none());
        assert!(
            UnresolvedDispute::put_new(&unresolved(500, &[]).row.dispute, None, Millipence::ZERO).unwrap().is_none()
        );
    }

    fn row_after(relief: &DisputeRelief) -> UnresolvedDisputeRow {
        serde_json::from_slice(relief.puts.last().unwrap().value.as_ref().unwrap()).unwrap()
    }

    /// Tests that a failed refund to the account covers only the part of the dispute that
    /// was claimed from the account's spending, and that money of another intent covers
    /// nothing.
    #[test]
    fn credit_of_the_account_bears_what_became_credit() {
        let dispute = unresolved(100, &[("a", 200)]);
        let account = Payer::Account("acct".to_owned());
        let relief = dispute.relief(&account, Millipence::new(900)).unwrap().unwrap();
        assert_eq!((relief.amount().get(), relief.relief.held.len()), (60, 0));
        let after = row_after(&relief);
        let credit = after.dispute.credit.map(|part| (part.account, part.amount.get()));
        assert_eq!((credit, after.dispute.recovered.get()), (Some(("acct".to_owned(), 60)), 100));
        assert_eq!((after.spent_credit, relief.puts.len()), (Millipence::ZERO, 2));
        let other = Payer::Intent("j".to_owned());
        assert!(dispute.relief(&other, Millipence::new(900)).unwrap().is_none());
    }
}
