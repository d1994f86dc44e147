//! The books as a verifier computes them: it reads the entry of every record, derives the
//! postings from it, and recomputes every balance.
//!
//! Invariant: an accepted entry obeys every rule about money in `docs/ledger-format.md`.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;

use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_store::Hash;

use super::bodies::{Mode, RecordedShares};
use super::chart::LedgerAccount;
use super::earning::FundingSource;
use super::entry::Entry;
use super::entry_error::EntryError;
use super::nested::Tree;
use super::payment::Payment;
use super::record::{Record, RecordedPosting};

/// The rule of the books that a record breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum BooksError {
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error("the first record is not a policy")]
    NoPolicy,
    #[error("the mode changes from {from:?} to {to:?}; a ledger never changes its mode")]
    Mode { from: Mode, to: Mode },
    #[error("a ledger of this mode cannot have {0}")]
    ForeignMoney(&'static str),
    #[error("transaction {0} is already sealed")]
    Repeated(String),
    #[error("`{0}` is not an account in the chart of accounts")]
    UnknownAccount(String),
    #[error("the postings sum to {0} millipence, not to zero")]
    Unbalanced(i128),
    #[error("the postings do not match the body")]
    Postings,
    #[error("account {account} falls to {balance} millipence")]
    Overdrawn { account: String, balance: i64 },
    #[error("account {0} exceeds the largest amount that can be recorded")]
    Overflow(String),
    #[error("the call names policy {found}, but {expected} is in force")]
    OtherPolicy { expected: String, found: String },
    #[error("the shares do not match the policy in force")]
    Shares,
    #[error("the balance of {account} is listed as {listed}, but the records give {computed}")]
    Balance { account: String, listed: i64, computed: i64 },
}

/// Balances and the policy in force during a pass over the records.
#[derive(Default)]
pub(super) struct Books {
    balances: BTreeMap<String, i64>,
    txs: HashSet<Hash>,
    policy: Option<CurrentPolicy>,
    /// The account of the balance list that was compared last.
    listed: Option<String>,
}

struct CurrentPolicy {
    mode: Mode,
    split: SplitPolicy,
    seal: Hash,
}

