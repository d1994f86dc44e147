//! Loops that never end or change what they go over, divisions by the size of what may be empty.

use crate::language::Language;
use crate::remark::Kind::{Defect, Performance};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{count_word, groups, is_match};

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if matches!(
        source.language,
        Language::Sql | Language::Html | Language::Yaml | Language::Dockerfile | Language::Shell
    ) {
        return;
    }
    for at in 0..source.lines.len() {
        endless(source, at, found);
        changed(source, at, found);
        joined(source, at, found);
        deferred(source, at, found);
        captured(source, at, found);
        divided(source, at, found);
        fixed_array(source, at, found);
    }
    recursion(source, found);
}

fn body(source: &Source, at: usize) -> String {
    source.joined(at + 1, source.block_end(at))
}

fn endless(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let code = source.code(at);
    let head = groups(r"\bwhile\b\s*\(?(.*?)\)?\s*[:{]?\s*$", code);
    let Some(condition) = head.get(1).filter(|_| !code.trim_start().starts_with('}')) else { return };
    let inner = body(source, at);
    let leaves = is_match(r"\b(?:break|return|raise|throw|exit|yield|goto|await)\b", &inner);
    if is_match(r"(?i)^\s*(?:true|1)\s*$", condition) {
        if !leaves {
            let message = "infinite loop: nothing in it ends it (no break or return)";
            found.push(Remark::new(source, at, (Defect, "high"), "infinite-loop", message, "Add an end."));
        }
        return;
    }
    if leaves || condition.contains('(') || condition.contains('.') || inner.is_empty() {
        return;
    }
    let names = agent_common::patterns::all(r"[A-Za-z_]\w*", condition);
    let names: Vec<&String> = names
        .iter()
        .filter(|name| !["and", "or", "not", "True", "False", "len", "null", "None", "NULL"].contains(&name.as_str()))
        .collect();
    let changes = |name: &&String| {
        is_match(
            &format!(
                r"\b{name}\b\s*(?:[-+*/%|&]?=[^=]|\+\+|--|,|\.|\[|<<|>>|->)|(?:\+\+|--|&|:=)\s*\b{name}\b|,\s*{name}\b.*="
            ),
            &inner,
        )
    };
    if !names.is_empty() && !names.iter().any(changes) && !is_match(&format!(r"(?:\+\+|--)|\b{}\(", "next"), code) {
        let message = format!("infinite loop: nothing in it changes `{}`", condition.trim());
        found.push(Remark::new(
            source,
            at,
            (Defect, "high"),
            "infinite-loop",
            message,
            "Change the variable of the condition in the loop.",
        ));
    }
}

/// Adding to or taking from the collection that the loop goes over.
fn changed(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let heads = [
        r"\bfor\s+\w+(?:\s*,\s*\w+)*\s+in\s+(\w+(?:\.\w+)?)(?:\.(?:keys|items|values)\(\))?\s*:",
        r"\bfor(?:each)?\s*\(.*(?::|\bof\b|\bin\b)\s*(\w+)\s*\)",
    ];
    let name = heads.iter().map(|head| groups(head, source.code(at))).find_map(|groups| groups.get(1).cloned());
    let Some(name) = name else { return };
    let end = source.block_end(at);
    for line in at + 1..end {
        let code = source.code(line);
        let hit = is_match(
            &format!(
                r"\b{name}\.(?:remove|Remove|pop|append|add|Add|insert|extend|delete|splice|push|clear)\(|\bdel\s+{name}\["
            ),
            code,
        );
        let leaves = line + 1 < end && is_match(r"\b(?:break|return)\b", source.code(line + 1));
        if hit && !leaves {
            let message = format!(
                "`{name}` is changed while iterating over it: items are skipped, or an error is raised (ConcurrentModification)"
            );
            found.push(Remark::new(
                source,
                line,
                (Defect, "high"),
                "changed-in-loop",
                message,
                "Iterate over a copy, or build a new list.",
            ));
        }
    }
}

