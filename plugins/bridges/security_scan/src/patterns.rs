//! Compiled patterns of rules. Rules are constants, so there are as many patterns as they name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use regex_lite::Regex;

/// Those that have been asked for, most of them when the bridge was built.
static COMPILED: Mutex<BTreeMap<&'static str, &'static Regex>> = Mutex::new(BTreeMap::new());

/// Compiles patterns side by side: each changes at its first use in a call, and with it the page of memory that it
/// is on.
pub fn prepare(patterns: impl Iterator<Item = &'static str>) {
    let compiled: Vec<_> = patterns.filter_map(|pattern| Some((pattern, Regex::new(pattern).ok()?))).collect();
    let compiled: &'static [_] = compiled.leak();
    let mut known = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    known.extend(compiled.iter().map(|(pattern, regex)| (*pattern, regex)));
}

/// The pattern of a rule, compiled once. Tests compile them all; one that did not compile would find nothing.
pub fn compiled(pattern: &'static str) -> Option<&'static Regex> {
    let mut known = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(compiled) = known.get(pattern) {
        return Some(compiled);
    }
    let compiled: &'static Regex = Box::leak(Box::new(Regex::new(pattern).ok()?));
    known.insert(pattern, compiled);
    Some(compiled)
}
