//! Compiled patterns of rules. Rules are constants, so there are as many patterns as they name.

use std::collections::BTreeMap;

use regex_lite::Regex;
use tollbridge_sdk::Ready;

use crate::{rules, secret};

/// All patterns, side by side: each changes at its first use in a call, and with it the page of memory that it is on.
pub static COMPILED: Ready<BTreeMap<&'static str, Regex>> = Ready::new(|| {
    let of_rules = rules::all().flat_map(|rule| [rule.pattern, rule.unless]);
    let patterns = of_rules.chain(secret::patterns()).filter(|pattern| !pattern.is_empty());
    patterns.filter_map(|pattern| Some((pattern, Regex::new(pattern).ok()?))).collect()
});

/// The pattern of a rule. Tests compile them all; one that did not compile would find nothing.
pub fn compiled(pattern: &'static str) -> Option<&'static Regex> {
    COMPILED.get(pattern)
}
