//! Python and JavaScript: names that are typing mistakes of others, and small slips with self and const.

use std::collections::BTreeSet;

use crate::language::Language;
use crate::remark::Kind::{Defect, Style};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{all, groups, is_match};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    match source.language {
        Language::Python => {
            misspelled(source, found);
            methods(source, found);
            accumulated(source, found);
        }
        Language::Javascript | Language::Typescript => {
            misspelled(source, found);
            constants(source, found);
        }
        _ => {}
    }
    repeated_keys(source, found);
}

/// A name that is used once and never set, one letter from a name that is.
fn misspelled(source: &Source, found: &mut Vec<Remark>) {
    let whole = source.joined(0, source.lines.len());
    let python = source.language == Language::Python;
    let mut known: BTreeSet<String> = BTreeSet::new();
    for pattern in [
        r"(?m)^\s*(\w+)\s*(?::[^=\n]+)?[-+*/]?=[^=]",
        r"\bfor\s+(\w+)\b",
        r"\b(?:const|let|var|function|class|def)\s+(\w+)",
        r"\bas\s+(\w+)",
        r"\bimport\s+(\w+)",
    ] {
        known.extend(all(pattern, &whole));
    }
    for function in source.functions() {
        known.extend(all(r"(\w+)\s*(?:[:=,?]|$)", &function.parameters));
        known.insert(function.name);
    }
    let mut told = BTreeSet::new();
    for at in 0..source.lines.len() {
        let code = source.code(at);
        if is_match(r"^\s*(?:import|from)\b", code) {
            continue;
        }
        for name in all(r"(?:^|[^\w.'\x22$])([A-Za-z_]\w{2,})\b", code) {
            let attribute = is_match(
                &format!(
                    r"\.{name}\b|\b{name}\s*[:=][^=]|\bfor\b.*\b{name}\b.*\bin\b|\(.*\b{name}\b.*\)\s*=>|\blambda\b.*\b{name}\b|\b{name}\s*=>|\bfunction\b"
                ),
                code,
            );
            let alike = known.iter().find(|other| other.len() > 3 && !is_short_word(&name) && close(other, &name));
            if known.contains(&name)
                || attribute
                || agent_common::patterns::count_word(&whole, &name) > 2
                || !told.insert(name.clone())
            {
                continue;
            }
            let reserved = python && ["self", "None", "True", "False", "return", "yield"].contains(&name.as_str());
            if let Some(other) = alike.filter(|_| !reserved && !KNOWN.contains(&name.as_str())) {
                let message = format!("undefined name `{name}`: `{other}` was meant (typo, NameError)");
                found.push(Remark::new(
                    source,
                    at,
                    (Defect, "high"),
                    "undefined-name",
                    message,
                    format!("Write {other}."),
                ));
            }
        }
    }
}

/// Short words of the languages and their libraries, which are no slips.
fn is_short_word(name: &str) -> bool {
    name.len() < 4
        && [
            "and", "not", "for", "def", "del", "try", "len", "sum", "max", "min", "abs", "int", "str", "set", "any",
            "all", "map", "zip", "new", "let", "var", "Map", "Set", "get", "pop", "add", "log", "end", "NaN", "pow",
            "bin", "hex", "ord", "chr", "dir", "iter", "next", "pass", "self", "cls",
        ]
        .contains(&name)
}

/// Words of the languages that are near to usual names.
const KNOWN: &[&str] = &[
    "print",
    "range",
    "list",
    "dict",
    "float",
    "filter",
    "false",
    "true",
    "null",
    "this",
    "else",
    "elif",
    "with",
    "from",
    "while",
    "break",
    "class",
    "const",
    "super",
    "items",
    "await",
    "async",
    "return",
    "sorted",
    "round",
    "import",
    "Error",
    "Date",
    "Math",
    "JSON",
    "Array",
    "Number",
    "String",
    "Object",
    "type",
    "typeof",
    "case",
    "default",
    "undefined",
    "input",
    "open",
    "enumerate",
    "isinstance",
    "raise",
    "pass",
    "yield",
    "lambda",
    "except",
    "finally",
    "assert",
    "global",
    "string",
    "number",
    "void",
    "bytes",
    "tuple",
    "slice",
    "iter",
    "next",
    "hash",
];

/// One letter more, less, other, or two in other order.
fn close(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a == b || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (left, right) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let swapped = a.len() == b.len()
        && left.first() == right.get(1)
        && left.get(1) == right.first()
        && left.get(2..) == right.get(2..);
    // `item` and `items` are two names.
    let plural = (start == a.len() || start == b.len())
        && a.len() != b.len()
        && (a.last() == Some(&'s') || b.last() == Some(&'s'));
    let digit = left.first().is_some_and(char::is_ascii_digit) || right.first().is_some_and(char::is_ascii_digit);
    !plural
        && !digit
        && (swapped || (a.len().max(b.len()) > 3 && a.len() != b.len() && start + end + 1 >= a.len().max(b.len())))
}

