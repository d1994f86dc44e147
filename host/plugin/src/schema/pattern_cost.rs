//! The cost of matching a regular expression, per byte of text.
//!
//! The engine takes linear time, but the factor varies. A pattern with a small automaton takes one
//! step per byte. If the automaton would be large, the engine tracks all positions in the pattern
//! at once, so `a[ab]{200}[^ab]` takes two hundred steps per byte.

use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::limits::SCHEMA_PATTERN_BYTES_MAX;

/// Maximum memory of the automaton of a pattern. An automaton within this size takes one
/// step per byte for any input, and stays within the cache of the regex engine.
const SCHEMA_AUTOMATON_BYTES_MAX: usize = 96 << 10;

/// The minimum cost of a search, even if it fails at the first byte.
const SEARCH: u64 = 10;
/// The number of ranges in a character class that cost as much as one position. The engine does a
/// binary search among the ranges of one byte, of which there are at most 64.
const RANGES_PER_PLACE: usize = 16;

/// The steps that one search with a pattern takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatternCost {
    /// Fixed steps per search.
    pub(super) per_search: u64,
    /// Steps per byte of the text.
    pub(super) per_byte: u64,
}

/// Returns the cost of a pattern; `None` if the pattern is invalid or the engine rejects it.
pub(crate) fn of(pattern: &str) -> Option<PatternCost> {
    let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
    let hir = regex_syntax::parse(&translated).ok()?;
    let (forward, reverse) = (nfa(&hir, false)?, nfa(&hir, true)?);
    let places = places(&hir);
    // The engine may search forwards or backwards, so both automata must be small.
    let per_byte = if is_small_automaton(&forward) && is_small_automaton(&reverse) { 1 } else { places };
    Some(PatternCost { per_search: places.saturating_add(SEARCH), per_byte })
}

/// Counts the characters of a pattern after expanding its repetitions, an upper bound for the
/// positions that the engine tracks.
fn places(hir: &Hir) -> u64 {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(text) => count(text.0.len()),
        HirKind::Class(class) => {
            let ranges = match class {
                Class::Unicode(class) => class.ranges().len(),
                Class::Bytes(class) => class.ranges().len(),
            };
            count(1 + ranges.min(64) / RANGES_PER_PLACE)
        }
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min.saturating_add(1)).max(1);
            places(&repeated.sub).saturating_mul(u64::from(times))
        }
        HirKind::Capture(group) => places(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(0, |sum, part| sum.saturating_add(places(part)))
        }
    }
}

/// Builds the automaton of a pattern; `None` if it is too large for the engine.
fn nfa(hir: &Hir, reverse: bool) -> Option<NFA> {
    let config = thompson::Config::new()
        .nfa_size_limit(Some(SCHEMA_PATTERN_BYTES_MAX))
        .which_captures(WhichCaptures::None)
        .reverse(reverse);
    thompson::Compiler::new().configure(config).build_from_hir(hir).ok()
}

/// Returns whether all states of a search fit the engine's cache, so that no state is ever built
/// twice.
fn is_small_automaton(nfa: &NFA) -> bool {
    let config = dense::Config::new()
        .start_kind(StartKind::Both)
        .dfa_size_limit(Some(SCHEMA_AUTOMATON_BYTES_MAX))
        .determinize_size_limit(Some(SCHEMA_AUTOMATON_BYTES_MAX));
    dense::Builder::new().configure(config).build_from_nfa(nfa).is_ok()
}

fn count(places: usize) -> u64 {
    u64::try_from(places).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_byte(pattern: &str) -> u64 {
        of(pattern).unwrap().per_byte
    }

    #[test]
    fn ordinary_patterns_take_one_step_for_each_byte() {
        for pattern in [
            "^[a-z0-9_-]{1,64}$",
            "^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$",
            "^(GB|DE|FR)$",
            "^\\d{4}-\\d{2}-\\d{2}$",
            "^[^@ ]+@[^@ ]+\\.[a-z]{2,}$",
            "",
        ] {
            assert_eq!(per_byte(pattern), 1, "{pattern}");
        }
    }

    #[test]
    fn what_explodes_takes_as_many_as_it_has_places() {
        assert_eq!(per_byte("a[ab]{200}[^ab]"), 202);
        assert_eq!(per_byte("(a[ab]{20}){10}c"), 211);
        assert!(per_byte("(?:[ab]?){100}a[ab]{100}") >= 200);
        // The pattern is anchored at the end, so the engine may search backwards.
        assert!(per_byte("[ab]{100}a[ab]*$") >= 100);
    }

    #[test]
    fn what_the_engine_refuses_is_not_counted() {
        assert_eq!(of("((\\w{999}){999}){999}"), None);
    }

    #[test]
    fn what_is_no_pattern_has_no_cost() {
        assert_eq!(of("("), None);
        assert_eq!(of("(a+)\\1"), None);
    }
}
