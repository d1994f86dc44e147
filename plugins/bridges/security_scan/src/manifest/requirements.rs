//! `requirements.txt`.

use super::names;
use super::rules::{git, typosquat, unpinned};
use crate::hit::Hit;
use crate::rule::{Confidence, Severity};
use crate::source::Source;

pub(super) fn find(source: &Source) -> Vec<Hit> {
    let mut notes = Vec::new();
    let mut start = 0;
    for raw in source.code.split_inclusive('\n') {
        let at = start + raw.len() - raw.trim_start().len();
        start += raw.len();
        let line = raw.trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with('-') && !line.starts_with("-e") && !line.starts_with("--editable") {
            notes.extend(option(at, line));
        } else {
            notes.extend(requirement(at, line));
        }
    }
    notes
}

fn option(at: usize, line: &str) -> Option<Hit> {
    let note = |severity, cwe, message: &str, remedy| {
        let message = message.to_owned();
        Some(Hit { rule: "manifest.index", severity, confidence: Confidence::High, cwe, at, message, remedy })
    };
    if line.starts_with("--trusted-host") {
        return note(
            Severity::High,
            "CWE-295",
            "Packages are fetched from this host without checking who it is",
            "Leave it out; use https.",
        );
    }
    if line.contains("http://") {
        return note(Severity::High, "CWE-319", "Packages are fetched unencrypted", "Use https.");
    }
    if line.starts_with("--extra-index-url") {
        let message =
            "With two indexes the higher version wins, so strangers can publish under the name of a private package";
        return note(Severity::Medium, "CWE-427", message, "Use one index that mirrors the other, or pin with hashes.");
    }
    None
}

fn requirement(at: usize, line: &str) -> Vec<Hit> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let line = line.trim_start_matches("-e ").trim_start_matches("--editable ").trim();
    let name: String = line.chars().take_while(|c| is_name(*c)).collect();
    let after = line.get(name.len()..).unwrap_or_default().trim_start();
    let address = line.contains("git+") || line.contains("://");
    if name.is_empty() || line.starts_with(['.', '/']) || name.contains("://") {
        return Vec::new();
    }
    if address {
        let shown = line.split_once("#egg=").map_or(name.as_str(), |(_, egg)| egg);
        let commit = line
            .rsplit_once('@')
            .is_some_and(|(_, tail)| tail.len() >= 40 && tail.bytes().take(40).all(|b| b.is_ascii_hexdigit()));
        return vec![git(at, shown, if commit { Severity::Info } else { Severity::Medium })];
    }
    let versions = after.split([';', '#']).next().unwrap_or_default();
    let versions = versions.trim_start_matches('[').rsplit(']').next().unwrap_or_default().trim();
    let mut notes: Vec<Hit> = typosquat(at, &name, names::PYPI).into_iter().collect();
    if versions.is_empty() {
        notes.push(unpinned(at, &name, "takes any version", Severity::Low));
    } else if !versions.contains("==") && !versions.contains("~=") && !versions.contains('<') {
        notes.push(unpinned(at, &name, "takes any later version", Severity::Info));
    }
    notes
}