/// Methods without self.
fn methods(source: &Source, found: &mut Vec<Remark>) {
    for (at, line) in source.lines.iter().enumerate() {
        if !is_match(r"^\s*class\b", &line.code) {
            continue;
        }
        let own = line.indent;
        for inner in at + 1..source.block_end(at) {
            let method = groups(r"^\s+def\s+(\w+)\s*\(\s*(\w*)", source.code(inner));
            let direct = source.lines.get(inner).is_some_and(|line| line.indent == own + 4 || line.indent == own + 2);
            let above = source.code(inner.saturating_sub(1)).trim().to_owned();
            if let [_, name, first] = method.as_slice()
                && direct
                && !["self", "cls", "_", "mcs"].contains(&first.as_str())
                && !above.starts_with('@')
            {
                let message = format!("the method `{name}` has no self: calling it on an object fails");
                found.push(Remark::new(
                    source,
                    inner,
                    (Defect, "high"),
                    "missing-self",
                    message,
                    "Add self as the first parameter.",
                ));
            }
        }
    }
}

/// A total that is set back in every turn, or returned inside the loop.
fn accumulated(source: &Source, found: &mut Vec<Remark>) {
    for at in 0..source.lines.len() {
        if !is_match(r"^\s*for\b.*:\s*$", source.code(at)) {
            continue;
        }
        let (end, own) = (source.block_end(at), source.lines.get(at).map_or(0, |line| line.indent));
        let inner = source.joined(at + 1, end);
        for line in at + 1..end {
            let direct = source.lines.get(line).is_some_and(|l| l.indent == own + 4);
            let returned = groups(r"^\s*return\s+(\w+)\s*$", source.code(line));
            if let Some(name) =
                returned.get(1).filter(|name| direct && is_match(&format!(r"\b{name}\s*(?:[-+*]=|\.append\()"), &inner))
            {
                let message = format!("return inside the loop: `{name}` is returned in the first turn (indentation)");
                found.push(Remark::new(
                    source,
                    line,
                    (Defect, "high"),
                    "return-in-loop",
                    message,
                    "Move the return behind the loop.",
                ));
            }
            let reset = groups(r"^\s*(\w+)\s*=\s*(?:0|0\.0|\[\]|\{\}|\x22\x22)\s*$", source.code(line));
            if let Some(name) =
                reset.get(1).filter(|name| direct && line == at + 1 && is_match(&format!(r"\b{name}\s*\+="), &inner))
            {
                let after = source.joined(end, source.lines.len());
                if is_match(&format!(r"\breturn\b.*\b{name}\b"), &after) {
                    let message = format!("`{name}` is set back in every turn of the loop, so only the last counts");
                    found.push(Remark::new(
                        source,
                        line,
                        (Defect, "high"),
                        "reset-in-loop",
                        message,
                        "Set it before the loop.",
                    ));
                }
            }
        }
    }
}

/// A const that gets a new value.
fn constants(source: &Source, found: &mut Vec<Remark>) {
    for at in 0..source.lines.len() {
        let name = groups(r"^\s*const\s+(\w+)\s*(?::[^=]+)?=", source.code(at));
        let Some(name) = name.get(1) else { continue };
        let own = source.lines.get(at).map_or(0, |line| line.indent);
        let line = (at + 1..source.lines.len())
            .take_while(|line| {
                source.code(*line).trim().is_empty() || source.lines.get(*line).is_some_and(|l| l.indent >= own)
            })
            .find(|line| is_match(&format!(r"^\s*{name}\s*(?:[-+*/]?=[^=>]|\+\+|--)"), source.code(*line)));
        if let Some(line) = line {
            let message = format!("`{name}` is const and gets a new value: TypeError");
            found.push(Remark::new(source, line, (Defect, "high"), "const-assigned", message, "Use let."));
        }
    }
}

/// The same key twice in a literal.
fn repeated_keys(source: &Source, found: &mut Vec<Remark>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for at in 0..source.lines.len() {
        let text = source.text(at);
        if is_match(r"[{]\s*$", text) || is_match(r"^\s*[})]", text) {
            seen.clear();
        }
        let key = groups(r#"^\s*(["'][^"']+["']|[A-Za-z_]\w*)\s*:\s*[^:{]+,?\s*$"#, text);
        let literal = matches!(source.language, Language::Python | Language::Javascript | Language::Typescript);
        if let Some(key) = key.get(1).filter(|_| literal && (text.trim_end().ends_with(',') || !seen.is_empty()))
            && !seen.insert(key.clone())
        {
            let message = format!("the key {key} stands twice: the last value wins");
            found.push(Remark::new(source, at, (Style, "medium"), "duplicate-key", message, "Remove one."));
        }
    }
}
