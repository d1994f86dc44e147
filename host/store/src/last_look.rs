//! How recent what this host reads is, where others write as well.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// When the store last saw everything that other hosts had written. By the clock of
/// the runtime, which a simulation sets.
#[derive(Default)]
pub(super) struct LastLook(Mutex<Option<Instant>>);

impl LastLook {
    /// A look, or a commit, which sees as much, began at this time and is done.
    pub(super) fn began(&self, at: Instant) {
        *self.0.lock() = Some(at);
    }

    pub(super) fn is_within(&self, age: Duration) -> bool {
        self.0.lock().is_some_and(|at| at.elapsed() <= age)
    }
}
