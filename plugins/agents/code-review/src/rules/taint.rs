//! What a request brings, stored in a variable, and printed into a page or run as it is.

use crate::language::Language;
use crate::remark::Kind::Security;
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{groups, is_match};

/// Where a value comes from, what makes it harmless, and where it does harm; `NAME` stands for the variable.
struct Flow {
    from: &'static str,
    harmless: &'static str,
    into: &'static str,
    rule: &'static str,
    message: &'static str,
    remedy: &'static str,
}

const XSS: &str = "cross-site scripting (XSS): `NAME` comes from the request and is printed without escaping";
const COMMAND: &str = "command injection: `NAME` comes from the request and is run as it is";

const PHP: &[Flow] = &[
    Flow {
        from: r"(\$\w+)\s*=\s*\(?\s*\$_(?:GET|POST|REQUEST|COOKIE)\b",
        harmless: r"htmlspecialchars|htmlentities|intval|\(int\)|strip_tags|filter_",
        into: r"(?:\b(?:echo|print|printf)\b|<\?=).*NAME\b",
        rule: "xss",
        message: XSS,
        remedy: "Use htmlspecialchars.",
    },
    Flow {
        from: r"(\$\w+)\s*=\s*\(?\s*\$_(?:GET|POST|REQUEST|COOKIE)\b",
        harmless: r"escapeshellarg|escapeshellcmd|intval|\(int\)",
        into: r"\b(?:exec|system|shell_exec|passthru|popen|eval)\s*\(.*NAME\b",
        rule: "command-injection",
        message: COMMAND,
        remedy: "Use escapeshellarg, or a fixed list of commands.",
    },
];
const PYTHON: &[Flow] = &[Flow {
    from: r"^\s*(\w+)\s*=\s*request\.(?:args|form|values|cookies|GET|POST)\b",
    harmless: r"escape\(|int\(|bleach",
    into: r#"(?:f["'].*<.*\{NAME\b|["'].*<\w+.*["']\s*[+%]\s*NAME\b|["'].*<\w+.*["']\.format\(.*NAME\b)"#,
    rule: "xss",
    message: XSS,
    remedy: "Use a template, or html.escape.",
}];
const SCRIPT: &[Flow] = &[Flow {
    from: r"(?:const|let|var)\s+\{?\s*(\w+)\s*\}?\s*=\s*(?:req(?:uest)?\.(?:query|body|params)|(?:window\.)?location\.|new URLSearchParams)",
    harmless: r"escape\w*\(|encodeURIComponent|sanitize|Number\(|parseInt\(|textContent",
    into: r#"(?:\.send\(|\.write\(|\.end\(|innerHTML\s*\+?=).*(?:\$\{\s*NAME\b|\+\s*NAME\b|=\s*NAME\b)"#,
    rule: "xss",
    message: XSS,
    remedy: "Escape it, or set textContent.",
}];

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    let flows = match source.language {
        Language::Php => PHP,
        Language::Python => PYTHON,
        Language::Javascript | Language::Typescript => SCRIPT,
        _ => return,
    };
    for flow in flows {
        for at in 0..source.lines.len() {
            let text = source.text(at);
            let name = groups(flow.from, text).get(1).cloned().unwrap_or_default();
            if name.is_empty() || is_match(flow.harmless, text) {
                continue;
            }
            follow(source, flow, &name, at, found);
        }
    }
}

/// The lines below that use the variable before it is made harmless.
fn follow(source: &Source, flow: &Flow, name: &str, at: usize, found: &mut Vec<Remark>) {
    let escaped = name.replace('$', r"\$");
    let into = flow.into.replace("NAME", &escaped);
    let again = format!(r"(?:^|[^\w$]){escaped}\s*=[^=].*(?:{})", flow.harmless);
    for line in at + 1..source.lines.len() {
        let text = source.text(line);
        if is_match(&again, text) {
            return;
        }
        if is_match(&into, text) && !is_match(flow.harmless, text) {
            let message = flow.message.replace("NAME", name);
            found.push(Remark::new(source, line, (Security, "high"), flow.rule, message, flow.remedy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_a_request_into_a_page() {
        use Language::{Javascript, Php, Python};
        let rules = |code: &str, language: Language| {
            let mut found = Vec::new();
            look(&Source::read("a", code, language), &mut found);
            found.into_iter().map(|remark| (remark.line, remark.rule)).collect::<Vec<_>>()
        };
        for (code, language) in [
            ("<?php\n$n = $_GET['n'];\necho \"<h1>Hi \" . $n . \"</h1>\";\n", Php),
            ("<?php\n$n = $_POST['n'] ?? '';\n<p><?= $n ?></p>\n", Php),
            ("def f():\n    n = request.args.get('n')\n    return f\"<p>{n}</p>\"\n", Python),
            ("app.get('/', (req, res) => {\n  const n = req.query.n;\n  res.send(`<p>${n}</p>`);\n});\n", Javascript),
        ] {
            assert_eq!(rules(code, language), [(3, "xss".to_owned())], "{code}");
        }
        for (code, language) in [
            ("<?php\n$n = htmlspecialchars($_GET['n']);\necho $n;\n", Php),
            ("<?php\n$n = $_GET['n'];\n$n = htmlspecialchars($n);\necho $n;\n", Php),
            ("def f():\n    n = request.args.get('n')\n    return jsonify(n=n)\n", Python),
        ] {
            assert!(rules(code, language).is_empty(), "{code}");
        }
    }
}
