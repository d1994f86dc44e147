//! Conditions and branches: always true, never reached, doing the same.

use crate::language::Language;
use crate::remark::Kind::{Defect, Style, Unused};
use crate::remark::Remark;
use crate::source::Source;
use agent_common::patterns::{groups, is_match};

const LEAVES: &str =
    r"^\s*(?:return\b|raise\b|throw\b|break\b\s*;?\s*$|continue\b\s*;?\s*$|sys\.exit\(|exit\(|process\.exit\()";

pub(crate) fn look(source: &Source, found: &mut Vec<Remark>) {
    if matches!(source.language, Language::Sql | Language::Html | Language::Yaml | Language::Dockerfile) {
        return;
    }
    unreachable(source, found);
    for at in 0..source.lines.len() {
        contradiction(source, at, found);
    }
    same_branches(source, found);
    fallthrough(source, found);
    handlers(source, found);
}

/// Lines behind one that leaves the block.
fn unreachable(source: &Source, found: &mut Vec<Remark>) {
    for at in 0..source.lines.len() {
        let code = source.code(at);
        if !is_match(LEAVES, code) {
            continue;
        }
        let own = source.lines.get(at).map_or(0, |line| line.indent);
        // The statement may go on over lines.
        let open: i32 = code
            .chars()
            .map(|c| {
                if "([{".contains(c) {
                    1
                } else if ")]}".contains(c) {
                    -1
                } else {
                    0
                }
            })
            .sum();
        let ends = if source.language.has_braces() {
            code.trim_end().ends_with([';', '}'])
        } else {
            !code.ends_with(['\\', ','])
        };
        if open != 0 || !ends {
            continue;
        }
        let above =
            (0..at).rev().map(|line| source.code(line).trim()).find(|code| !code.is_empty()).unwrap_or_default();
        let guarded = source.language.has_braces()
            && is_match(r"^(?:\}?\s*else\s+)?(?:if|for|while)\b.*\)\s*$|^\}?\s*else\s*$", above);
        let next = (at + 1..source.lines.len()).find(|line| !source.code(*line).trim().is_empty());
        let Some(next) = next.filter(|_| !guarded) else { continue };
        let (code, indent) = (source.code(next).trim(), source.lines.get(next).map_or(0, |line| line.indent));
        let label = is_match(
            r"^(?:case\b|default\b|\}|\)|\]|else\b|elif\b|except\b|finally\b|end\b|fi\b|esac|done|;;|function\b|fn\b|func\b|def\b|#|\w+:\s*$)",
            code,
        );
        if indent == own && !label {
            let message = "unreachable code: nothing behind the statement before is ever run (dead code)";
            found.push(Remark::new(
                source,
                next,
                (Unused, "medium"),
                "unreachable",
                message,
                "Remove it, or move it before.",
            ));
        }
    }
}

/// `x != a or x != b`, `x > 5 and x < 3`, `x == x`.
fn contradiction(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let text = source.text(at);
    let different = groups(
        r#"([\w.\[\]]+)\s*!==?\s*("[^"]*"|'[^']*'|[\w.]+)\s*(?:\|\||\bor\b)\s*([\w.\[\]]+)\s*!==?\s*("[^"]*"|'[^']*'|[\w.]+)"#,
        text,
    );
    if let [_, a, x, b, y] = different.as_slice()
        && a == b
        && x != y
    {
        let message = format!("always true: `{a}` cannot be equal to both, so one of the two is always different");
        found.push(Remark::new(source, at, (Defect, "high"), "always-true", message, "Use and instead of or."));
    }
    let same = groups(
        r#"([\w.\[\]]+)\s*===?\s*("[^"]*"|'[^']*'|[\w.]+)\s*(?:&&|\band\b)\s*([\w.\[\]]+)\s*===?\s*("[^"]*"|'[^']*'|[\w.]+)"#,
        text,
    );
    if let [_, a, x, b, y] = same.as_slice()
        && a == b
        && x != y
        && (x.starts_with(['"', '\'']) || x.parse::<f64>().is_ok())
        && (y.starts_with(['"', '\'']) || y.parse::<f64>().is_ok())
    {
        let message = format!("always false: `{a}` cannot be equal to two values at once");
        found.push(Remark::new(source, at, (Defect, "high"), "always-false", message, "Use or instead of and."));
    }
    let range = groups(
        r"([\w.]+)\s*(<=?|>=?)\s*(-?\d+(?:\.\d+)?)\s*(&&|\|\||\band\b|\bor\b)\s*([\w.]+)\s*(<=?|>=?)\s*(-?\d+(?:\.\d+)?)",
        source.code(at),
    );
    if let [_, a, left, x, joined, b, right, y] = range.as_slice()
        && a == b
        && let (Ok(x), Ok(y)) = (x.parse::<f64>(), y.parse::<f64>())
    {
        let (low, high) = if left.starts_with('>') { (x, y) } else { (y, x) };
        let opposite = left.chars().next() != right.chars().next();
        let all = matches!(joined.as_str(), "||" | "or");
        if opposite && all && low <= high {
            let message = format!("always true: every number is above {low} or below {high}");
            found.push(Remark::new(source, at, (Defect, "high"), "always-true", message, "Use and instead of or."));
        } else if opposite && !all && low >= high {
            let message = format!("always false: no number is above {low} and below {high}");
            found.push(Remark::new(
                source,
                at,
                (Defect, "high"),
                "always-false",
                message,
                "Use or, or swap the bounds.",
            ));
        }
    }
    itself(source, at, found);
}

