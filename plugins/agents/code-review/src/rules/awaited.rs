//! Promises and coroutines that nobody awaits, and calls that block an event loop.

use crate::language::Language;
use crate::remark::Kind::Defect;
use crate::remark::Remark;
use crate::source::{Function, Source};
use agent_common::patterns::{groups, is_match};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    let python = source.language == Language::Python;
    let script = matches!(source.language, Language::Javascript | Language::Typescript);
    if !python && !script && source.language != Language::Csharp {
        return;
    }
    let functions = source.functions();
    for function in functions.iter().filter(|function| function.is_async) {
        for at in 0..source.lines.len() {
            let code = source.code(at);
            let call = format!(
                r"(?:^\s*|=\s*|return\s+|\b(?:if|while|elif)\s*\(?\s*(?:!|not\s+)?|(?:&&|\|\||\band\b|\bor\b)\s*(?:!|not\s+)?){}\s*\(",
                function.name
            );
            let inside = functions.iter().any(|other| other.is_async && other.start < at && at < other.end);
            let returned = is_match(r"^\s*return\b", code);
            if at == function.start || !is_match(&call, code) || (returned && !python) {
                continue;
            }
            let handled = is_match(r"\bawait\b|\.then\(|asyncio\.|gather|create_task|\bvoid\b|\.catch\(|run\(", code)
                || (is_match(r"=\s*\w+\(", code) && later_awaited(source, at));
            if !handled {
                let what = if python { "coroutine" } else { "promise" };
                let more = if inside { "" } else { ", and its errors are lost" };
                let message = format!(
                    "missing await: `{}` is async, so the call only gives a {what} that is never awaited{more}",
                    function.name
                );
                found.push(Remark::new(
                    source,
                    at,
                    (Defect, "high"),
                    "missing-await",
                    message,
                    "Write await before the call.",
                ));
            }
        }
    }
    if script {
        fetched(source, found);
    }
    if python {
        blocking(source, &functions, found);
    }
}

/// Calls that hold up the event loop of Python, and sleeps that do not.
fn blocking(source: &Source, functions: &[Function], found: &mut Vec<Remark>) {
    for function in functions.iter().filter(|function| function.is_async) {
        for at in function.start..function.end {
            let blocking =
                groups(r"\b(time\.sleep|requests\.\w+|urllib\.request\.urlopen|subprocess\.run)\(", source.code(at));
            if let Some(name) = blocking.get(1) {
                let message = format!("`{name}` blocks the event loop inside an async function");
                found.push(Remark::new(
                    source,
                    at,
                    (Defect, "high"),
                    "async-blocking",
                    message,
                    "Use an async call, such as asyncio.sleep.",
                ));
            }
            if is_match(r"^\s*asyncio\.sleep\(", source.code(at)) {
                let message = "missing await: asyncio.sleep gives a coroutine that is never awaited";
                found.push(Remark::new(
                    source,
                    at,
                    (Defect, "high"),
                    "missing-await",
                    message,
                    "Write await before the call.",
                ));
            }
        }
    }
}

fn later_awaited(source: &Source, at: usize) -> bool {
    let name = groups(r"(\w+)\s*(?::[^=]+)?=\s*\w+\(", source.code(at));
    let Some(name) = name.get(1) else { return false };
    let rest = source.joined(at + 1, source.lines.len());
    is_match(&format!(r"await\s+{name}\b|\b{name}\.then\(|(?:gather|all|wait)\w*\(.*\b{name}\b"), &rest)
}

/// `const r = fetch(…)` whose result is read without await.
fn fetched(source: &Source, found: &mut Vec<Remark>) {
    for at in 0..source.lines.len() {
        let code = source.code(at);
        let assigned = is_match(r"=\s*(?:fetch|axios(?:\.\w+)?)\(|=\s*\w+\.json\(\)", code);
        if !assigned || is_match(r"\bawait\b|\.then\(|=>", code) || later_awaited_any(source, at) {
            continue;
        }
        let next = source.code(at + 1).trim_start().starts_with('.');
        let json = is_match(r"\.json\(\)", code) && !is_match(r"\bfetch\b", &source.joined(0, source.lines.len()));
        if !next && !json {
            let message = "missing await: the call gives a promise, not the result";
            found.push(Remark::new(
                source,
                at,
                (Defect, "high"),
                "missing-await",
                message,
                "Write await before the call.",
            ));
        }
    }
}

fn later_awaited_any(source: &Source, at: usize) -> bool {
    let name = groups(r"(\w+)\s*=\s*", source.code(at));
    name.get(1).is_some_and(|name| {
        let rest = source.joined(at + 1, source.lines.len());
        is_match(&format!(r"await\s+{name}\b|\b{name}\s*\.then\(|all\w*\(.*\b{name}\b|(?m:return {name}\s*;?$)"), &rest)
    })
}
