//! The record of credit that the operator gives away.
//!
//! The operator's own money pays for the credit, so an account's credit is always backed.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::chart::{LedgerAccount, transfer};
use super::earning::FundingSource;
use super::entry_error::EntryError;
use super::names::name;

/// Credit for an account, paid from the operator's own money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goodwill {
    /// Account that receives the credit.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Reason for the credit: a short code, for example `late_answers`; not a sentence.
    pub reason: String,
    /// Source of the money.
    pub source: FundingSource,
}

impl Goodwill {
    pub(super) fn check_names(&self) -> Result<(), EntryError> {
        name("reason", &self.reason)
    }

    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        transfer(&self.source.ledger_account(), &LedgerAccount::Credit(self.account.clone()), self.amount)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bodies::{Mode, Payer, Policy};
    use super::super::books::BooksError;
    use super::super::entry::Entry;
    use super::super::sabotage_tests::{books, check, forged, pinned};
    use super::super::testing::{Book, policy, split};
    use super::*;
    use tollbridge_store::Refusal;

    fn goodwill(source: FundingSource, amount: i64) -> Goodwill {
        let (account, reason) = ("acct_caller".to_owned(), "late_answers".to_owned());
        Goodwill { account, amount: Millipence::new(amount), reason, source }
    }

    fn entry(source: FundingSource, amount: i64) -> Entry {
        Entry::Goodwill(goodwill(source, amount))
    }

    #[test]
    fn goodwill_never_exceeds_the_platforms_earnings() {
        let mut book = Book::new();
        book.seal(&policy("Tollbridge")).unwrap();
        book.seal(&entry(FundingSource::Grant, 100_000)).unwrap();
        // Of the price of 10 p, the platform keeps 1.75 p.
        let call = book.route(Payer::Account("acct_caller".to_owned()), 10);
        book.seal(&Entry::Route(call)).unwrap();
        let refused = book.seal(&entry(FundingSource::Platform, 1_751));
        assert!(matches!(refused, Err(Refusal::Insufficient { .. })), "{refused:?}");
        book.seal(&entry(FundingSource::Platform, 1_700)).unwrap();
        book.checkpoint();
        let export = book.export();
        for balance in ["\"platform\",\"millipence\":50}", "\"credit:acct_caller\",\"millipence\":91700}"] {
            assert!(export.contains(balance), "{export}");
        }
        check(&export, &pinned()).unwrap();
    }

    #[test]
    fn its_postings_sum_to_zero_and_it_reads_back() {
        for (source, from) in [
            (FundingSource::Grant, "sandbox:grants"),
            (FundingSource::Platform, "platform"),
            (FundingSource::Deposit, "processor:clearing"),
        ] {
            let entry = entry(source, 5_000);
            let postings = entry.postings().unwrap();
            let legs: Vec<_> = postings.iter().map(|leg| (leg.account.as_str(), leg.amount.get())).collect();
            assert_eq!(legs, [(from, -5_000), ("credit:acct_caller", 5_000)]);
            assert_eq!(Entry::read("goodwill", &entry.body().unwrap()).unwrap(), entry);
        }
        for amount in [0, -1, 1 << 53] {
            assert_eq!(entry(FundingSource::Platform, amount).postings(), Err(EntryError::Amount(amount)));
        }
        let explained = Goodwill { reason: "she was angry".to_owned(), ..goodwill(FundingSource::Platform, 1) };
        assert!(matches!(Entry::Goodwill(explained).postings(), Err(EntryError::Name { member: "reason", .. })));
    }

    #[test]
    fn test_money_is_no_goodwill_where_money_is_real() {
        let live = || Entry::Policy(Policy { mode: Mode::Live, display_name: "x".to_owned(), split: split() });
        let deposit = [live(), entry(FundingSource::Deposit, 5)];
        let good = forged(&deposit, &[("credit:acct_caller", 5), ("processor:clearing", -5)]);
        check(&good, &pinned()).unwrap();
        for entries in [[live(), entry(FundingSource::Grant, 5)], [policy("x"), entry(FundingSource::Deposit, 5)]] {
            let failure = check(&forged(&entries, &[]), &pinned()).unwrap_err();
            assert!(matches!(books(&failure.problem), Some(BooksError::ForeignMoney(_))), "{failure}");
        }
    }
}
