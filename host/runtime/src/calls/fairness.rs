//! Shares the processors between calls that compute for long and short calls.

use tokio::sync::Semaphore;

/// Permits for calls that compute for long. Each tick grants one permit fewer than there are
/// processors, so that short calls always have a processor, however many long calls there are.
pub(crate) struct FairnessShare {
    permits: Semaphore,
    per_tick: usize,
}

impl FairnessShare {
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let per_tick = processors.saturating_sub(1).max(1);
        Self { permits: Semaphore::new(per_tick), per_tick }
    }

    /// Grants the permits of the next tick.
    pub(crate) fn renew(&self) {
        self.permits.add_permits(self.per_tick.saturating_sub(self.permits.available_permits()));
    }

    /// Waits for a permit to compute for one tick.
    pub(crate) async fn take(&self) {
        // The semaphore is never closed, so this always succeeds.
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
    }
}
