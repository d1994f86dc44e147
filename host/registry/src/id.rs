//! Names and versions of plugins, and names of publishers.
//!
//! Invariant: a `Name` or a version text is a single, safe path component; values of these types
//! can be joined to a path without further checks.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use semver::{BuildMetadata, Version};
use serde::{Deserialize, Serialize};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::plugin_kind::UnknownPluginKind;

use crate::limits::NAME_BYTES_MAX;

/// Maximum length of a version as text; versions become folder names.
const VERSION_BYTES_MAX: usize = 64;

/// Name of a plugin or publisher: `[a-z0-9_-]{1,64}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// A plugin's kind and name, without a version. A bridge and an agent may share a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginId {
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Name, unique among the plugins of the same kind.
    pub name: Name,
}

/// The reason why text is not a valid name, kind or version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum IdError {
    #[error("{0:?} is not a name; use 1 to 64 of the characters a-z, 0-9, `_` and `-`")]
    Name(String),
    #[error(transparent)]
    PluginKind(#[from] UnknownPluginKind),
    #[error("{0:?} is not a plugin; write bridge/NAME or agent/NAME")]
    Plugin(String),
    #[error("{0:?} is not a version; write it like \"1.0.0\"")]
    Version(String),
    #[error("{0:?} has build metadata; leave out the `+` and what follows, and raise the version instead")]
    BuildMetadata(String),
}

/// Parses a semantic version without build metadata; versions that differ only in build metadata
/// would have no order.
pub fn parse_version(text: &str) -> Result<Version, IdError> {
    let version = match Version::parse(text) {
        Ok(version) if text.len() <= VERSION_BYTES_MAX => version,
        _ => return Err(IdError::Version(excerpt(text))),
    };
    if version.build != BuildMetadata::EMPTY {
        return Err(IdError::BuildMetadata(excerpt(text)));
    }
    Ok(version)
}

/// Returns the beginning of an untrusted text, short enough for an error message.
pub(super) fn excerpt(text: &str) -> String {
    tollbridge_core::excerpt::excerpt(text, 80)
}

impl Name {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(allowed) {
            return Err(IdError::Name(excerpt(text)));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Name {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl PluginId {
    /// Returns the key of this plugin's row in the store, for example `bridge/lead_score`.
    pub fn row_key(&self) -> String {
        self.to_string()
    }
}

impl FromStr for PluginId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, name) = text.split_once('/').ok_or_else(|| IdError::Plugin(excerpt(text)))?;
        Ok(Self { kind: kind.parse()?, name: name.parse()? })
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_harmless_path_components() {
        let long = "a".repeat(65);
        for text in ["", ".", "..", "a/b", "a\\b", "A", "é", "a b", "a.b", "a\n", "a\0", "*", &long] {
            assert!(text.parse::<Name>().is_err(), "{text:?}");
        }
        for text in ["a", "anomaly_detection", "0", "-", "a-b", &long[1..]] {
            assert_eq!(text.parse::<Name>().unwrap().as_str(), text);
        }
    }

    #[test]
    fn versions_have_one_spelling_and_an_order() {
        let long = format!("1.0.0-{}", "a".repeat(60));
        for text in ["", "1", "1.0", "01.0.0", "1.0.0 ", "v1.0.0", "1.0.0+build", "../1.0.0", &long] {
            assert!(parse_version(text).is_err(), "{text:?}");
        }
        for text in ["0.0.0", "1.0.0", "1.2.3-rc.1"] {
            assert_eq!(parse_version(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn plugin_ids_read_as_they_print() {
        let id: PluginId = "bridge/lead_score".parse().unwrap();
        assert_eq!((id.kind.folder(), id.row_key().as_str()), ("bridges", "bridge/lead_score"));
        for text in ["lead_score", "bridges/lead_score", "bridge/", "bridge/a/b"] {
            assert!(text.parse::<PluginId>().is_err(), "{text:?}");
        }
    }
}
