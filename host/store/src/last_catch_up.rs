//! Freshness of reads on a host that shares its ledger.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// The time at which the store last saw all writes of other hosts. Uses the async
/// runtime's clock, which a simulation can set.
#[derive(Default)]
pub(super) struct LastCatchUp(Mutex<Option<Instant>>);

impl LastCatchUp {
    /// Records the start time of a completed commit, with or without changes; every
    /// commit first applies all earlier writes of other hosts.
    pub(super) fn began(&self, at: Instant) {
        *self.0.lock() = Some(at);
    }

    pub(super) fn is_within(&self, age: Duration) -> bool {
        self.0.lock().is_some_and(|at| at.elapsed() <= age)
    }
}
