//! Ruby.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Defect, Security};

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "ruby.rescue-all",
        (Defect, "medium"),
        (r"^\s*rescue\s*(?:Exception\b.*)?(?:=>\s*\w+)?\s*$|\brescue\s+nil\b", ""),
        "rescue without a class (or of Exception) swallows errors that nobody expected",
        "Name the error that you expect.",
    ),
    rule(
        "ruby.sql",
        (Security, "high"),
        (r#"\.(?:where|find_by_sql|execute|order)\(?\s*["'][^"']*#\{"#, ""),
        "SQL injection: the query is built from values as text",
        "Pass the values as parameters: where(\"a = ?\", value).",
    )
    .in_text(),
    rule(
        "ruby.assign-in-condition",
        (Defect, "high"),
        (r"^\s*(?:if|unless|while)\s+@?[\w.]+\s*=\s*[^=~>]", ""),
        "assignment in a condition: = assigns, it does not compare",
        "Use == to compare.",
    ),
    rule(
        "ruby.command",
        (Security, "high"),
        (r"(?:`[^`]*#\{|\bsystem\(?\s*[\x22'][^\x22']*#\{)", ""),
        "command injection: a shell command is built from values",
        "Use system with separate arguments.",
    )
    .in_text(),
    rule(
        "ruby.eval",
        (Security, "high"),
        (r"\b(?:eval|instance_eval|send)\s*\(?\s*params", ""),
        "eval runs whatever text it is given",
        "Choose from a list of allowed names.",
    ),
    rule(
        "ruby.permit-all",
        (Security, "high"),
        (r"\.permit!|(?:new|create|update)\(\s*params\[", ""),
        "mass assignment: the caller may set any attribute",
        "Permit the attributes by name.",
    ),
];
