//! Texts behind a command, and the words that say how many there are.

use serde_json::{Value, json};

use crate::lexer::{Kind, Token};
use crate::material;

/// Nouns for one text; their plural forms mean several.
const NOUNS: [&str; 18] = [
    "text", "message", "mail", "email", "e-mail", "line", "review", "comment", "ticket", "item", "headline",
    "sentence", "issue", "request", "note", "remark", "opinion", "post",
];

/// Reads the slots `noun` (`one` or `many`) and `each` (`many`).
pub fn slot(kind: &str, token: &Token) -> Option<Value> {
    let word = token.lower.as_str();
    let single = |word: &str| NOUNS.contains(&word);
    match kind {
        "noun" if single(word) => Some(json!("one")),
        "noun" if word.strip_suffix('s').is_some_and(single) => Some(json!("many")),
        "each" if matches!(word, "each" | "every" | "all") => Some(json!("many")),
        _ => None,
    }
}

/// Reads a name of up to `most` words, or in quotation marks. Unquoted names have no word
/// of `reserved`.
pub fn name(tokens: &[Token], most: usize, reserved: &str) -> Option<(usize, String)> {
    let first = tokens.first()?;
    if first.kind == Kind::Quoted {
        return Some((1, first.text.clone()));
    }
    let is_reserved = |token: &Token| reserved.split_whitespace().any(|word| word == token.lower) && token.text != "A";
    let plain = |token: &&Token| token.kind == Kind::Word && !is_reserved(token);
    let words: Vec<&str> = tokens.iter().take_while(plain).map(|token| token.text.as_str()).collect();
    match words.as_slice() {
        [] => None,
        [first, ..] if most == 1 => Some((1, (*first).to_owned())),
        all => (all.len() <= most).then(|| (all.len(), all.join(" "))),
    }
}

/// Reads names with commas, `or` or `and` between them.
pub fn names(tokens: &[Token], most: usize, reserved: &str) -> Option<(usize, Value)> {
    let (mut end, first) = name(tokens, most, reserved)?;
    let mut list = vec![first];
    while let Some(rest) = tokens.get(end..) {
        let marks = rest.iter().take_while(|token| matches!(token.lower.as_str(), "," | "or" | "and" | "the")).count();
        let next = rest.get(marks..).and_then(|rest| name(rest, most, reserved)).filter(|_| marks > 0);
        let Some((length, word)) = next else { break };
        list.push(word);
        end += marks + length;
    }
    Some((end, json!(list)))
}

/// Puts an empty line between a command and the quoted text at its end:
/// `positive or negative? "It is fine: really."`.
pub fn apart(task: &str) -> String {
    let task = task.trim();
    let quoted = [('"', '"'), ('“', '”'), ('«', '»')].iter().find_map(|(open, close)| {
        let inner = task.strip_suffix(*close)?;
        let start = inner.rfind(*open)?;
        let (before, text) = (inner.get(..start)?, inner.get(start..)?);
        let whole = before.ends_with(' ') && !before.contains(['\n', *open, *close]);
        whole.then(|| format!("{}\n\n{text}{close}", before.trim_end()))
    });
    quoted.unwrap_or_else(|| task.to_owned())
}

/// Splits the material: one text, or one in each line.
///
/// # Errors
/// A question, if it is not clear where a text ends.
pub fn split(text: &str, single: bool) -> Result<Vec<String>, String> {
    let text = text.trim();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if single || lines.len() < 2 {
        return Ok((!text.is_empty()).then(|| bare(text).to_owned()).into_iter().collect());
    }
    let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
    if blocks.clone().count() > 1 && blocks.clone().any(|block| block.trim().lines().count() > 1) {
        return Err("where does one text end and the next begin? Put each text on one line".into());
    }
    if lines.iter().all(|line| line.contains('|') || line.contains('\t')) {
        return Err("which column of the table has the texts? Send only that column, one text a line".into());
    }
    Ok(lines.into_iter().map(|line| bare(line).to_owned()).collect())
}

/// Removes the dash or number before an item of a list, and quotation marks around it.
fn bare(line: &str) -> &str {
    let item = ["- ", "* ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(*mark));
    let numbered = || {
        let (number, rest) = line.split_once(['.', ')'])?;
        let mark = (number.len() <= 3 && number.bytes().all(|c| c.is_ascii_digit()))
            || (number.len() == 1 && number.bytes().all(|c| c.is_ascii_lowercase()));
        (mark && !number.is_empty() && rest.starts_with(' ')).then(|| rest.trim_start())
    };
    material::unquoted(item.map(str::trim_start).or_else(numbered).unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::tokens;

    #[test]
    fn texts_and_their_number() {
        let several = split("- \"one\"\n2. two\nc) three", false);
        assert_eq!(several, Ok(vec!["one".to_owned(), "two".to_owned(), "three".to_owned()]));
        assert_eq!(split("one\ntwo", true), Ok(vec!["one\ntwo".to_owned()]));
        assert!(split("a\nb\n\nc\nd", false).is_err() && split("a | b\nc | d", false).is_err());
        let noun = |word: &str| tokens(word).first().and_then(|token| slot("noun", token));
        assert_eq!((noun("mails"), noun("Mail"), noun("mailing")), (Some(json!("many")), Some(json!("one")), None));
    }

    #[test]
    fn a_quoted_text_is_set_apart() {
        assert_eq!(apart("spam or ham? \"Win: now\""), "spam or ham?\n\n\"Win: now\"");
        for task in ["spam or \"not spam\"\nWin", "into \"a b\" or \"c\"", "\"all\"", "none"] {
            assert_eq!(apart(task), task);
        }
    }

    #[test]
    fn names_stop_at_reserved_words() {
        let read = |text: &str| names(&tokens(text), 2, "is the for and or");
        assert_eq!(
            read("battery life, price and the screen is"),
            Some((7, json!(["battery life", "price", "screen"])))
        );
        assert_eq!(read("is it"), None);
        assert_eq!(name(&tokens("one two three"), 2, ""), None);
    }
}
