//! The effective configuration, with the source of each value.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::key::Key;
use super::layers::Leaf;
use super::problem::{Origin, Problem};
use super::reader::KnownKey;
use super::sections::Config;

/// A valid configuration, with the warnings about it and the origin of each value.
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Settings that are valid but may not work as the operator expects.
    pub warnings: Vec<Problem>,
    pub(super) leaves: BTreeMap<Key, Leaf>,
    pub(super) known: BTreeMap<Key, KnownKey>,
}

/// One setting in the output of `config show`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSetting {
    /// The dotted name of the table that contains the key.
    pub section: String,
    /// The name of the key in its table, quoted where TOML requires it.
    pub name: String,
    /// The value as TOML; `None` if it is neither set nor derived. Secrets are masked.
    pub value: Option<String>,
    /// The source of the value; `None` without a value.
    pub source: Option<Origin>,
}

/// The text that is shown in place of a secret.
pub(super) const MASK: &str = "\"********\"";

impl Loaded {
    /// Returns every key with its effective value, section by section.
    pub fn entries(&self) -> Vec<ShownSetting> {
        let mut keys: Vec<&Key> = self.known.keys().collect();
        // Show a section's own keys before the tables below it.
        keys.sort_by_key(|key| (key.segments().first(), key.parent(), key.last()));
        keys.into_iter().map(|key| self.entry(key)).collect()
    }

    /// Formats the configuration as TOML, with the source of each value in a
    /// comment.
    pub fn show(&self) -> String {
        let mut out = String::new();
        let mut section = String::new();
        for entry in self.entries() {
            if entry.section != section {
                let gap = if out.is_empty() { "" } else { "\n" };
                // Writing to a String cannot fail.
                let _ = writeln!(out, "{gap}[{}]", entry.section);
                section = entry.section;
            }
            let _ = match (entry.value, entry.source) {
                (Some(value), Some(source)) => writeln!(out, "{} = {value}  # {source}", entry.name),
                _ => writeln!(out, "# {} is not set", entry.name),
            };
        }
        out
    }

    fn entry(&self, key: &Key) -> ShownSetting {
        let known = self.known.get(key);
        let (value, source) = match (self.leaves.get(key), known.and_then(|known| known.derived.as_ref())) {
            (Some(leaf), _) => (Some(leaf.raw.to_string()), Some(leaf.origin.clone())),
            (None, Some((raw, why))) => (Some(raw.to_string()), Some(Origin::Derived(why))),
            (None, None) => (None, None),
        };
        let secret = known.is_some_and(|known| known.secret);
        ShownSetting {
            section: key.parent().to_string(),
            name: Key::new(vec![key.last().to_owned()]).to_string(),
            value: if secret { value.map(|_| MASK.to_owned()) } else { value },
            source,
        }
    }
}
