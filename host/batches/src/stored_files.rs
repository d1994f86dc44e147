//! The files that all accounts store: the input and output of batches.
//!
//! Invariants: a file is visible only to its account, and only while it is complete on
//! disk and neither deleted nor expired; the total size per account is limited;
//! unfinished files are removed within days. Each line is a separate row, so that no file
//! has to be read as a whole.

use bytes::{Bytes, BytesMut};
use futures_util::stream::{Stream, unfold};
use tokio::sync::{Mutex, MutexGuard};
use tollbridge_store::{Change, Collection, Db, Put, Rows, StoreError};

use super::stored_file::{FileError, FilePurpose, StoredFile, bad_row, is_id, line_key, new_id, put, row_key};
use crate::limits::{
    FILE_BYTES_PER_CHANGE, FILE_LINE_BYTES_MAX, FILE_LINES_MAX, FILE_ROWS_PER_CHANGE, FILE_TIDIED_AFTER_MS,
    FILES_BYTES_PER_ACCOUNT_MAX, FILES_PER_ACCOUNT_MAX, FILES_TIDIED_AT_ONCE,
};

/// Size of the pieces in which a file is sent, in bytes, unless a single line is longer.
const CHUNK_BYTES: usize = 64 << 10;
/// Number of an account's files that are read at once.
const PAGE: usize = 100;

/// The files of all accounts.
pub struct StoredFiles {
    db: Db,
    /// Lock that is held while deciding whether a file may be created or deleted.
    lock: Mutex<()>,
}

/// The parameters of a new file.
#[derive(Debug)]
pub struct NewFile {
    /// The name chosen by the client.
    pub name: String,
    /// The purpose of the file.
    pub purpose: FilePurpose,
    /// The time for which the file is kept, in milliseconds.
    pub kept_ms: u64,
}

impl StoredFiles {
    /// Opens the files stored in a database.
    pub fn new(db: Db) -> Self {
        Self { db, lock: Mutex::default() }
    }

    /// Stores a file. The file is durable on return.
    pub async fn create(
        &self,
        account: &str,
        new: NewFile,
        content: &[u8],
        now_ms: u64,
    ) -> Result<StoredFile, FileError> {
        let lines = split(content)?;
        let id = new_id("file-", now_ms).ok_or(FileError::NoRandomness)?;
        let mut file = StoredFile::new(id, &new.name, new.purpose, now_ms, new.kept_ms);
        file.bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        file.lines = u64::try_from(lines.len()).unwrap_or(u64::MAX);
        {
            let _lock = self.lock().await;
            self.check_quota(account, file.bytes)?;
            // From here on, the file counts against the limits, and the cleanup removes
            // it if it stays unfinished.
            self.submit(file.puts(account)?).await?;
        }
        let (mut puts, mut bytes) = (Vec::new(), 0_usize);
        for (number, line) in (1..).zip(lines) {
            bytes = bytes.saturating_add(line.len());
            puts.push(put(line_key(account, &file.id, number), Some(line.to_vec())));
            if bytes >= FILE_BYTES_PER_CHANGE || puts.len() >= FILE_ROWS_PER_CHANGE {
                self.submit(std::mem::take(&mut puts)).await?;
                bytes = 0;
            }
        }
        let (file, last) = file.finished(account)?;
        puts.extend(last);
        self.submit(puts).await?;
        Ok(file)
    }

    /// Returns a file that the account's clients may see.
    pub fn find(&self, account: &str, id: &str, now_ms: u64) -> Result<StoredFile, FileError> {
        let file = self.row(account, id)?.filter(|file| file.is_visible(now_ms));
        let file = file.filter(|file| file.purpose != FilePurpose::MessageBatch);
        file.ok_or_else(|| FileError::Unknown(id.chars().take(80).collect()))
    }

    /// Returns a complete, unexpired file of the account, including files that clients
    /// may not see.
    pub(crate) fn find_any(&self, account: &str, id: &str, now_ms: u64) -> Result<StoredFile, FileError> {
        let file = self.row(account, id)?.filter(|file| file.is_visible(now_ms));
        file.ok_or_else(|| FileError::Unknown(id.chars().take(80).collect()))
    }

    /// Checks that a file exists and that its purpose allows a batch to read it.
    pub(crate) fn check_input(&self, account: &str, id: &str, now_ms: u64) -> Result<(), FileError> {
        let file = self.find_any(account, id, now_ms)?;
        let is_input = file.purpose != FilePurpose::BatchOutput;
        if is_input { Ok(()) } else { Err(FileError::NotInput(file.id)) }
    }

    /// Lists the files that the account's clients may see, oldest first.
    pub fn list(&self, account: &str, now_ms: u64) -> Result<Vec<StoredFile>, StoreError> {
        let mut files = self.rows(account)?;
        files.retain(|file| file.is_visible(now_ms) && file.purpose != FilePurpose::MessageBatch);
        Ok(files)
    }

    /// Returns a line of a file, including its line break.
    pub fn line(&self, account: &str, id: &str, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.db.get(Collection::Files, &line_key(account, id, number))
    }

