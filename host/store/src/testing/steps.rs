//! The writer without its thread: a test decides when it commits, so that it
//! runs in one thread and in an order that a seed decides.

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::writer::Committer;

/// Commits what was submitted, step by step.
pub struct WriterSteps {
    committer: Mutex<Committer>,
    submitted: Notify,
}

impl WriterSteps {
    pub(crate) fn new(committer: Committer) -> Self {
        Self { committer: Mutex::new(committer), submitted: Notify::new() }
    }

    pub(crate) fn wake(&self) {
        self.submitted.notify_one();
    }

    /// Waits until something is submitted.
    pub async fn submitted(&self) {
        self.submitted.notified().await;
    }

    /// Commits what waits, in one batch; false when nothing does.
    pub fn step(&self) -> bool {
        self.committer.lock().commit_queued()
    }
}
