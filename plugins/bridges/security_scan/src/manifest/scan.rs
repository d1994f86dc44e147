//! The reader of each kind of manifest.

use super::{cargo_toml, package_json, requirements};
use crate::hit::Hit;
use crate::language::Language;
use crate::rule::{Confidence, Severity};
use crate::source::Source;

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
