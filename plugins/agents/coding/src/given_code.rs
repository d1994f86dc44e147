//! Code that a request brings: checked in its form, not written anew.

use agent_common::patterns::is_match;
use agent_common::request::{PieceKind, Request};

/// The code of a request, all its pieces together; none if it brings none.
#[must_use]
pub fn read(request: &Request) -> Option<String> {
    let code = |kind: &PieceKind| matches!(kind, PieceKind::Fenced { .. } | PieceKind::Code { .. });
    let pieces: Vec<&str> =
        request.material.iter().filter(|piece| code(&piece.kind)).map(|piece| piece.text.trim_end()).collect();
    let text = pieces.join("\n\n");
    is_match(r"(?m)\bdef\b|\bfunction\b|=>|\bfn\b|\bfunc\b|\bfun\b|\breturn\b|[{;]\s*$", &text)
        .then(|| without_examples(&text) + "\n")
}

/// The code without lines that are example calls.
fn without_examples(code: &str) -> String {
    let example = |line: &str| is_match(r"^\w[\w.]*\(.*\)\s*(?:->|→|=>|==|//|#|=)\s*\S", line);
    let lines: Vec<&str> = code.lines().filter(|line| !example(line)).collect();
    lines.join("\n").trim_end().to_owned()
}

/// Whether a request wants the code that it brings to be looked at only.
#[must_use]
pub fn is_check(instruction: &str) -> bool {
    let lower = instruction.to_lowercase();
    let checks = is_match(
        r"does (?:this|it|the (?:code|function)) (?:parse|compile)|\bparses?\b.*\?|valid (?:python|javascript|java|go|rust|c\b|php|typescript)|syntax|check with|(?:do|does) (?:both|the|all|these|my) (?:\w+ )?examples?|check (?:it|this|the (?:function|code|examples))|is (?:this|it) (?:valid|correct)|verify|run these|well.?formed",
        &lower,
    );
    let changes = is_match(
        r"\b(?:faster|convert|translate|port|rewrite|refactor|correct it|fix|add|extend|change|write|implement|improve|simplify|document|make|replace|optimi[sz]e)\b",
        &lower,
    );
    checks && !changes
}

/// What is wrong with brackets, quotes or indentation; none if nothing is.
#[must_use]
pub fn mistake(code: &str, python: bool) -> Option<String> {
    let mut open: Vec<(char, usize)> = Vec::new();
    let (mut quote, mut escaped): (Option<char>, bool) = (None, false);
    for (number, line) in code.lines().enumerate() {
        let comment = |at: usize, rest: &str| {
            if python {
                rest.starts_with('#')
            } else {
                rest.starts_with("//") && !line.get(..at).is_some_and(|before| before.ends_with(':'))
            }
        };
        for (at, c) in line.char_indices() {
            match (quote, c) {
                (Some(_), _) if escaped => escaped = false,
                (Some(_), '\\') => escaped = true,
                (Some(mark), _) if mark == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') if !(python && c == '`') => quote = Some(c),
                (None, _) if comment(at, line.get(at..).unwrap_or_default()) => break,
                (None, '(' | '[' | '{') => open.push((c, number + 1)),
                (None, ')' | ']' | '}') => {
                    let wanted = match c {
                        ')' => '(',
                        ']' => '[',
                        _ => '{',
                    };
                    if open.pop().is_none_or(|(before, _)| before != wanted) {
                        return Some(format!("line {}: `{c}` closes nothing", number + 1));
                    }
                }
                (None, _) => {}
            }
        }
        let triple = line.matches("\"\"\"").count() + line.matches("'''").count();
        if quote.is_some() && quote != Some('`') && triple == 0 {
            return Some(format!("line {}: a string is not closed", number + 1));
        }
        if python
            && open.is_empty()
            && quote.is_none()
            && is_match(r"^\s*(?:def|class|if|elif|else|for|while|try|except|with)\b[^#]*[^:\s,\\]\s*$", line)
            && !is_match(r":\s*\S|\belse\b.*$", line)
        {
            return Some(format!("line {}: the colon is missing", number + 1));
        }
    }
    open.pop().map(|(c, line)| format!("line {line}: `{c}` is not closed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_its_form() {
        let task = "Does this parse as Python 3? And do both examples hold?\n\ndef even_only(xs):\n    return [x for x in xs if x % 2 == 0]\n\neven_only([7]) -> []\n";
        let request = Request::read(task);
        assert_eq!(read(&request).as_deref(), Some("def even_only(xs):\n    return [x for x in xs if x % 2 == 0]\n"));
        assert!(is_check(&request.instruction) && !is_check("Make this faster"));
        assert_eq!(mistake("def f(x):\n    return x\n", true), None);
        assert!(
            mistake("def f(x:\n    return x\n", true).is_some() && mistake("def f(x)\n    return x\n", true).is_some()
        );
        assert_eq!(mistake("function f(n) { return n.split(\" \"); }", false), None);
    }
}
