//! A file to scan: its text, the same without comments, what each byte belongs to, and where lines begin.

use bridge_common::code::{Code, CodeFile};
use tollbridge_sdk::{Call, Error, Stored};

use crate::input::{Input, LONGEST_PATH};
use crate::language::Language;
use crate::lexer::{Kind, lex};

/// A file, ready to be looked at.
pub struct Source {
    pub path: String,
    pub text: String,
    /// As long as `text`, with comments blanked.
    pub code: String,
    pub kinds: Vec<Kind>,
    pub language: Language,
    /// Byte at which each line begins.
    lines: Vec<usize>,
}

impl Source {
    /// Reads grammar and lines of a text.
    #[must_use]
    pub fn new(path: String, text: String, language: Option<Language>) -> Self {
        let language = language.unwrap_or_else(|| Language::of(&path, &text));
        let kinds = lex(&text, language);
        let code = without_comments(&text, &kinds);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { path, text, code, kinds, language, lines }
    }

    /// The files that the input names.
    pub fn read(call: &Call, input: &Input) -> Result<Vec<Self>, Error> {
        let path = input.path.as_deref().unwrap_or_default();
        match Code::read(call, input.files.as_deref(), input.source.as_deref(), input.resource_id.as_deref())? {
            Code::Files(files) => Self::from_files(files, input),
            Code::Text { .. } if path.chars().count() > LONGEST_PATH => {
                Err(Error::invalid("/path", format!("longer than {LONGEST_PATH} characters")))
            }
            Code::Text { text, .. } => {
                let stored = call.resource.as_ref().filter(|_| path.is_empty() && input.source.is_none());
                let language = input.language.or_else(|| stored.and_then(by_media_type));
                Ok(vec![Self::new(path.to_owned(), text.to_owned(), language)])
            }
        }
    }

    fn from_files(files: &[CodeFile<LONGEST_PATH>], input: &Input) -> Result<Vec<Self>, Error> {
        if input.path.is_some() || input.language.is_some() {
            let field = if input.path.is_some() { "/path" } else { "/language" };
            return Err(Error::invalid(field, "each of `files` has its own path; leave this out"));
        }
        Ok(files.iter().map(|file| Self::new(file.path.clone(), file.content.clone(), None)).collect())
    }

    /// Line (from 0) of a byte.
    #[must_use]
    pub fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// First byte of a line (from 0); the end of the text past the last line.
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        self.lines.get(line).copied().unwrap_or(self.text.len())
    }

    /// Bytes of a line (from 0), without its end.
    #[must_use]
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let start = self.line_start(line);
        let end = self.line_start(line + 1);
        let text = self.text.get(start..end).unwrap_or_default();
        start..start + text.trim_end_matches(['\n', '\r']).len()
    }
}

fn by_media_type(stored: &Stored) -> Option<Language> {
    let kind = stored.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let kind = kind.rsplit('/').next().unwrap_or_default();
    Some(match kind.trim_start_matches("x-").trim_start_matches("script.") {
        "python" => Language::Python,
        "javascript" | "ecmascript" => Language::Javascript,
        "typescript" => Language::Typescript,
        "go" | "golang" => Language::Go,
        "java" | "java-source" => Language::Java,
        "kotlin" => Language::Kotlin,
        "ruby" => Language::Ruby,
        "php" | "httpd-php" => Language::Php,
        "rust" | "rustsrc" => Language::Rust,
        "c" | "csrc" => Language::C,
        "c++src" | "c++" => Language::Cpp,
        "sh" | "shellscript" => Language::Shell,
        "yaml" => Language::Yaml,
        "toml" => Language::Config,
        _ => return None,
    })
}

/// The text with every byte of a comment replaced by a space, line ends kept.
fn without_comments(text: &str, kinds: &[Kind]) -> String {
    let blank = |(byte, kind): (u8, &Kind)| if *kind == Kind::Comment && byte != b'\n' { b' ' } else { byte };
    let bytes: Vec<u8> = text.bytes().zip(kinds).map(blank).collect();
    // Comments hold whole characters, so this is text again; if not, leaving comments in is the safe side.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_blanked_comments() {
        let source = Source::new("a.py".into(), "a # é\r\nb\n".into(), None);
        assert_eq!(source.code, "a      \nb\n");
        assert_eq!((source.line_of(0), source.line_of(8), source.line_range(0)), (0, 1, 0..6));
        assert_eq!(source.code.len(), source.text.len());
    }
}
