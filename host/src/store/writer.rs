//! The single writer: many changes, one durable write.
//!
//! A thread of its own blocks for the first change, takes whatever else is
//! waiting (there is no timer: a lone caller waits for its own sync only),
//! commits once and then answers everybody. When a commit fails nothing is
//! known about what is on disk, so the writer answers nobody as done, refuses
//! all that follows and tells the owner to stop.

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use super::{Change, Receipt, Refusal, Sealer, Store};
use crate::limits::{CHANGES_PER_COMMIT_MAX, CHANGES_QUEUED_MAX};

/// Hands changes to the writer thread. Dropping it drains the queue, then joins.
pub struct Writer {
    queue: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// Why a change was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// Nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nothing was written; try again shortly.
    #[error("too many changes are waiting to be written")]
    Busy,
    /// Unknown whether it was written: the disk failed. Reading the store again
    /// after a restart tells.
    #[error("the store has failed and is stopping")]
    Failed,
}

struct Job {
    change: Change,
    reply: oneshot::Sender<Result<Receipt, SubmitError>>,
}

impl Writer {
    /// Starts the thread. `on_failure` is called once, when a commit fails.
    pub fn start(
        store: Arc<dyn Store>,
        sealer: Box<dyn Sealer>,
        on_failure: impl FnOnce(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel(CHANGES_QUEUED_MAX);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || run(store.as_ref(), sealer, jobs, on_failure))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Makes a change durable. Resolves after the sync that covers it. Once
    /// submitted the change is made whether or not the caller keeps waiting.
    pub async fn submit(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.enqueue(change)?.await.unwrap_or(Err(SubmitError::Failed))
    }

    /// `submit` for code outside the async runtime.
    pub fn submit_blocking(&self, change: Change) -> Result<Receipt, SubmitError> {
        self.enqueue(change)?.blocking_recv().unwrap_or(Err(SubmitError::Failed))
    }

    fn enqueue(&self, change: Change) -> Result<oneshot::Receiver<Result<Receipt, SubmitError>>, SubmitError> {
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or(SubmitError::Failed)?;
        queue.try_send(Job { change, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => SubmitError::Busy,
            mpsc::error::TrySendError::Closed(_) => SubmitError::Failed,
        })?;
        Ok(answer)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already closed the queue.
            let _ = thread.join();
        }
    }
}

fn run(
    store: &dyn Store,
    mut sealer: Box<dyn Sealer>,
    mut jobs: mpsc::Receiver<Job>,
    on_failure: impl FnOnce(String),
) {
    let mut changes = Vec::new();
    let mut replies = Vec::new();
    while let Some(job) = jobs.blocking_recv() {
        let mut next = Some(job);
        while let Some(job) = next {
            changes.push(job.change);
            replies.push(job.reply);
            next = if changes.len() < CHANGES_PER_COMMIT_MAX { jobs.try_recv().ok() } else { None };
        }
        match store.commit(&changes, sealer.as_mut()) {
            Ok(outcomes) => {
                metrics::counter!("tollbridge_commits_total").increment(1);
                metrics::counter!("tollbridge_changes_total").increment(u64::try_from(outcomes.len()).unwrap_or(0));
                for (reply, outcome) in replies.drain(..).zip(outcomes) {
                    // The caller may have gone; the change is made all the same.
                    let _ = reply.send(outcome.map_err(SubmitError::from));
                }
                changes.clear();
            }
            Err(error) => {
                for reply in replies.drain(..) {
                    let _ = reply.send(Err(SubmitError::Failed));
                }
                // Dropping the receiver refuses everything that follows.
                drop(jobs);
                on_failure(format!("{error}: {:?}", error.source));
                return;
            }
        }
    }
}
