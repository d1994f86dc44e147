//! A source file as rules look at it: lines without comments, with and without the insides of strings.

use crate::language::Language;

/// A line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// As written.
    pub raw: String,
    /// Without comments; insides of strings are spaces.
    pub code: String,
    /// Without comments.
    pub text: String,
    /// Columns before the first sign.
    pub indent: usize,
}

impl Line {
    /// Whether nothing but a comment stands on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.code.trim().is_empty()
    }
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path.
    pub path: String,
    /// What it is written in.
    pub language: Language,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A function of a file; lines from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What stands between its parentheses.
    pub parameters: String,
    /// The line of its head.
    pub start: usize,
    /// The line behind its last.
    pub end: usize,
    /// Whether calls of it are to be awaited.
    pub is_async: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    Block,
    Text(&'static str),
}

impl Source {
    /// Reads a file.
    #[must_use]
    pub fn read(path: &str, content: &str, language: Language) -> Self {
        let mut inside = Inside::Code;
        let lines = content.lines().map(|raw| line(raw, language, &mut inside)).collect();
        Self { path: path.to_owned(), language, lines }
    }

    /// The code of a line; empty beyond the end.
    #[must_use]
    pub fn code(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| line.code.as_str())
    }

    /// A line without comments; empty beyond the end.
    #[must_use]
    pub fn text(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| line.text.as_str())
    }

    /// All code of some lines.
    #[must_use]
    pub fn joined(&self, from: usize, to: usize) -> String {
        let lines = self.lines.iter().take(to).skip(from);
        lines.map(|line| line.code.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// All text of some lines, strings included.
    #[must_use]
    pub fn joined_text(&self, from: usize, to: usize) -> String {
        let lines = self.lines.iter().take(to).skip(from);
        lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The line behind the block that the line `at` opens.
    #[must_use]
    pub fn block_end(&self, at: usize) -> usize {
        if self.language.has_braces() { self.brace_end(at) } else { self.indent_end(at) }
    }

    fn indent_end(&self, at: usize) -> usize {
        let own = self.lines.get(at).map_or(0, |line| line.indent);
        // The head may go on over lines, up to its colon.
        let mut depth = 0_i32;
        let mut head = at;
        for (place, line) in self.lines.iter().enumerate().skip(at) {
            depth += brackets(&line.code);
            head = place;
            if depth <= 0 {
                break;
            }
        }
        let inner = self.lines.iter().enumerate().skip(head + 1);
        let mut end = head + 1;
        for (place, line) in inner {
            if line.raw.trim().is_empty() {
                continue;
            }
            if line.indent <= own {
                break;
            }
            end = place + 1;
        }
        end
    }

    fn brace_end(&self, at: usize) -> usize {
        let mut depth = 0_i32;
        let mut opened = false;
        for (place, line) in self.lines.iter().enumerate().skip(at) {
            for c in line.code.chars() {
                match c {
                    '{' => (depth, opened) = (depth + 1, true),
                    '}' => depth -= 1,
                    ';' if !opened && depth == 0 && place > at => return place + 1,
                    _ => {}
                }
                if opened && depth == 0 {
                    return place + 1;
                }
            }
        }
        if opened { self.lines.len() } else { (at + 2).min(self.lines.len()) }
    }

    /// Its functions, in order.
    #[must_use]
    pub fn functions(&self) -> Vec<Function> {
        const HEADS: &[&str] = &[
            r"^\s*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(async\s+)?(?:def|function|fn|func|fun)\s*\*?\s*(?:\([^)]*\)\s*)?(\w+)\s*(?:<[^>]*>)?\s*\(",
            r"^\s*(?:export\s+)?(?:const|let|var)\s+()(\w+)\s*=\s*(?:async\s*)?(?:function\s*)?\(",
            r"^\s*(?:(?:public|private|protected|internal|static|final|override|virtual|inline|const|unsigned|struct)\s+)*(async\s+)?[\w<>\[\],.?*]+[\s*]+(\w+)\s*\([^;]*$",
        ];
        let mut found = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let head = HEADS
                .iter()
                .map(|head| agent_common::patterns::groups(head, &line.code))
                .find(|groups| groups.len() > 2);
            let Some(groups) = head else { continue };
            let (Some(mark), Some(name)) = (groups.get(1), groups.get(2)) else { continue };
            const NOT: [&str; 12] =
                ["if", "for", "while", "switch", "return", "catch", "else", "sizeof", "new", "elif", "await", "in"];
            let first = line.code.split_whitespace().next().unwrap_or_default();
            if NOT.contains(&name.as_str()) || ["return", "else", "throw", "new", "await", "case"].contains(&first) {
                continue;
            }
            let arrow = line.code.contains("= async");
            let parameters = self.parameters(at, name);
            let end = self.block_end(at);
            let is_async = !mark.is_empty() || arrow || line.code.contains("async ");
            found.push(Function { name: name.clone(), parameters, start: at, end, is_async });
        }
        found
    }

    /// What stands between the parentheses behind a name.
    fn parameters(&self, at: usize, name: &str) -> String {
        let text = self.joined_text(at, (at + 20).min(self.lines.len()));
        let after = text.find(name).and_then(|start| text.get(start..)).unwrap_or_default();
        let open = after.find('(').map_or(after.len(), |open| open + 1);
        let mut depth = 1;
        let inner = after.get(open..).unwrap_or_default();
        let close = inner.char_indices().find(|(_, c)| {
            depth += match c {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
            depth == 0
        });
        inner.get(..close.map_or(0, |(close, _)| close)).unwrap_or_default().to_owned()
    }
}

fn brackets(code: &str) -> i32 {
    code.chars()
        .map(|c| {
            if "([{".contains(c) {
                1
            } else if ")]}".contains(c) {
                -1
            } else {
                0
            }
        })
        .sum()
}

fn comment_marks(language: Language) -> (&'static [&'static str], bool) {
    match language {
        Language::Python | Language::Ruby | Language::Shell | Language::Dockerfile | Language::Yaml => (&["#"], false),
        Language::Sql => (&["--"], true),
        Language::Php => (&["//", "#"], true),
        Language::Html | Language::Unknown => (&[], false),
        _ => (&["//"], true),
    }
}

fn line(raw: &str, language: Language, inside: &mut Inside) -> Line {
    let (marks, blocks) = comment_marks(language);
    let (mut code, mut text) = (String::new(), String::new());
    let mut at = 0;
    while let Some(c) = raw.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = raw.get(at..).unwrap_or_default();
        let size = c.len_utf8();
        match *inside {
            Inside::Block => {
                if rest.starts_with("*/") {
                    *inside = Inside::Code;
                    at += 1;
                }
                at += size;
            }
            Inside::Text(close) => {
                let piece = if c == '\\' && language != Language::Sql {
                    rest.get(..size + rest.get(size..).and_then(|r| r.chars().next()).map_or(0, char::len_utf8))
                } else if rest.starts_with(close) {
                    *inside = Inside::Code;
                    code.push_str(close);
                    Some(close)
                } else {
                    rest.get(..size)
                };
                let piece = piece.unwrap_or_default();
                text.push_str(piece);
                if *inside != Inside::Code {
                    code.extend(piece.chars().map(|_| ' '));
                }
                at += piece.len().max(1);
            }
            Inside::Code => {
                let shell_inner = c == '#'
                    && language == Language::Shell
                    && at > 0
                    && !raw.get(..at).is_some_and(|b| b.ends_with([' ', '\t']));
                if marks.iter().any(|mark| rest.starts_with(mark)) && !shell_inner {
                    break;
                }
                if blocks && rest.starts_with("/*") {
                    *inside = Inside::Block;
                    at += 2;
                    continue;
                }
                let quote = quote(rest, language);
                let piece = quote.or_else(|| rest.get(..size)).unwrap_or_default();
                if let Some(quote) = quote {
                    *inside = Inside::Text(quote);
                }
                code.push_str(piece);
                text.push_str(piece);
                at += piece.len().max(1);
            }
        }
    }
    let goes_on = matches!(inside, Inside::Text("\"\"\"" | "'''" | "`") | Inside::Block);
    let php = matches!(language, Language::Php | Language::Sql | Language::Shell) && matches!(inside, Inside::Text(_));
    if !goes_on && !php {
        *inside = Inside::Code;
    }
    let indent = raw.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum();
    let trim = |text: String| text.trim_end().to_owned();
    Line { raw: raw.to_owned(), code: trim(code), text: trim(text), indent }
}

