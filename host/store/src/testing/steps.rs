//! The writer without its own thread: the test decides when a commit happens, so it runs
//! in one thread, in an order determined by a seed.

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::writer::Committer;

/// Commits submitted changes step by step.
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

    /// Waits until a change is submitted.
    pub async fn submitted(&self) {
        self.submitted.notified().await;
    }

    /// Commits the queued changes in one batch; returns false if there are none.
    pub fn step(&self) -> bool {
        self.committer.lock().commit_queued()
    }
}
