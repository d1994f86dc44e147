//! Shell scripts: lines, and what a script says at its beginning.

use super::line_rule::{LineRule, rule};
use crate::language::Language;
use crate::remark::Kind::{Defect, Security, Style};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::is_match;

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "shell.rm-variable",
        (Defect, "high"),
        (r#"\brm\s+(?:-\w+\s+)*["']?\$\{?(\w+)\}?["']?/"#, r"\$\{\w+:\?"),
        "if `{1}` is empty or unset, rm deletes from the root (/)",
        "Write ${VAR:?} and quote it.",
    )
    .in_text(),
    rule(
        "shell.unquoted",
        (Defect, "medium"),
        (r#"\b(?:rm|cp|mv|cd|cat|chmod|chown|mkdir|ls|tar|grep|rmdir|touch|ln|source|test)\b(?:[^"'|;&#]|"[^"]*"|'[^']*')*\s\$\{?(\w+)"#, ""),
        "`{1}` is unquoted: spaces and * split the name (word splitting, globbing); use quotes",
        "Put double quotes around it.",
    )
    .in_text(),
    rule(
        "shell.unquoted-test",
        (Defect, "medium"),
        (r"(?:^|[^\[])\[\s+(?:-\w\s+)?\$\{?(\w+)", r"\[\["),
        "`{1}` is unquoted in [ ]: an empty value breaks the test; use quotes",
        "Put double quotes around it.",
    )
    .in_text(),
    rule(
        "shell.for-ls",
        (Defect, "medium"),
        (r"\bfor\s+\w+\s+in\s+(?:\$\(\s*(?:ls|cat|find)|`\s*(?:ls|cat|find))", ""),
        "looping over the output of ls, cat or find splits names at spaces (word splitting)",
        "Loop over a glob, or use while read -r.",
    )
    .in_text(),
    rule(
        "shell.cd-unchecked",
        (Defect, "medium"),
        (r"^\s*cd\s+[^|&;]+\s*$", ""),
        "cd is not checked: if it fails, the next commands run in the wrong folder",
        "Write cd … || exit 1, or set -e.",
    )
    .in_text(),
    rule(
        "shell.assignment-spaces",
        (Defect, "high"),
        (r"^\s*([A-Za-z_]\w*)\s+=\s+\S|^\s*([A-Za-z_]\w*)\s+=\S", ""),
        "spaces around = : the shell runs `{1}` as a command instead of assigning",
        "Write name=value without spaces.",
    ),
    rule(
        "shell.curl-pipe",
        (Security, "high"),
        (r"\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b", ""),
        "what is downloaded is run at once by the shell, unseen",
        "Download, check the checksum, then run.",
    )
    .in_text(),
    rule(
        "shell.chmod-777",
        (Security, "high"),
        (r"\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\b", ""),
        "chmod 777: everybody may write",
        "Give only the rights that are needed.",
    ),
    rule(
        "shell.eval",
        (Security, "high"),
        (r"\beval\s+", ""),
        "eval runs whatever text it is given (command injection)",
        "Use an array of arguments.",
    )
    .in_text(),
    rule(
        "shell.tmp",
        (Security, "medium"),
        (r">\s*/tmp/[\w.]+(?:\$\$)?|=\s*[\x22']?/tmp/[\w.]+\.\w+", "mktemp"),
        "a predictable file in /tmp: others can put a link there first",
        "Use mktemp.",
    )
    .in_text(),
    rule(
        "shell.backticks",
        (Style, "low"),
        (r"`[^`]+`", ""),
        "backticks do not nest: use $( )",
        "Use $(…).",
    )
    .in_text(),
    rule(
        "shell.useless-cat",
        (Style, "info"),
        (r"\bcat\s+\S+\s*\|\s*(?:grep|awk|sed|wc|head|tail|sort)\b", ""),
        "useless use of cat",
        "Give the file to the command itself.",
    )
    .in_text(),
    rule(
        "shell.string-number",
        (Defect, "medium"),
        (r"\[\[?\s+[\x22']?\$\w+[\x22']?\s+(?:>|<)\s+\d+", ""),
        "< and > compare as text or redirect: numbers need -lt and -gt",
        "Use -lt, -gt, or (( )).",
    )
    .in_text(),
];

/// What needs a look at the whole script.
pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if source.language != Language::Shell {
        return;
    }
    let whole = source.joined_text(0, source.lines.len());
    let strict = is_match(r"(?m)^\s*set\s+-\w*e|\bset -o errexit", &whole);
    if strict {
        found.retain(|remark| remark.rule != "shell.cd-unchecked");
    }
    let script = source.lines.first().is_some_and(|line| line.raw.starts_with("#!"));
    if script && !strict && source.lines.len() > 4 {
        let message = "no set -e: the script goes on after a command has failed";
        found.push(Remark::new(source, 0, (Style, "info"), "shell.set-e", message, "Add set -euo pipefail."));
    }
    if source.lines.first().is_some_and(|line| line.raw.starts_with("#!/bin/sh")) {
        let bash = (1..source.lines.len())
            .find(|at| is_match(r"\[\[|\bfunction \w+|<\(|\w+\+=\(|=\(|\bdeclare\b", source.code(*at)));
        if let Some(at) = bash {
            let message = "bash syntax in a script for sh (bashism)";
            found.push(Remark::new(
                source,
                at,
                (Defect, "medium"),
                "shell.bashism",
                message,
                "Use #!/bin/bash, or POSIX syntax.",
            ));
        }
    }
}
