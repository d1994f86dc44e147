//! Dockerfiles.

use super::line_rule::{LineRule, rule};
use crate::language::Language;
use crate::remark::Kind::{Defect, Security, Style};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::is_match;

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "docker.latest",
        (Defect, "medium"),
        (r"^\s*FROM\s+(?:[\w./-]+:latest|[\w./-]+)(?:\s+[Aa][Ss]\s+\w+)?\s*$", r"(?i)scratch"),
        "the image has no fixed version (latest tag): builds change without notice",
        "Pin a version.",
    ),
    rule("docker.add", (Style, "low"), (r"^\s*ADD\s+[^h]", r"\.tar|https?:"), "ADD does more than COPY", "Use COPY."),
    rule(
        "docker.secret",
        (Security, "high"),
        (r"(?i)^\s*(?:ENV|ARG)\s+\w*(?:password|secret|token|key)\w*[= ]\S+", ""),
        "a secret in the image: everybody who has the image can read it (hard-coded password)",
        "Pass it at run time.",
    ),
    rule(
        "docker.apt-update",
        (Style, "low"),
        (r"^\s*RUN\s+apt-get\s+update\s*$", ""),
        "apt-get update in a layer of its own is cached and gets old",
        "Join update and install with &&.",
    ),
];

/// What needs a look at the whole file.
pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if source.language != Language::Dockerfile {
        return;
    }
    let whole = source.joined(0, source.lines.len());
    if whole.contains("FROM") && !is_match(r"(?m)^\s*USER\s", &whole) && is_match(r"(?m)^\s*(CMD|ENTRYPOINT)\b", &whole)
    {
        let at = source.lines.iter().position(|line| is_match(r"^\s*(CMD|ENTRYPOINT)\b", &line.code)).unwrap_or(0);
        let message = "the container runs as root: there is no USER";
        found.push(Remark::new(source, at, (Security, "medium"), "docker.root", message, "Add a USER."));
    }
}
