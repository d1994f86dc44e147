//! A file that an account keeps: its row, and where its lines are.

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::FILE_NAME_CHARS_MAX;
use tollbridge_store::{Collection, Expect, Put, StoreError, SubmitError};

use crate::ordered_id::ordered_id;

/// Hexadecimal digits of an id; the first of them are the time, so that ids of one
/// account are in the order of their making.
const ID_DIGITS: usize = 32;
const ID_BYTES_MAX: usize = 64;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePurpose {
    /// Its lines are requests.
    Batch,
    /// Its lines are results.
    BatchOutput,
    /// What a batch of Anthropic's kind reads or writes; it is listed nowhere.
    MessageBatch,
}

/// A file as its account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// `file-` and its digits.
    pub id: String,
    /// As its client called it.
    pub name: String,
    /// What it is for.
    pub purpose: FilePurpose,
    /// Its size.
    pub bytes: u64,
    /// The number of its last line.
    pub lines: u64,
    /// Unix time, milliseconds.
    pub created_ms: u64,
    /// Unix time in milliseconds from which it is gone.
    pub expires_ms: u64,
    /// Whether all of it is on the disk, and none deleted.
    pub(crate) ready: bool,
}

/// Why there is no such file, or no room for it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Too many lines.
    #[error("the file has more than {} lines; send it in parts", tollbridge_core::limits::FILE_LINES_MAX)]
    TooManyLines,
    /// One line is too long.
    #[error("line {line} has more than {} bytes", tollbridge_core::limits::FILE_LINE_BYTES_MAX)]
    LineTooLong {
        /// Its number, from 1.
        line: u64,
    },
    /// The account keeps as much as it may.
    #[error(
        "this account keeps {files} files of {bytes} bytes together; {} files and {} bytes are the most: delete some",
        tollbridge_core::limits::FILES_PER_ACCOUNT_MAX,
        tollbridge_core::limits::FILES_BYTES_PER_ACCOUNT_MAX
    )]
    Full {
        /// Files that it keeps.
        files: usize,
        /// Their bytes.
        bytes: u64,
    },
    /// The account has no such file.
    #[error("this account has no file `{0}`; it may have expired or been deleted")]
    Unknown(String),
    /// It holds results.
    #[error("the file `{0}` holds results; a batch reads a file with the purpose `batch`")]
    NotInput(String),
    /// A batch reads it.
    #[error("the batch `{0}` reads this file; delete it when the batch is over, or cancel the batch")]
    InUse(String),
    /// No randomness for an id.
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
    /// As clients write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::BatchOutput => "batch_output",
            Self::MessageBatch => "message_batch",
        }
    }
}

impl StoredFile {
    /// A file that is on its way.
    pub(crate) fn new(id: String, name: &str, purpose: FilePurpose, now_ms: u64, kept_ms: u64) -> Self {
        let name = name.chars().filter(|c| !c.is_control()).take(FILE_NAME_CHARS_MAX).collect();
        let expires_ms = now_ms.saturating_add(kept_ms);
        Self { id, name, purpose, bytes: 0, lines: 0, created_ms: now_ms, expires_ms, ready: false }
    }

    /// Whether its account may read it.
    pub(crate) const fn is_visible(&self, now_ms: u64) -> bool {
        self.ready && self.expires_ms > now_ms
    }

    /// Under which time the tidier looks for it: one that was not finished expires at
    /// once.
    const fn tidied_by(&self) -> u64 {
        if self.ready { self.expires_ms } else { self.created_ms }
    }

    /// Its rows without its lines.
    pub(crate) fn puts(&self, account: &str) -> Result<Vec<Put>, StoreError> {
        let row = serde_json::to_vec(self).map_err(bad_row)?;
        Ok(vec![
            put(row_key(account, &self.id), Some(row)),
            put(expiry_key(self.tidied_by(), account, &self.id), Some(Vec::new())),
        ])
    }

    /// The same when all of it is there.
    pub(crate) fn finished(mut self, account: &str) -> Result<(Self, Vec<Put>), StoreError> {
        let unfinished = expiry_key(self.tidied_by(), account, &self.id);
        self.ready = true;
        let mut puts = self.puts(account)?;
        puts.push(put(unfinished, None));
        Ok((self, puts))
    }

    /// Removes its rows, when its lines are gone.
    pub(crate) fn removal(&self, account: &str) -> Vec<Put> {
        vec![
            put(row_key(account, &self.id), None),
            put(expiry_key(self.tidied_by(), account, &self.id), None),
            put(expiry_key(self.expires_ms, account, &self.id), None),
        ]
    }
}

/// An id of something that is kept.
pub(crate) fn new_id(prefix: &str, now_ms: u64) -> Option<String> {
    ordered_id(prefix, ID_DIGITS, now_ms)
}

/// Whether a text can be such an id, and so part of a key.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// `f/{account}/{id}`: what a file is.
pub(crate) fn row_key(account: &str, id: &str) -> String {
    format!("f/{account}/{id}")
}

/// `l/{account}/{id}/{line}`: a line, with what ends it.
pub(crate) fn line_key(account: &str, id: &str, line: u64) -> String {
    format!("l/{account}/{id}/{line:08}")
}

/// `e/{expiry}/{account}/{id}`: when a file goes.
fn expiry_key(expires_ms: u64, account: &str, id: &str) -> String {
    format!("e/{expires_ms:020}/{account}/{id}")
}

pub(crate) fn put(key: String, value: Option<Vec<u8>>) -> Put {
    Put { collection: Collection::Files, key, value, expect: Expect::Any }
}

pub(crate) fn bad_row(source: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a file's row", source: Box::new(source) }
}
