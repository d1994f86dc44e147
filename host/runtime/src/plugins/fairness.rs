//! Fairness between long and short computations.

use tokio::sync::Semaphore;

/// The share of the processors for long computations. Each tick grants as many permits as there are
/// processors less one, so that any number of such calls leaves a processor to the short ones.
pub(super) struct FairnessShare {
    permits: Semaphore,
    per_tick: usize,
}

impl FairnessShare {
    pub(super) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let per_tick = processors.saturating_sub(1).max(1);
        Self { permits: Semaphore::new(per_tick), per_tick }
    }

    /// Starts the next tick.
    pub(super) fn renew(&self) {
        self.permits.add_permits(self.per_tick.saturating_sub(self.permits.available_permits()));
    }

    /// Waits for a permit to compute for one tick.
    pub(super) async fn take(&self) {
        // The semaphore is never closed, so a permit always comes.
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
    }
}
