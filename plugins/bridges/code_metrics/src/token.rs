//! Tokens of source text in any of the languages: words, numbers, texts, marks; comments are counted and dropped.
//!
//! The tokenizer never fails: what is not closed ends with the file. It knows no preprocessor and no grammar.

use crate::language::Language;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Word,
    Number,
    Text,
    Mark,
}

/// A token: its text in the source, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// From 1.
    pub line: usize,
    pub end_line: usize,
    /// Columns before it, when it is the first of its line; tabs count to the next multiple of eight.
    pub indent: Option<usize>,
}

/// Tokens of a file and its lines by content.
#[derive(Debug, Default)]
pub struct Tokens<'a> {
    pub tokens: Vec<Token<'a>>,
    pub code_lines: usize,
    pub comment_lines: usize,
    pub blank_lines: usize,
}

/// Marks of more than one character, longest first.
const MARKS: [&str; 32] = [
    "===", "!==", "**=", "...", "..=", "<<=", ">>=", "??=", "&&=", "||=", "=>", "->", "::", "==", "!=", "<=", ">=",
    "&&", "||", "??", "?.", "?:", "+=", "-=", "*=", "/=", "++", "--", ":=", "<-", "..", "**",
];

struct Scanner<'a> {
    text: &'a str,
    language: Language,
    at: usize,
    line: usize,
    tokens_read: Vec<Token<'a>>,
    commented: Vec<bool>,
}

/// Reads the tokens of a file; one more than `most` is a sign that there are more.
#[must_use]
pub fn read(text: &str, language: Language, most: usize) -> Tokens<'_> {
    let count = text.lines().count();
    let mut scanner =
        Scanner { text, language, at: 0, line: 1, tokens_read: Vec::new(), commented: vec![false; count + 2] };
    while scanner.at < text.len() && scanner.tokens_read.len() <= most {
        scanner.step();
    }
    if language.is_indented() {
        scanner.drop_docstrings();
    }
    let mut coded = vec![false; count + 2];
    for token in &scanner.tokens_read {
        coded.iter_mut().take(token.end_line + 1).skip(token.line).for_each(|line| *line = true);
    }
    // A line of white space is blank wherever it stands, in a docstring and in a comment as well.
    let filled = text.lines().map(|line| !line.trim().is_empty());
    let lines = coded.iter().copied().zip(scanner.commented).skip(1).zip(filled);
    let filled: Vec<(bool, bool)> = lines.filter(|(_, filled)| *filled).map(|(line, _)| line).collect();
    let code_lines = filled.iter().filter(|(coded, _)| *coded).count();
    let comment_lines = filled.iter().filter(|(coded, commented)| !coded && *commented).count();
    Tokens { tokens: scanner.tokens_read, code_lines, comment_lines, blank_lines: count - code_lines - comment_lines }
}