/// Text or queries built turn by turn.
fn joined(source: &Source, at: usize, found: &mut Vec<Remark>) {
    if !is_match(r"^\s*(?:for|while|foreach)\b|\.forEach\(|\.map\(async", source.code(at)) {
        return;
    }
    for line in at + 1..source.block_end(at) {
        let text = source.text(line);
        if is_match(
            r#"\b(\w+)\s*\+=\s*(?:f?["'`]|str\(|String\.)|(\w*(?:result|text|output|s|html|csv|line)\w*)\s*\+=\s*\w+\s*\+\s*["']"#,
            text,
        ) && source.language != Language::Javascript
        {
            let message = "text is concatenated in a loop: each turn copies all before (quadratic)";
            found.push(Remark::new(
                source,
                line,
                (Performance, "low"),
                "concatenation",
                message,
                "Collect the parts and join them (StringBuilder).",
            ));
        }
        if is_match(r"(?i)\.(?:execute|query|findOne|find_by|objects\.get|get_or_404)\(|\bSELECT\b.*\bFROM\b", text) {
            let message = "a query in a loop: one round trip for each turn (N+1 queries)";
            found.push(Remark::new(
                source,
                line,
                (Performance, "medium"),
                "n-plus-one",
                message,
                "Fetch all in one query.",
            ));
        }
    }
}

/// Go: defer in a loop, WaitGroup.Add inside the goroutine.
fn deferred(source: &Source, at: usize, found: &mut Vec<Remark>) {
    if source.language != Language::Go {
        return;
    }
    let code = source.code(at);
    if is_match(r"^\s*for\b", code) {
        let hit = (at + 1..source.block_end(at)).find(|line| is_match(r"^\s*defer\b", source.code(*line)));
        let nested = is_match(r"\bfunc\(", &body(source, at));
        if let Some(line) = hit.filter(|_| !nested) {
            let message =
                "defer in a loop runs only when the function returns: everything stays open until then (resource leak)";
            found.push(Remark::new(
                source,
                line,
                (Defect, "medium"),
                "go.defer-loop",
                message,
                "Close it in the loop, or move the body into a function.",
            ));
        }
    }
    let opened = groups(
        r"^\s*(\w+)\s*,\s*(\w+)\s*:?=\s*(?:http\.(?:Get|Post)\w*|os\.(?:Open|Create)\w*|\w+\.(?:Do|Query)\w*)\(",
        code,
    );
    if let [_, name, error] = opened.as_slice() {
        let end = source.functions().iter().find(|f| f.start < at && at < f.end).map_or(source.lines.len(), |f| f.end);
        let rest = source.joined(at + 1, end);
        if !is_match(&format!(r"\b{name}\.(?:Body\.)?Close\(|return {name}\b"), &rest) && name != "_" {
            let message = format!("resource leak: `{name}` is never closed (defer Close)");
            found.push(Remark::new(source, at, (Defect, "medium"), "go.not-closed", message, "Add defer Close."));
        }
        if error != "_" && !is_match(&format!(r"\b{error}\s*!=\s*nil|\b{error}\s*==\s*nil|return .*\b{error}\b"), &rest)
        {
            let message = format!("`{error}` is not checked: the error is ignored");
            found.push(Remark::new(source, at, (Defect, "medium"), "go.ignored-error", message, "Check it."));
        }
    }
    if is_match(r"^\s*go func\(", code) {
        for line in at + 1..source.block_end(at) {
            if is_match(r"\b\w+\.Add\(1\)", source.code(line)) && is_match(r"(?i)wg|wait", source.code(line)) {
                let message = "WaitGroup.Add inside the goroutine: Wait may return before it (race)";
                found.push(Remark::new(source, line, (Defect, "high"), "go.wg-add", message, "Call Add before go."));
            }
            let counter = groups(r"^\s*(\w+)\s*(?:\+\+|--|\+=|-=)", source.code(line));
            let whole = source.joined(0, source.lines.len());
            if let Some(name) = counter.get(1).filter(|_| !is_match(r"Mutex|\.Lock\(|atomic\.", &whole)) {
                let message = format!("data race: several goroutines change `{name}` without a lock");
                found.push(Remark::new(
                    source,
                    line,
                    (Defect, "high"),
                    "go.data-race",
                    message,
                    "Use a Mutex or sync/atomic.",
                ));
            }
        }
    }
}

