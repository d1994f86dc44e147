//! The chart of accounts: every account that a posting may name.
//!
//! Invariants: a positive balance is money owed to the account's holder; only accounts of
//! the outside world and the loss account may be negative; a name that does not parse is
//! not an account, so money cannot disappear into a misspelt name.

use std::fmt;

use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::canonical_json;
use super::entry_error::EntryError;

/// Maximum length of the account, intent or task in the name of a ledger account.
const LEDGER_PARTY_BYTES_MAX: usize = 64;

/// An account of the ledger. Variable parts are ids: 1 to 64 of `A-Z a-z 0-9 _ -`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LedgerAccount {
    /// Money that the processor holds for the operator; negative, because the processor
    /// owes it to the operator.
    ProcessorClearing,
    /// Fees that the processor deducted; negative.
    ProcessorFees,
    /// Tokens in the operator's wallet, valued at the price that they paid; negative.
    WalletClearing,
    /// Source of test credit; negative.
    SandboxGrants,
    /// Losses that no other account bears. Negative, so the guard against negative
    /// balances does not apply.
    WriteOff,
    /// Money paid for an intent (named by its public handle) and not yet spent.
    Unearned(String),
    /// Prepaid credit of an account.
    Credit(String),
    /// Money reserved for a queued task.
    Held(String),
    /// Earnings of an account that are on hold.
    DevPending(String),
    /// Earnings of an account that can be withdrawn.
    DevAvailable(String),
    /// The amount of a withdrawal in progress.
    InTransit(String),
    /// The operator's earnings.
    Platform,
    /// The treasury's earnings.
    Treasury,
    /// Refunds owed to payers.
    Refunds,
    /// Money that the operator set aside for earn tasks.
    EarnBudget,
    /// Money for model providers, which bill the operator later.
    Providers,
}

impl LedgerAccount {
    /// Parses the exact name of an account.
    pub fn parse(name: &str) -> Option<Self> {
        let fixed = match name {
            "processor:clearing" => Some(Self::ProcessorClearing),
            "processor:fees" => Some(Self::ProcessorFees),
            "wallet:clearing" => Some(Self::WalletClearing),
            "sandbox:grants" => Some(Self::SandboxGrants),
            "write_off" => Some(Self::WriteOff),
            "platform" => Some(Self::Platform),
            "treasury" => Some(Self::Treasury),
            "refunds" => Some(Self::Refunds),
            "earn_budget" => Some(Self::EarnBudget),
            "providers" => Some(Self::Providers),
            _ => None,
        };
        if fixed.is_some() {
            return fixed;
        }
        let (group, rest) = name.split_once(':')?;
        if group == "dev" {
            let (party, state) = rest.split_once(':')?;
            return match state {
                "pending" if is_party(party) => Some(Self::DevPending(party.to_owned())),
                "available" if is_party(party) => Some(Self::DevAvailable(party.to_owned())),
                _ => None,
            };
        }
        let make = match group {
            "unearned" => Self::Unearned,
            "credit" => Self::Credit,
            "held" => Self::Held,
            "in_transit" => Self::InTransit,
            _ => return None,
        };
        is_party(rest).then(|| make(rest.to_owned()))
    }

    /// Returns whether the store must keep the account from becoming negative.
    pub const fn guarded(&self) -> bool {
        !matches!(
            self,
            Self::ProcessorClearing | Self::ProcessorFees | Self::WalletClearing | Self::SandboxGrants | Self::WriteOff
        )
    }

    /// Returns the id of the account, intent, task or withdrawal in the account's name,
    /// if it has one.
    pub fn party(&self) -> Option<&str> {
        match self {
            Self::Unearned(party)
            | Self::Credit(party)
            | Self::Held(party)
            | Self::DevPending(party)
            | Self::DevAvailable(party)
            | Self::InTransit(party) => Some(party),
            _ => None,
        }
    }

