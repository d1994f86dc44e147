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
    /// Time (Unix milliseconds) and amount of the account's earlier payouts, at
    /// least those of the last day; failed ones do not count.
    pub earlier: &'a [(u64, Millipence)],
    /// IP address of the request.
    pub client: Option<IpAddr>,
    /// Unix time, milliseconds.
    pub now_ms: u64,
}

/// The decision about a payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RiskDecision {
    /// No rule applies.
    Pass,
    /// The payout must wait for the operator.
    Block(PayoutBlock),
}

/// The findings that block a payout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutBlock {
    /// Severity.
    pub level: RiskLevel,
    /// Reasons, at least one; each has a rule and its figures.
    pub reasons: Vec<BlockReason>,
}

/// The severity of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskLevel {
    /// Unusual.
    Medium,
    /// Likely fraud.
    High,
}

/// A rule that a payout violated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReason {
    /// Violated rule.
    pub rule: RiskRule,
    /// Finding and limit, for the operator.
    pub found: String,
    /// Plugin concerned, if any, and the confidence of the rule in thousandths.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<(String, u16)>,
}

/// A rule that payouts are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskRule {
    /// Too much in too short a time.
    Velocity,
    /// The account is new.
    FreshAccount,
    /// The account pays itself.
    SelfDealing,
    /// Many accounts were referred at once.
    SignUpBurst,
    /// The client's address is suspicious.
    Address,
}

/// The reason a payout could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum RiskError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl RiskRule {
    /// Returns the name on the wire.
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
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl PayoutBlock {
    /// Builds the events: fraud.blocked for the user and the operator, and fraud.detected for
    /// each plugin named by a reason. They are written with the change that blocks the
    /// payout.
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

    /// Returns the rule names, for the event and the answer to the user.
    pub fn rules(&self) -> String {
        let mut names: Vec<&str> = self.reasons.iter().map(|reason| reason.rule.as_str()).collect();
        names.dedup();
        names.join(", ")
    }
}
