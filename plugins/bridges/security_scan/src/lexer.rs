//! Separates code from comments and strings, byte by byte, in one pass.
//!
//! Never fails: what is left open ends at the end of the line or of the file. Not a parser: it knows delimiters only.

use crate::language::{Language, Special, Syntax};

/// A regular expression literal is looked for over so many bytes, so that slashes without partner cost little.
const LONGEST_REGEX: usize = 1_000;

/// What a byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Code,
    Comment,
    /// Inside of a string, delimiters included.
    Text,
}

struct Lexer<'a> {
    bytes: &'a [u8],
    syntax: Syntax,
    at: usize,
    kinds: Vec<Kind>,
    /// Open `${` of template literals: for each, the braces opened inside.
    templates: Vec<usize>,
    /// Last byte of code that is not white space, for telling division from a regular expression.
    before: u8,
    /// No regular expression begins before this byte: the search from an earlier slash came to here without an end.
    no_regex_until: usize,
}

/// The kind of each byte of `text`.
#[must_use]
pub fn lex(text: &str, language: Language) -> Vec<Kind> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        syntax: language.syntax(),
        at: 0,
        kinds: Vec::with_capacity(text.len()),
        templates: Vec::new(),
        before: 0,
        no_regex_until: 0,
    };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.kinds.truncate(text.len());
    lexer.kinds
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn take(&mut self, count: usize, kind: Kind) {
        let count = count.min(self.bytes.len() - self.at);
        self.kinds.resize(self.kinds.len() + count, kind);
        self.at += count;
    }

    fn step(&mut self) {
        if self.comment() || self.special() {
            return;
        }
        for quote in self.syntax.quotes {
            if self.rest().starts_with(quote.open.as_bytes()) {
                self.take(quote.open.len(), Kind::Text);
                self.string(quote.close.as_bytes(), quote.escapes, quote.lines);
                self.before = b'"';
                return;
            }
        }
        let byte = self.byte(0);
        if !byte.is_ascii_whitespace() {
            self.before = byte;
        }
        self.take(1, Kind::Code);
    }

    fn comment(&mut self) -> bool {
        for (open, close) in self.syntax.block {
            if self.rest().starts_with(open.as_bytes()) {
                self.block(open.as_bytes(), close.as_bytes());
                return true;
            }
        }
        let starts = self.syntax.line.iter().any(|mark| self.rest().starts_with(mark.as_bytes()));
        let is_attribute = self.rest().starts_with(b"#[") && self.syntax.line.len() > 1;
        let last = self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied();
        let apart = last.is_none_or(|byte| byte.is_ascii_whitespace() || byte == b';');
        if !starts || is_attribute || (self.syntax.line_apart && !apart) {
            return false;
        }
        let length = self.rest().iter().position(|byte| *byte == b'\n').unwrap_or(self.rest().len());
        self.take(length, Kind::Comment);
        true
    }

    fn block(&mut self, open: &[u8], close: &[u8]) {
        let mut depth = 0usize;
        while self.at < self.bytes.len() {
            if self.rest().starts_with(close) {
                self.take(close.len(), Kind::Comment);
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            } else if self.rest().starts_with(open) && (depth == 0 || self.syntax.nested) {
                self.take(open.len(), Kind::Comment);
                depth += 1;
            } else {
                self.take(1, Kind::Comment);
            }
        }
    }

    /// Up to and with `close`.
    fn string(&mut self, close: &[u8], escapes: bool, lines: bool) {
        while self.at < self.bytes.len() {
            let byte = self.byte(0);
            if escapes && byte == b'\\' {
                self.take(2, Kind::Text);
            } else if self.rest().starts_with(close) {
                self.take(close.len(), Kind::Text);
                return;
            } else if byte == b'\n' && !lines {
                return;
            } else {
                self.take(1, Kind::Text);
            }
        }
    }

    fn special(&mut self) -> bool {
        match self.syntax.special {
            Special::None => false,
            Special::Javascript => self.javascript(),
            Special::Rust => self.rust(),
            Special::Cpp => self.cpp(),
        }
    }

    fn javascript(&mut self) -> bool {
        match self.byte(0) {
            b'`' => {
                self.take(1, Kind::Text);
                self.template();
            }
            b'}' if self.templates.last() == Some(&0) => {
                self.templates.pop();
                self.take(1, Kind::Text);
                self.template();
            }
            b'{' | b'}' => {
                let opens = self.byte(0) == b'{';
                if let Some(depth) = self.templates.last_mut() {
                    *depth = if opens { *depth + 1 } else { depth.saturating_sub(1) };
                }
                self.before = self.byte(0);
                self.take(1, Kind::Code);
            }
            b'/' if self.at >= self.no_regex_until && self.regex_may_start() => self.regex(),
            _ => return false,
        }
        true
    }

    /// Text of a template literal, up to its end or to the next `${`.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match self.byte(0) {
                b'\\' => self.take(2, Kind::Text),
                b'`' => {
                    self.take(1, Kind::Text);
                    self.before = b'"';
                    return;
                }
                b'$' if self.byte(1) == b'{' => {
                    self.take(2, Kind::Text);
                    self.templates.push(0);
                    self.before = b'{';
                    return;
                }
                _ => self.take(1, Kind::Text),
            }
        }
    }

    fn regex_may_start(&self) -> bool {
        let word = self.kinds.len().saturating_sub(7);
        let code = self.bytes.get(word..self.at).unwrap_or_default().trim_ascii_end();
        let after_word = [&b"return"[..], b"typeof", b"case"].iter().any(|keyword| code.ends_with(keyword));
        self.before == 0 || b"(,=:[!&|?{};+-*%<>~^".contains(&self.before) || after_word
    }

    /// A regular expression literal on one line; a slash that opens none is code.
    fn regex(&mut self) {
        let (mut escaped, mut class, mut end, mut seen) = (false, false, None, 1);
        for (place, byte) in self.rest().iter().enumerate().take(LONGEST_REGEX).skip(1) {
            seen = place + 1;
            match byte {
                b'\n' => break,
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => {
                    end = Some(place + 1);
                    break;
                }
                _ => {}
            }
        }
        if end.is_none() {
            self.no_regex_until = self.at + seen;
        }
        self.take(end.unwrap_or(1), if end.is_some() { Kind::Text } else { Kind::Code });
        self.before = b'"';
    }

    fn rust(&mut self) -> bool {
        let last = self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied().unwrap_or(b' ');
        let in_word = last.is_ascii_alphanumeric() || last == b'_';
        if self.byte(0) == b'\'' {
            let is_char = self.byte(1) == b'\\' || self.byte(2) == b'\'' || self.byte(1) >= 0x80;
            self.take(1, if is_char { Kind::Text } else { Kind::Code });
            if is_char {
                self.string(b"'", true, false);
            }
            return true;
        }
        let prefix = match self.rest() {
            [b'b' | b'c', b'r', ..] => 2,
            [b'r', ..] => 1,
            _ => return false,
        };
        let hashes = self.rest().iter().skip(prefix).take_while(|byte| **byte == b'#').count();
        if in_word && last != b'b' || self.byte(prefix + hashes) != b'"' {
            return false;
        }
        let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
        self.take(prefix + hashes + 1, Kind::Text);
        self.string(&close, false, true);
        true
    }

    fn cpp(&mut self) -> bool {
        let Some(rest) = self.rest().strip_prefix(b"R\"") else { return false };
        let Some(delimiter) = rest.iter().take(17).position(|byte| *byte == b'(') else { return false };
        let name = rest.get(..delimiter).unwrap_or_default();
        let close = [b")", name, b"\""].concat();
        self.take(delimiter + 3, Kind::Text);
        self.string(&close, false, true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expect` has a letter for each byte: c code, # comment, t text.
    fn check(language: Language, text: &str, expect: &str) {
        let letter = |kind: &Kind| match kind {
            Kind::Code => 'c',
            Kind::Comment => '#',
            Kind::Text => 't',
        };
        let got: String = lex(text, language).iter().map(letter).collect();
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn comments_and_strings() {
        check(Language::Python, "a # b", "cc###");
        check(Language::Python, "'#' # '", "tttc###");
        check(Language::Python, "'''\n#''' a", "ttttttttcc");
        check(Language::C, "a /* \" */ b", "cc#######cc");
        check(Language::C, "'\"' // x", "tttc####");
        check(Language::Javascript, "a=/\"/;b", "cctttcc");
        check(Language::Javascript, "a / b / c", "ccccccccc");
        check(Language::Javascript, "`x${a}y`+b", "ttttctttcc");
        check(Language::Rust, "'a 'b' \"x\"", "ccctttcttt");
        check(Language::Rust, "r#\"\"\"# a", "ttttttcc");
        check(Language::Rust, "/* /* */ a */b", "#############c");
        check(Language::Shell, "a#b #c", "cccc##");
        check(Language::Go, "`\"`x", "tttc");
        check(Language::Cpp, "R\"z(\")z\"c", "ttttttttc");
        check(Language::Ruby, "a\n=begin\nx\n=end\nb", "c##############cc");
    }

    #[test]
    fn open_ends_do_no_harm() {
        for text in ["\"", "'", "`", "`${", "/*", "r#\"", "R\"(", "\\", "'''", "/", "\"é\\"] {
            for language in [Language::Python, Language::Javascript, Language::Rust, Language::Cpp, Language::Shell] {
                assert_eq!(lex(text, language).len(), text.len());
            }
        }
    }
}
