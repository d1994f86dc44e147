//! Uploads in progress, and blobs that no pushed manifest references yet. They are stored
//! in one folder, which is emptied at each start.
//!
//! Invariants:
//! 1. Uploads, blobs and bytes are limited per account and in total; bytes are counted
//!    before they are written.
//! 2. Idle uploads and blobs are deleted. A request that fails while writing an upload
//!    ends the upload.
//! 3. A blob is visible only to the account that uploaded it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt;
use tollbridge_core::limits::COMPONENT_BYTES_MAX;
use tollbridge_registry::Digest;
use tollbridge_registry::limits::{TABLE_BYTES_MAX, TABLES_PER_PLUGIN_MAX};

use super::refusal::Refusal;
use crate::digest::{of_hasher, text_of};

/// Maximum simultaneous uploads of one account; clients upload about six layers at once.
pub(super) const UPLOADS_PER_ACCOUNT_MAX: usize = 12;
/// Maximum simultaneous uploads of all accounts.
const UPLOADS_MAX: usize = 256;
/// Maximum number of blobs of one account that no manifest references yet.
const BLOBS_PER_ACCOUNT_MAX: usize = 64;
/// Maximum staged bytes of an account that deploys: two components of the maximum size.
const BYTES_PER_ACCOUNT_MAX: u64 = 2 * COMPONENT_BYTES_MAX as u64;
/// Maximum staged bytes of an account with a trusted publisher: the largest version with
/// all its tables.
const BYTES_PER_PUBLISHER_MAX: u64 = BYTES_PER_ACCOUNT_MAX + TABLE_BYTES_MAX as u64 * TABLES_PER_PLUGIN_MAX as u64;
/// Maximum staged bytes of all accounts.
const BYTES_MAX: u64 = 4 << 30;
/// Maximum size of a blob.
const BLOB_BYTES_MAX: u64 = TABLE_BYTES_MAX as u64;
/// Time without data after which an upload ends.
const UPLOAD_IDLE: Duration = Duration::from_secs(600);
/// Time after which a blob is deleted if no manifest references it.
const BLOB_IDLE: Duration = Duration::from_secs(1_800);
/// `Retry-After` sent to the client: one minute, because uploads are usually short.
const RETRY_AFTER_S: u64 = 60;

/// The staging folder and its contents.
pub(super) struct Staging {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    uploads: HashMap<String, Upload>,
    blobs: HashMap<(String, Digest), StagedBlob>,
}

struct Upload {
    account: String,
    received: u64,
    bytes_max: u64,
    touched: Instant,
    path: PathBuf,
    /// The open file and its hasher; `None` while a request has taken them to write.
    writing: Option<Writing>,
}

/// The file and the hasher of an upload.
struct Writing {
    file: tokio::fs::File,
    hasher: Sha256,
}

struct StagedBlob {
    path: PathBuf,
    size: u64,
    touched: Instant,
}

/// Exclusive access of one request to an upload. Dropping the session before `pause` or
/// `finish` ends the upload, because the contents of the file are then unknown.
pub(super) struct Session {
    staging: Arc<Staging>,
    id: String,
    writing: Option<Writing>,
    /// Bytes received so far.
    pub(super) received: u64,
}

