//! The progress of a running batch, and the signal to stop it.

use parking_lot::Mutex;
use tokio::sync::watch;

use super::batch::BatchCounts;
use super::line_rows::LineMark;

/// The progress of a batch, shared by the task that runs it and by readers.
#[derive(Debug)]
pub(super) struct BatchProgress {
    state: Mutex<ProgressState>,
    stopping: watch::Sender<bool>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ProgressState {
    counts: BatchCounts,
    bytes: u64,
}

impl Default for BatchProgress {
    fn default() -> Self {
        Self { state: Mutex::default(), stopping: watch::Sender::new(false) }
    }
}

impl BatchProgress {
    pub(super) fn counts(&self) -> BatchCounts {
        self.state.lock().counts
    }

    /// Returns the total size of the batch's results in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.state.lock().bytes
    }

    /// Counts a line that has got its result.
    pub(super) fn add(&self, mark: &LineMark) {
        let mut state = self.state.lock();
        state.counts.add(mark.outcome);
        state.bytes = state.bytes.saturating_add(mark.size);
    }

    /// Resets the counts.
    pub(super) fn clear(&self) {
        *self.state.lock() = ProgressState::default();
    }

    /// Signals the batch to start no further lines.
    pub(super) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}
