//! The findings of this module, by rule.

use super::names;
use crate::hit::Hit;
use crate::rule::{Confidence, Severity};

/// Ids of all rules here.
pub const IDS: &[&str] = &[
    "manifest.unpinned",
    "manifest.git-dependency",
    "manifest.install-script",
    "manifest.typosquat",
    "manifest.index",
    "manifest.invalid",
    "docker.no-user",
];

pub(super) fn unpinned(at: usize, name: &str, how: &str, severity: Severity) -> Hit {
    Hit {
        rule: "manifest.unpinned",
        severity,
        confidence: Confidence::High,
        cwe: "CWE-1357",
        at,
        message: format!("{} {how}", short(name)),
        remedy: "Name a version, and keep a lock file with checksums.",
    }
}

pub(super) fn git(at: usize, name: &str, severity: Severity) -> Hit {
    Hit {
        rule: "manifest.git-dependency",
        severity,
        confidence: Confidence::High,
        cwe: "CWE-1357",
        at,
        message: format!("{} comes from an address, past the registry and its checks", short(name)),
        remedy: "Use a published version, or pin the full commit.",
    }
}

/// A name one slip of the keyboard away from a very popular one.
pub(super) fn typosquat(at: usize, name: &str, popular: &'static [&'static str]) -> Option<Hit> {
    let meant = names::near(name, popular)?;
    Some(Hit {
        rule: "manifest.typosquat",
        severity: Severity::Medium,
        confidence: Confidence::Low,
        cwe: "CWE-1357",
        at,
        message: format!(
            "{} looks like {meant} mistyped; such names are used to spread malicious packages",
            short(name)
        ),
        remedy: "Check the name; take the finding back with a comment where the file allows one.",
    })
}

fn short(name: &str) -> String {
    name.chars().take(60).collect()
}
