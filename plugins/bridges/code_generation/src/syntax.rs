//! What of a code's syntax can be checked without a parser of each language: brackets, quotes, comments, and in Python
//! the indentation; JSON in full.
//!
//! Invariants: one pass, no recursion; code that compiles passes, except for rare forms that `skips` lets through by
//! giving up (no verdict) instead of guessing.

use schemars::JsonSchema;
use serde::Serialize;

use crate::input::Language;

/// A mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mistake {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub message: String,
}

/// How a language writes comments and texts.
#[derive(Debug, Clone, Copy, Default)]
struct Rules {
    line: &'static [&'static str],
    block: bool,
    /// Block comments may stand in each other.
    nested: bool,
    /// `'` opens a text; else a character or a lifetime.
    single: bool,
    /// Backquotes open a text over lines.
    back: bool,
    /// Three quotes open a text over lines.
    triple: bool,
    /// A quote is written twice inside a text, and a backslash means nothing.
    doubled: bool,
}

/// The first mistake; none when there is none, or this language is not checked.
pub fn check(language: Language, code: &str) -> Option<Mistake> {
    if language == Language::Json {
        let error = serde_json::from_str::<serde_json::Value>(code).err()?;
        return Some(Mistake { line: error.line(), message: error.to_string() });
    }
    let rules = rules(language)?;
    match Scan::new(code, rules).run() {
        Err(mistake) => Some(mistake),
        Ok(lines) if language == Language::Python => indentation(code, &lines),
        Ok(_) => None,
    }
}

/// Whether this language is checked at all, and how.
pub fn method(language: Language) -> Option<&'static str> {
    match language {
        Language::Json => Some("parsed as JSON (RFC 8259)"),
        Language::Python => Some("brackets, quotes and indentation; not a full parse"),
        _ if rules(language).is_some() => Some("brackets, quotes and comments; not a full parse"),
        _ => None,
    }
}

fn rules(language: Language) -> Option<Rules> {
    let base = Rules { line: &["//"], block: true, ..Rules::default() };
    Some(match language {
        Language::Python => Rules { line: &["#"], single: true, triple: true, ..Rules::default() },
        Language::Javascript | Language::Typescript => Rules { single: true, back: true, ..base },
        Language::Go => Rules { back: true, ..base },
        Language::Java | Language::Csharp | Language::Kotlin | Language::Swift | Language::Scala => {
            Rules { triple: true, ..base }
        }
        Language::Php | Language::Dart => Rules { single: true, ..base },
        Language::C | Language::Cpp => base,
        Language::Rust => Rules { nested: true, ..base },
        Language::Sql => Rules { line: &["--"], block: true, single: true, doubled: true, ..Rules::default() },
        Language::Json
        | Language::Bash
        | Language::Html
        | Language::Yaml
        | Language::Ruby
        | Language::Lua
        | Language::R
        | Language::Perl
        | Language::Powershell => return None,
    })
}

struct Scan<'c> {
    rest: &'c str,
    rules: Rules,
    line: usize,
    open: Vec<(char, usize)>,
    /// Lines that begin inside a bracket or text, where indentation means nothing.
    inner: Vec<usize>,
    /// The last sign that is no white space: a slash after it is a division or begins a pattern.
    last: char,
}

impl<'c> Scan<'c> {
    fn new(code: &'c str, rules: Rules) -> Self {
        Self { rest: code, rules, line: 1, open: Vec::new(), inner: Vec::new(), last: '\n' }
    }

    /// Lines that begin inside something.
    fn run(mut self) -> Result<Vec<usize>, Mistake> {
        while let Some(sign) = self.rest.chars().next() {
            if self.comment()? || self.text(sign)? {
                continue;
            }
            self.bracket(sign)?;
            if self.rest.starts_with("\\\n") {
                self.inner.push(self.line.saturating_add(1));
            }
            self.step(sign.len_utf8());
            if !sign.is_whitespace() {
                self.last = sign;
            }
        }
        match self.open.pop() {
            Some((sign, line)) => Err(mistake(line, format!("`{sign}` is never closed"))),
            None => Ok(self.inner),
        }
    }