/// The sign that opens a string here.
fn quote(rest: &str, language: Language) -> Option<&'static str> {
    let python = language == Language::Python;
    for sign in ["\"\"\"", "'''"] {
        if (python || (language == Language::Kotlin && sign == "\"\"\"")) && rest.starts_with(sign) {
            return Some(sign);
        }
    }
    let backquotes = matches!(language, Language::Javascript | Language::Typescript | Language::Go);
    match rest.chars().next()? {
        '"' => Some("\""),
        '`' if backquotes => Some("`"),
        '\'' if language == Language::Rust => {
            // A lifetime has no second mark close by.
            let close = rest.get(1..)?.char_indices().skip(1).take(3).any(|(_, c)| c == '\'');
            close.then_some("'")
        }
        '\'' if !matches!(language, Language::Html | Language::Unknown | Language::Yaml | Language::Dockerfile) => {
            Some("'")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_taken_out() {
        let cases = [
            (Language::Python, "x = \"a # b\" # c", "x = \"     \""),
            (Language::Javascript, "f('a') // b", "f(' ')"),
            (Language::Rust, "fn f<'a>(x: &'a str) {", "fn f<'a>(x: &'a str) {"),
            (Language::Sql, "WHERE a = 'b--c' -- d", "WHERE a = '    '"),
        ];
        for (language, raw, code) in cases {
            assert_eq!(Source::read("", raw, language).code(0), code, "{raw}");
        }
    }

    #[test]
    fn functions_and_their_ends() {
        let python = Source::read("", "async def f(a, b=[]):\n    return a\n\nx = 1\n", Language::Python);
        let found = python.functions();
        assert_eq!(found.len(), 1);
        assert_eq!(
            found.first().map(|f| (f.name.as_str(), f.parameters.as_str(), f.end, f.is_async)),
            Some(("f", "a, b=[]", 2, true))
        );
        let c = Source::read("", "int g(int a)\n{\n  if (a) { return 1; }\n  return 0;\n}\n", Language::C);
        assert_eq!(c.functions().first().map(|f| (f.name.clone(), f.end)), Some(("g".into(), 5)));
    }
}
