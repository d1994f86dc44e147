//! A payout, and what the rules say of it.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use tollbridge_access::AccountError;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::LedgerError;
use tollbridge_ledger::events::{self, Suspicion};
use tollbridge_store::{OutboxEvent, StoreError};

/// A payout that somebody asks for.
#[derive(Clone, Copy, Debug)]
pub struct PayoutRequest<'a> {
    /// Account id.
    pub account: &'a str,
    /// Amount in millipence.
    pub amount: Millipence,
    /// Time (Unix milliseconds) and amount of the account's earlier payouts, at
    /// least those of the last day; failed ones do not count.
    pub earlier: &'a [(u64, Millipence)],
    /// Where the request came from.
    pub client: Option<IpAddr>,
    /// Unix time, milliseconds.
    pub now_ms: u64,
}

/// Whether a payout may go out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RiskDecision {
    /// Nothing speaks against it.
    Pass,
    /// It must wait for the operator.
    Block(PayoutBlock),
}

/// Why a payout waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutBlock {
    /// How serious it is.
    pub level: RiskLevel,
    /// At least one; each a rule and its figures.
    pub reasons: Vec<BlockReason>,
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskLevel {
    /// Unusual.
    Medium,
    /// Likely fraud.
    High,
}

/// A rule that a payout broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReason {
    /// The rule that applies.
    pub rule: RiskRule,
    /// For the operator: what was found and what the limit is.
    pub found: String,
    /// The plugin that it is about, if one is, and how sure the rule is, in
    /// thousandths.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub about: Option<(String, u16)>,
}

/// What a payout is checked for.
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

/// Why a payout was not judged.
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
    /// Its name on the wire.
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
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl PayoutBlock {
    /// What is told of it: fraud.blocked to the user and the operator, and
    /// fraud.detected for each plugin that a reason is about. Goes into the
    /// change that holds the payout back.
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

    /// The rules, as the event and the user's answer name them.
    pub fn rules(&self) -> String {
        let mut names: Vec<&str> = self.reasons.iter().map(|reason| reason.rule.as_str()).collect();
        names.dedup();
        names.join(", ")
    }
}
