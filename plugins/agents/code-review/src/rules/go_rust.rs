//! Go and Rust.

use super::line_rule::{LineRule, rule};
use crate::remark::Kind::{Defect, Performance, Security, Style};

pub(crate) const GO: &[LineRule] = &[
    rule(
        "go.ignored-error",
        (Defect, "medium"),
        (r"(?:^|[^,\w])\w*,?\s*_\s*:?=\s*[\w.]+\(|^\s*_\s*=\s*[\w.]+\(", r"\brange\b|\bok\b"),
        "error ignored: the result that tells of a failure goes to _ and is not checked",
        "Check err.",
    ),
    rule(
        "go.ignored-error",
        (Defect, "medium"),
        (r"^\s*(?:os\.(?:Remove|Mkdir\w*|Chdir|Rename|Setenv|WriteFile|Chmod)|json\.Unmarshal|\w+\.(?:Write|WriteString|Flush|Commit|Scan|Exec|Decode|Encode))\(.*\)\s*$", r"buf|sb\.|builder|strings|hash|\bh\."),
        "error ignored: the call returns an error that is not checked",
        "Check err.",
    ),
    rule(
        "go.off-by-one",
        (Defect, "high"),
        (r"<=\s*len\((\w+)\)", r"len\(\w+\)\s*-"),
        "off by one: <= reaches the index len({1}), which is out of range",
        "Use < instead of <=.",
    ),
    rule(
        "go.sql",
        (Security, "high"),
        (r#"(?i)Sprintf\(\s*["`]\s*(?:select|insert|update|delete)\b|["`]\s*(?:select|insert into|update|delete from)\b[^"`]*["`]\s*\+"#, ""),
        "SQL injection: the query is built from values as text",
        "Pass the values as parameters.",
    )
    .in_text(),
    rule(
        "go.command",
        (Security, "high"),
        (r#"exec\.Command\(\s*"(?:ba|z)?sh"\s*,\s*"-c""#, ""),
        "command injection: a shell runs text that is built from values",
        "Call the program itself with a list of arguments.",
    )
    .in_text(),
    rule(
        "go.math-rand",
        (Security, "medium"),
        (r"(?i)(?:token|secret|password|session|otp|key|nonce)\w*.*\brand\.(?:Int|Read|Seed|Intn)\(", r"crypto"),
        "math/rand is predictable, not cryptographic",
        "Use crypto/rand.",
    ),
    rule(
        "go.insecure-tls",
        (Security, "high"),
        (r"InsecureSkipVerify:\s*true", ""),
        "TLS certificates are not verified (InsecureSkipVerify)",
        "Leave the check on.",
    ),
    rule(
        "go.panic",
        (Style, "low"),
        (r"^\s*panic\(", ""),
        "panic ends the program",
        "Return an error.",
    ),
    rule(
        "go.append-lost",
        (Defect, "high"),
        (r"^\s*append\(", ""),
        "the result of append is not used",
        "Assign it: s = append(s, …).",
    ),
    rule(
        "go.map-nil",
        (Defect, "high"),
        (r"^\s*var\s+(\w+)\s+map\[", ""),
        "`{1}` is a nil map: writing to it panics",
        "Make it with make(map[…]…).",
    ),
];

pub(crate) const RUST: &[LineRule] = &[
    rule(
        "rust.unwrap",
        (Defect, "medium"),
        (r"\.(unwrap|expect)\(", r"unwrap_or|#\[test\]|lock\(\)\.unwrap|Regex::new"),
        "{1} panics where there is an error or nothing",
        "Return the error with ?, or give a default.",
    ),
    rule(
        "rust.len-underflow",
        (Defect, "high"),
        (r"\b(\w+)\.len\(\)\s*-\s*\d", r"saturating_sub|checked_sub"),
        "usize underflow: for an empty `{1}`, {1}.len() - 1 overflows (panic, or a huge number in release)",
        "Use windows(2), saturating_sub, or check for empty first.",
    ),
    rule(
        "rust.inclusive-len",
        (Defect, "high"),
        (r"\.\.=\s*(\w+)\.len\(\)", r"len\(\)\s*-"),
        "off by one: ..= reaches the index {1}.len(), which is out of bounds (panic)",
        "Use .. instead of ..= .",
    ),
    rule(
        "rust.panic",
        (Defect, "low"),
        (r"\b(panic|todo|unimplemented|unreachable)!\(", ""),
        "{1}! ends the program",
        "Return an error.",
    ),
    rule(
        "rust.ignored-result",
        (Defect, "medium"),
        (r"^\s*let\s+_\s*=\s*[\w:.]+\(", ""),
        "error ignored: the result goes to _ and is not checked",
        "Handle it, or return it with ?.",
    ),
    rule(
        "rust.ok-dropped",
        (Defect, "low"),
        (r"\)\.ok\(\);\s*$", ""),
        "error ignored: .ok() drops it",
        "Handle it, or return it with ?.",
    ),
    rule(
        "rust.ref-string",
        (Style, "low"),
        (r"[:(,]\s*&(String|Vec<\w+>)\s*[,)]", ""),
        "&{1} as a parameter takes fewer callers than a slice (ptr_arg)",
        "Take &str or &[T].",
    ),
    rule(
        "rust.unsafe",
        (Security, "medium"),
        (r"\bunsafe\s*(?:\{|fn\b)", ""),
        "unsafe: the compiler checks nothing here",
        "Use a safe way, or say in a SAFETY comment why it holds.",
    ),
    rule(
        "rust.cast",
        (Defect, "low"),
        (r"\b(?:len\(\)|i64|u64|usize|\w+)\s+as\s+(u8|i8|u16|i16|u32|i32)\b", r"^\s*use |\bas_|\d+ as |'.' as|extern"),
        "`as {1}` cuts off what does not fit (truncation)",
        "Use try_from.",
    ),
    rule(
        "rust.float-equality",
        (Defect, "medium"),
        (r"[!=]=\s*\d+\.\d+|\d\.\d+\s*[!=]=", ""),
        "floats compared for equality",
        "Compare with a tolerance.",
    ),
    rule(
        "rust.clone-loop",
        (Performance, "info"),
        (r"\.clone\(\)\.(?:iter|into_iter)\(", ""),
        "everything is cloned only to be read",
        "Borrow it.",
    ),
    rule(
        "rust.needless-return",
        (Style, "info"),
        (r"^\s*return\s+[^;]*;\s*$", ""),
        "return at the end is not needed (needless_return)",
        "Leave the expression without return and semicolon.",
    ),
    rule(
        "rust.sql",
        (Security, "high"),
        (r#"(?i)format!\(\s*"\s*(?:select|insert|update|delete)\b"#, ""),
        "SQL injection: the query is built from values as text",
        "Bind the values as parameters.",
    )
    .in_text(),
    rule(
        "rust.mutex-await",
        (Defect, "low"),
        (r"\bstatic\s+mut\b", ""),
        "static mut: a data race, undefined behaviour across threads",
        "Use a Mutex or an atomic.",
    ),
];