    fn step(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        for _ in passed.matches('\n') {
            self.line = self.line.saturating_add(1);
            if !self.open.is_empty() || passed.len() > 1 {
                self.inner.push(self.line);
            }
        }
        self.rest = rest;
    }

    fn bracket(&mut self, sign: char) -> Result<(), Mistake> {
        let opens = match sign {
            '(' | '[' | '{' => {
                self.open.push((sign, self.line));
                return Ok(());
            }
            ')' => '(',
            ']' => '[',
            '}' => '{',
            _ => return Ok(()),
        };
        match self.open.pop() {
            Some((open, _)) if open == opens => Ok(()),
            Some((open, line)) => {
                Err(mistake(self.line, format!("`{sign}` closes the `{open}` of line {line}, which needs another")))
            }
            None => Err(mistake(self.line, format!("`{sign}` closes nothing"))),
        }
    }

    fn comment(&mut self) -> Result<bool, Mistake> {
        if self.rules.line.iter().any(|start| self.rest.starts_with(start)) {
            self.step(self.rest.find('\n').unwrap_or(self.rest.len()));
            return Ok(true);
        }
        if !self.rules.block || !self.rest.starts_with("/*") {
            return Ok(false);
        }
        let (mut depth, mut at) = (1usize, 2usize);
        while depth > 0 {
            let left = self.rest.get(at..).unwrap_or_default();
            let Some(end) = left.find("*/") else {
                return Err(mistake(self.line, "the comment is never closed".into()));
            };
            let inside = left.find("/*").filter(|start| self.rules.nested && *start < end);
            depth = if inside.is_some() { depth.saturating_add(1) } else { depth.saturating_sub(1) };
            at = at.saturating_add(inside.unwrap_or(end)).saturating_add(2);
        }
        self.step(at);
        Ok(true)
    }

    /// A text, character, or pattern from here.
    fn text(&mut self, sign: char) -> Result<bool, Mistake> {
        let three: String = std::iter::repeat_n(sign, 3).collect();
        if self.rules.triple
            && matches!(sign, '"' | '\'')
            && self.rest.starts_with(&three)
            && (sign == '"' || self.rules.single)
        {
            return self.until(&three, 3, true);
        }
        match sign {
            '"' if self.raw_rust() => {
                let hashes = "#".repeat(self.hashes());
                self.until(&format!("\"{hashes}"), 1, true)
            }
            '"' => self.until("\"", 1, self.rules.nested || self.rules.doubled),
            '\'' if self.rules.single => self.until("'", 1, self.rules.doubled),
            '\'' => Ok(self.character()),
            '`' if self.rules.back => self.until("`", 1, true),
            '/' if self.rules.back && self.rules.single => Ok(self.pattern()),
            _ => Ok(false),
        }
    }

    /// Is the quote here that of `r#"…"#`? What stands before was passed already, so only the `#` are left to see.
    fn raw_rust(&self) -> bool {
        self.rules.nested && (self.last == '#' || self.last == 'r')
    }

    fn hashes(&self) -> usize {
        usize::from(self.last == '#')
    }

    fn until(&mut self, end: &str, start: usize, over_lines: bool) -> Result<bool, Mistake> {
        let raw = (self.raw_rust() && self.rest.starts_with('"')) || end == "`" && !self.rules.single;
        let mut at = start;
        loop {
            let left = self.rest.get(at..).unwrap_or_default();
            let Some(sign) = left.chars().next().filter(|sign| *sign != '\n' || over_lines) else {
                return Err(mistake(self.line, format!("the text that begins with {end} is never closed")));
            };
            if left.starts_with(end) {
                let twice = self.rules.doubled && left.get(1..).is_some_and(|after| after.starts_with(end));
                at = at.saturating_add(if twice { 2 } else { end.len() });
                if twice {
                    continue;
                }
                self.step(at);
                self.last = '"';
                return Ok(true);
            }
            let escaped = sign == '\\' && !raw && !self.rules.doubled;
            let next = left.chars().nth(1).map_or(0, char::len_utf8);
            at = at.saturating_add(sign.len_utf8()).saturating_add(if escaped { next } else { 0 });
        }
    }