impl Staging {
    /// Opens the staging folder: empties it, or creates it if it is missing. Blocks on
    /// files.
    pub(super) fn open(folder: PathBuf) -> std::io::Result<Arc<Self>> {
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(&folder)?,
        }
        Ok(Arc::new(Self { folder, state: Mutex::default() }))
    }

    /// Starts an upload; returns its id.
    pub(super) async fn begin(&self, account: &str, is_publisher: bool) -> Result<String, Refusal> {
        self.expire(Instant::now());
        let id = random_id().map_err(|error| Refusal::internal(&error))?;
        let path = self.folder.join(&id);
        let bytes_max = if is_publisher { BYTES_PER_PUBLISHER_MAX } else { BYTES_PER_ACCOUNT_MAX };
        {
            let mut state = self.state.lock();
            let own = state.uploads.values().filter(|upload| upload.account == account).count();
            if own >= UPLOADS_PER_ACCOUNT_MAX {
                let what = format!("{UPLOADS_PER_ACCOUNT_MAX} uploads of your account are in progress; finish one");
                return Err(Refusal::too_many(what, RETRY_AFTER_S));
            }
            if state.uploads.len() >= UPLOADS_MAX {
                return Err(Refusal::too_many("too many uploads are in progress", RETRY_AFTER_S));
            }
            if state.blobs.keys().filter(|(owner, _)| owner == account).count() >= BLOBS_PER_ACCOUNT_MAX {
                let what = format!("{BLOBS_PER_ACCOUNT_MAX} blobs of your account await a manifest; push the manifest");
                return Err(Refusal::too_many(what, RETRY_AFTER_S));
            }
            let (account, path, touched) = (account.to_owned(), path.clone(), Instant::now());
            let upload = Upload { account, received: 0, bytes_max, touched, path, writing: None };
            state.uploads.insert(id.clone(), upload);
        }
        match tokio::fs::File::create_new(&path).await {
            Ok(file) => {
                if let Some(upload) = self.state.lock().uploads.get_mut(&id) {
                    upload.writing = Some(Writing { file, hasher: Sha256::new() });
                }
                Ok(id)
            }
            Err(error) => {
                self.end(&id);
                Err(Refusal::internal(&error))
            }
        }
    }

    /// Reserves an upload for writing.
    pub(super) fn take(self: &Arc<Self>, id: &str, account: &str) -> Result<Session, Refusal> {
        let mut state = self.state.lock();
        let upload = state.uploads.get_mut(id).filter(|upload| upload.account == account);
        let upload = upload.ok_or_else(Refusal::unknown_upload)?;
        let Some(writing) = upload.writing.take() else {
            let what = "another request is writing this upload; send the chunks one after the other";
            return Err(Refusal::unfit_upload(StatusCode::CONFLICT, what));
        };
        upload.touched = Instant::now();
        let received = upload.received;
        Ok(Session { staging: self.clone(), id: id.to_owned(), writing: Some(writing), received })
    }

    /// Returns the number of bytes received for an upload.
    pub(super) fn received(&self, id: &str, account: &str) -> Result<u64, Refusal> {
        let state = self.state.lock();
        let upload = state.uploads.get(id).filter(|upload| upload.account == account);
        upload.map(|upload| upload.received).ok_or_else(Refusal::unknown_upload)
    }

    /// Cancels an upload and deletes its file.
    pub(super) fn cancel(self: &Arc<Self>, id: &str, account: &str) -> Result<(), Refusal> {
        self.take(id, account).map(drop)
    }

    /// Returns the file of a blob and its size.
    pub(super) fn blob(&self, account: &str, digest: Digest) -> Option<(PathBuf, u64)> {
        let mut state = self.state.lock();
        let blob = state.blobs.get_mut(&(account.to_owned(), digest))?;
        blob.touched = Instant::now();
        Some((blob.path.clone(), blob.size))
    }

    /// Deletes the staged copies of blobs that are now part of a version.
    pub(super) fn release(&self, account: &str, digests: &[Digest]) {
        let mut state = self.state.lock();
        for digest in digests {
            if let Some(blob) = state.blobs.remove(&(account.to_owned(), *digest)) {
                remove(&blob.path);
            }
        }
    }

    /// Deletes idle uploads and blobs.
    pub(super) fn expire(&self, now: Instant) {
        let mut state = self.state.lock();
        let is_idle = |touched: Instant, idle: Duration| now.saturating_duration_since(touched) >= idle;
        state.uploads.retain(|_, upload| {
            let stays = !is_idle(upload.touched, UPLOAD_IDLE);
            if !stays {
                remove(&upload.path);
            }
            stays
        });
        state.blobs.retain(|_, blob| {
            let stays = !is_idle(blob.touched, BLOB_IDLE);
            if !stays {
                remove(&blob.path);
            }
            stays
        });
    }

    /// Checks the limits for bytes that are about to be written and counts them; returns
    /// the upload's new size.
    fn reserve(&self, id: &str, bytes: u64) -> Result<u64, Refusal> {
        let too_large = |what: String| Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "SIZE_INVALID", what);
        let mut state = self.state.lock();
        let all: u64 = state.bytes(|_| true);
        let upload = state.uploads.get(id).ok_or_else(Refusal::unknown_upload)?;
        let (account, bytes_max) = (upload.account.clone(), upload.bytes_max);
        let received = upload.received.saturating_add(bytes);
        if received > BLOB_BYTES_MAX {
            return Err(too_large(format!("a blob may have at most {BLOB_BYTES_MAX} bytes")));
        }
        if state.bytes(|owner| owner == account).saturating_add(bytes) > bytes_max {
            let what = format!("your account may store at most {bytes_max} bytes that belong to no version yet");
            return Err(too_large(what));
        }
        if all.saturating_add(bytes) > BYTES_MAX {
            return Err(Refusal::too_many("too many bytes are being pushed at once", RETRY_AFTER_S));
        }
        if let Some(upload) = state.uploads.get_mut(id) {
            (upload.received, upload.touched) = (received, Instant::now());
        }
        Ok(received)
    }

    fn end(&self, id: &str) {
        if let Some(upload) = self.state.lock().uploads.remove(id) {
            remove(&upload.path);
        }
    }
}

