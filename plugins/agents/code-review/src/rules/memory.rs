//! C and C++: memory that is used after its end, freed twice or never.

use crate::language::Language;
use crate::remark::Kind::Defect;
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{groups, is_match};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if !matches!(source.language, Language::C | Language::Cpp) {
        return;
    }
    for function in source.functions() {
        for at in function.start..function.end {
            freed(source, at, function.end, found);
            allocated(source, at, function.end, found);
            returned(source, (function.start, at), found);
            uninitialized(source, at, function.end, found);
        }
    }
}

/// `free(p)` followed by a use of `p` before it gets a new value.
fn freed(source: &Source, at: usize, end: usize, found: &mut Vec<Remark>) {
    let name = groups(r"\b(?:free|kfree)\s*\(\s*(\w+)\s*\)|\bdelete(?:\[\])?\s+(\w+)\s*;", source.code(at));
    let Some(name) = name.iter().skip(1).find(|name| !name.is_empty()) else { return };
    let own = source.lines.get(at).map_or(0, |line| line.indent);
    for line in at + 1..end {
        let code = source.code(line);
        if source.lines.get(line).is_some_and(|l| l.indent < own) && code.contains('}')
            || is_match(r"^\s*(?:return|break|continue|goto)\b", code) && !is_match(&format!(r"\b{name}\b"), code)
        {
            return;
        }
        if is_match(&format!(r"\b(?:free\s*\(\s*{name}\s*\)|delete(?:\[\])?\s+{name}\s*;)"), code) {
            let message = format!("double free: `{name}` was freed in line {}", at + 1);
            found.push(Remark::new(
                source,
                line,
                (Defect, "high"),
                "c.double-free",
                message,
                "Free it once, and set it to NULL.",
            ));
            return;
        }
        let used = is_match(
            &format!(
                r"\b{name}\s*(?:->|\[)|\*\s*{name}\b|[(,]\s*{name}\s*[,)]|return\s+{name}\b|=\s*{name}\b|<<\s*{name}\b"
            ),
            code,
        );
        if used {
            let message = format!("use after free: `{name}` was freed in line {} (undefined behaviour)", at + 1);
            found.push(Remark::new(
                source,
                line,
                (Defect, "high"),
                "c.use-after-free",
                message,
                "Keep what is needed before freeing.",
            ));
            return;
        }
        if is_match(&format!(r"\b{name}\s*=[^=]"), code) {
            return;
        }
    }
}

/// `malloc` and `fopen`: results that are not checked, or never given back.
fn allocated(source: &Source, at: usize, end: usize, found: &mut Vec<Remark>) {
    let made = groups(r"\b(\w+)\s*=\s*(?:\([^)]*\)\s*)?(malloc|calloc|realloc|strdup|fopen|new)\b", source.code(at));
    let [_, name, how] = made.as_slice() else { return };
    let rest = source.joined(at + 1, end);
    let checked = is_match(&format!(r"(?:if|while|assert|\?)[^\n]*\b{name}\b|!\s*{name}\b"), &rest)
        || is_match(r"\bif\s*\(", source.code(at));
    if how != "new" && !checked {
        let message = format!("the result of {how} is not checked: `{name}` may be NULL");
        found.push(Remark::new(source, at, (Defect, "medium"), "c.unchecked", message, "Check for NULL."));
    }
    let close = match how.as_str() {
        "fopen" => "fclose",
        "new" => "delete",
        _ => "free",
    };
    let gives = is_match(
        &format!(
            r"return\s+{name}\b|=\s*{name}\s*;|->\w+\s*=\s*{name}\b|\b{close}\s*(?:\[\])?\s*\(?\s*{name}\b|push\w*\(\s*{name}|unique_ptr"
        ),
        &rest,
    );
    let owned = is_match(r"->\s*\w+\s*=|this->", source.code(at));
    if !gives && !owned {
        let message = format!(
            "{}: `{name}` is never given to {close}",
            if how == "fopen" { "resource leak" } else { "memory leak" }
        );
        found.push(Remark::new(source, at, (Defect, "medium"), "c.leak", message, format!("Call {close}.")));
    } else if let Some(line) =
        (at + 1..end).find(|line| is_match(r"^\s*(?:if\s*\(.*\)\s*)?\{?\s*return\b", source.code(*line)))
    {
        let between = source.joined(at + 1, line + 1);
        let released = is_match(&format!(r"\b{close}\b|return\s+{name}\b"), &between);
        let null = is_match(&format!(r"(?:!\s*{name}\b|{name}\s*==\s*(?:NULL|nullptr|0))"), &between);
        let last = !(line + 1..end).any(|later| is_match(&format!(r"\b{close}\b"), source.code(later)));
        if !released && !null && !last {
            let message = format!("leak: this return leaves `{name}` without {close}");
            found.push(Remark::new(
                source,
                line,
                (Defect, "medium"),
                "c.leak",
                message,
                format!("Call {close} before returning."),
            ));
        }
    }
    if how == "new" && is_match(r"\bnew\s+\w+\s*\[", source.code(at)) {
        let line = (at + 1..end).find(|line| is_match(&format!(r"\bdelete\s+{name}\b"), source.code(*line)));
        if let Some(line) = line {
            let message = "delete for what was made with new[]: delete[] is needed (undefined behaviour)";
            found.push(Remark::new(
                source,
                line,
                (Defect, "high"),
                "cpp.delete-array",
                message,
                "Use delete[], or a vector.",
            ));
        }
    }
}

/// The address of a local variable.
fn returned(source: &Source, (start, at): (usize, usize), found: &mut Vec<Remark>) {
    let name = groups(r"^\s*return\s+&?(\w+)\s*;", source.code(at));
    let Some(name) = name.get(1) else { return };
    let before = source.joined(start, at);
    let array =
        is_match(&format!(r"(?m)^\s*(?:char|int|double|float|unsigned|\w+_t)\s+(?:\w+\s*,\s*)*{name}\s*\["), &before);
    let local = source.code(at).contains('&') && is_match(&format!(r"(?m)^\s*(?:\w+\s+)+{name}\s*(?:=|;)"), &before);
    if (array || local) && !is_match(&format!(r"static[^\n;]*\b{name}\b"), &before) {
        let message =
            format!("the address of the local variable `{name}` is returned: it is dangling after the return (stack)");
        found.push(Remark::new(
            source,
            at,
            (Defect, "high"),
            "c.dangling",
            message,
            "Allocate it, or let the caller pass a buffer.",
        ));
    }
}

fn uninitialized(source: &Source, at: usize, end: usize, found: &mut Vec<Remark>) {
    let declared = groups(r"^\s*(?:int|long|double|float|unsigned|size_t|char)\s+(\w+)\s*;", source.code(at));
    let Some(name) = declared.get(1) else { return };
    for line in at + 1..end {
        let code = source.code(line);
        if is_match(&format!(r"\b{name}\s*(?:\+=|-=|\*=|\+\+)|(?:\+\+|--)\s*{name}\b"), code) {
            let message = format!("`{name}` is used uninitialized: it has no value yet");
            found.push(Remark::new(source, at, (Defect, "high"), "c.uninitialized", message, "Initialize it with 0."));
            return;
        }
        if is_match(&format!(r"\b{name}\s*=[^=]|&\s*{name}\b|>>\s*{name}\b|,\s*{name}\s*="), code) {
            return;
        }
    }
}
