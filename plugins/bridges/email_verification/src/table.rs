//! The committed lists, searched in place: one entry a line, sorted by bytes.
//!
//! Invariant: a search takes as many steps as the list has bits in its length.

use bridge_common::{Source, source, table};
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

/// The sources of the lists.
pub fn sources() -> Result<Vec<Source>, Error> {
    source::listed(SOURCES)
}

/// Is this line in the list?
pub fn holds(list: &str, line: &str) -> bool {
    table::find(list, line).is_some()
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