/// What is compared with itself or assigned to itself, and conditions that are the result.
fn itself(source: &Source, at: usize, found: &mut Vec<Remark>) {
    let twin = groups(
        r"(?:\bif|\bwhile|\breturn|&&|\|\||\band|\bor)\b?\s*\(?\s*([a-z_][\w.]*)\s*(==|!=|===|!==|<=|>=|<|>)\s*([a-z_][\w.]*)\s*(?:[:);&|{]|$|\band\b|\bor\b)",
        source.code(at),
    );
    if let [_, a, _, b] = twin.as_slice()
        && a == b
    {
        let message = format!("`{a}` is compared with itself");
        found.push(Remark::new(
            source,
            at,
            (Defect, "medium"),
            "self-comparison",
            message,
            "Compare with the other value.",
        ));
    }
    let own = groups(r"^\s*((?:this\.|self\.)?\w[\w.]*)\s*=\s*((?:this\.|self\.)?\w[\w.]*)\s*;?\s*$", source.code(at));
    if let [_, a, b] = own.as_slice()
        && a == b
    {
        let message = format!("`{a}` is assigned to itself");
        found.push(Remark::new(
            source,
            at,
            (Defect, "medium"),
            "self-assignment",
            message,
            "Assign the other value (this. or self. may be missing).",
        ));
    }
    let verbose = groups(r"^\s*if\b(.*)[:{)]\s*$", source.code(at));
    let returns = |line: usize, word: &str| is_match(&format!(r"(?i)^\s*return {word}\b"), source.code(line));
    if !verbose.is_empty() && returns(at + 1, "true") && (at + 2..at + 5).any(|line| returns(line, "false")) {
        let message = "the condition itself is the result: if … return true else return false";
        found.push(Remark::new(source, at, (Style, "info"), "needless-bool", message, "Return the condition."));
    }
}

/// The branches of one chain: where each begins, its condition and its body.
fn chain(source: &Source, at: usize) -> Vec<(usize, String, String)> {
    let mut branches = Vec::new();
    let mut next = Some(at);
    let braces = source.language.has_braces();
    while let Some(line) = next {
        let code = source.text(line).trim().to_owned();
        let end = source.block_end(line);
        let body_end = if braces { end.saturating_sub(1).max(line + 1) } else { end };
        let body = source.lines.iter().take(body_end).skip(line + 1);
        let body: Vec<&str> = body.map(|line| line.text.trim()).filter(|text| !text.is_empty()).collect();
        let condition = groups(r"\b(?:if|elif)\b\s*(.*?)\s*[:{]?\s*$", &code).get(1).cloned().unwrap_or_default();
        branches.push((line, condition, body.join("\n")));
        let follow = if braces { end.saturating_sub(1) } else { end };
        next = [follow, follow + 1]
            .into_iter()
            .find(|place| *place > line && is_match(r"^\s*\}?\s*(?:else\b|elif\b)", source.code(*place)));
        if branches.len() > 50 {
            break;
        }
    }
    branches
}

