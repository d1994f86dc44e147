//! Bounds that a request states against those in the code: `100 or more` and `> 100`.

use crate::remark::{Kind, Remark};
use crate::source::Source;
use agent_common::patterns::{all, is_match};

/// Words around a number, and the comparison that says the same the wrong way.
const STATED: &[(&str, &str, &str)] = &[
    (
        r"(?:at least|minimum(?: of)?|from|starting at|ab|mindestens|not less than)\s+[^\d\s]{0,3}\s?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:[a-z%€$£]{1,9}\s+)?(?:or more|or above|or higher|or older|and more|and above|and over|and up|or over|upwards|oder mehr)",
        ">",
        "belongs to it (or more), but",
    ),
    (
        r"(?:at most|maximum(?: of)?|up to|no more than|not more than|höchstens)\s+[^\d\s]{0,3}\s?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:[a-z%€$£]{1,9}\s+)?(?:or less|or fewer|or below|or lower|or under|or younger|and below|inclusive)",
        "<",
        "belongs to it (or less), but",
    ),
    (
        r"(?:more than|over|above|exceeds?|exceeding|greater than|older than|longer than|mehr als|über)\s+[^\d\s]{0,3}\s?(\d+(?:\.\d+)?)",
        ">=",
        "does not belong to it (more than), but",
    ),
    (
        r"(?:less than|under|below|fewer than|younger than|shorter than|weniger als|unter)\s+[^\d\s]{0,3}\s?(\d+(?:\.\d+)?)",
        "<=",
        "does not belong to it (less than), but",
    ),
];

/// Remarks on comparisons that leave out or take in the bound itself.
#[must_use]
pub fn look(request: &str, source: &Source) -> Vec<Remark> {
    let lower = request.to_lowercase();
    let mut found = Vec::new();
    for (pattern, sign, words) in STATED {
        for number in numbers(pattern, &lower) {
            for (at, line) in source.lines.iter().enumerate() {
                let escaped = number.replace('.', r"\.");
                let comparison = format!(r"(?:^|[^<>=!-]){}\s*{escaped}(?:\.0+)?\b(?:[^.\d]|$)", regex_sign(sign));
                if is_match(&comparison, &line.code)
                    && is_match(r"\b(?:if|elif|while|return|when|case)\b|\?|and|&&|=>", &line.code)
                {
                    let message = format!(
                        "boundary: exactly {number} {words} `{sign} {number}` {}",
                        if sign.len() == 1 { "leaves it out" } else { "takes it in" }
                    );
                    let remedy = match *sign {
                        ">" => "Use >=.",
                        "<" => "Use <=.",
                        ">=" => "Use >.",
                        _ => "Use <.",
                    };
                    found.push(Remark::new(source, at, (Kind::Defect, "high"), "stated-boundary", message, remedy));
                }
            }
        }
    }
    found
}

fn regex_sign(sign: &str) -> String {
    if sign.len() == 1 { format!("{sign}(?:\\s)") } else { sign.to_owned() }
}

fn numbers(pattern: &str, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in pattern.split('|').collect::<Vec<_>>().join("|").split('\u{0}') {
        for matched in all(&format!("({part})"), text) {
            found.extend(all(r"(\d+(?:\.\d+)?)", &matched).first().cloned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn bounds_are_compared() {
        let cases = [
            ("orders of 100 EUR or more get 10 % off", "    if amount > 100:", true),
            ("orders of 100 EUR or more get 10 % off", "    if amount >= 100:", false),
            ("adults are at least 18", "if (age > 18) {", true),
            ("more than 5 tries lock the account", "if tries >= 5:", true),
            ("up to 30 kg", "if weight < 30:", true),
            ("up to 30 kg", "if weight < 300:", false),
        ];
        for (request, code, expect) in cases {
            let source = Source::read("a.py", code, Language::Python);
            assert_eq!(!look(request, &source).is_empty(), expect, "{request}: {code}");
        }
    }
}
