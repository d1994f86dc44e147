//! What a translation must carry over unchanged: numbers, placeholders, URLs, e-mail addresses, tags.
//!
//! Invariant: one pass over the text; a URL or placeholder is one thing, its digits are no numbers of their own.

/// What was found in a text, each sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Digits only, so that 1,234.5 and 1.234,5 are the same number.
    pub numbers: Vec<String>,
    /// `{name}`, `{{name}}`, `${name}`, `%s`, `%1$s`, `%(name)s`, `<tag>`.
    pub placeholders: Vec<String>,
    /// http, https and mailto addresses, and e-mail addresses.
    pub addresses: Vec<String>,
}

/// Longest placeholder.
const PLACEHOLDER_MAX: usize = 200;

/// Finds all.
pub fn find(text: &str) -> Tokens {
    let mut tokens = Tokens::default();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = if let Some(length) = address(rest) {
            tokens.addresses.push(part(rest, length));
            length
        } else if let Some(length) = placeholder(rest) {
            tokens.placeholders.push(part(rest, length));
            length
        } else if sign.is_numeric() {
            let (length, digits) = number(rest);
            tokens.numbers.push(digits);
            length
        } else if sign.is_alphanumeric() {
            // A whole word: e-mail addresses begin with one.
            let word = length_while(rest, |sign| sign.is_alphabetic());
            match email(rest) {
                Some(length) => {
                    tokens.addresses.push(part(rest, length));
                    length
                }
                None => word,
            }
        } else {
            sign.len_utf8()
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    tokens.numbers.sort();
    tokens.placeholders.sort();
    tokens.addresses.sort();
    tokens
}

fn part(text: &str, length: usize) -> String {
    text.get(..length).unwrap_or_default().to_owned()
}

fn length_while(text: &str, test: impl Fn(char) -> bool) -> usize {
    text.chars().take_while(|sign| test(*sign)).map(char::len_utf8).fold(0, usize::saturating_add)
}

/// A URL, without the sentence sign at its end.
fn address(text: &str) -> Option<usize> {
    let prefix = ["https://", "http://", "mailto:"].into_iter().find(|prefix| text.starts_with(prefix))?;
    let length = length_while(text, |sign| {
        !sign.is_whitespace() && !matches!(sign, '<' | '>' | '"' | '“' | '”' | '»' | '，' | '。' | '）')
    });
    let trimmed = text.get(..length)?.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', ']']);
    (trimmed.len() > prefix.len()).then_some(trimmed.len())
}

fn email(text: &str) -> Option<usize> {
    let local = length_while(text, |sign| sign.is_ascii_alphanumeric() || "._%+-".contains(sign));
    let domain = text.get(local..)?.strip_prefix('@')?;
    let length = length_while(domain, |sign| sign.is_ascii_alphanumeric() || ".-".contains(sign));
    let domain = domain.get(..length)?.trim_end_matches(['.', '-']);
    (local > 0 && domain.contains('.')).then(|| local.saturating_add(1).saturating_add(domain.len()))
}

fn placeholder(text: &str) -> Option<usize> {
    let inside = |open: &str, close: &str| {
        let body = text.strip_prefix(open)?;
        let end = body.find(close).filter(|end| (1..=PLACEHOLDER_MAX).contains(end))?;
        let name = body.get(..end)?;
        let sound = !name.contains(['\n', '{', '<']) && !name.starts_with(' ') || open == "{{";
        sound.then(|| open.len().saturating_add(end).saturating_add(close.len()))
    };
    let tag = || {
        let next = text.strip_prefix('<')?.chars().next()?;
        if next.is_ascii_alphabetic() || next == '/' { inside("<", ">") } else { None }
    };
    inside("{{", "}}").or_else(|| inside("${", "}")).or_else(|| inside("{", "}")).or_else(tag).or_else(|| printf(text))
}

/// `%s`, `%d`, `%1$s`, `%.2f`, `%(name)s`, `%@`; not `100% sure`.
fn printf(text: &str) -> Option<usize> {
    let body = text.strip_prefix('%')?;
    let (name, after) = match body.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((name, after)) if name.len() <= PLACEHOLDER_MAX && !name.contains(char::is_whitespace) => {
            (name.len().saturating_add(2), after)
        }
        _ => (0, body),
    };
    let flags = length_while(after, |sign| sign.is_ascii_digit() || "$.".contains(sign));
    let kind = after.get(flags..)?.chars().next().filter(|kind| "sdifuxXeEgGc@".contains(*kind))?;
    let ends = after.get(flags.saturating_add(1)..)?.chars().next().is_none_or(|next| !next.is_alphabetic());
    let length = 1usize.saturating_add(name).saturating_add(flags).saturating_add(kind.len_utf8());
    ends.then_some(length)
}

/// Digits with the separators between them.
fn number(text: &str) -> (usize, String) {
    let mut end = 0usize;
    let mut digits = String::new();
    let mut at = 0usize;
    for sign in text.chars() {
        if sign.is_numeric() {
            digits.extend(sign.to_digit(10).and_then(|digit| char::from_digit(digit, 10)).or(Some(sign)));
            at = at.saturating_add(sign.len_utf8());
            end = at;
        } else if at == end && matches!(sign, '.' | ',' | '\'' | '\u{a0}' | '\u{202f}' | '’' | ':') {
            at = at.saturating_add(sign.len_utf8());
        } else {
            break;
        }
    }
    (end, digits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_what_must_stay() {
        let text = "Hi {name}, pay £1,234.50 for 2 items at https://example.org/a?b=1. Mail x.y@example.com or <b>call</b> %1$s. 100% sure, ${x} {{ y }}";
        let tokens = find(text);
        assert_eq!(tokens.numbers, ["100", "123450", "2"]);
        assert_eq!(tokens.placeholders, ["${x}", "%1$s", "</b>", "<b>", "{name}", "{{ y }}"]);
        assert_eq!(tokens.addresses, ["https://example.org/a?b=1", "x.y@example.com"]);
        assert_eq!(find("1.234,50").numbers, find("1,234.50").numbers);
        assert_eq!(find("at 10:30, 5.").numbers, ["1030", "5"]);
        assert_eq!(find("a < b and c > d").placeholders, [""; 0]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|[{}<>%$@:/.,0-9\n])*") {
            let _ = find(&text);
        }
    }
}
