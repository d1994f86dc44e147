//! What a request wants: the name of the function, its parameters, examples in any layout.

use agent_common::patterns::{all, compiled, groups};

use crate::Example;

/// Signs and words between a call and its result.
const BETWEEN: &str = r"^\s*`?\s*(?:->|-->|=>|==>|→|⇒|===?|≈|=|//|#|:|\||should (?:be|give|return|equal|stay|become)|must (?:be|give|return|stay|equal)|has to (?:be|give|return)|gives?(?: back)?|returns?|yields?|produces?|results? in|evaluates to|equals?|stays?|becomes|devuelve|da|ergibt|liefert|gibt|donne|renvoie|is)\s*:?\s*`?";

/// The examples of a text, in order, each call once.
#[must_use]
pub fn examples(text: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let Some(head) = compiled(r"[A-Za-z_$][\w.$]*\(") else { return found };
    let Some(between) = compiled(BETWEEN) else { return found };
    let mut at = 0;
    while let Some(call) = text.get(at..).and_then(|rest| head.find(rest)) {
        let start = at + call.start();
        at += call.end();
        let Some(end) = closed(text, start + call.as_str().len() - 1) else { continue };
        let before = text.get(..start).unwrap_or_default().rsplit('\n').next().unwrap_or_default().trim_end();
        let defines =
            ["def", "function", "fn", "func", "fun", "return", "bool", "int", "string", "void", "class", "double"];
        if before.split_whitespace().next_back().is_some_and(|word| defines.contains(&word)) {
            continue;
        }
        let rest = text.get(end..).unwrap_or_default();
        let Some(joint) = between.find(rest) else { continue };
        let behind = rest.get(joint.end()..).unwrap_or_default();
        let gives = value(behind);
        if gives.is_empty() || (joint.as_str().trim() == ":" && behind.starts_with('\n')) {
            continue;
        }
        let call = text.get(start..end).unwrap_or_default().to_owned();
        at = end;
        found.push(Example { call, gives });
    }
    found
}

/// The place behind the bracket that closes the one at `open`.
fn closed(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, c) in text.get(open..)?.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(mark), _) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(open + at + c.len_utf8());
                }
            }
            (None, _) => {}
        }
        if at > 2_000 {
            return None;
        }
    }
    None
}

/// The value that a text begins with: a literal, or words up to the end of the clause.
fn value(text: &str) -> String {
    let text = text.trim_start_matches([' ', '`']);
    let Some(first) = text.chars().next() else { return String::new() };
    let end = match first {
        '"' | '\'' | '“' => {
            let close = if first == '“' { '”' } else { first };
            let mut escaped = false;
            text.char_indices()
                .skip(1)
                .find(|(_, c)| {
                    let ends = !escaped && *c == close;
                    escaped = !escaped && *c == '\\';
                    ends
                })
                .map_or(0, |(at, c)| at + c.len_utf8())
        }
        '[' | '{' | '(' => closed(text, 0).unwrap_or(0),
        _ => {
            let stop = |(at, c): &(usize, char)| {
                let next = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
                match c {
                    '\n' | ';' | '`' | '?' | ')' => true,
                    ',' | '.' => next.is_none_or(char::is_whitespace),
                    ' ' => {
                        let word = text
                            .get(at + 1..)
                            .unwrap_or_default()
                            .split_whitespace()
                            .next()
                            .unwrap_or_default()
                            .to_lowercase();
                        matches!(
                            word.as_str(),
                            "and"
                                | "but"
                                | "und"
                                | "y"
                                | "et"
                                | "or"
                                | "because"
                                | "not"
                                | "("
                                | "with"
                                | "|"
                                | "for"
                                | "if"
                                | "//"
                                | "#"
                        )
                    }
                    _ => false,
                }
            };
            text.char_indices().find(stop).map_or(text.len(), |(at, _)| at)
        }
    };
    let value = text.get(..end).unwrap_or_default().trim();
    if value.split_whitespace().count() > 6 { String::new() } else { value.to_owned() }
}