impl<'a> Scanner<'a> {
    /// Counts docstrings as comments: texts that are the first statement of a file, or of a block that has others.
    fn drop_docstrings(&mut self) {
        let (mut depth, mut follows) = (0usize, true);
        let mut dropped = vec![false; self.tokens_read.len()];
        for at in 0..self.tokens_read.len() {
            let Some(token) = self.tokens_read.get(at) else { break };
            let prefixed = token.kind == Kind::Word && ["r", "R", "u", "U"].contains(&token.text);
            let end = at + usize::from(prefixed);
            let text = self.tokens_read.get(end).is_some_and(|text| text.kind == Kind::Text && text.line == token.line);
            let alone = match (token.indent, self.tokens_read.get(end + 1)) {
                (Some(own), Some(next)) => next.indent.is_some_and(|next| next >= own),
                (Some(_), None) => at == 0,
                (None, _) => false,
            };
            if follows && depth == 0 && text && alone {
                dropped.iter_mut().take(end + 1).skip(at).for_each(|drop| *drop = true);
            }
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            follows = token.text == ":";
        }
        for (token, _) in self.tokens_read.iter().zip(&dropped).filter(|(_, drop)| **drop) {
            self.commented.iter_mut().take(token.end_line + 1).skip(token.line).for_each(|line| *line = true);
        }
        let mut dropped = dropped.into_iter();
        self.tokens_read.retain(|_| !dropped.next().unwrap_or(false));
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes `bytes` on, counting lines.
    fn pass(&mut self, bytes: usize) {
        let passed = self.rest().get(..bytes).unwrap_or_default();
        self.line += passed.bytes().filter(|byte| *byte == b'\n').count();
        self.at += bytes.max(1);
        while self.at < self.text.len() && !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    fn token(&mut self, kind: Kind, bytes: usize) {
        let (start, line) = (self.at, self.line);
        let first = self.tokens_read.last().is_none_or(|last| last.end_line < line);
        let column = |columns: usize, byte: u8| if byte == b'\t' { (columns / 8 + 1) * 8 } else { columns + 1 };
        // Only for the first of a line, so that long lines are not read again for every token.
        let indent = first.then(|| {
            let before = self.text.get(..start).unwrap_or_default();
            before.rsplit('\n').next().unwrap_or_default().bytes().fold(0, column)
        });
        self.pass(bytes);
        let text = self.text.get(start..self.at.min(self.text.len())).unwrap_or_default();
        self.tokens_read.push(Token { kind, text, line, end_line: self.line, indent });
    }

    fn comment(&mut self, bytes: usize) {
        let from = self.line;
        self.pass(bytes);
        let to = self.line;
        self.commented.iter_mut().take(to + 1).skip(from).for_each(|line| *line = true);
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        let until = |mark: &str| rest.find(mark).unwrap_or(rest.len());
        let hash = first == '#' && self.language.has_hash_comments() && !rest.starts_with("#[");
        if first.is_whitespace() {
            self.pass(first.len_utf8());
        } else if hash || (rest.starts_with("//") && !self.language.is_indented()) {
            self.comment(until("\n"));
        } else if rest.starts_with("/*") && !self.language.is_indented() {
            let end = rest.get(2..).and_then(|rest| rest.find("*/")).map_or(rest.len(), |end| end + 4);
            self.comment(end);
        } else if let Some(bytes) = self.quoted(rest) {
            self.token(Kind::Text, bytes);
        } else if first.is_alphabetic() || first == '_' || first == '$' || first == '@' {
            let end = rest.char_indices().skip(1).find(|(_, c)| !c.is_alphanumeric() && *c != '_' && *c != '$');
            self.token(Kind::Word, end.map_or(rest.len(), |(place, _)| place));
        } else if first.is_ascii_digit() {
            let end =
                rest.char_indices().find(|(place, c)| !c.is_alphanumeric() && *c != '_' && !point(rest, *place, *c));
            self.token(Kind::Number, end.map_or(rest.len(), |(place, _)| place));
        } else {
            let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
            self.token(Kind::Mark, mark.map_or(first.len_utf8(), |mark| mark.len()));
        }
    }

    /// Bytes of the text that begins here, if one does.
    fn quoted(&self, rest: &str) -> Option<usize> {
        let bytes = rest.as_bytes();
        let first = *bytes.first()?;
        if self.language == Language::Rust && (first == b'r' || rest.starts_with("br")) {
            let after = rest.trim_start_matches('b').strip_prefix('r')?;
            let hashes = after.bytes().take_while(|byte| *byte == b'#').count();
            if after.as_bytes().get(hashes) == Some(&b'"') {
                let close = format!("\"{}", "#".repeat(hashes));
                let opened = rest.len() - after.len() + hashes + 1;
                return Some(rest.get(opened..)?.find(&close).map_or(rest.len(), |end| opened + end + close.len()));
            }
        }
        for triple in ["\"\"\"", "'''"] {
            let tripled =
                matches!(self.language, Language::Python | Language::Kotlin | Language::Java | Language::Csharp);
            if tripled && rest.starts_with(triple) {
                return Some(rest.get(3..)?.find(triple).map_or(rest.len(), |end| end + 6));
            }
        }
        match first {
            b'"' => Some(self.plain(bytes, b'"', self.language == Language::Rust || self.language == Language::Php)),
            b'\'' if self.language.has_single_quoted_texts() => {
                Some(self.plain(bytes, b'\'', self.language == Language::Php))
            }
            // In Rust a quote begins a character only if one is closed after it; else it is a lifetime.
            b'\'' if bytes.get(1) == Some(&b'\\') => Some(self.plain(bytes, b'\'', false)),
            b'\'' => {
                let letter = rest.chars().nth(1)?.len_utf8();
                (bytes.get(1 + letter) == Some(&b'\'')).then_some(2 + letter)
            }
            b'`' if self.language.has_back_quotes() => Some(self.plain(bytes, b'`', true)),
            b'/' if matches!(self.language, Language::Javascript | Language::Typescript) && self.regex_may_start() => {
                regex(bytes)
            }
            _ => None,
        }
    }

    /// Bytes up to the closing quote; a text that may not go over lines ends with its line.
    fn plain(&self, bytes: &[u8], quote: u8, lines: bool) -> usize {
        let mut escaped = false;
        for (place, byte) in bytes.iter().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if !(quote == b'`' && self.language == Language::Go) => escaped = true,
                b'\n' if !lines => return place,
                byte if *byte == quote => return place + 1,
                _ => {}
            }
        }
        bytes.len()
    }