/// Closures in loops that see the last value of the loop variable.
fn captured(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let script = matches!(source.language, Language::Javascript | Language::Typescript);
    let code = source.code(at);
    if script && is_match(r"\bfor\s*\(\s*var\s+\w+", code) {
        let hit = (at..source.block_end(at)).find(|line| {
            is_match(
                r"setTimeout\(|addEventListener\(|\.push\(\s*(?:function|\()|onclick\s*=|setInterval\(|\.then\(",
                source.code(*line),
            )
        });
        if let Some(line) = hit {
            let message = "closure over var: every callback sees the last value of the loop variable";
            found.push(Remark::new(
                source,
                line,
                (Defect, "high"),
                "loop-closure",
                message,
                "Use let for the loop variable.",
            ));
        }
    }
    let python = groups(r"^\s*for\s+(\w+)\s+in\b", code);
    if source.language == Language::Python
        && let Some(name) = python.get(1)
    {
        for line in at + 1..source.block_end(at) {
            let stored =
                is_match(&format!(r"(?:append\(|\]\s*=|=\s*)\s*lambda\b[^:=]*:.*\b{name}\b"), source.code(line));
            if stored {
                let message = format!("late binding closure: every lambda sees the last value of `{name}`");
                found.push(Remark::new(
                    source,
                    line,
                    (Defect, "high"),
                    "loop-closure",
                    message,
                    format!("Bind it as a default: {name}={name}."),
                ));
            }
        }
    }
    let go = groups(r"^\s*for\s+(?:\w+\s*,\s*)?(\w+)\s*:=\s*range\b", code);
    if let Some(name) = go.get(1).filter(|_| source.language == Language::Go) {
        for line in at + 1..source.block_end(at) {
            if is_match(r"\bgo func\(\)", source.code(line))
                && count_word(&source.joined(line, source.block_end(line)), name) > 0
            {
                let message =
                    format!("the goroutine captures the loop variable `{name}`: before Go 1.22 all see its last value");
                found.push(Remark::new(
                    source,
                    line,
                    (Defect, "medium"),
                    "loop-closure",
                    message,
                    "Pass it as an argument.",
                ));
            }
        }
    }
}

/// A division by a size that may be 0.
fn divided(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let code = source.code(at);
    let size = groups(
        r"/\s*(?:\(?(?:float|double|int)\)?\s*\(?)?(?:len\(\s*([\w.]+)\s*\)|count\(\s*(\$\w+)\s*\)|\(?([\w.$]+)\.(?:length|size\(\)|Count|Length|len\(\)|count\(\)|size)\b)",
        code,
    );
    let name = size.iter().skip(1).find(|name| !name.is_empty());
    let Some(name) = name else { return };
    let start = source.functions().iter().filter(|f| f.start <= at && at < f.end).map(|f| f.start).max().unwrap_or(0);
    let before = source.joined(start, at + 1);
    let escaped = name.replace('$', r"\$").replace('.', r"\.");
    let guard = format!(
        r"(?:\bif\b|\bunless\b|\bguard\b|\?|\bassert\b|&&|\band\b)[^\n]*\b?{escaped}|\b{escaped}(?:\.length|\.size\(\)|\.isEmpty\(\)|\.is_empty\(\))?[^\n]*\?|or 1\b|\|\| 1\b|max\("
    );
    if !is_match(&guard, &before) {
        let message = format!("division by zero if `{name}` is empty (its length is 0)");
        found.push(Remark::new(
            source,
            at,
            (Defect, "medium"),
            "division-by-zero",
            message,
            "Handle the empty case first.",
        ));
    }
}

/// `int a[10]; for (i = 0; i <= 10; i++) a[i]`.
fn fixed_array(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let head = groups(r"\bfor\s*\([^;]*;\s*(\w+)\s*<=\s*(\w+)\s*;", source.code(at));
    let [_, index, bound] = head.as_slice() else { return };
    let before = source.joined(0, at + 1);
    let inside = source.joined(at, source.block_end(at));
    let starts_at_zero = is_match(&format!(r"\b{index}\s*:?=\s*0\b"), source.code(at));
    let sized = is_match(&format!(r"\[\s*{bound}\s*\]"), &before) || is_match(r"^(?:n|len|length|size|count)$", bound);
    if starts_at_zero && sized && is_match(&format!(r"\[\s*{index}\s*\]"), &inside) {
        let message = format!("off by one: <= reaches the index {bound}, which is out of bounds (buffer overflow)");
        found.push(Remark::new(source, at, (Defect, "high"), "off-by-one", message, "Use < instead of <=."));
    }
}

/// Functions that call themselves without a way out.
fn recursion(source: &Source, found: &mut Vec<Remark>) {
    for function in source.functions() {
        let inner = source.joined(function.start + 1, function.end);
        let call = (function.start + 1..function.end)
            .find(|line| is_match(&format!(r"(?:^|[^.\w]){}\s*\(", function.name), source.code(*line)));
        let guarded = is_match(r"\b(?:if|while|for|switch|match|when|case|unless|and|or|try)\b|\?|&&|\|\|", &inner);
        if let Some(line) = call.filter(|_| !guarded) {
            let message = format!("infinite recursion: `{}` calls itself without a base case", function.name);
            found.push(Remark::new(source, line, (Defect, "high"), "infinite-recursion", message, "Add a base case."));
        }
    }
}