impl State {
    fn bytes(&self, of: impl Fn(&str) -> bool) -> u64 {
        let uploads = self.uploads.values().filter(|upload| of(&upload.account)).map(|upload| upload.received);
        let blobs = self.blobs.iter().filter(|((owner, _), _)| of(owner)).map(|(_, blob)| blob.size);
        uploads.chain(blobs).sum()
    }
}

impl Session {
    /// Appends bytes to the upload.
    pub(super) async fn write(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        self.received = self.staging.reserve(&self.id, piece.len() as u64)?;
        let Some(writing) = &mut self.writing else { return Err(Refusal::unknown_upload()) };
        writing.hasher.update(piece);
        writing.file.write_all(piece).await.map_err(|error| Refusal::internal(&error))
    }

    /// Releases the upload so that the next request can write to it.
    pub(super) async fn pause(mut self) -> Result<(), Refusal> {
        let Some(mut writing) = self.writing.take() else { return Err(Refusal::unknown_upload()) };
        if let Err(error) = writing.file.flush().await {
            self.staging.end(&self.id);
            return Err(Refusal::internal(&error));
        }
        if let Some(upload) = self.staging.state.lock().uploads.get_mut(&self.id) {
            upload.writing = Some(writing);
        }
        Ok(())
    }

    /// Turns the upload into a blob if its contents have the given digest.
    pub(super) async fn finish(mut self, digest: Digest) -> Result<(), Refusal> {
        let Some(mut writing) = self.writing.take() else { return Err(Refusal::unknown_upload()) };
        let flushed = writing.file.flush().await;
        let is = of_hasher(writing.hasher);
        if flushed.is_err() || is != Some(digest) {
            self.staging.end(&self.id);
        }
        flushed.map_err(|error| Refusal::internal(&error))?;
        if is != Some(digest) {
            let is = is.map(text_of).unwrap_or_default();
            return Err(Refusal::unfit_digest(format!("the upload has the digest {is} and was discarded")));
        }
        let mut state = self.staging.state.lock();
        let upload = state.uploads.remove(&self.id).ok_or_else(Refusal::unknown_upload)?;
        let blob = StagedBlob { path: upload.path, size: upload.received, touched: Instant::now() };
        if let Some(same) = state.blobs.insert((upload.account, digest), blob) {
            remove(&same.path);
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.writing.is_some() {
            self.staging.end(&self.id);
        }
    }
}

/// Removes a file; if that fails, the next start removes it.
fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::debug!(%error, "cannot remove the file of an upload; the next start removes it");
    }
}

fn random_id() -> Result<String, getrandom::Error> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    Ok(hex::encode(random))
}

#[cfg(test)]
#[path = "staging_tests.rs"]
mod tests;