    /// Streams the lines of files, for example the content of one file. The stream ends
    /// with an error if lines are deleted meanwhile.
    pub fn content(
        &self,
        account: &str,
        files: &[StoredFile],
    ) -> impl Stream<Item = Result<Bytes, StoreError>> + Send + 'static {
        let reading = ContentReader {
            db: self.db.clone(),
            account: account.to_owned(),
            ids: files.iter().map(|file| file.id.clone()).collect(),
            next: 1,
            last: files.iter().map(|file| file.lines).max().unwrap_or_default(),
            left: files.iter().map(|file| file.bytes).sum(),
        };
        unfold(reading, async |mut reading| Some((reading.next_chunk().transpose()?, reading)))
    }

    /// Hides a file before it is deleted. The caller holds the lock of [`Self::lock`]
    /// until the file is hidden.
    pub(crate) async fn hide(&self, account: &str, id: &str) -> Result<Option<StoredFile>, FileError> {
        let Some(file) = self.row(account, id)? else { return Ok(None) };
        let hidden = StoredFile { ready: false, ..file };
        self.submit(hidden.puts(account)?).await?;
        Ok(Some(hidden))
    }

    /// Deletes a file's lines and rows.
    pub(crate) async fn remove(&self, account: &str, file: &StoredFile) -> Result<(), FileError> {
        let mut puts = Vec::new();
        for number in 1..=file.lines {
            puts.push(put(line_key(account, &file.id, number), None));
            if puts.len() >= FILE_ROWS_PER_CHANGE {
                self.submit(std::mem::take(&mut puts)).await?;
            }
        }
        puts.extend(file.removal(account));
        self.submit(puts).await
    }

    /// Deletes files that expired or were left unfinished days ago.
    pub(crate) async fn delete_expired(&self, now_ms: u64) -> Result<(), FileError> {
        loop {
            let mut removed = 0;
            for (key, _) in self.db.list(Collection::Files, "e/", FILES_TIDIED_AT_ONCE)? {
                let Some((expires_ms, account, id)) = read_expiry_key(&key) else { break };
                if expires_ms.saturating_add(FILE_TIDIED_AFTER_MS) > now_ms {
                    return Ok(());
                }
                removed += 1;
                match self.row(account, id)? {
                    Some(file) if file.expires_ms == expires_ms || !file.ready => self.remove(account, &file).await?,
                    // The key is from an earlier state of the file: delete only the key.
                    _ => {}
                }
                self.submit(vec![put(key, None)]).await?;
            }
            if removed == 0 {
                return Ok(());
            }
        }
    }

    /// Acquires the lock for deciding whether a file may be created or deleted.
    pub(crate) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().await
    }

    /// Checks that an account may store `more` further bytes. The caller holds the lock
    /// of [`Self::lock`].
    pub(crate) fn check_quota(&self, account: &str, more: u64) -> Result<(), FileError> {
        let rows = self.rows(account)?;
        let bytes = rows.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
        if rows.len() >= FILES_PER_ACCOUNT_MAX || bytes.saturating_add(more) > FILES_BYTES_PER_ACCOUNT_MAX {
            return Err(FileError::Full { files: rows.len(), bytes });
        }
        Ok(())
    }

    fn row(&self, account: &str, id: &str) -> Result<Option<StoredFile>, StoreError> {
        if !is_id(id) {
            return Ok(None);
        }
        let row = self.db.get(Collection::Files, &row_key(account, id))?;
        row.map(|row| serde_json::from_slice(&row).map_err(bad_row)).transpose()
    }

    /// Returns all files of an account, including those that clients cannot see.
    fn rows(&self, account: &str) -> Result<Vec<StoredFile>, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Files).with_prefix(row_key(account, "")).with_page_size(PAGE);
        rows.map(|row| serde_json::from_slice(&row?.1).map_err(bad_row)).collect()
    }

    async fn submit(&self, puts: Vec<Put>) -> Result<(), FileError> {
        self.db.submit(Change { puts, ..Change::default() }).await?;
        Ok(())
    }
}

/// The progress of streaming files to a client.
struct ContentReader {
    db: Db,
    account: String,
    ids: Vec<String>,
    next: u64,
    last: u64,
    /// Number of bytes still to be sent.
    left: u64,
}

impl ContentReader {
    fn next_chunk(&mut self) -> Result<Option<Bytes>, StoreError> {
        let mut piece = BytesMut::new();
        while self.next <= self.last && piece.len() < CHUNK_BYTES {
            // The files of answers and of errors both keep the numbers of the input
            // lines, so this loop merges them in input order.
            for id in &self.ids {
                if let Some(line) = self.db.get(Collection::Files, &line_key(&self.account, id, self.next))? {
                    piece.extend_from_slice(&line);
                }
            }
            self.next = self.next.saturating_add(1);
        }
        self.left = self.left.saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        if piece.is_empty() && self.left > 0 {
            self.left = 0;
            let gone = std::io::Error::other("the file was deleted while it was read");
            return Err(StoreError { doing: "reading a file", source: Box::new(gone) });
        }
        Ok(Some(piece.freeze()).filter(|piece| !piece.is_empty()))
    }
}

/// Splits content into lines, each including its line break.
fn split(content: &[u8]) -> Result<Vec<&[u8]>, FileError> {
    let most = usize::try_from(FILE_LINES_MAX).unwrap_or(usize::MAX);
    let pieces = content.split_inclusive(|byte| *byte == b'\n');
    let lines: Vec<&[u8]> = pieces.take(most.saturating_add(1)).collect();
    if lines.is_empty() {
        return Err(FileError::Empty);
    }
    if lines.len() > most {
        return Err(FileError::TooManyLines);
    }
    match (1..).zip(&lines).find(|(_, line)| line.len() > FILE_LINE_BYTES_MAX) {
        Some((line, _)) => Err(FileError::LineTooLong { line }),
        None => Ok(lines),
    }
}

/// Splits a key into expiry, account and id.
pub(crate) fn read_expiry_key(key: &str) -> Option<(u64, &str, &str)> {
    let (time, rest) = key.strip_prefix("e/")?.split_once('/')?;
    let (account, id) = rest.split_once('/')?;
    Some((time.parse().ok()?, account, id))
}
