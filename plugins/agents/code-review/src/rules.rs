//! Rules on lines of code: data of `rules.txt`, and how they are applied.

use std::collections::{BTreeMap, BTreeSet};

use regex_lite::Regex;
use serde_json::json;

use crate::remark::{Kind, Remark, Severity};
use crate::source::{Line, Source};

/// The rules.
const RULES: &str = include_str!("../rules.txt");

/// A rule: the members of its block, and its `id`.
pub struct Rule(BTreeMap<&'static str, &'static str>);

fn all() -> impl Iterator<Item = Rule> {
    RULES.split("\n[").skip(1).filter_map(|block| {
        let (id, lines) = block.split_once("]\n")?;
        Some(Rule(lines.lines().filter_map(|line| line.split_once(": ")).chain([("id", id)]).collect()))
    })
}

/// Returns the rules of a language.
pub fn of(language: &str) -> impl Iterator<Item = Rule> {
    all().filter(move |rule| rule.text("in").split(' ').any(|own| own == language))
}

/// Returns what the rules of some kinds look for in a language.
#[must_use]
pub fn names(language: &str, has: &dyn Fn(Kind) -> bool) -> Vec<String> {
    let rules = of(language).filter(|rule| rule.grade().is_some_and(|(kind, _)| has(kind)));
    rules.map(|rule| rule.text("name").to_owned()).collect()
}

impl Rule {
    /// Returns a member; empty if the block does not have it.
    fn text(&self, member: &str) -> &'static str {
        self.0.get(member).copied().unwrap_or_default()
    }

    fn grade(&self) -> Option<(Kind, Severity)> {
        serde_json::from_value(json!([self.text("kind"), self.text("severity")])).ok()
    }

    /// Returns the remarks of this rule on a file.
    fn remarks(&self, source: &Source) -> Vec<Remark> {
        let (Ok(find), Some(grade)) = (Regex::new(self.text("find")), self.grade()) else { return Vec::new() };
        let remark = |(at, line): (usize, &Line)| {
            let groups = find.captures(&line.code).filter(|_| !is_match(self.text("not"), "", &line.code))?;
            let group = groups.get(1).map_or("", |group| group.as_str());
            let at = (source.file.path.as_str(), self.place(source, at, group)? + 1);
            let message = self.text("say").replace("$1", group);
            let source = std::slice::from_ref(source);
            Some(Remark::new(source, at, grade, self.text("id"), message, self.text("do")))
        };
        source.lines.iter().enumerate().filter_map(remark).collect()
    }

    /// Returns the line of the remark, from 0; none if a condition on other lines fails.
    fn place(&self, source: &Source, at: usize, group: &str) -> Option<usize> {
        let indent = indent(source.lines.get(at)?);
        let after = || source.lines.iter().enumerate().skip(at + 1).filter(|(_, line)| !line.code.is_empty());
        let scope: Vec<(usize, &Line)> = match self.text("within") {
            "next" => after().take(1).collect(),
            "block" => after().take_while(|(_, line)| self::indent(line) > indent).collect(),
            "rest" => after().take_while(|(_, line)| self::indent(line) >= indent).collect(),
            _ => source.lines.iter().enumerate().filter(|(other, _)| *other != at).collect(),
        };
        if scope.iter().any(|(_, line)| is_match(self.text("absent"), group, &line.raw)) {
            return None;
        }
        if self.text("then").is_empty() {
            return Some(at);
        }
        let is_then =
            |code: &str| is_match(self.text("then"), group, code) && !is_match(self.text("then-not"), group, code);
        let ends = |(_, line): &&(usize, &Line)| is_then(&line.code) || is_match(self.text("stop"), group, &line.code);
        scope.iter().find(ends).filter(|(_, line)| is_then(&line.code)).map(|(place, _)| *place)
    }
}

/// Returns the length of the white space before the code of a line.
fn indent(line: &Line) -> usize {
    line.code.len() - line.code.trim_start().len()
}

/// Returns whether a pattern with `$1` for a group matches a line; an empty one matches none.
fn is_match(pattern: &str, group: &str, line: &str) -> bool {
    let regex = || Regex::new(&pattern.replace("$1", &regex_lite::escape(group)));
    !pattern.is_empty() && regex().is_ok_and(|regex| regex.is_match(line))
}

/// Returns the remarks of all rules on a file, one per rule and line.
#[must_use]
pub fn look(source: &Source) -> Vec<Remark> {
    let mut found: Vec<Remark> = of(source.language).flat_map(|rule| rule.remarks(source)).collect();
    let mut seen = BTreeSet::new();
    found.retain(|remark| seen.insert((remark.line, remark.rule.clone())));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::File;

    #[test]
    fn every_block_is_a_rule() {
        for rule in all() {
            let id = rule.text("id");
            assert!(rule.grade().is_some() && ["name", "find", "say", "do"].iter().all(|one| rule.0.contains_key(one)));
            for pattern in ["find", "not", "then", "then-not", "stop", "absent"].map(|one| rule.text(one)) {
                assert!(Regex::new(&pattern.replace("$1", "x")).is_ok(), "{id}: {pattern}");
            }
        }
    }

    #[test]
    fn bad_examples_have_remarks_and_good_ones_have_none() {
        let mut id = "";
        for line in RULES.lines() {
            id = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).unwrap_or(id);
            let Some((kind @ ("bad" | "good"), example)) = line.split_once(": ") else { continue };
            let (language, code) = example.split_once(' ').unwrap();
            let (at, code) = if kind == "bad" { code.split_once(' ').unwrap() } else { ("", code) };
            let path = format!("x.{}", crate::language::ending(crate::language::of_name(language).unwrap()));
            let content = code.replace("\\n", "\n").replace("\\t", "\t");
            let source = Source::read(File { path, content });
            let found: Vec<String> = look(&source).iter().map(|one| format!("{} {}", one.rule, one.line)).collect();
            let is_right = if kind == "bad" { found.contains(&format!("{id} {at}")) } else { found.is_empty() };
            assert!(is_right, "{id}: {line}\n{found:?}");
        }
    }
}
