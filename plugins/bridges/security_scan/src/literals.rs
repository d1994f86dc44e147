//! Where the literals of rules stand in a text, found in one pass over it.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Literals to look for.
pub struct Literals {
    distinct: Vec<&'static str>,
    automaton: Option<AhoCorasick>,
}

impl Literals {
    /// Prepares the search.
    pub fn new<'a>(literals: impl Iterator<Item = &'a &'static str>) -> Self {
        let mut distinct: Vec<&'static str> = literals.copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let automaton = AhoCorasick::builder().kind(kind).prefilter(false).build(&distinct).ok();
        Self { distinct, automaton }
    }

    /// The bytes at which each literal begins in a text.
    pub fn find(&self, text: &str) -> Places {
        let mut of: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        for hit in self.automaton.iter().flat_map(|automaton| automaton.find_overlapping_iter(text)) {
            if let Some(literal) = self.distinct.get(hit.pattern().as_usize()) {
                of.entry(literal).or_default().push(hit.start());
            }
        }
        Places { of }
    }
}

/// Where literals stand in one text.
pub struct Places {
    of: BTreeMap<&'static str, Vec<usize>>,
}

impl Places {
    /// Where any of some literals begins, in order.
    #[must_use]
    pub fn of_any(&self, literals: &[&str]) -> Vec<usize> {
        let mut places: Vec<usize> = literals.iter().filter_map(|text| self.of.get(text)).flatten().copied().collect();
        places.sort_unstable();
        places
    }
}

#[cfg(test)]
mod tests {
    use crate::{rules, secret};

    #[test]
    fn every_literal_is_found_also_within_another() {
        for literals in [&*rules::LITERALS, &*secret::LITERALS] {
            let text = literals.distinct.join("\n");
            let places = literals.find(&text);
            for literal in &literals.distinct {
                let expected: Vec<usize> = (0..text.len())
                    .filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(literal)))
                    .collect();
                assert_eq!(places.of_any(&[literal]), expected, "{literal}");
            }
        }
    }
}
