//! The words, numbers, dates and signs of a request.

use crate::columns::fold;
use crate::dates::{self, Date};
use crate::exact::Exact;
use crate::quantity;

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub enum Sort {
    /// Letters, folded.
    Word,
    /// An amount in digits.
    Number(Exact),
    /// A day.
    Day(Date),
    /// A sign: `,`, `=`, `*`, `?`, `(`; `<=`, `>=` and `!=` are one.
    Sign,
}

/// A token of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub sort: Sort,
    /// Its text: of words folded, else as written.
    pub text: String,
    /// Place of its first byte.
    pub start: usize,
    /// Place behind its last byte.
    pub end: usize,
    /// It stands between quotation marks.
    pub quoted: bool,
}

impl Token {
    /// Whether it is this word or sign.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Whether it is one of these words or signs.
    #[must_use]
    pub fn is_one(&self, texts: &[&str]) -> bool {
        texts.contains(&self.text.as_str())
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> Option<Exact> {
        if let Sort::Number(number) = self.sort { Some(number) } else { None }
    }
}

/// The tokens of a text, in order.
#[must_use]
pub fn read(text: &str) -> Vec<Token> {
    let days = dates::scan(text, None);
    let quoted: Vec<(usize, usize)> = crate::quotes::find(text).iter().map(|quote| (quote.start, quote.end)).collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let (sort, len) = if let Some(day) = days.iter().find(|day| day.start == at && day.end > at) {
            (Sort::Day(day.date), day.end - at)
        } else if c.is_ascii_digit() {
            number(rest)
        } else if c.is_alphabetic() {
            (Sort::Word, word_len(rest))
        } else if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else {
            let two = ["<=", ">=", "!=", "->", "=="].iter().find(|sign| rest.starts_with(**sign));
            (Sort::Sign, two.map_or(c.len_utf8(), |sign| sign.len()))
        };
        let raw = rest.get(..len).unwrap_or_default();
        let own = if sort == Sort::Word { fold(raw) } else { raw.to_owned() };
        let inside = quoted.iter().any(|(start, end)| *start <= at && at < *end);
        tokens.push(Token { sort, text: own, start: at, end: at + len, quoted: inside });
        at += len.max(1);
    }
    tokens
}

fn word_len(rest: &str) -> usize {
    let mut len = 0;
    for (at, c) in rest.char_indices() {
        let next = rest.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        let joins = matches!(c, '\'' | '’' | '_') && next.is_some_and(char::is_alphanumeric);
        if !(c.is_alphanumeric() || joins) {
            break;
        }
        len = at + c.len_utf8();
    }
    len
}

fn number(rest: &str) -> (Sort, usize) {
    let whole = word_len(rest);
    let has_letters = rest.get(..whole).is_some_and(|word| word.chars().any(char::is_alphabetic));
    let found = quantity::scan(rest).into_iter().next().filter(|found| found.start == 0 && !found.in_words);
    match found {
        Some(found) => {
            let digits = rest
                .char_indices()
                .take_while(|(_, c)| c.is_ascii_digit() || matches!(c, '.' | ',' | '\''))
                .map(|(at, c)| at + c.len_utf8())
                .last()
                .unwrap_or(0);
            let digits = rest.get(..digits).map_or(0, |text| text.trim_end_matches(['.', ',', '\'']).len());
            let scaled = quantity::read(rest.get(..digits).unwrap_or_default(), None)
                .is_some_and(|plain| plain.exact != found.exact);
            let end = if scaled { found.end } else { digits };
            match Exact::read(&found.exact) {
                Some(value) => (Sort::Number(value), end.max(1)),
                None => (Sort::Word, whole.max(1)),
            }
        }
        None if has_letters => (Sort::Word, whole.max(1)),
        None => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let value = Exact::read(rest.get(..digits).unwrap_or_default());
            (value.map_or(Sort::Word, Sort::Number), digits.max(1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_in_tokens() {
        let cases = [
            ("Preis mal Menge?", "preis|mal|menge|?"),
            ("total = qty*unit_price, 1,250.50 each", "total|=|qty|*|unit_price|,|1,250.50|each"),
            ("top 3 since 2024-01-05.", "top|3|since|2024-01-05|."),
            ("x >= 5kg and Q1", "x|>=|5|kg|and|q1"),
        ];
        for (text, expect) in cases {
            let told: Vec<String> = read(text).into_iter().map(|token| token.text).collect();
            assert_eq!(told.join("|"), expect, "{text}");
        }
    }
}
