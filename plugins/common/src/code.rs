//! Source code that a call gives: several files with their paths, one text, or a stored text file.

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

/// Most files in one call.
pub const FILES_MAX: usize = 200;
/// Most bytes of source in one call: as many as a stored resource may have.
pub const BYTES_MAX: usize = 1_048_576;

/// A file.
// `PATH_MAX` is the longest path in characters, for the schema and for `read`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "File")]
pub struct CodeFile<const PATH_MAX: usize> {
    /// Its path; decides the language.
    #[schemars(length(min = 1, max = PATH_MAX))]
    pub path: String,
    /// Its text.
    pub content: String,
}

/// The code of one call, within the bounds of this module.
#[derive(Debug, Clone, Copy)]
pub enum Code<'c, const PATH_MAX: usize> {
    /// Files, each with its path.
    Files(&'c [CodeFile<PATH_MAX>]),
    /// One text.
    Text {
        /// The text of the file.
        text: &'c str,
        /// Pointer of the member that the text came by: `/source` or `/resource_id`.
        field: &'static str,
    },
}

impl<'c, const PATH_MAX: usize> Code<'c, PATH_MAX> {
    /// Reads exactly one of `files`, `source` and `resource_id`. Any other number of them, too much of anything and a
    /// resource that is not stored text are errors at the member to blame.
    pub fn read(
        call: &'c Call,
        files: Option<&'c [CodeFile<PATH_MAX>]>,
        source: Option<&'c str>,
        resource_id: Option<&str>,
    ) -> Result<Self, Error> {
        match (files, source, resource_id) {
            (Some(files), None, None) => within_bounds(files).map(|()| Self::Files(files)),
            (None, Some(text), None) => Self::text(text, "/source"),
            (None, None, Some(_)) => Self::text(call.stored()?.text()?, "/resource_id"),
            _ => Err(Error::invalid("/files", "give one of `files`, `source` and `resource_id` (a stored text file)")),
        }
    }

    fn text(text: &'c str, field: &'static str) -> Result<Self, Error> {
        size_fits(text.len(), field).map(|()| Self::Text { text, field })
    }
}

fn within_bounds<const PATH_MAX: usize>(files: &[CodeFile<PATH_MAX>]) -> Result<(), Error> {
    if files.is_empty() || files.len() > FILES_MAX {
        return Err(Error::invalid("/files", format!("give 1 to {FILES_MAX} files")));
    }
    let is_wrong = |file: &CodeFile<PATH_MAX>| file.path.is_empty() || file.path.chars().count() > PATH_MAX;
    if let Some(index) = files.iter().position(is_wrong) {
        return Err(Error::invalid(
            format!("/files/{index}/path"),
            format!("give a path of 1 to {PATH_MAX} characters"),
        ));
    }
    size_fits(files.iter().map(|file| file.content.len()).sum(), "/files")
}

fn size_fits(bytes: usize, field: &str) -> Result<(), Error> {
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    Err(Error::invalid(field, format!("{bytes} bytes are more than {BYTES_MAX}; send parts")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_sdk::Stored;

    fn file(path: &str, bytes: usize) -> CodeFile<4> {
        CodeFile { path: path.into(), content: "x".repeat(bytes) }
    }

    #[test]
    fn one_member_gives_the_code() {
        let resource = Stored { bytes: b"b = 2".to_vec(), ..Stored::default() };
        let call = Call { resource: Some(resource), ..Call::default() };
        let text = |source, id| match Code::<4>::read(&call, None, source, id) {
            Ok(Code::Text { text, field }) => Some((text.to_owned(), field)),
            _ => None,
        };
        assert_eq!(text(Some("a = 1"), None), Some(("a = 1".into(), "/source")));
        assert_eq!(text(None, Some("res_1")), Some(("b = 2".into(), "/resource_id")));
        assert_eq!(text(Some("a = 1"), Some("res_1")), None);
        let files = [file("a.py", 1)];
        assert!(matches!(Code::read(&call, Some(&files), None, None), Ok(Code::Files([_]))));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let call = Call::default();
        let field = |files: &[CodeFile<4>]| {
            let read = Code::read(&call, Some(files), None, None);
            read.err().and_then(|error| error.field().map(str::to_owned))
        };
        assert_eq!(field(&[file("a.py", BYTES_MAX)]), None);
        assert_eq!(field(&[file("a.py", BYTES_MAX), file("b.py", 1)]).as_deref(), Some("/files"));
        assert_eq!(field(&[]).as_deref(), Some("/files"));
        assert_eq!(field(&vec![file("a.py", 1); FILES_MAX + 1]).as_deref(), Some("/files"));
        assert_eq!(field(&[file("a.py", 1), file("", 1)]).as_deref(), Some("/files/1/path"));
        assert_eq!(field(&[file("aa.py", 1)]).as_deref(), Some("/files/0/path"));
        let neither = Code::<4>::read(&call, None, None, None).err();
        assert_eq!(neither.as_ref().and_then(Error::field), Some("/files"));
    }
}
