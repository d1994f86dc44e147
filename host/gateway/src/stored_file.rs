//! A file that an account keeps: its row, and the keys of its lines.

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::FILE_NAME_CHARS_MAX;
use tollbridge_store::{Collection, Expect, Put, StoreError, SubmitError};

use crate::ordered_id::ordered_id;

/// Hexadecimal digits of an id; they begin with the time, so that an account's ids sort in creation
/// order.
const ID_DIGITS: usize = 32;
const ID_BYTES_MAX: usize = 64;

/// The purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePurpose {
    /// Its lines are requests.
    Batch,
    /// Its lines are results.
    BatchOutput,
    /// The input or output of a batch of Anthropic's kind; it is not listed.
    MessageBatch,
}

/// A file as its account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// `file-` and hexadecimal digits.
    pub id: String,
    /// The name that the client gave it.
    pub name: String,
    /// Its purpose.
    pub purpose: FilePurpose,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of its last line.
    pub lines: u64,
    /// Unix time, milliseconds.
    pub created_ms: u64,
    /// Expiry, Unix time in milliseconds.
    pub expires_ms: u64,
    /// Whether it is complete on disk and not being deleted.
    pub(crate) ready: bool,
}

/// An error of reading or creating a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file has too many lines.
    #[error("the file has more than {} lines; send it in parts", tollbridge_core::limits::FILE_LINES_MAX)]
    TooManyLines,
    /// One line is too long.
    #[error("line {line} has more than {} bytes", tollbridge_core::limits::FILE_LINE_BYTES_MAX)]
    LineTooLong {
        /// The line's number, from 1.
        line: u64,
    },
    /// The account's limit of files is reached.
    #[error(
        "this account keeps {files} files of {bytes} bytes in total; the limit is {} files and {} bytes: delete some",
        tollbridge_core::limits::FILES_PER_ACCOUNT_MAX,
        tollbridge_core::limits::FILES_BYTES_PER_ACCOUNT_MAX
    )]
    Full {
        /// Files that the account keeps.
        files: usize,
        /// Their total size in bytes.
        bytes: u64,
    },
    /// The account has no such file.
    #[error("this account has no file `{0}`; it may have expired or been deleted")]
    Unknown(String),
    /// The file holds results.
    #[error("the file `{0}` holds results; a batch reads a file with the purpose `batch`")]
    NotInput(String),
    /// A batch reads the file.
    #[error("the batch `{0}` reads this file; delete it after the batch has ended, or cancel the batch")]
    InUse(String),
    /// The system has no randomness for an id.
    #[error("no randomness is available")]
    NoRandomness,
    /// Reading failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Writing failed.
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl FilePurpose {
    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::BatchOutput => "batch_output",
            Self::MessageBatch => "message_batch",
        }
    }
}

impl StoredFile {
    /// Creates a file that is still being written.
    pub(crate) fn new(id: String, name: &str, purpose: FilePurpose, now_ms: u64, kept_ms: u64) -> Self {
        let name = name.chars().filter(|c| !c.is_control()).take(FILE_NAME_CHARS_MAX).collect();
        let expires_ms = now_ms.saturating_add(kept_ms);
        Self { id, name, purpose, bytes: 0, lines: 0, created_ms: now_ms, expires_ms, ready: false }
    }

    /// Returns whether its account may read it.
    pub(crate) const fn is_visible(&self, now_ms: u64) -> bool {
        self.ready && self.expires_ms > now_ms
    }

    /// Returns the time under which the cleanup finds it: an unfinished file is due immediately.
    const fn tidied_by(&self) -> u64 {
        if self.ready { self.expires_ms } else { self.created_ms }
    }

    /// Returns its rows without its lines.
    pub(crate) fn puts(&self, account: &str) -> Result<Vec<Put>, StoreError> {
        let row = serde_json::to_vec(self).map_err(bad_row)?;
        Ok(vec![
            put(row_key(account, &self.id), Some(row)),
            put(expiry_key(self.tidied_by(), account, &self.id), Some(Vec::new())),
        ])
    }

    /// Returns the finished file with its rows.
    pub(crate) fn finished(mut self, account: &str) -> Result<(Self, Vec<Put>), StoreError> {
        let unfinished = expiry_key(self.tidied_by(), account, &self.id);
        self.ready = true;
        let mut puts = self.puts(account)?;
        puts.push(put(unfinished, None));
        Ok((self, puts))
    }

    /// Returns the changes that remove its rows, after its lines were deleted.
    pub(crate) fn removal(&self, account: &str) -> Vec<Put> {
        vec![
            put(row_key(account, &self.id), None),
            put(expiry_key(self.tidied_by(), account, &self.id), None),
            put(expiry_key(self.expires_ms, account, &self.id), None),
        ]
    }
}

/// Creates an id for a stored object.
pub(crate) fn new_id(prefix: &str, now_ms: u64) -> Option<String> {
    ordered_id(prefix, ID_DIGITS, now_ms)
}

/// Returns whether a text is a well-formed id that may be part of a key.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// Returns the key of a file's row: `f/{account}/{id}`.
pub(crate) fn row_key(account: &str, id: &str) -> String {
    format!("f/{account}/{id}")
}

/// Returns the key of a line, whose value includes its line end: `l/{account}/{id}/{line}`.
pub(crate) fn line_key(account: &str, id: &str, line: u64) -> String {
    format!("l/{account}/{id}/{line:08}")
}

/// Returns the key under which a file expires: `e/{expiry}/{account}/{id}`.
fn expiry_key(expires_ms: u64, account: &str, id: &str) -> String {
    format!("e/{expires_ms:020}/{account}/{id}")
}

pub(crate) fn put(key: String, value: Option<Vec<u8>>) -> Put {
    Put { collection: Collection::Files, key, value, expect: Expect::Any }
}

pub(crate) fn bad_row(source: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a file's row", source: Box::new(source) }
}
