//! A text beside its translation: numbers, placeholders and addresses that differ.

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// `number`, `placeholder`, `address`, `term` or `kept term`.
    pub kind: &'static str,
    /// What only the source has.
    pub missing: Vec<String>,
    /// What only the translation has.
    pub added: Vec<String>,
}

impl Difference {
    /// Returns the difference in words.
    #[must_use]
    pub fn text(&self) -> String {
        let list = |values: &[String]| values.iter().map(|value| format!("\"{value}\"")).collect::<Vec<_>>().join(", ");
        let (kind, missing, added) = (self.kind, list(&self.missing), list(&self.added));
        match (missing.is_empty(), added.is_empty()) {
            (false, false) => format!("The {kind} {missing} of the text is {added} in the translation."),
            (false, true) => format!("The {kind} {missing} is missing in the translation."),
            _ => format!("The {kind} {added} is only in the translation."),
        }
    }
}

/// The differences between a text and its translation.
#[must_use]
pub fn differences(source: &str, translation: &str) -> Vec<Difference> {
    let mut all = Vec::new();
    for (kind, find) in
        [("placeholder", placeholders as fn(&str) -> Vec<String>), ("address", addresses), ("number", numbers)]
    {
        let (a, b) = (find(source), find(translation));
        let key = |one: &String| if kind == "number" { digits(one) } else { one.clone() };
        let (missing, added) = (only(&a, &b, key), only(&b, &a, key));
        if !missing.is_empty() || !added.is_empty() {
            all.push(Difference { kind, missing, added });
        }
    }
    all
}

/// What one list has more often than the other, by a key.
fn only(own: &[String], other: &[String], key: impl Fn(&String) -> String) -> Vec<String> {
    let mut left: Vec<String> = other.iter().map(&key).collect();
    let mut found = Vec::new();
    for one in own {
        match left.iter().position(|known| *known == key(one)) {
            Some(at) => {
                left.remove(at);
            }
            None => found.push(one.clone()),
        }
    }
    found
}

/// Returns what two spellings of a number have in common: its digits, and how many of them
/// are decimals. Three digits behind the last sign are a group.
fn digits(number: &str) -> String {
    let decimals = number.rsplit_once(|c: char| !c.is_ascii_digit()).map_or(0, |(_, last)| last.len());
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    format!("{digits} {}", if decimals == 3 { 0 } else { decimals })
}

fn numbers(text: &str) -> Vec<String> {
    let mut rest = text.to_owned();
    for one in placeholders(text).into_iter().chain(addresses(text)) {
        rest = rest.replace(&one, " ");
    }
    let signs: Vec<char> = rest.chars().collect();
    let digit = |at: usize| signs.get(at).is_some_and(char::is_ascii_digit);
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, c) in signs.iter().enumerate() {
        let inside = c.is_ascii_digit()
            || (matches!(c, ',' | '.' | ':' | '\u{a0}' | '\u{202f}' | '\'')
                && at > 0
                && digit(at - 1)
                && digit(at + 1));
        let grouped =
            *c == ' ' && at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) && digit(at + 3) && !digit(at + 4);
        if inside || grouped {
            word.push(*c);
        } else if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
    }
    found.extend(Some(word).filter(|word| !word.is_empty()));
    found
}

fn placeholders(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '%', '<', '$', '[']) {
        let from = rest.get(at..).unwrap_or_default();
        let length = placeholder(from);
        found.extend(from.get(..length).filter(|one| !one.is_empty()).map(str::to_owned));
        rest = from.get(length.max(1)..).unwrap_or_default();
    }
    found
}

/// Bytes of the placeholder that a text begins with; 0 without.
fn placeholder(text: &str) -> usize {
    let closed = |open: &str, close: &str| -> usize {
        let inner = text.strip_prefix(open).and_then(|rest| rest.split_once(close)).map(|(inner, _)| inner);
        let fits = inner.filter(|inner| !inner.is_empty() && inner.len() < 60 && !inner.contains('\n'));
        fits.map_or(0, |inner| open.len() + inner.len() + close.len())
    };
    let double = closed("{{", "}}");
    if double > 0 {
        return double;
    }
    if text.starts_with("${") {
        return closed("${", "}");
    }
    if text.starts_with('{') {
        return closed("{", "}");
    }
    if text.starts_with('<')
        && text.get(1..2).is_some_and(|c| c.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/'))
    {
        return closed("<", ">");
    }
    let Some(rest) = text.strip_prefix('%') else { return 0 };
    if rest.starts_with('(') {
        return closed("%(", ")").saturating_add(1);
    }
    let number = rest.chars().take_while(|c| c.is_ascii_digit()).count();
    let dollar = usize::from(number > 0 && rest.get(number..).is_some_and(|rest| rest.starts_with('$')));
    let kind = rest.get(number + dollar..).and_then(|rest| rest.chars().next());
    let alone = rest.get(number + dollar + 1..).and_then(|rest| rest.chars().next()).is_none_or(|c| !c.is_alphabetic());
    if kind.is_some_and(|c| "sdfi@u".contains(c)) && alone && (number == 0 || dollar == 1) {
        2 + number + dollar
    } else {
        0
    }
}

fn addresses(text: &str) -> Vec<String> {
    let trim = |word: &str| word.trim_matches(|c: char| "()<>\"'“”.,;:!?«»".contains(c)).to_owned();
    let is =
        |word: &&str| word.contains("://") || word.starts_with("www.") || (word.contains('@') && word.contains('.'));
    text.split_whitespace().filter(is).map(trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        let cases = [
            (
                "We ordered 12,500 screws on 14 March at $3,200.",
                "Wir haben am 14. März 12.500 Schrauben für 3.400 $ bestellt.",
                "number -3,200 +3.400",
            ),
            (
                "{user} shared {count} files with you",
                "{user} a partagé des fichiers avec vous",
                "placeholder -{count} +",
            ),
            ("It grew by 3.5 %", "Es wuchs um 35 %", "number -3.5 +35"),
            ("Pay 1 250,00 EUR by 3 May to %1$s", "Pay 1.250,00 EUR by 3 May to %1$s", ""),
            (
                "See https://a.example/x",
                "Siehe https://a.example/y",
                "address -https://a.example/x +https://a.example/y",
            ),
            ("Hi %s, you have %d", "Hei %s, Sie haben %d", ""),
        ];
        for (source, translation, expect) in cases {
            let shown: Vec<String> = differences(source, translation)
                .iter()
                .map(|one| format!("{} -{} +{}", one.kind, one.missing.join(","), one.added.join(",")))
                .collect();
            assert_eq!(shown.join("; "), expect, "{source}");
        }
    }
}
