//! Package manifests: what is fetched and run when somebody installs the project.

mod cargo_toml;
mod names;
mod package_json;
mod requirements;

use crate::hit::Hit;
use crate::language::Language;
use crate::rule::{Confidence, Severity};
use crate::source::Source;

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

/// What a manifest gives away; nothing for other files.
#[must_use]
pub fn find(source: &Source) -> Vec<Hit> {
    match source.language {
        Language::PackageJson => package_json::find(source),
        Language::Requirements => requirements::find(source),
        Language::CargoToml => cargo_toml::find(source),
        Language::Dockerfile => dockerfile(source),
        _ => Vec::new(),
    }
}

/// A Dockerfile that builds an image and never names a user.
fn dockerfile(source: &Source) -> Vec<Hit> {
    let starts = |word: &str| source.code.lines().any(|line| line.trim_start().to_ascii_uppercase().starts_with(word));
    let at = source.code.to_ascii_uppercase().rfind("FROM ");
    match at {
        Some(at) if !starts("USER ") && (starts("CMD") || starts("ENTRYPOINT")) => vec![Hit {
            rule: "docker.no-user",
            severity: Severity::Low,
            confidence: Confidence::Medium,
            cwe: "CWE-250",
            at,
            message: "The program runs as root, unless the base image says otherwise".to_owned(),
            remedy: "Add a USER of its own.",
        }],
        _ => Vec::new(),
    }
}

fn unpinned(at: usize, name: &str, how: &str, severity: Severity) -> Hit {
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

fn git(at: usize, name: &str, severity: Severity) -> Hit {
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
fn typosquat(at: usize, name: &str, popular: &'static [&'static str]) -> Option<Hit> {
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
