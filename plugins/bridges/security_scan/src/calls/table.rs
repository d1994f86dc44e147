//! Looks up every call of a file among the rules.

use std::collections::HashMap;

use crate::calls::rule::CallRule;
use crate::calls::walk::{Site, walk};
use crate::source::Source;

/// Findings that are handed on; the caller keeps fewer of each rule.
const MOST: usize = 5_000;

/// Which rules speak of a function, by the last part of its name.
type Table = HashMap<&'static str, Vec<(&'static str, &'static CallRule)>>;

/// Every call that a rule means, with its place; in the order in which calls end.
#[must_use]
pub fn find(
    source: &Source,
    rules: &[&'static [CallRule]],
    wanted: impl Fn(&str) -> bool,
) -> Vec<(usize, &'static CallRule)> {
    let stands = |text: &&str| source.text.contains(*text);
    let mut table = Table::new();
    for rule in rules.iter().copied().flatten() {
        if wanted(rule.weakness.id) && rule.file_needs.iter().all(&stands) {
            for name in rule.names {
                table.entry(key(name)).or_default().push((name, rule));
            }
        }
    }
    let mut rules = Vec::new();
    if !table.is_empty() {
        walk(source, |site| look(source, &table, site, &mut rules));
    }
    rules
}

fn look(source: &Source, table: &Table, site: &Site<'_>, rules: &mut Vec<(usize, &'static CallRule)>) {
    let of = |key: &str| table.get(key).map(Vec::as_slice).unwrap_or_default();
    for (name, rule) in of(key(&site.name)).iter().chain(of("*")) {
        if rules.len() < MOST && is_meant(name, &site.name) && rule.holds(source, site) {
            rules.push((site.at, rule));
        }
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
