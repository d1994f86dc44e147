//! The committed lists, searched in place: one entry a line, sorted by bytes.
//!
//! Invariant: a search takes as many steps as the list has bits in its length.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::Error;

/// Domains of throwaway mailboxes.
pub const DISPOSABLE: &str = include_str!("../data/disposable.txt");
/// Rules of the Public Suffix List, section ICANN.
pub const ICANN: &str = include_str!("../data/icann.txt");
/// Rules of the Public Suffix List, section of private owners.
pub const PRIVATE: &str = include_str!("../data/private.txt");
/// Local parts of role accounts.
pub const ROLES: &str = include_str!("../data/roles.txt");
/// Domains of common mailbox providers.
pub const PROVIDERS: &str = include_str!("../data/providers.txt");
/// Domains that are suggested for typing mistakes.
pub const TARGETS: &str = include_str!("../data/targets.txt");
/// Common top-level domains that are suggested.
pub const TOPS: &str = include_str!("../data/tops.txt");
const SOURCES: &str = include_str!("../data/sources.json");

/// A data set behind the answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The day it is of; where the package has none, the day on which it was the newest.
    pub as_of: String,
    /// Its licence.
    pub licence: String,
    /// What it holds.
    pub source: String,
}

/// The sources of the lists.
pub fn sources() -> Result<Vec<Source>, Error> {
    serde_json::from_str(SOURCES).map_err(|error| Error::internal(format!("data/sources.json: {error}")))
}

/// Is this line in the list?
pub fn holds(list: &str, line: &str) -> bool {
    let bytes = list.as_bytes();
    let (mut low, mut high) = (0usize, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = bytes.get(..middle).and_then(|head| head.iter().rposition(|b| *b == b'\n')).map_or(0, |at| at + 1);
        let rest = bytes.get(start..).unwrap_or_default();
        let end = start + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        match bytes.get(start..end).unwrap_or_default().cmp(line.as_bytes()) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found_and_others_are_not() {
        for list in [DISPOSABLE, ICANN, PRIVATE, ROLES, PROVIDERS, TARGETS, TOPS] {
            let lines: Vec<&str> = list.lines().collect();
            assert!(lines.is_sorted());
            assert!(lines.iter().all(|line| holds(list, line) && !holds(list, &format!("{line}\u{1}"))));
            assert!(!holds(list, "") && !holds(list, "~"));
        }
        assert_eq!(sources().unwrap().len(), 5);
    }
}
