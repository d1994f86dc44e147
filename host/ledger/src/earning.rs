//! Records of earnings other than those from plugin calls: the operator's budget for
//! tasks, completed tasks, and transfers between accounts.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Hash, Posting};

use super::bodies::{Earnings, RecordedShares};
use super::canonical_json;
use super::chart::LedgerAccount;
use super::chart::transfer;
use super::entry_error::EntryError;
use super::names::{name, party};

/// Money that the operator sets aside for earn tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetFunding {
    /// Source of the money.
    pub source: FundingSource,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// A source of money that the operator spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FundingSource {
    /// Test money; sandbox only.
    Grant,
    /// The operator's share of calls.
    Platform,
    /// Money that the operator deposited with the processor; only in live mode.
    Deposit,
}

/// A completed and paid earn task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskReward {
    /// Account that earns the reward.
    pub account: String,
    /// Id of the task.
    pub task: String,
    /// Random salt, without which the digest could be guessed.
    #[serde(with = "hex::serde")]
    pub salt: [u8; 16],
    /// SHA-256 of salt and result.
    #[serde(with = "hex::serde")]
    pub result_sha256: Hash,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// The purpose of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A payment from one agent to another: `/v1/a2a/settle`.
    A2a,
    /// The price of storing an item in an agent's memory: `/v1/memory/store`.
    Memory,
}

/// A transfer from an account's credit to the owner of an agent, split like the price of
/// a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Purpose of the transfer.
    pub purpose: Purpose,
    /// Account whose credit pays.
    pub account: String,
    /// The paying agent, if an agent pays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_agent: Option<String>,
    /// The agent that is paid.
    pub agent: String,
    /// Account that earns the developer's share.
    pub owner: String,
    /// Whether the earnings are on hold or can be withdrawn.
    pub earnings: Earnings,
    /// Amount of the transfer, before the split.
    #[serde(rename = "gross_millipence")]
    pub gross: Millipence,
    /// The shares of the gross amount.
    pub shares: RecordedShares,
    /// Seal of the policy record in force.
    #[serde(with = "hex::serde")]
    pub policy: Hash,
    /// Random salt, without which the digest could be guessed.
    #[serde(with = "hex::serde")]
    pub salt: [u8; 16],
    /// SHA-256 of salt and request body.
    #[serde(with = "hex::serde")]
    pub request_sha256: Hash,
}

impl FundingSource {
    /// Returns the ledger account from which the money is taken.
    pub const fn ledger_account(self) -> LedgerAccount {
        match self {
            Self::Grant => LedgerAccount::SandboxGrants,
            Self::Platform => LedgerAccount::Platform,
            Self::Deposit => LedgerAccount::ProcessorClearing,
        }
    }
}

impl BudgetFunding {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        transfer(&self.source.ledger_account(), &LedgerAccount::EarnBudget, self.amount)
    }
}

impl TaskReward {
    pub(super) fn check_names(&self) -> Result<(), EntryError> {
        party(&self.task)
    }

    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        transfer(&LedgerAccount::EarnBudget, &LedgerAccount::DevAvailable(self.account.clone()), self.amount)
    }
}

impl Transfer {
    pub(super) fn check_names(&self) -> Result<(), EntryError> {
        name("agent", &self.agent)?;
        self.from_agent.as_deref().map_or(Ok(()), |agent| name("from_agent", agent))
    }

    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let RecordedShares { developer, platform, treasury } = self.shares;
        for amount in [self.gross, developer, platform, treasury] {
            if amount.is_negative() || !canonical_json::is_safe(amount.get()) {
                return Err(EntryError::Amount(amount.get()));
            }
        }
        let sum = developer.checked_add(platform).and_then(|sum| sum.checked_add(treasury));
        if sum != Some(self.gross) || self.gross.is_zero() {
            return Err(EntryError::Shares);
        }
        let owner = match self.earnings {
            Earnings::Available => LedgerAccount::DevAvailable(self.owner.clone()),
            Earnings::Pending => LedgerAccount::DevPending(self.owner.clone()),
        };
        let paid = self.gross.checked_neg().ok_or(EntryError::Amount(self.gross.get()))?;
        let postings = [
            LedgerAccount::Credit(self.account.clone()).posting(paid)?,
            owner.posting(developer)?,
            LedgerAccount::Platform.posting(platform)?,
            LedgerAccount::Treasury.posting(treasury)?,
        ];
        Ok(postings.into_iter().filter(|posting| !posting.amount.is_zero()).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::entry::Entry;
    use super::*;
    use tollbridge_core::money::SplitPolicy;

    fn a_transfer(gross: i64, policy: &SplitPolicy) -> Transfer {
        let gross = Millipence::new(gross);
        Transfer {
            purpose: Purpose::A2a,
            account: "acct_a".to_owned(),
            from_agent: Some("mine".to_owned()),
            agent: "theirs".to_owned(),
            owner: "acct_b".to_owned(),
            earnings: Earnings::Pending,
            gross,
            shares: policy.split(gross).into(),
            policy: [1; 32],
            salt: [2; 16],
            request_sha256: [3; 32],
        }
    }

    proptest! {
        #[test]
        fn a_transfer_sums_to_zero_and_reads_back(gross in 1_i64..100_000_000, developer in 0_u16..=1000) {
            let policy = SplitPolicy::new(developer, 1000 - developer, 0, 0).unwrap();
            let entry = Entry::Transfer(a_transfer(gross, &policy));
            let postings = entry.postings().unwrap();
            prop_assert_eq!(postings.iter().map(|posting| posting.amount.get()).sum::<i64>(), 0);
            prop_assert_eq!(postings[0].amount.get(), -gross);
            prop_assert_eq!(Entry::read("transfer", &entry.body().unwrap()).unwrap(), entry);
        }
    }

    #[test]
    fn empty_or_unbalanced_earnings_are_refused() {
        let policy = SplitPolicy::new(800, 175, 25, 800).unwrap();
        assert!(Entry::Transfer(a_transfer(0, &policy)).postings().is_err());
        let mut crooked = a_transfer(1_000, &policy);
        crooked.gross = Millipence::new(999);
        assert_eq!(Entry::Transfer(crooked).postings(), Err(EntryError::Shares));
        let mut nameless = a_transfer(1_000, &policy);
        nameless.agent = "no name".to_owned();
        assert!(matches!(Entry::Transfer(nameless).postings(), Err(EntryError::Name { member: "agent", .. })));
        for amount in [0, -1] {
            let funding = BudgetFunding { source: FundingSource::Grant, amount: Millipence::new(amount) };
            assert!(Entry::EarnBudget(funding).postings().is_err());
        }
    }

    #[test]
    fn a_task_is_paid_out_of_the_budget() {
        let earn = TaskReward {
            account: "acct_a".to_owned(),
            task: "label-1".to_owned(),
            salt: [0; 16],
            result_sha256: [1; 32],
            amount: Millipence::new(78_000),
        };
        let entry = Entry::Earn(earn);
        let postings = entry.postings().unwrap();
        let legs: Vec<_> = postings.iter().map(|leg| (leg.account.as_str(), leg.amount.get(), leg.guarded)).collect();
        assert_eq!(legs, [("earn_budget", -78_000, true), ("dev:acct_a:available", 78_000, true)]);
        assert_eq!(Entry::read("earn", &entry.body().unwrap()).unwrap(), entry);
    }
}
