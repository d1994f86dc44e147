//! Source code line by line, as written and without comments and texts.

use regex_lite::{Captures, Regex};

use crate::input::File;
use crate::language;

/// A file to review.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its path and text.
    pub file: File,
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

impl Source {
    /// Reads a file.
    #[must_use]
    pub fn read(file: File) -> Self {
        let language = language::of_path(&file.path).or_else(|| language::of_code(&file.content)).unwrap_or_default();
        let bare = bare(&file.content, language);
        let bare = bare.split('\n').chain(std::iter::repeat(""));
        let line = |(raw, code): (&str, &str)| Line { raw: raw.to_owned(), code: code.trim_end().to_owned() };
        Self { language, lines: file.content.lines().zip(bare).map(line).collect(), file }
    }

    /// Returns a line as written, for a quote.
    #[must_use]
    pub fn quote(&self, line: usize) -> String {
        let line = line.checked_sub(1).and_then(|at| self.lines.get(at));
        line.map(|line| line.raw.trim().chars().take(160).collect()).unwrap_or_default()
    }
}

/// Returns code without comments and the content of strings; line breaks stay.
fn bare(content: &str, language: &str) -> String {
    let comment = match language {
        "python" | "ruby" | "shell" => r"#[^\n]*",
        "php" => r"(?:#|//)[^\n]*|/\*.*?(?:\*/|\z)",
        "sql" => r"--[^\n]*|/\*.*?(?:\*/|\z)",
        "html" => r"/\*.*?(?:\*/|\z)|<!--.*?(?:-->|\z)",
        "" => "",
        _ => r"//[^\n]*|/\*.*?(?:\*/|\z)",
    };
    let long = match language {
        "python" => r#"(""")(?:\\.|[^\\])*?("""|\z)|(''')(?:\\.|[^\\])*?('''|\z)"#,
        "javascript" | "typescript" | "go" => r"(`)(?:\\.|[^\\`])*(`|\z)",
        _ => "",
    };
    let short = r#"(")(?:\\[^\n]|[^\\"\n])*(?:(")|\\?$)|(')(?:\\[^\n]|[^\\'\n])*(?:(')|\\?$)"#;
    let patterns = [comment, long, short].into_iter().filter(|pattern| !pattern.is_empty());
    let pattern = format!("(?sm){}", patterns.collect::<Vec<_>>().join("|"));
    let Ok(texts) = Regex::new(&pattern) else { return content.to_owned() };
    // The groups are the marks of a string.
    let marks = |found: &Captures<'_>| {
        let mut marks = found.iter().skip(1).flatten().map(|mark| mark.as_str());
        let breaks = found.get(0).map_or(0, |text| text.as_str().matches('\n').count());
        format!("{}{}{}", marks.next().unwrap_or_default(), "\n".repeat(breaks), marks.next().unwrap_or_default())
    };
    texts.replace_all(content, marks).into_owned()
}
