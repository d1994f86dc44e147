//! Looks up every call of a file among the rules.

use std::collections::BTreeMap;

use crate::calls::rule::CallRule;
use crate::calls::walk::walk;
use crate::source::Source;

/// Findings that are handed on; the caller keeps fewer of each rule.
const MOST: usize = 5_000;

/// Which rules of a language speak of a function, by the last part of its name.
pub struct CallTable {
    rules: &'static [&'static [CallRule]],
    by_key: BTreeMap<&'static str, Vec<(&'static str, &'static CallRule)>>,
}

impl CallTable {
    /// Prepares the look-up.
    #[must_use]
    pub fn new(rules: &'static [&'static [CallRule]]) -> Self {
        let mut by_key: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for rule in rules.iter().copied().flatten() {
            for name in rule.names {
                by_key.entry(key(name)).or_default().push((*name, rule));
            }
        }
        Self { rules, by_key }
    }

    /// Every call that a wanted rule means, with its place; in the order in which calls end.
    #[must_use]
    pub fn find(&self, source: &Source, wanted: impl Fn(&str) -> bool) -> Vec<(usize, &'static CallRule)> {
        let mut hits = Vec::new();
        if !self.rules.iter().copied().flatten().any(|rule| wanted(rule.weakness.id)) {
            return hits;
        }
        // Asked once for each rule that a call in the file may mean: both may cost.
        let mut applies: BTreeMap<*const CallRule, bool> = BTreeMap::new();
        let stands = |text: &&str| source.text.contains(*text);
        walk(source, |site| {
            for (name, rule) in self.of(key(&site.name)).iter().chain(self.of("*")) {
                if hits.len() < MOST
                    && is_meant(name, &site.name)
                    && *applies
                        .entry(std::ptr::from_ref(*rule))
                        .or_insert_with(|| wanted(rule.weakness.id) && rule.file_needs.iter().all(stands))
                    && rule.holds(source, site)
                {
                    hits.push((site.at, *rule));
                }
            }
        });
        hits
    }

    fn of(&self, key: &str) -> &[(&'static str, &'static CallRule)] {
        self.by_key.get(key).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What a name is looked up by: the last part, of an import the first.
fn key(name: &str) -> &str {
    match name.strip_prefix("import ") {
        Some(module) => module.split('.').next().unwrap_or_default(),
        None => name.rsplit('.').next().unwrap_or_default(),
    }
}

fn is_meant(wanted: &str, name: &str) -> bool {
    if let Some(method) = wanted.strip_prefix('*') {
        return name.ends_with(method) && (!method.is_empty() || !name.starts_with("import "));
    }
    let rest = name.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || (wanted.starts_with("import ") && rest.starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_what_they_mean() {
        for (wanted, name, meant) in [
            ("os.popen", "os.popen", true),
            ("os.popen", "os.popen2", false),
            ("*.execute", "db.cursor().execute", true),
            ("*.execute", "execute", false),
            ("import ftplib", "import ftplib.FTP", true),
            ("import ftplib", "import ftplibs", false),
        ] {
            assert_eq!(is_meant(wanted, name) && key(wanted) == key(name), meant, "{wanted} {name}");
        }
    }
}
