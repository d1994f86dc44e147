//! Scopes of keys.

use serde::{Deserialize, Serialize};

/// A permission of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Call bridges and agents, and pay for them.
    Call,
    /// Change the account: keys, agents, webhooks, withdrawals.
    Manage,
}

/// The scopes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scopes {
    /// Whether the key may call.
    pub call: bool,
    /// Whether the key may manage the account.
    pub manage: bool,
}

impl Scopes {
    /// Every scope.
    pub const ALL: Self = Self { call: true, manage: true };
    /// Calls only.
    pub const CALL: Self = Self { call: true, manage: false };

    /// Whether a scope is included.
    pub const fn allow(self, scope: Scope) -> bool {
        match scope {
            Scope::Call => self.call,
            Scope::Manage => self.manage,
        }
    }
}

impl Scope {
    /// The name of the scope in requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Manage => "manage",
        }
    }
}
