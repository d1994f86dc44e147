//! `package.json`.

use tollbridge_sdk::serde_json::{self, Value};

use super::names;
use super::rules::{git, typosquat, unpinned};
use crate::hit::Hit;
use crate::rule::{Confidence, Severity};
use crate::source::Source;

const SECTIONS: &[&str] = &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const INSTALL: &[&str] = &["preinstall", "install", "postinstall", "prepare"];
/// What an install script seldom needs.
const RISKY: &[&str] = &[
    "curl",
    "wget",
    "node -e",
    "eval",
    "base64",
    "http://",
    "https://",
    "powershell",
    "| sh",
    "|sh",
    "bash -c",
    "nc ",
];

pub(super) fn find(source: &Source) -> Vec<Hit> {
    let value: Value = match serde_json::from_str(&source.text) {
        Ok(value) => value,
        Err(error) => {
            return vec![Hit {
                rule: "manifest.invalid",
                severity: Severity::Info,
                confidence: Confidence::High,
                cwe: "CWE-1357",
                at: source.line_start(error.line().saturating_sub(1)),
                message: format!("not JSON, so its dependencies were not looked at: {error}"),
                remedy: "Correct the file.",
            }];
        }
    };
    let mut notes = Vec::new();
    for section in SECTIONS {
        let from = place(source, 0, section);
        for (name, version) in value.get(section).and_then(Value::as_object).into_iter().flatten() {
            let at = place(source, from, name);
            notes.extend(typosquat(at, name, names::NPM));
            let peer = *section == "peerDependencies";
            notes.extend(version.as_str().filter(|_| !peer).and_then(|version| dependency(at, name, version)));
        }
    }
    let from = place(source, 0, "scripts");
    for (name, script) in value.get("scripts").and_then(Value::as_object).into_iter().flatten() {
        if let Some(script) = script.as_str().filter(|_| INSTALL.contains(&name.as_str())) {
            notes.extend(install(place(source, from, name), name, script));
        }
    }
    notes
}

fn dependency(at: usize, name: &str, version: &str) -> Option<Hit> {
    let version = version.trim();
    let is_git = ["git+", "git:", "git@", "github:", "gitlab:", "bitbucket:", "http:", "https:"]
        .iter()
        .any(|start| version.starts_with(start));
    let is_short = version
        .split_once('/')
        .is_some_and(|(owner, _)| !owner.is_empty() && !owner.contains([':', '.', '@', '~', '^']));
    if is_git || is_short {
        let commit = version
            .rsplit_once('#')
            .is_some_and(|(_, commit)| commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()));
        return Some(git(at, name, if commit { Severity::Info } else { Severity::Medium }));
    }
    let open =
        ["", "*", "x", "latest", "next"].contains(&version) || version.starts_with('>') && !version.contains('<');
    open.then(|| unpinned(at, name, "takes any version", Severity::Low))
}

fn install(at: usize, name: &str, script: &str) -> Option<Hit> {
    let risky = RISKY.iter().any(|part| script.contains(part));
    if name == "prepare" && !risky {
        return None;
    }
    Some(Hit {
        rule: "manifest.install-script",
        severity: if risky { Severity::High } else { Severity::Low },
        confidence: if risky { Confidence::Medium } else { Confidence::High },
        cwe: "CWE-829",
        at,
        message: format!("{name} runs on every machine that installs this package"),
        remedy: "Do without, or keep it free of downloads; install foreign packages with --ignore-scripts.",
    })
}

/// Byte of the first member of this name at or after `from`.
fn place(source: &Source, from: usize, name: &str) -> usize {
    let quoted = Value::from(name).to_string();
    source.text.get(from..).and_then(|rest| rest.find(&quoted)).map_or(from, |at| from + at)
}
