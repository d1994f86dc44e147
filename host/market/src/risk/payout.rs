//! Payout requests and the decisions about them.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use tollbridge_access::AccountError;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::LedgerError;
use tollbridge_ledger::events::{self, Suspicion};
use tollbridge_store::{OutboxEvent, StoreError};

/// A requested payout.
#[derive(Clone, Copy, Debug)]
pub struct PayoutRequest<'a> {
    /// Account id.
    pub account: &'a str,
    /// Amount in millipence.
    pub amount: Millipence,
    /// Time (Unix milliseconds) and amount of the account's earlier payouts, including at
    /// least those of the last day; failed payouts are not included.
    pub earlier: &'a [(u64, Millipence)],
    /// IP address of the client that requested the payout.
    pub client: Option<IpAddr>,
    /// Time of the request, Unix milliseconds.
    pub now_ms: u64,
}

/// The decision about a payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RiskDecision {
    /// No rule applies; the payout can be sent.
    Pass,
    /// The payout must wait for the operator.
    Block(PayoutBlock),
}

/// The reasons why a payout is blocked, and their severity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutBlock {
    /// Severity of the block as a whole.
    pub level: RiskLevel,
    /// Reasons, at least one; each names a rule and the figures found.
    pub reasons: Vec<BlockReason>,
}

/// The severity of a blocked payout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskLevel {
    /// The payout is unusual.
    Medium,
    /// The payout is likely to be fraud.
    High,
}

/// A rule that a payout violated, with the finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReason {
    /// Violated rule.
    pub rule: RiskRule,
    /// The figure found and its limit, as text for the operator.
    pub found: String,
    /// The plugin that the finding concerns, with the rule's confidence in thousandths;
    /// `None` if the finding concerns no plugin.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<(String, u16)>,
}

/// A rule that payouts are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskRule {
    /// Too many payouts, or too high a total, within a day.
    Velocity,
    /// The account is new.
    FreshAccount,
    /// The account paid for its own earnings.
    SelfDealing,
    /// Many accounts signed up within an hour with the account's referral code.
    SignUpBurst,
    /// The client's IP address is suspicious.
    Address,
}

/// The reason why a payout could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum RiskError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl RiskRule {
    /// Returns the name of the severity in API messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Velocity => "velocity",
            Self::FreshAccount => "fresh_account",
            Self::SelfDealing => "self_dealing",
            Self::SignUpBurst => "sign_up_burst",
            Self::Address => "address",
        }
    }

    pub(super) const fn reason(self, found: String) -> BlockReason {
        BlockReason { rule: self, found, about: None }
    }
}

impl RiskLevel {
    /// Returns the name of the rule in API messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl PayoutBlock {
    /// Builds the events that report the block: fraud.blocked for the user and the
    /// operator, and fraud.detected for each plugin named in a reason. They are written
    /// in the same change that blocks the payout.
    pub fn events(&self, user: &str, client: Option<IpAddr>, now_ms: u64) -> Vec<OutboxEvent> {
        let mut outgoing_events = events::fraud_blocked(user, &self.rules(), self.level.as_str(), now_ms);
        let ip = client.map(|client| client.to_string());
        for (plugin, permille) in self.reasons.iter().filter_map(|reason| reason.about.as_ref()) {
            let found = Suspicion {
                owner: user,
                agent_id: plugin,
                ip: ip.as_deref(),
                risk_permille: *permille,
                action: "blocked",
            };
            outgoing_events.extend(events::fraud_detected(&found, now_ms));
        }
        outgoing_events
    }

    /// Returns the names of the violated rules, for the event and the answer to the user.
    pub fn rules(&self) -> String {
        let mut names: Vec<&str> = self.reasons.iter().map(|reason| reason.rule.as_str()).collect();
        names.dedup();
        names.join(", ")
    }
}
