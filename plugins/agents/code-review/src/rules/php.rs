//! PHP.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Defect, Security, Style};

pub(crate) const RULES: &[LineRule] = &[
    rule(
        "php.loose",
        (Defect, "low"),
        (r"[^=!<>]==[^=]|!=[^=]", ""),
        "loose comparison converts types: == or != instead of === or !==",
        "Use === and !==.",
    ),
    rule(
        "php.assign-in-condition",
        (Defect, "high"),
        (r"\bif\s*\(\s*\$[\w>\[\]'-]+\s*=\s*[^=>]", r"==|fetch|\("),
        "assignment in a condition: = assigns, it does not compare",
        "Use === to compare.",
    ),
    rule(
        "php.assign-in-condition",
        (Defect, "high"),
        (r"\bif\s*\(\s*\$[\w>\[\]'-]+\s*=\s*(?:true|false|null|-?\d+|[\x22'$]\w*)[^=(]*\)\s*\{?\s*$", r"=="),
        "assignment in a condition: = assigns, it does not compare",
        "Use === to compare.",
    ),
    rule(
        "php.sql",
        (Security, "high"),
        (r#"(?i)["']\s*(?:select|insert|update|delete)\b.*(?:\$\w+|\{\$|["']\s*\.\s*\$)"#, ""),
        "SQL injection: the query is built from values as text",
        "Use prepared statements with parameters.",
    )
    .in_text(),
    rule(
        "php.xss",
        (Security, "high"),
        (
            r"\b(?:echo|print)\b.*\$_(?:GET|POST|REQUEST|COOKIE)|<\?=\s*\$_(?:GET|POST|REQUEST)",
            r"htmlspecialchars|htmlentities|intval|\(int\)",
        ),
        "cross-site scripting (XSS): input is printed without escaping",
        "Use htmlspecialchars.",
    )
    .in_text(),
    rule(
        "php.weak-hash",
        (Security, "high"),
        (r"(?i)\b(md5|sha1)\s*\(\s*\$\w*(?:pass|pwd)", ""),
        "{1} is a weak hash for passwords, broken by guessing",
        "Use password_hash and password_verify.",
    ),
    rule(
        "php.include",
        (Security, "critical"),
        (r"\b(?:include|require)(?:_once)?\b.*\$_(?:GET|POST|REQUEST)", ""),
        "file inclusion: the path comes from the request",
        "Choose from a list of known files.",
    )
    .in_text(),
    rule(
        "php.mysql",
        (Defect, "medium"),
        (r"\b(mysql_\w+)\s*\(", ""),
        "{1} was removed in PHP 7",
        "Use PDO or mysqli.",
    ),
    rule(
        "php.off-by-one",
        (Defect, "high"),
        (r"<=\s*(?:count|sizeof|strlen)\s*\(", r"\)\s*-"),
        "off by one: <= reaches an index that is out of range (undefined offset)",
        "Use < instead of <=.",
    ),
    rule("php.silence", (Style, "low"), (r"(?:^|[=(\s])@\$?\w+", ""), "@ hides errors", "Check for the error."),
    rule(
        "php.empty-catch",
        (Defect, "medium"),
        (r"\bcatch\s*\([^)]*\)\s*\{\s*\}", ""),
        "empty catch: the exception is swallowed",
        "Handle it, or let it through.",
    ),
];
