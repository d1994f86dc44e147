//! The effect of one record on a payer's money: spending and its recipients, or the
//! amount taken by a dispute.

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{DisputeStage, Entry, LedgerAccount, Payer, Record};

/// The kind of record that turns an intent's money into credit.
const TOPUP: &str = "topup";
/// The kind of record that takes disputed money back.
const DISPUTE: &str = "dispute";

/// The effect of one record on one payer.
#[derive(Debug)]
pub(super) enum PayerEvent {
    Spending(PayerSpending),
    Dispute(EarlierDispute),
    /// A record that neither spent the payer's money nor took it back.
    Unrelated,
}

/// Money that a payer spent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PayerSpending {
    /// Amount paid by this payer.
    pub(super) amount: i64,
    /// Amount paid by all payers together: the buyer, and the owner of the sold plugin if
    /// the plugins that it called cost more than its price.
    total: i64,
    target: SpendingTarget,
}

#[derive(Debug, PartialEq, Eq)]
enum SpendingTarget {
    /// Earnings on hold, by account.
    Earnings(Vec<(String, i64)>),
    /// Credit of the account that an intent belongs to.
    Credit(String),
}

/// A dispute recorded earlier.
#[derive(Debug)]
pub(super) struct EarlierDispute {
    pub(super) id: String,
    pub(super) payer: Payer,
    pub(super) stage: DisputeStage,
    /// The spent part of the disputed payment; for the stage `Relieved`, the amount by
    /// which a failed refund reduces that part.
    pub(super) lost: i64,
    /// Amount taken from an account's credit.
    pub(super) credit: Option<(String, i64)>,
}

impl PayerEvent {
    /// Reads the effect of a record on a payer, whose account or intent is `name`.
    pub(super) fn of(record: &Record, payer: &Payer, name: &str) -> Self {
        if record.kind == DISPUTE {
            return EarlierDispute::of(record).map_or(Self::Unrelated, Self::Dispute);
        }
        PayerSpending::of(record, payer, name).map_or(Self::Unrelated, Self::Spending)
    }
}

impl PayerSpending {
    fn of(record: &Record, payer: &Payer, name: &str) -> Option<Self> {
        let paying = payer.ledger_account().to_string();
        let task = record.body.get("payer").and_then(|payer| payer.get("task")?.get("account")?.as_str());
        let queued = task == Some(name);
        let pays = |account: &str| account == paying || (queued && account.starts_with("held:"));
        let spent = record.postings.iter().filter(|leg| pays(&leg.account)).map(|leg| leg.amount.get());
        let amount = spent.fold(0_i64, i64::saturating_add).saturating_neg();
        let total = record.postings.iter().filter(|leg| leg.amount.is_negative()).map(|leg| leg.amount.get());
        let total = total.fold(0_i64, i64::saturating_add).saturating_neg();
        (amount > 0).then_some(())?;
        Some(Self { amount, total, target: SpendingTarget::of(record)? })
    }

    /// Returns the account to which the money was credited; `None` if it became earnings.
    pub(super) fn credited_account(&self) -> Option<&str> {
        match &self.target {
            SpendingTarget::Credit(account) => Some(account),
            SpendingTarget::Earnings(_) => None,
        }
    }

    /// Returns, by account, the earnings produced by `amount` of the total payment; each
    /// share is rounded down, so their sum is at most `amount`.
    pub(super) fn earnings_share(&self, amount: i64) -> Vec<(&str, i64)> {
        let SpendingTarget::Earnings(earned) = &self.target else { return Vec::new() };
        let share = |earned: i64| i128::from(earned) * i128::from(amount) / i128::from(self.total.max(1));
        earned.iter().map(|(account, earned)| (account.as_str(), i64::try_from(share(*earned)).unwrap_or(0))).collect()
    }
}

impl SpendingTarget {
    fn of(record: &Record) -> Option<Self> {
        let earned = record.postings.iter().filter(|leg| leg.amount > Millipence::ZERO);
        let accounts = earned.filter_map(|leg| Some((LedgerAccount::parse(&leg.account)?, leg.amount.get())));
        let mut earnings = Vec::new();
        for (account, amount) in accounts {
            match account {
                LedgerAccount::DevPending(owner) => earnings.push((owner, amount)),
                LedgerAccount::Credit(owner) if record.kind == TOPUP => return Some(Self::Credit(owner)),
                _ => {}
            }
        }
        (!earnings.is_empty()).then_some(Self::Earnings(earnings))
    }
}

impl EarlierDispute {
    fn of(record: &Record) -> Option<Self> {
        let Ok(Entry::Dispute(dispute)) = Entry::read(&record.kind, &record.body) else { return None };
        Some(Self {
            lost: match dispute.stage {
                DisputeStage::Relieved => dispute.amount.get(),
                DisputeStage::Opened | DisputeStage::Won => {
                    dispute.amount.get().saturating_sub(dispute.recovered.get())
                }
            },
            credit: dispute.credit.map(|credit| (credit.account, credit.amount.get())),
            stage: dispute.stage,
            id: dispute.dispute,
            payer: dispute.payer,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use tollbridge_ledger::RecordedPosting;

    fn record(kind: &str, postings: &[(&str, i64)], body: Value) -> Record {
        let leg = |(account, amount): &(&str, i64)| RecordedPosting {
            account: (*account).to_owned(),
            amount: Millipence::new(*amount),
        };
        let body: Map<String, Value> = body.as_object().cloned().unwrap_or_default();
        let postings = postings.iter().map(leg).collect();
        Record { seq: 7, kind: kind.to_owned(), tx: [1; 32], time_ms: 1, postings, prev: [0; 32], body }
    }

    fn spent(record: &Record, payer: &Payer, name: &str) -> Option<PayerSpending> {
        match PayerEvent::of(record, payer, name) {
            PayerEvent::Spending(spent) => Some(spent),
            _ => None,
        }
    }

    /// Postings of one call: an agent sold for 100 called a plugin for 500, and the
    /// agent's owner paid the difference.
    const CALLEE_COSTS_MORE: [(&str, i64); 4] =
        [("unearned:i", -100), ("credit:owner", -400), ("dev:y:pending", 450), ("platform", 50)];

    #[test]
    fn an_event_covers_only_what_the_payer_paid() {
        let route = record("route", &CALLEE_COSTS_MORE, json!({}));
        let own_event = spent(&route, &Payer::Intent("i".to_owned()), "i").unwrap();
        assert_eq!(own_event.amount, 100);
        assert_eq!(own_event.earnings_share(100), [("y", 90)]);
        assert_eq!(own_event.earnings_share(10), [("y", 9)]);
        let owner = spent(&route, &Payer::Account("owner".to_owned()), "owner").unwrap();
        assert_eq!((owner.amount, owner.earnings_share(400)), (400, vec![("y", 360)]));
        assert_eq!(spent(&route, &Payer::Account("i".to_owned()), "i"), None);
    }

    #[test]
    fn a_queued_task_is_spent_by_its_caller_when_it_is_answered() {
        let payer = Payer::Account("a".to_owned());
        let set_aside = record("task", &[("credit:a", -100), ("held:t", 100)], json!({"account": "a"}));
        assert_eq!(spent(&set_aside, &payer, "a"), None);
        let body = json!({"payer": {"task": {"account": "a", "task": "t"}}});
        let answered = record("route", &[("held:t", -100), ("dev:y:pending", 80), ("platform", 20)], body);
        assert_eq!(spent(&answered, &payer, "a").map(|spent| spent.amount), Some(100));
        assert_eq!(spent(&answered, &Payer::Account("b".to_owned()), "b"), None);
    }
}
