//! A file that an account stores: its row, and the keys of its lines.

use serde::{Deserialize, Serialize};
use tollbridge_gateway::ordered_id;
use tollbridge_store::{Collection, Expect, Put, StoreError, SubmitError};

/// Maximum length of a file name.
const FILE_NAME_CHARS_MAX: usize = 256;

/// Number of hexadecimal digits of an id. An id begins with the time, so that an
/// account's ids sort by creation.
const ID_DIGITS: usize = 32;
const ID_BYTES_MAX: usize = 64;

/// The purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePurpose {
    /// Input of a batch: each line is a request.
    Batch,
    /// Output of a batch: each line is a result.
    BatchOutput,
    /// Input or output of a batch of Anthropic's API; clients cannot list it.
    MessageBatch,
}

/// A stored file, as shown to its account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    /// The id of the file: `file-` and hexadecimal digits.
    pub id: String,
    /// The name chosen by the client.
    pub name: String,
    /// The purpose of the file.
    pub purpose: FilePurpose,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The number of the last line of the file.
    pub lines: u64,
    /// Creation time, Unix time in milliseconds.
    pub created_ms: u64,
    /// Expiry, Unix time in milliseconds.
    pub expires_ms: u64,
    /// Whether the file is complete on disk and not being deleted.
    pub(crate) ready: bool,
}

/// An error of reading or creating a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file has too many lines.
    #[error("the file has more than {} lines; send it in parts", crate::limits::FILE_LINES_MAX)]
    TooManyLines,
    /// One line is too long.
    #[error("line {line} has more than {} bytes", crate::limits::FILE_LINE_BYTES_MAX)]
    LineTooLong {
        /// The number of the line, from 1.
        line: u64,
    },
    /// The account's limit on stored files is reached.
    #[error(
        "this account stores {files} files with {bytes} bytes in total; the limits are {} files and {} bytes; delete some",
        crate::limits::FILES_PER_ACCOUNT_MAX,
        crate::limits::FILES_BYTES_PER_ACCOUNT_MAX
    )]
    Full {
        /// The number of files that the account stores.
        files: usize,
        /// The total size of the account's files in bytes.
        bytes: u64,
    },
    /// The account has no such file.
    #[error("this account has no file `{0}`; it may have expired or been deleted")]
    Unknown(String),
    /// The file contains results, so a batch cannot read it.
    #[error("the file `{0}` contains results; a batch needs a file with the purpose `batch`")]
    NotInput(String),
    /// An open batch reads the file, so it cannot be deleted.
    #[error("the batch `{0}` reads this file; delete it after the batch has ended, or cancel the batch")]
    InUse(String),
    /// The operating system provides no random bytes for an id.
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
    /// Returns the name of the purpose in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::BatchOutput => "batch_output",
            Self::MessageBatch => "message_batch",
        }
    }
}

impl StoredFile {
    /// Creates the entry of a file whose lines are still being written.
    pub(crate) fn new(id: String, name: &str, purpose: FilePurpose, now_ms: u64, kept_ms: u64) -> Self {
        let name = name.chars().filter(|c| !c.is_control()).take(FILE_NAME_CHARS_MAX).collect();
        let expires_ms = now_ms.saturating_add(kept_ms);
        Self { id, name, purpose, bytes: 0, lines: 0, created_ms: now_ms, expires_ms, ready: false }
    }

    /// Returns whether the file's account may read it.
    pub(crate) const fn is_visible(&self, now_ms: u64) -> bool {
        self.ready && self.expires_ms > now_ms
    }

    /// Returns the time in the file's cleanup key: its expiry, or its creation if it is
    /// unfinished.
    const fn cleanup_ms(&self) -> u64 {
        if self.ready { self.expires_ms } else { self.created_ms }
    }

    /// Returns the rows of the file, except its lines.
    pub(crate) fn puts(&self, account: &str) -> Result<Vec<Put>, StoreError> {
        let row = serde_json::to_vec(self).map_err(bad_row)?;
        Ok(vec![
            put(row_key(account, &self.id), Some(row)),
            put(expiry_key(self.cleanup_ms(), account, &self.id), Some(Vec::new())),
        ])
    }

    /// Returns the file marked as complete, and its rows.
    pub(crate) fn finished(mut self, account: &str) -> Result<(Self, Vec<Put>), StoreError> {
        let unfinished = expiry_key(self.cleanup_ms(), account, &self.id);
        self.ready = true;
        let mut puts = self.puts(account)?;
        puts.push(put(unfinished, None));
        Ok((self, puts))
    }

    /// Returns the changes that delete the file's rows; the caller deletes the file's
    /// lines first.
    pub(crate) fn removal(&self, account: &str) -> Vec<Put> {
        vec![
            put(row_key(account, &self.id), None),
            put(expiry_key(self.cleanup_ms(), account, &self.id), None),
            put(expiry_key(self.expires_ms, account, &self.id), None),
        ]
    }
}

/// Creates an id with a prefix for a stored object.
pub(crate) fn new_id(prefix: &str, now_ms: u64) -> Option<String> {
    ordered_id(prefix, ID_DIGITS, now_ms)
}

/// Returns whether a text is a well-formed id, and so may be part of a row key.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// Returns the key of a file's row: `f/{account}/{id}`.
pub(crate) fn row_key(account: &str, id: &str) -> String {
    format!("f/{account}/{id}")
}

/// Returns the key of a line, whose value includes the line break:
/// `l/{account}/{id}/{line}`.
pub(crate) fn line_key(account: &str, id: &str, line: u64) -> String {
    format!("l/{account}/{id}/{line:08}")
}

/// Returns the key of a file's expiry: `e/{expiry}/{account}/{id}`.
fn expiry_key(expires_ms: u64, account: &str, id: &str) -> String {
    format!("e/{expires_ms:020}/{account}/{id}")
}

pub(crate) fn put(key: String, value: Option<Vec<u8>>) -> Put {
    Put { collection: Collection::Files, key, value, expect: Expect::Any }
}

pub(crate) fn bad_row(source: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing a file's row", source: Box::new(source) }
}
