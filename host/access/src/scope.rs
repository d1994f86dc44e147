//! Scopes of keys.

use serde::{Deserialize, Serialize};

/// A permission of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Permission to call bridges and agents, and to pay for the calls.
    Call,
    /// Permission to change the account: keys, agents, webhooks, withdrawals.
    Manage,
}

/// The scopes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scopes {
    /// Whether the key may call bridges and agents.
    pub call: bool,
    /// Whether the key may manage the account.
    pub manage: bool,
}

impl Scopes {
    /// Every scope.
    pub const ALL: Self = Self { call: true, manage: true };
    /// Only the scope to call.
    pub const CALL: Self = Self { call: true, manage: false };

    /// Returns whether a scope is included.
    pub const fn allow(self, scope: Scope) -> bool {
        match scope {
            Scope::Call => self.call,
            Scope::Manage => self.manage,
        }
    }
}

impl Scope {
    /// Returns the name of the scope in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Manage => "manage",
        }
    }
}
