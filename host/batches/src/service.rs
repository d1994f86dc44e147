//! The service that creates, runs and shows the batches of all accounts.
//!
//! Invariants: a batch is visible to its own account only; the number of open batches is
//! bounded; every accepted batch ends, even if the process restarts, and each of its
//! lines gets one result and is charged at most once; lines use separate concurrency
//! slots from clients' direct requests, and are scheduled fairly between accounts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tollbridge_core::fair_limiter::FairLimiter;
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_gateway::Gateway;
use tollbridge_gateway::limits::INFERENCE_DRAIN_AT_STOP_MS;
use tollbridge_store::{Db, StoreError};

use super::batch::{Batch, BatchCounts, BatchStatus, BatchTimes, Repeated, RequestMark};
use super::batch_rows::{BatchRows, BatchRowsError};
use super::endpoint::BatchEndpoint;
use super::host::BatchHost;
use super::progress::BatchProgress;
use super::stored_file::{FileError, StoredFile, new_id};
use super::stored_files::StoredFiles;
use crate::limits::{BATCH_LINES_RUNNING_PER_ACCOUNT_MAX, BATCHES_OPEN_MAX, BATCHES_OPEN_PER_ACCOUNT_MAX};

/// Maximum number of lines of all batches that run at once, in addition to interactive
/// requests.
const BATCH_LINES_RUNNING_MAX: usize = 64;
/// Time during which a request that repeats the content of an earlier one, and that the
/// client library marks as a retry, returns the earlier batch. Repeats with an
/// idempotency key are recognized for as long as the batch is stored.
const BATCH_REPEAT_MS: u64 = 10 * 60 * 1000;

/// The batches of all accounts, and the gateway that answers their lines.
pub struct Batches {
    pub(super) gateway: Arc<Gateway>,
    pub(super) files: Arc<StoredFiles>,
    pub(super) rows: BatchRows,
    pub(super) host: Arc<dyn BatchHost>,
    pub(super) slots: Arc<FairLimiter>,
    pub(super) now_ms: fn() -> u64,
    pub(super) closing: watch::Sender<bool>,
    /// The progress of open batches, by batch id.
    running: Mutex<HashMap<String, Arc<BatchProgress>>>,
    tasks: Mutex<JoinSet<()>>,
}

/// The parameters of a new batch.
#[derive(Debug)]
pub struct NewBatch {
    /// The id of the file with the batch's lines.
    pub input_file_id: String,
    /// The endpoint that the lines call.
    pub endpoint: BatchEndpoint,
    /// Metadata set by the account.
    pub metadata: BTreeMap<String, String>,
    /// The time for which the result files are kept, in milliseconds.
    pub results_kept_ms: u64,
    /// The digest of the API key that creates the batch.
    pub key: String,
    /// The data by which a repeat of the request is recognized.
    pub mark: RequestMark,
}

