//! Rules on lines of code: data of `rules.txt`, and how they are applied.

use regex_lite::Regex;

use crate::remark::{Kind, Remark};
use crate::source::{Line, Source};

/// The rules.
const RULES: &str = include_str!("../rules.txt");

/// A rule, as its block has it.
#[derive(Debug, Default, Clone)]
pub struct Rule {
    id: String,
    languages: Vec<String>,
    kind: Option<Kind>,
    severity: String,
    name: String,
    find: String,
    not: String,
    then: String,
    then_not: String,
    within: String,
    stop: String,
    absent: String,
    message: String,
    remedy: String,
}

/// Returns the rules of a language.
#[must_use]
pub fn of(language: &str) -> Vec<Rule> {
    all().into_iter().filter(|rule| rule.languages.iter().any(|own| own == language)).collect()
}

/// Returns what the rules of some kinds look for in a language, each name once.
#[must_use]
pub fn names(language: &str, has: &dyn Fn(Kind) -> bool) -> Vec<String> {
    let rules = of(language).into_iter().filter(|rule| rule.kind.is_some_and(has));
    let mut names: Vec<String> = rules.map(|rule| rule.name).collect();
    names.dedup();
    names
}

fn all() -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in RULES.lines().filter(|line| !line.starts_with('#')) {
        if let Some(id) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            rules.push(Rule { id: id.to_owned(), ..Rule::default() });
        } else if let (Some(rule), Some((name, value))) = (rules.last_mut(), line.split_once(": ")) {
            rule.set(name, value);
        }
    }
    rules
}

impl Rule {
    fn set(&mut self, name: &str, value: &str) {
        let text = match name {
            "in" => {
                self.languages = value.split(' ').map(str::to_owned).collect();
                return;
            }
            "is" => {
                let (kind, severity) = value.split_once(' ').unwrap_or((value, "low"));
                self.kind = serde_json::from_value(kind.into()).ok();
                self.severity = severity.to_owned();
                return;
            }
            "name" => &mut self.name,
            "find" => &mut self.find,
            "not" => &mut self.not,
            "then" => &mut self.then,
            "then-not" => &mut self.then_not,
            "within" => &mut self.within,
            "stop" => &mut self.stop,
            "absent" => &mut self.absent,
            "say" => &mut self.message,
            "do" => &mut self.remedy,
            _ => return,
        };
        value.clone_into(text);
    }

    /// Returns the remarks of this rule on a file.
    fn remarks(&self, source: &Source) -> Vec<Remark> {
        let Ok(find) = Regex::new(&self.find) else { return Vec::new() };
        let mut found = Vec::new();
        for (at, line) in source.lines.iter().enumerate() {
            let Some(groups) = find.captures(&line.code).filter(|_| !is_match(&self.not, "", &line.code)) else {
                continue;
            };
            let group = groups.get(1).map_or("", |group| group.as_str());
            if let Some(at) = self.place(source, at, group) {
                found.push(self.remark(source, at, group));
            }
        }
        found
    }

    /// Returns the line of the remark, from 0; none if a condition on other lines fails.
    fn place(&self, source: &Source, at: usize, group: &str) -> Option<usize> {
        let indent = source.lines.get(at)?.indent();
        let after = || source.lines.iter().enumerate().skip(at + 1).filter(|(_, line)| !line.is_empty());
        let scope: Vec<(usize, &Line)> = match self.within.as_str() {
            "next" => after().take(1).collect(),
            "block" => after().take_while(|(_, line)| line.indent() > indent).collect(),
            "rest" => after().take_while(|(_, line)| line.indent() >= indent).collect(),
            _ => source.lines.iter().enumerate().filter(|(other, _)| *other != at).collect(),
        };
        if !self.absent.is_empty() && scope.iter().any(|(_, line)| is_match(&self.absent, group, &line.raw)) {
            return None;
        }
        if self.then.is_empty() {
            return Some(at);
        }
        for (place, line) in scope {
            let excluded = is_match(&self.then_not, group, &line.code);
            if !excluded && is_match(&self.then, group, &line.code) {
                return Some(place);
            }
            if is_match(&self.stop, group, &line.code) {
                return None;
            }
        }
        None
    }

    fn remark(&self, source: &Source, at: usize, group: &str) -> Remark {
        Remark {
            severity: self.severity.clone(),
            kind: self.kind.unwrap_or(Kind::Defect),
            path: source.path.clone(),
            line: at + 1,
            message: self.message.replace("$1", group),
            remedy: self.remedy.clone(),
            rule: self.id.clone(),
            quote: source.quote(at + 1),
        }
    }
}

/// Returns whether a pattern with `$1` for a group matches a line; an empty one matches none.
fn is_match(pattern: &str, group: &str, line: &str) -> bool {
    if pattern.is_empty() {
        return false;
    }
    Regex::new(&pattern.replace("$1", &regex_lite::escape(group))).is_ok_and(|regex| regex.is_match(line))
}

/// Returns the remarks of all rules on a file, one per rule and line.
#[must_use]
pub fn look(source: &Source) -> Vec<Remark> {
    let mut found: Vec<Remark> = of(source.language).iter().flat_map(|rule| rule.remarks(source)).collect();
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|remark| seen.insert((remark.line, remark.rule.clone())));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_a_rule() {
        let rules = all();
        assert_eq!(rules.len(), RULES.lines().filter(|line| line.starts_with('[')).count());
        for rule in rules {
            let texts = [&rule.name, &rule.find, &rule.message, &rule.remedy, &rule.severity];
            assert!(texts.iter().all(|text| !text.is_empty()) && rule.kind.is_some(), "{}", rule.id);
            for pattern in [&rule.find, &rule.not, &rule.then, &rule.then_not, &rule.stop, &rule.absent] {
                assert!(Regex::new(&pattern.replace("$1", "x")).is_ok(), "{}: {pattern}", rule.id);
            }
        }
    }

    /// Returns the rules and lines of the remarks on code that is written in one line.
    fn found(language: &str, code: &str) -> Vec<String> {
        let language = crate::language::of_name(language).unwrap_or_default();
        let code = code.replace("\\n", "\n").replace("\\t", "\t");
        look(&Source::read("x", language, &code)).iter().map(|one| format!("{} {}", one.rule, one.line)).collect()
    }

    #[test]
    fn examples_of_the_rules_are_found() {
        let mut id = "";
        for line in RULES.lines() {
            id = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(id);
            let Some(example) = line.strip_prefix("bad: ") else { continue };
            let [language, at, code] = example.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            assert!(found(language, code).contains(&format!("{id} {at}")), "{id}: {line}");
        }
    }

    #[test]
    fn correct_code_has_no_remarks() {
        for line in include_str!("../good.txt").lines().filter(|line| !line.starts_with('#')) {
            let (language, code) = line.split_once(' ').unwrap();
            assert_eq!(found(language, code), [""; 0], "{line}");
        }
    }
}