/// Two examples with one call and two results.
#[must_use]
pub fn contradiction(examples: &[Example]) -> Option<&Example> {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    examples
        .iter()
        .enumerate()
        .find(|(at, example)| {
            examples
                .iter()
                .take(*at)
                .any(|other| bare(&other.call) == bare(&example.call) && bare(&other.gives) != bare(&example.gives))
        })
        .map(|(_, example)| example)
}

/// The name of the function and its parameters, where the request tells them.
#[must_use]
pub fn function(text: &str, examples: &[Example]) -> Option<String> {
    const HEADS: &[&str] = &[
        r"(?m)^\s*(?:export )?(?:async )?(?:def|function|fn|func|fun)\s+(\w+)\s*\(",
        r"(?i)\b(?:function|func|method|funktion|función|fonction|called|named|name[sd]?|helper|script)\s+`?([A-Za-z_]\w*)\s*\(",
        r"`([A-Za-z_]\w*)\s*\(",
        r"(?i)\b(?:called|named|function name:?|name it|call it|namens|llamada)\s+[`\x22']?([A-Za-z_]\w*)",
        r"\b(?:bool|string|int|void|double|static|boolean|String|number)\s+(\w+)\s*\(",
    ];
    let named = HEADS.iter().map(|head| groups(head, text)).find_map(|groups| groups.get(1).cloned());
    let used = examples
        .first()
        .and_then(|example| example.call.split('(').next())
        .map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    let any = || all(r"\b([a-z]\w*_\w+|[a-z]+[A-Z]\w*|[a-z]{3,})\([^)\n]*\)", text).first().cloned();
    named
        .filter(|name| !["that", "which", "to", "in", "for", "the", "is", "and"].contains(&name.as_str()))
        .or(used)
        .or_else(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_in_any_layout() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("Check: c_to_f(100) == 212, c_to_f(-40) == -40", &[("c_to_f(100)", "212"), ("c_to_f(-40)", "-40")]),
            ("suma([1, 2]) -> 6\nsuma([5]) -> 0", &[("suma([1, 2])", "6"), ("suma([5])", "0")]),
            (
                "gross(100, 19) = 119.0; gross(9.99, 7) = 10.69",
                &[("gross(100, 19)", "119.0"), ("gross(9.99, 7)", "10.69")],
            ),
            (
                "truncate(\"abcdef\", 4) → \"abc…\", truncate(\"abc\", 4) → \"abc\".",
                &[("truncate(\"abcdef\", 4)", "\"abc…\""), ("truncate(\"abc\", 4)", "\"abc\"")],
            ),
            (
                "transpose([[1,2,3],[4,5,6]]) must be [[1,4],[2,5],[3,6]]. sorry",
                &[("transpose([[1,2,3],[4,5,6]])", "[[1,4],[2,5],[3,6]]")],
            ),
            (
                "has_duplicate([1, 1]) is True and has_duplicate([]) is False.",
                &[("has_duplicate([1, 1])", "True"), ("has_duplicate([])", "False")],
            ),
            ("bmi(80, 2) must stay 20, bmi(70, 1.75) is 22.9", &[("bmi(80, 2)", "20"), ("bmi(70, 1.75)", "22.9")]),
            ("- isStrong(\"Ab1\") → false", &[("isStrong(\"Ab1\")", "false")]),
            ("initials(\"Ada\") // \"A\"", &[("initials(\"Ada\")", "\"A\"")]),
            ("double_all([]) gives []", &[("double_all([])", "[]")]),
            ("def f(x):\n    return x * 2", &[]),
        ];
        for (text, expect) in cases {
            let found = examples(text);
            let found: Vec<(&str, &str)> =
                found.iter().map(|example| (example.call.as_str(), example.gives.as_str())).collect();
            assert_eq!(found, *expect, "{text}");
        }
        assert!(contradiction(&examples("f(1) = 2; f(1) = 3")).is_some());
        assert_eq!(function("Python function `c_to_f(c)` returning c", &[]).as_deref(), Some("c_to_f"));
        assert_eq!(function("something called reverseWords that turns", &[]).as_deref(), Some("reverseWords"));
    }
}