/// An error of finding, creating or changing a batch.
#[derive(Debug, thiserror::Error)]
pub enum BatchesError {
    /// The request is invalid.
    #[error("{message}")]
    Invalid {
        /// The JSON pointer of the invalid member.
        field: String,
        /// The problem.
        message: String,
    },
    /// The account has no such batch.
    #[error("this account has no batch `{0}`; batches are kept for 30 days")]
    Unknown(String),
    /// The account's limit of open batches is reached.
    #[error(
        "this account has {BATCHES_OPEN_PER_ACCOUNT_MAX} open batches, which is the limit; wait until one of them ends"
    )]
    TooManyOpen,
    /// The server's limit of open batches is reached.
    #[error("the server's limit of open batches is reached; try again later")]
    ServerFull,
    /// The batch has ended.
    #[error("the batch has ended: it is {0}")]
    Ended(&'static str),
    /// The batch has not ended yet.
    #[error("the batch has not ended yet: it is {0}")]
    NotEnded(&'static str),
    /// The idempotency key was used for another batch.
    #[error("this Idempotency-Key was used for another batch; use a new one")]
    KeyReused,
    /// The input file does not exist, or the account has no room for the results.
    #[error(transparent)]
    File(#[from] FileError),
    /// Rows cannot be read or written.
    #[error(transparent)]
    Rows(#[from] BatchRowsError),
}

impl From<StoreError> for BatchesError {
    fn from(error: StoreError) -> Self {
        Self::Rows(error.into())
    }
}

/// Maximum number of waiters for concurrency slots: for every open batch, its running
/// lines and its validation.
const WAITING: usize = BATCHES_OPEN_MAX * (BATCH_LINES_RUNNING_PER_ACCOUNT_MAX + 1);

impl Batches {
    /// Opens the batches stored in a data folder. No batch runs before [`Self::recover`]
    /// or [`Self::create`] is called.
    pub fn new(gateway: Arc<Gateway>, db: Db, host: Arc<dyn BatchHost>, now_ms: fn() -> u64) -> Arc<Self> {
        let limits = FairLimits {
            running: BATCH_LINES_RUNNING_MAX,
            running_per_tenant: BATCH_LINES_RUNNING_PER_ACCOUNT_MAX,
            waiting: WAITING,
            waiting_per_tenant: WAITING,
        };
        Arc::new(Self {
            gateway,
            files: Arc::new(StoredFiles::new(db.clone())),
            rows: BatchRows::new(db),
            host,
            slots: FairLimiter::new(limits),
            now_ms,
            closing: watch::Sender::new(false),
            running: Mutex::default(),
            tasks: Mutex::default(),
        })
    }

    /// Returns the files that batches read and write.
    pub const fn files(&self) -> &Arc<StoredFiles> {
        &self.files
    }

    /// Resumes every batch that was open when the process stopped.
    pub fn recover(self: &Arc<Self>) -> Result<(), BatchesError> {
        for (account, id) in self.rows.open()? {
            self.start(&account, &id);
        }
        Ok(())
    }

    /// Creates a batch and starts it. The batch is durable on return.
    pub async fn create(self: &Arc<Self>, account: &str, new: NewBatch, now_ms: u64) -> Result<Batch, BatchesError> {
        let batch = {
            let _lock = self.files.lock().await;
            if let Some(earlier) = self.earlier(account, new.endpoint, &new.mark, now_ms)? {
                return Ok(earlier);
            }
            self.files.check_input(account, &new.input_file_id, now_ms)?;
            self.files.check_quota(account, 0)?;
            self.check_open(account)?;
            let batch = new.begin(now_ms)?;
            self.rows.insert(account, &batch).await?;
            batch
        };
        self.start(account, &batch.id);
        Ok(batch)
    }

    /// Returns a batch of an account.
    pub fn find(&self, account: &str, id: &str, of_messages: bool) -> Result<Batch, BatchesError> {
        let found = self.rows.find(account, id)?.filter(|batch| batch.is_of_messages() == of_messages);
        found.map(|batch| self.counted(batch)).ok_or_else(|| unknown(id))
    }

    /// Lists the batches of an account, newest first.
    pub fn list(&self, account: &str, of_messages: bool) -> Result<Vec<Batch>, BatchesError> {
        let mut batches = self.rows.list(account)?;
        batches.retain(|batch| batch.is_of_messages() == of_messages);
        batches.reverse();
        Ok(batches.into_iter().map(|batch| self.counted(batch)).collect())
    }

    /// Cancels a batch: no further line is started, and lines in flight are finished.
    pub async fn cancel(&self, account: &str, id: &str, of_messages: bool) -> Result<Batch, BatchesError> {
        self.find(account, id, of_messages)?;
        let now_ms = (self.now_ms)();
        let cancel = |batch: &mut Batch| {
            let is_early = matches!(batch.status, BatchStatus::Validating | BatchStatus::InProgress);
            if is_early {
                batch.status = BatchStatus::Cancelling;
                batch.times.cancelling_ms = Some(now_ms);
            }
            is_early
        };
        let batch = self.rows.update(account, id, cancel).await?.ok_or_else(|| unknown(id))?;
        match batch.status {
            BatchStatus::Cancelling | BatchStatus::Cancelled => {}
            status => return Err(BatchesError::Ended(status.as_str())),
        }
        if let Some(progress) = self.running.lock().get(id) {
            progress.stop();
        }
        Ok(self.counted(batch))
    }

    /// Returns the result files of an ended batch of Anthropic's API.
    pub fn results(&self, account: &str, id: &str) -> Result<Vec<StoredFile>, BatchesError> {
        let batch = self.find(account, id, true)?;
        if batch.status.is_open() {
            return Err(BatchesError::NotEnded(batch.status.as_str()));
        }
        let ids = [batch.output_file_id, batch.error_file_id];
        let files = ids.iter().flatten().map(|id| self.files.find_any(account, id, (self.now_ms)()));
        Ok(files.collect::<Result<_, _>>()?)
    }

    /// Deletes an ended batch of Anthropic's API, with its results.
    pub async fn delete(&self, account: &str, id: &str) -> Result<(), BatchesError> {
        let batch = self.find(account, id, true)?;
        if batch.status.is_open() {
            return Err(BatchesError::NotEnded(batch.status.as_str()));
        }
        let files = [Some(batch.input_file_id.clone()), batch.output_file_id.clone(), batch.error_file_id.clone()];
        for file in files.iter().flatten() {
            self.remove_file(account, file).await?;
        }
        // The batch is deleted last, so that a client can repeat a request that failed
        // halfway.
        Ok(self.rows.delete(account, &batch).await?)
    }

    /// Deletes a file, unless an open batch reads it.
    pub async fn delete_file(&self, account: &str, id: &str, now_ms: u64) -> Result<(), BatchesError> {
        self.files.find(account, id, now_ms)?;
        self.remove_file(account, id).await
    }

    /// Deletes expired batches and files from the database.
    pub async fn delete_expired(&self, now_ms: u64) -> Result<(), BatchesError> {
        self.rows.delete_expired(now_ms).await?;
        Ok(self.files.delete_expired(now_ms).await?)
    }

    /// Stops starting lines; open batches resume at the next start.
    pub fn stop(&self) {
        self.closing.send_replace(true);
    }

    /// Stops starting lines, and waits a bounded time for lines in flight.
    pub async fn close(&self) {
        self.stop();
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        let timeout = Duration::from_millis(INFERENCE_DRAIN_AT_STOP_MS);
        let ended = tokio::time::timeout(timeout, async { while tasks.join_next().await.is_some() {} }).await;
        if ended.is_err() {
            tracing::warn!("some lines of batches were in flight for too long; they are retried after a restart");
        }
    }

    fn start(self: &Arc<Self>, account: &str, id: &str) {
        let progress = Arc::new(BatchProgress::default());
        self.running.lock().insert(id.to_owned(), progress.clone());
        let (batches, account, id) = (self.clone(), account.to_owned(), id.to_owned());
        let mut tasks = self.tasks.lock();
        // The set keeps ended tasks until they are joined.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            if let Err(error) = batches.run(&account, &id, &progress).await {
                // The batch's rows are unchanged, so the next start resumes it.
                tracing::error!(batch = id, %error, "a batch stopped; it resumes when the server starts again");
            }
            batches.running.lock().remove(&id);
        });
    }

    pub(super) async fn remove_file(&self, account: &str, id: &str) -> Result<(), BatchesError> {
        let hidden = {
            let _lock = self.files.lock().await;
            for (_, open) in self.rows.open()?.into_iter().filter(|(owner, _)| owner == account) {
                let reads = self.rows.find(account, &open)?.is_some_and(|batch| batch.input_file_id == id);
                if reads {
                    return Err(FileError::InUse(open).into());
                }
            }
            self.files.hide(account, id).await?
        };
        if let Some(file) = hidden {
            self.files.remove(account, &file).await?;
        }
        Ok(())
    }

    /// Returns the batch that an earlier copy of the same request created.
    pub(super) fn earlier(
        &self,
        account: &str,
        endpoint: BatchEndpoint,
        mark: &RequestMark,
        now_ms: u64,
    ) -> Result<Option<Batch>, BatchesError> {
        if !mark.may_repeat() {
            return Ok(None);
        }
        for batch in self.rows.list(account)?.into_iter().rev().filter(|batch| batch.endpoint == endpoint) {
            let is_recent = batch.created_ms.saturating_add(BATCH_REPEAT_MS) > now_ms;
            match mark.repeats(&batch.request, is_recent) {
                Repeated::Same => return Ok(Some(self.counted(batch))),
                Repeated::KeyReused => return Err(BatchesError::KeyReused),
                Repeated::No => {}
            }
        }
        Ok(None)
    }

    /// Checks that an account may open another batch.
    pub(super) fn check_open(&self, account: &str) -> Result<(), BatchesError> {
        let open = self.rows.open()?;
        if open.iter().filter(|(owner, _)| owner == account).count() >= BATCHES_OPEN_PER_ACCOUNT_MAX {
            return Err(BatchesError::TooManyOpen);
        }
        if open.len() >= BATCHES_OPEN_MAX { Err(BatchesError::ServerFull) } else { Ok(()) }
    }

    /// Adds the progress made since the batch's row was written.
    fn counted(&self, mut batch: Batch) -> Batch {
        if batch.status.is_open()
            && let Some(progress) = self.running.lock().get(&batch.id)
        {
            batch.counts = BatchCounts { total: batch.counts.total, ..progress.counts() };
        }
        batch
    }
}

impl NewBatch {
    fn begin(self, now_ms: u64) -> Result<Batch, FileError> {
        let id = |prefix: &str| new_id(prefix, now_ms).ok_or(FileError::NoRandomness);
        let prefix = if self.endpoint == BatchEndpoint::Messages { "msgbatch_" } else { "batch_" };
        Ok(Batch {
            id: id(prefix)?,
            endpoint: self.endpoint,
            input_file_id: self.input_file_id,
            status: BatchStatus::Validating,
            errors: Vec::new(),
            output_file_id: None,
            error_file_id: None,
            created_ms: now_ms,
            times: BatchTimes::default(),
            counts: BatchCounts::default(),
            metadata: self.metadata,
            key: self.key,
            output: id("file-")?,
            refused: id("file-")?,
            results_kept_ms: self.results_kept_ms,
            rest: None,
            request: self.mark,
        })
    }
}

fn unknown(id: &str) -> BatchesError {
    BatchesError::Unknown(id.chars().take(80).collect())
}