    /// `'x'`, `'\n'`, or a lifetime or digit separator, which is passed over.
    fn character(&mut self) -> bool {
        let body = self.rest.get(1..).unwrap_or_default();
        let mut signs = body.chars();
        let first = signs.next();
        let length = match first {
            Some('\\') => {
                let after = body.get(1..).unwrap_or_default();
                let kind = after.chars().next().map_or(0, char::len_utf8);
                let end = after.get(kind..).and_then(|rest| rest.find('\'')).filter(|end| *end < 12);
                end.map(|end| end.saturating_add(kind).saturating_add(3))
            }
            Some(sign) if signs.next() == Some('\'') => Some(sign.len_utf8().saturating_add(2)),
            _ => None,
        };
        self.step(length.unwrap_or(1));
        self.last = '\'';
        true
    }

    /// A regular expression of JavaScript, where an operand may stand; else a division.
    fn pattern(&mut self) -> bool {
        if !matches!(self.last, '(' | ',' | '=' | ':' | '[' | '!' | '&' | '|' | '?' | '{' | '}' | ';' | '\n') {
            return false;
        }
        let (mut class, mut escaped) = (false, false);
        for (at, sign) in self.rest.char_indices().skip(1) {
            match sign {
                '\n' => return false,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    self.step(at.saturating_add(1));
                    self.last = '"';
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

/// Blocks of Python: deeper only after a colon, back only to a depth that was there.
fn indentation(code: &str, inner: &[usize]) -> Option<Mistake> {
    let mut depths: Vec<usize> = vec![0];
    let mut wants_block = false;
    let mut last = 0usize;
    for (place, text) in code.lines().enumerate() {
        let line = place.saturating_add(1);
        let body = text.trim_start_matches([' ', '\t']);
        if inner.binary_search(&line).is_ok() {
            wants_block = if body.trim_end().is_empty() { wants_block } else { ends_with_colon(body) };
            continue;
        }
        if body.trim().is_empty() || body.starts_with('#') {
            continue;
        }
        let space = text.get(..text.len().saturating_sub(body.len())).unwrap_or_default();
        // A tab goes to the next multiple of eight, as in Python.
        let depth = space.chars().fold(0usize, |at, sign| {
            if sign == '\t' { (at / 8).saturating_add(1).saturating_mul(8) } else { at.saturating_add(1) }
        });
        let now = depths.last().copied().unwrap_or(0);
        if depth > now {
            if !wants_block {
                return Some(mistake(line, "unexpected indent".into()));
            }
            depths.push(depth);
        } else if wants_block {
            return Some(mistake(line, format!("expected an indented block after line {last}")));
        } else {
            while depths.last().is_some_and(|open| *open > depth) {
                depths.pop();
            }
            if depths.last() != Some(&depth) {
                return Some(mistake(line, "unindent does not match any outer indentation level".into()));
            }
        }
        wants_block = ends_with_colon(body);
        last = line;
    }
    wants_block.then(|| mistake(last, "expected an indented block at the end".into()))
}

/// Does a line open a block? A comment after the colon is allowed for; a # inside a text makes this say no.
fn ends_with_colon(line: &str) -> bool {
    let code = line.split(" #").next().unwrap_or(line).trim_end();
    code.ends_with(':')
}

fn mistake(line: usize, message: String) -> Mistake {
    Mistake { line, message }
}

#[cfg(test)]
mod tests;
