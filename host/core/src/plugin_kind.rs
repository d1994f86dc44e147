//! `PluginKind`: the two kinds of plugins, as manifests, records and routes
//! name them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number of characters of an unknown kind that an error shows.
const EXCERPT_CHARS: usize = 64;

/// The kind of a plugin: a paid data endpoint, or an agent that works on tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PluginKind {
    /// A plugin that answers one JSON object with another; sold per call.
    Bridge,
    /// A plugin that works on tasks; sold per task.
    Agent,
}

/// An error for a text that is not the name of a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a kind; write \"bridge\" or \"agent\"")]
pub struct UnknownPluginKind(String);

impl PluginKind {
    /// Every kind, in the order in which the registry is scanned.
    pub const ALL: [Self; 2] = [Self::Bridge, Self::Agent];

    /// The name of the kind in manifests, records and events.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bridge => "bridge",
            Self::Agent => "agent",
        }
    }

    /// The folder of the registry that holds plugins of this kind.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Bridge => "bridges",
            Self::Agent => "agents",
        }
    }
}

impl FromStr for PluginKind {
    type Err = UnknownPluginKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownPluginKind(text.chars().take(EXCERPT_CHARS).collect());
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(unknown)
    }
}

impl fmt::Display for PluginKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