impl Books {
    /// Returns the number of accounts with a balance other than zero.
    pub(super) fn accounts(&self) -> u64 {
        u64::try_from(self.balances.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn mode(&self) -> Option<Mode> {
        self.policy.as_ref().map(|policy| policy.mode)
    }

    /// Returns whether the export's list of balances, which follows the records, has
    /// begun.
    pub(super) const fn closing(&self) -> bool {
        self.listed.is_some()
    }

    /// Applies the next record to the balances, after checking it.
    pub(super) fn enter(&mut self, record: &Record, seal: Hash) -> Result<(), BooksError> {
        if !self.txs.insert(record.tx) {
            return Err(BooksError::Repeated(hex::encode(record.tx)));
        }
        let sum: i128 = record.postings.iter().map(|leg| i128::from(leg.amount.get())).sum();
        if sum != 0 {
            return Err(BooksError::Unbalanced(sum));
        }
        let entry = Entry::read(&record.kind, &record.body)?;
        self.check_entry(&entry, seal)?;
        let expected = entry.postings()?;
        if !expected.iter().map(RecordedPosting::from).eq(record.postings.iter().cloned()) {
            return Err(BooksError::Postings);
        }
        for leg in &record.postings {
            self.post(leg)?;
        }
        for leg in &record.postings {
            self.check_guard(leg)?;
        }
        Ok(())
    }

    /// Compares a listed balance. The list must contain all accounts with a balance other
    /// than zero, in order.
    pub(super) fn check_balance(&mut self, account: String, listed: i64) -> Result<(), BooksError> {
        match self.next_to_list() {
            Some((next, computed)) if *next < account => {
                Err(BooksError::Balance { account: next.clone(), listed: 0, computed: *computed })
            }
            Some((next, computed)) if *next == account && *computed == listed => {
                self.listed = Some(account);
                Ok(())
            }
            _ => {
                let computed = self.balances.get(&account).copied().unwrap_or(0);
                Err(BooksError::Balance { account, listed, computed })
            }
        }
    }

    /// Checks that the list of balances contained every account with a balance other than
    /// zero.
    pub(super) fn close(&self) -> Result<(), BooksError> {
        match self.next_to_list() {
            Some((account, computed)) => {
                Err(BooksError::Balance { account: account.clone(), listed: 0, computed: *computed })
            }
            None => Ok(()),
        }
    }

    fn next_to_list(&self) -> Option<(&String, &i64)> {
        let after = self.listed.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        self.balances.range::<str, _>((after, Bound::Unbounded)).next()
    }

    fn check_entry(&mut self, entry: &Entry, seal: Hash) -> Result<(), BooksError> {
        if let Entry::Policy(policy) = entry {
            if let Some(before) = self.policy.as_ref().filter(|before| before.mode != policy.mode) {
                return Err(BooksError::Mode { from: before.mode, to: policy.mode });
            }
            self.policy = Some(CurrentPolicy { mode: policy.mode, split: policy.checked_split()?, seal });
            return Ok(());
        }
        let policy = self.policy.as_ref().ok_or(BooksError::NoPolicy)?;
        let sandbox = policy.mode == Mode::Sandbox;
        match entry {
            Entry::Grant(_) if !sandbox => Err(BooksError::ForeignMoney("test credit")),
            Entry::Payment(payment) if (payment.processor == "sandbox") != sandbox => {
                Err(BooksError::ForeignMoney("a payment by this processor"))
            }
            Entry::Payment(payment) if !sandbox && (payment.processor == Payment::X402) != payment.token.is_some() => {
                Err(BooksError::ForeignMoney(
                    "a payment in tokens by a processor other than x402, or by x402 without tokens",
                ))
            }
            Entry::Purchase(bought) if !sandbox && (bought.processor == Payment::X402) != bought.token.is_some() => {
                Err(BooksError::ForeignMoney(
                    "a purchase in tokens by a processor other than x402, or by x402 without tokens",
                ))
            }
            Entry::Purchase(purchase) if (purchase.processor == "sandbox") != sandbox => {
                Err(BooksError::ForeignMoney("a purchase by this processor"))
            }
            Entry::Inference(charge) => {
                let taken = if sandbox { "sandbox" } else { Payment::X402 };
                match charge.wallet.as_ref().is_some_and(|wallet| wallet.processor != taken) {
                    true => Err(BooksError::ForeignMoney("a request paid by this processor")),
                    false => Ok(()),
                }
            }
            Entry::Transfer(entry) => policy.check_shares(&entry.policy, entry.gross, &entry.shares),
            Entry::EarnBudget(funding) => check_funding(funding.source, sandbox),
            Entry::Goodwill(goodwill) => check_funding(goodwill.source, sandbox),
            Entry::Route(route) => policy.check_tree(&route.policy, &route.tree()?),
            Entry::Nested(costs) => policy.check_tree(&costs.policy, &costs.tree()?),
            _ => Ok(()),
        }
    }

    fn post(&mut self, leg: &RecordedPosting) -> Result<(), BooksError> {
        if LedgerAccount::parse(&leg.account).is_none() {
            return Err(BooksError::UnknownAccount(leg.account.clone()));
        }
        let before = self.balances.get(&leg.account).copied().unwrap_or(0);
        let after = before.checked_add(leg.amount.get());
        let after = after.ok_or_else(|| BooksError::Overflow(leg.account.clone()))?;
        if after == 0 {
            self.balances.remove(&leg.account);
        } else if let Some(slot) = self.balances.get_mut(&leg.account) {
            *slot = after;
        } else {
            self.balances.insert(leg.account.clone(), after);
        }
        Ok(())
    }

    fn check_guard(&self, leg: &RecordedPosting) -> Result<(), BooksError> {
        let balance = self.balances.get(&leg.account).copied().unwrap_or(0);
        let guarded = LedgerAccount::parse(&leg.account).is_none_or(|account| account.guarded());
        if guarded && balance < 0 {
            return Err(BooksError::Overdrawn { account: leg.account.clone(), balance });
        }
        Ok(())
    }
}

/// Checks that grants are spent only in the sandbox, and deposits only in live mode.
const fn check_funding(source: FundingSource, sandbox: bool) -> Result<(), BooksError> {
    match (source, sandbox) {
        (FundingSource::Grant, false) | (FundingSource::Deposit, true) => {
            Err(BooksError::ForeignMoney("money from this source"))
        }
        _ => Ok(()),
    }
}

impl CurrentPolicy {
    fn check_shares(&self, policy: &Hash, gross: Millipence, shares: &RecordedShares) -> Result<(), BooksError> {
        if *policy != self.seal {
            let (expected, found) = (hex::encode(self.seal), hex::encode(policy));
            return Err(BooksError::OtherPolicy { expected, found });
        }
        // Negative amounts need no check here: deriving the postings refuses them.
        if *shares == RecordedShares::from(self.split.split(gross)) { Ok(()) } else { Err(BooksError::Shares) }
    }

    fn check_tree(&self, named: &Hash, tree: &Tree<'_>) -> Result<(), BooksError> {
        if *named != self.seal {
            let (expected, found) = (hex::encode(self.seal), hex::encode(named));
            return Err(BooksError::OtherPolicy { expected, found });
        }
        // Negative amounts need no check here: deriving the postings refuses them.
        if tree.is_split_by(&self.split) { Ok(()) } else { Err(BooksError::Shares) }
    }
}
