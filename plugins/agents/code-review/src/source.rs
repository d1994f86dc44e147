//! Source code line by line, as written and without comments and texts.

/// A file to review.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its path.
    pub path: String,
    /// Its language; empty if it is not known.
    pub language: &'static str,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line as written.
    pub raw: String,
    /// The line without comments, and with empty strings.
    pub code: String,
}

impl Line {
    /// Returns the number of white spaces before the code.
    #[must_use]
    pub fn indent(&self) -> usize {
        self.code.chars().take_while(|c| c.is_whitespace()).count()
    }

    /// Returns whether the line has no code.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.code.trim().is_empty()
    }
}

/// What an open text or comment ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    close: &'static str,
    /// Whether it goes on in the next line.
    lasts: bool,
    comment: bool,
}

const fn open(close: &'static str, lasts: bool, comment: bool) -> Open {
    Open { close, lasts, comment }
}

impl Source {
    /// Reads a file.
    #[must_use]
    pub fn read(path: &str, language: &'static str, content: &str) -> Self {
        let mut inside = None;
        let line = |raw: &str| {
            let code = bare(raw, language, &mut inside);
            Line { raw: raw.to_owned(), code }
        };
        Self { path: path.to_owned(), language, lines: content.lines().map(line).collect() }
    }

    /// Returns a line as written, for a quote.
    #[must_use]
    pub fn quote(&self, line: usize) -> String {
        let line = line.checked_sub(1).and_then(|at| self.lines.get(at));
        line.map(|line| line.raw.trim().chars().take(160).collect()).unwrap_or_default()
    }
}

/// Returns a line without comments, and with empty strings.
fn bare(raw: &str, language: &str, inside: &mut Option<Open>) -> String {
    let mut code = String::new();
    let mut rest = raw;
    while !rest.is_empty() {
        let step = match inside {
            Some(within) if rest.starts_with(within.close) => {
                if !within.comment {
                    code.push_str(within.close);
                }
                let length = within.close.len();
                *inside = None;
                length
            }
            Some(within) if !within.comment && rest.starts_with('\\') => {
                1 + rest.chars().nth(1).map_or(0, char::len_utf8)
            }
            Some(_) => rest.chars().next().map_or(1, char::len_utf8),
            None if is_comment(rest, language) => break,
            None => match opens(rest, language) {
                Some((length, found)) => {
                    if !found.comment {
                        code.push_str(rest.get(..length).unwrap_or_default());
                    }
                    *inside = Some(found);
                    length
                }
                None => {
                    let c = rest.chars().next().unwrap_or(' ');
                    code.push(c);
                    c.len_utf8()
                }
            },
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    *inside = inside.filter(|within| within.lasts);
    code.trim_end().to_owned()
}

fn is_comment(rest: &str, language: &str) -> bool {
    match language {
        "python" | "ruby" | "shell" => rest.starts_with('#'),
        "php" => rest.starts_with('#') || rest.starts_with("//"),
        "sql" => rest.starts_with("--"),
        "html" | "" => false,
        _ => rest.starts_with("//"),
    }
}

fn opens(rest: &str, language: &str) -> Option<(usize, Open)> {
    let hashes = matches!(language, "python" | "ruby" | "shell" | "");
    // A lifetime or a character of one sign.
    let is_char = |rest: &str| rest.chars().nth(2) == Some('\'') || rest.starts_with("'\\");
    let found = match () {
        () if rest.starts_with("\"\"\"") && language == "python" => (3, open("\"\"\"", true, false)),
        () if rest.starts_with("'''") && language == "python" => (3, open("'''", true, false)),
        () if rest.starts_with("/*") && !hashes => (2, open("*/", true, true)),
        () if rest.starts_with("<!--") && language == "html" => (4, open("-->", true, true)),
        () if rest.starts_with('"') => (1, open("\"", false, false)),
        () if rest.starts_with('`') && matches!(language, "javascript" | "typescript" | "go") => {
            (1, open("`", true, false))
        }
        () if rest.starts_with('\'') && (language != "rust" || is_char(rest)) => (1, open("'", false, false)),
        () => return None,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_texts_are_left_out() {
        let codes = |language: &'static str, content: &str| -> Vec<String> {
            Source::read("x", language, content).lines.into_iter().map(|line| line.code).collect()
        };
        assert_eq!(
            codes("python", "x = 'a # b' # c\n\"\"\"doc\nif (x = 1)\n\"\"\"\ny"),
            ["x = ''", "\"\"\"", "", "\"\"\"", "y"]
        );
        assert_eq!(codes("javascript", "a(\"x\\\"y\"); // b\n/* c\nd */ e\n`f\ng`"), ["a(\"\");", "", " e", "`", "`"]);
        assert_eq!(codes("rust", "fn f<'a>(x: &'a str) { 'x' }"), ["fn f<'a>(x: &'a str) { '' }"]);
        assert_eq!(codes("sql", "WHERE a = 'x' -- b"), ["WHERE a = ''"]);
    }
}
