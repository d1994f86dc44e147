//! A file to scan: its text, the same without comments, what each byte belongs to, and where lines begin.

use tollbridge_sdk::{Call, Error, Stored};

use crate::input::{Input, LONGEST_PATH, MOST_BYTES, MOST_FILES};
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
        let given = [input.files.is_some(), input.source.is_some(), input.resource_id.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            let text = "give one of `files`, `source` and `resource_id` (a stored text file)";
            return Err(Error::invalid("/files", text));
        }
        let path = input.path.clone().unwrap_or_default();
        if path.len() > LONGEST_PATH {
            return Err(Error::invalid("/path", format!("longer than {LONGEST_PATH} bytes")));
        }
        if let Some(text) = &input.source {
            check_size(text.len(), "/source")?;
            return Ok(vec![Self::new(path, text.clone(), input.language)]);
        }
        if input.files.is_none() {
            let stored = call.stored()?;
            check_size(stored.bytes.len(), "/resource_id")?;
            let language = input.language.or_else(|| if path.is_empty() { by_media_type(stored) } else { None });
            return Ok(vec![Self::new(path, stored.text()?.to_owned(), language)]);
        }
        if input.path.is_some() || input.language.is_some() {
            let field = if input.path.is_some() { "/path" } else { "/language" };
            return Err(Error::invalid(field, "each of `files` has its own path; leave this out"));
        }
        Self::from_files(input)
    }

    fn from_files(input: &Input) -> Result<Vec<Self>, Error> {
        let files = input.files.as_deref().unwrap_or_default();
        if files.is_empty() || files.len() > MOST_FILES {
            return Err(Error::invalid("/files", format!("give 1 to {MOST_FILES} files")));
        }
        for (place, file) in files.iter().enumerate() {
            if file.path.is_empty() || file.path.len() > LONGEST_PATH {
                let text = format!("give a path of 1 to {LONGEST_PATH} bytes");
                return Err(Error::invalid(format!("/files/{place}/path"), text));
            }
        }
        check_size(files.iter().map(|file| file.content.len()).sum(), "/files")?;
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

fn check_size(bytes: usize, field: &str) -> Result<(), Error> {
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Error::invalid(field, format!("{bytes} bytes are more than {MOST_BYTES}; scan in parts")))
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