fn same_branches(source: &Source, found: &mut Vec<Remark>) {
    for at in 0..source.lines.len() {
        if !is_match(r"^\s*if\b", source.code(at)) {
            continue;
        }
        let branches = chain(source, at);
        for (place, (line, condition, body)) in branches.iter().enumerate().skip(1) {
            let earlier = branches.iter().take(place);
            for (_, other, same) in earlier {
                if !condition.is_empty() && condition == other {
                    let message = format!("the condition `{condition}` stands twice, so this branch is never reached");
                    found.push(Remark::new(
                        source,
                        *line,
                        (Defect, "high"),
                        "same-condition",
                        message,
                        "Correct the condition.",
                    ));
                } else if !body.is_empty() && body == same {
                    let shown: String = body.lines().next().unwrap_or_default().chars().take(80).collect();
                    let message = format!(
                        "this branch ({}) does the same as another one: `{shown}`",
                        if condition.is_empty() { "else" } else { condition }
                    );
                    found.push(Remark::new(
                        source,
                        line + 1,
                        (Defect, "medium"),
                        "same-branches",
                        message,
                        "Correct the copied line, or join the branches.",
                    ));
                }
            }
        }
    }
}

/// A case of switch without break.
fn fallthrough(source: &Source, found: &mut Vec<Remark>) {
    use Language::{C, Cpp, Java, Javascript, Php, Typescript};
    if !matches!(source.language, C | Cpp | Java | Javascript | Php | Typescript) {
        return;
    }
    let mut open: Option<usize> = None;
    let mut leaves = true;
    for (at, line) in source.lines.iter().enumerate() {
        let code = line.code.trim();
        if is_match(r"^(?:case\b.*|default\s*):", code) {
            if let Some(case) = open.filter(|_| !leaves) {
                let message = "missing break: the case falls through into the next one (fallthrough)";
                found.push(Remark::new(
                    source,
                    at.saturating_sub(1).max(case),
                    (Defect, "high"),
                    "fallthrough",
                    message,
                    "Add break or return.",
                ));
            }
            let rest = code.split_once(':').map_or("", |(_, rest)| rest.trim());
            open = (!rest.is_empty()).then_some(at);
            leaves = is_match(r"\b(?:break|return|throw|continue|goto)\b", rest);
        } else if !code.is_empty() && code != "}" {
            open = open.or(Some(at));
            if is_match(r"\b(?:break|return|throw|continue|exit|goto)\b", code)
                || line.raw.to_lowercase().contains("fall")
            {
                leaves = true;
            } else if is_match(r"^\}?\s*(?:switch)\b|\bfunction\b|\bclass\b", code) {
                (open, leaves) = (None, true);
            } else if !code.starts_with('}') {
                leaves = false;
            }
        }
        if code == "}" && leaves {
            open = None;
        }
    }
}

/// Handlers: empty ones, and those that an earlier one hides.
fn handlers(source: &Source, found: &mut Vec<Remark>) {
    for at in 0..source.lines.len() {
        let code = source.code(at);
        let python = source.language == Language::Python;
        if python && is_match(r"^\s*except\b.*:\s*(?:pass)?\s*$", code) {
            let body = (at + 1..source.lines.len()).find(|line| !source.code(*line).trim().is_empty());
            let passes = is_match(r":\s*pass\s*$", code)
                || body.is_some_and(|line| is_match(r"^\s*(?:pass|\.\.\.)\s*$", source.code(line)));
            if passes {
                let message = "the exception is swallowed silently (except … pass)";
                found.push(Remark::new(source, at, (Defect, "medium"), "swallowed", message, "Handle it, or log it."));
            }
            let broad = is_match(r"^\s*except\s*(?:\(?(?:Base)?Exception\b.*)?:", code);
            let own = source.lines.get(at).map_or(0, |line| line.indent);
            let later = (at + 1..source.lines.len())
                .take_while(|line| {
                    source.code(*line).trim().is_empty() || source.lines.get(*line).is_some_and(|l| l.indent >= own)
                })
                .find(|line| {
                    source.lines.get(*line).is_some_and(|l| l.indent == own)
                        && is_match(r"^\s*except\s+\w", source.code(*line))
                });
            if let Some(later) = later.filter(|_| broad) {
                let message = "this handler is never reached: the broad one before it catches everything";
                found.push(Remark::new(
                    source,
                    later,
                    (Defect, "medium"),
                    "hidden-handler",
                    message,
                    "Put the narrow handler first.",
                ));
            }
        }
        let opens = is_match(r"\bcatch\b.*\{\s*$", code);
        let next =
            (at + 1..source.lines.len()).find(|line| !source.lines.get(*line).is_some_and(|l| l.raw.trim().is_empty()));
        if opens && next.is_some_and(|line| source.lines.get(line).is_some_and(|l| l.raw.trim() == "}")) {
            let message = "empty catch: the error is swallowed silently";
            found.push(Remark::new(
                source,
                at,
                (Defect, "medium"),
                "empty-catch",
                message,
                "Handle it, log it, or let it through.",
            ));
        }
    }
}
