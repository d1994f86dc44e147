//! `Cargo.toml`, read line by line: tables of dependencies and what stands in them.

use super::names;
use super::rules::{git, typosquat, unpinned};
use crate::hit::Hit;
use crate::rule::Severity;
use crate::source::Source;

pub(super) fn find(source: &Source) -> Vec<Hit> {
    let mut notes = Vec::new();
    let mut table = Table::Other;
    let mut start = 0;
    for raw in source.code.split_inclusive('\n') {
        let at = start + raw.len() - raw.trim_start().len();
        start += raw.len();
        let line = raw.trim();
        if let Some(name) = line.strip_prefix('[') {
            table = Table::of(name.trim_end_matches(']'));
            if let Table::One(name) = &table {
                notes.extend(typosquat(at, name, names::CRATES));
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        match &table {
            Table::Other => {}
            Table::Many => {
                let name = key.split('.').next().unwrap_or_default();
                notes.extend(typosquat(at, name, names::CRATES));
                notes.extend(judge(at, name, value));
            }
            Table::One(name) if key == "git" => notes.extend(judge(at, name, &format!("git = {value}"))),
            Table::One(name) if key == "version" => notes.extend(judge(at, name, value)),
            Table::One(_) => {}
        }
    }
    notes
}

enum Table {
    /// `[dependencies]`: a dependency a line.
    Many,
    /// `[dependencies.name]`.
    One(String),
    Other,
}

impl Table {
    fn of(name: &str) -> Self {
        let name = name.trim();
        let (before, last) = name.rsplit_once('.').unwrap_or(("", name));
        let is_list = |part: &str| part == "dependencies" || part.ends_with("-dependencies");
        if is_list(last) {
            return Self::Many;
        }
        let owner = before.rsplit('.').next().unwrap_or_default();
        if is_list(owner) { Self::One(last.trim_matches('"').to_owned()) } else { Self::Other }
    }
}

fn judge(at: usize, name: &str, value: &str) -> Option<Hit> {
    if value.contains("git =") || value.contains("git=") {
        let pinned = value.contains("rev =") || value.contains("rev=");
        return Some(git(at, name, if pinned { Severity::Info } else { Severity::Medium }));
    }
    let version = value.split_once("version").map_or(value, |(_, rest)| rest.trim_start_matches([' ', '=']));
    let version = version.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next())?;
    (version == "*" || version.starts_with('>') && !version.contains('<'))
        .then(|| unpinned(at, name, "takes any version", Severity::Low))
}
