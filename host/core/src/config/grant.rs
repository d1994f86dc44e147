//! `Grant`: a permission that a manifest may ask for and an operator may allow.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::raw::Raw;
use super::setting::{Setting, one_of};

/// A resource, other than its input, that a plugin may use. Nothing is granted by
/// default: a plugin gets a grant only if its manifest asks for it and the operator
/// allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grant {
    /// Writing to the operator's log.
    Logging,
    /// Reading the values and secrets that the operator set for this plugin.
    Config,
    /// A shared and a per-caller key-value bucket with a quota.
    Keyvalue,
    /// Outgoing HTTP requests to the hosts in `allow_hosts`.
    Http,
    /// Completions by models, through the host's providers.
    Inference,
    /// Reading sealed records of the ledger.
    Ledger,
    /// Calling other bridges from the plugin.
    Bridges,
    /// Reading data sets that the host loads once.
    Tables,
}

/// An error for a text that is not the name of a grant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a grant; the grants are logging, config, keyvalue, http, inference, ledger, bridges and tables")]
pub struct UnknownGrant(String);

impl Grant {
    /// All grants.
    pub const ALL: [Self; 8] = [
        Self::Logging,
        Self::Config,
        Self::Keyvalue,
        Self::Http,
        Self::Inference,
        Self::Ledger,
        Self::Bridges,
        Self::Tables,
    ];

    /// The name of the grant in manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Logging => "logging",
            Self::Config => "config",
            Self::Keyvalue => "keyvalue",
            Self::Http => "http",
            Self::Inference => "inference",
            Self::Ledger => "ledger",
            Self::Bridges => "bridges",
            Self::Tables => "tables",
        }
    }
}

impl Setting for Grant {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &Self::ALL.map(|grant| (grant.as_str(), grant)))
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Grant {
    type Err = UnknownGrant;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|grant| grant.as_str() == text)
            .ok_or_else(|| UnknownGrant(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_everywhere() {
        for grant in Grant::ALL {
            assert_eq!(grant.to_string().parse(), Ok(grant));
            assert_eq!(serde_json::to_string(&grant).unwrap(), format!("\"{grant}\""));
        }
    }

    #[test]
    fn other_names_are_refused() {
        for text in ["", "Http", "http ", "sockets", "*"] {
            assert!(text.parse::<Grant>().is_err(), "{text:?}");
        }
    }
}