    /// A slash after a value divides, else it begins a regular expression.
    fn regex_may_start(&self) -> bool {
        match self.tokens_read.last() {
            None => true,
            Some(last) if last.kind == Kind::Mark => ![")", "]", "}"].contains(&last.text),
            Some(last) => last.kind == Kind::Word && ["return", "typeof", "case", "in", "of"].contains(&last.text),
        }
    }
}

fn point(rest: &str, place: usize, letter: char) -> bool {
    letter == '.' && rest.as_bytes().get(place + 1).is_some_and(u8::is_ascii_digit)
}

fn regex(bytes: &[u8]) -> Option<usize> {
    let (mut escaped, mut class) = (false, false);
    for (place, byte) in bytes.iter().enumerate().take(2_000).skip(1) {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(place + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, language: Language, expect: &[&str]) {
        let texts: Vec<&str> = read(text, language, 1_000).tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, expect, "{text}");
    }

    #[test]
    fn tokens_of_languages() {
        check("a = 'x # y' # z", Language::Python, &["a", "=", "'x # y'"]);
        check("d = \"\"\"a\nb\"\"\"\nc", Language::Python, &["d", "=", "\"\"\"a\nb\"\"\"", "c"]);
        check("\"\"\"a\nb\"\"\"\nc", Language::Python, &["c"]);
        check("r'doc'\n", Language::Python, &[]);
        check("def a():\n  r\"\"\"doc\n\"\"\"\n  b", Language::Python, &["def", "a", "(", ")", ":", "b"]);
        check("class A:\n  'doc'\n  x = 1", Language::Python, &["class", "A", ":", "x", "=", "1"]);
        check("def a():\n  'doc'\nb", Language::Python, &["def", "a", "(", ")", ":", "'doc'", "b"]);
        check("{1:\n'a'\n}", Language::Python, &["{", "1", ":", "'a'", "}"]);
        check("let x: &'a str = 'b'; // c", Language::Rust, &["let", "x", ":", "&", "'", "a", "str", "=", "'b'", ";"]);
        check("r#\"a\"b\"#.len()", Language::Rust, &["r#\"a\"b\"#", ".", "len", "(", ")"]);
        check(
            "x = a / b / c; y = /a\\/[/]b/g",
            Language::Javascript,
            &["x", "=", "a", "/", "b", "/", "c", ";", "y", "=", "/a\\/[/]b/", "g"],
        );
        check("a /* b\n */ 1.5 && c", Language::C, &["a", "1.5", "&&", "c"]);
        check("`a\n${b}` x", Language::Typescript, &["`a\n${b}`", "x"]);
        check("é 'ü", Language::Java, &["é", "'ü"]);
    }

    #[test]
    fn lines_by_content() {
        let tokens = read("// a\n\nint b; // c\n/* d\n e */\n", Language::C, 1_000);
        assert_eq!((tokens.code_lines, tokens.comment_lines, tokens.blank_lines), (1, 3, 1));
    }
}