    /// Returns the parts of the account's name.
    fn parts(&self) -> [&str; 3] {
        match self {
            Self::ProcessorClearing => ["processor:clearing", "", ""],
            Self::ProcessorFees => ["processor:fees", "", ""],
            Self::WalletClearing => ["wallet:clearing", "", ""],
            Self::SandboxGrants => ["sandbox:grants", "", ""],
            Self::WriteOff => ["write_off", "", ""],
            Self::Unearned(intent) => ["unearned:", intent, ""],
            Self::Credit(account) => ["credit:", account, ""],
            Self::Held(task) => ["held:", task, ""],
            Self::DevPending(account) => ["dev:", account, ":pending"],
            Self::DevAvailable(account) => ["dev:", account, ":available"],
            Self::InTransit(withdrawal) => ["in_transit:", withdrawal, ""],
            Self::Platform => ["platform", "", ""],
            Self::Treasury => ["treasury", "", ""],
            Self::Refunds => ["refunds", "", ""],
            Self::EarnBudget => ["earn_budget", "", ""],
            Self::Providers => ["providers", "", ""],
        }
    }

    /// Returns a posting on this account; refuses an id that a name cannot contain.
    pub fn posting(&self, amount: Millipence) -> Result<Posting, EntryError> {
        match self.party() {
            Some(party) if !is_party(party) => Err(EntryError::Party(party.to_owned())),
            _ => Ok(Posting { account: self.parts().concat(), amount, guarded: self.guarded() }),
        }
    }
}

impl fmt::Display for LedgerAccount {
    /// Writes the name as used in records and in the store.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().into_iter().try_for_each(|part| f.write_str(part))
    }
}

/// Returns whether a text can be the id of an account, intent, task or withdrawal.
pub fn is_party(text: &str) -> bool {
    (1..=LEDGER_PARTY_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns the two postings that move an amount from one account to another.
pub(super) fn transfer(
    from: &LedgerAccount,
    to: &LedgerAccount,
    amount: Millipence,
) -> Result<Vec<Posting>, EntryError> {
    if amount <= Millipence::ZERO || !canonical_json::is_safe(amount.get()) {
        return Err(EntryError::Amount(amount.get()));
    }
    Ok(vec![from.posting(negated(amount)?)?, to.posting(amount)?])
}

fn negated(amount: Millipence) -> Result<Millipence, EntryError> {
    amount.checked_neg().ok_or(EntryError::Amount(amount.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        let a = || "acct_x-1".to_owned();
        for (account, name, guarded) in [
            (LedgerAccount::ProcessorClearing, "processor:clearing", false),
            (LedgerAccount::ProcessorFees, "processor:fees", false),
            (LedgerAccount::WalletClearing, "wallet:clearing", false),
            (LedgerAccount::SandboxGrants, "sandbox:grants", false),
            (LedgerAccount::WriteOff, "write_off", false),
            (LedgerAccount::Unearned(a()), "unearned:acct_x-1", true),
            (LedgerAccount::Credit(a()), "credit:acct_x-1", true),
            (LedgerAccount::Held(a()), "held:acct_x-1", true),
            (LedgerAccount::DevPending(a()), "dev:acct_x-1:pending", true),
            (LedgerAccount::DevAvailable(a()), "dev:acct_x-1:available", true),
            (LedgerAccount::InTransit(a()), "in_transit:acct_x-1", true),
            (LedgerAccount::Platform, "platform", true),
            (LedgerAccount::Treasury, "treasury", true),
            (LedgerAccount::Refunds, "refunds", true),
            (LedgerAccount::EarnBudget, "earn_budget", true),
            (LedgerAccount::Providers, "providers", true),
        ] {
            assert_eq!(account.to_string(), name);
            assert_eq!(LedgerAccount::parse(name), Some(account.clone()));
            assert_eq!(account.guarded(), guarded, "{name}");
            assert_eq!(account.posting(Millipence::new(1)).unwrap().guarded, guarded);
        }
    }

    #[test]
    fn nothing_else_is_an_account() {
        for name in [
            "",
            "platform ",
            "Platform",
            "credit",
            "credit:",
            "credit:a:b",
            "dev:a",
            "dev:a:spent",
            "dev::pending",
            "x:a",
        ] {
            assert_eq!(LedgerAccount::parse(name), None, "{name:?}");
        }
        for party in ["", "a b", "a:b", "a@b.c", "é", &"x".repeat(65)] {
            assert!(LedgerAccount::Credit(party.to_owned()).posting(Millipence::new(1)).is_err(), "{party:?}");
        }
    }
}
