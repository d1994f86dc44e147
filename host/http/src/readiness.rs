//! Whether load balancers should send calls here.

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether this server should be sent calls.
#[derive(Debug, Default)]
pub struct Readiness(AtomicU8);

/// What a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Loads its plugins for the first time. It answers for those that are.
    Starting,
    /// Takes calls.
    Ready,
    /// Finishes the calls that it has.
    Stopping,
}

impl Readiness {
    /// From now on calls may be sent here, unless it is told to stop.
    pub fn serve(&self) {
        let _ = self.0.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// From now on load balancers should go elsewhere.
    pub fn drain(&self) {
        self.0.store(2, Ordering::Relaxed);
    }

    /// What it does now.
    pub fn phase(&self) -> Phase {
        match self.0.load(Ordering::Relaxed) {
            0 => Phase::Starting,
            1 => Phase::Ready,
            _ => Phase::Stopping,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_is_not_ready_again() {
        let readiness = Readiness::default();
        assert_eq!(readiness.phase(), Phase::Starting);
        readiness.serve();
        assert_eq!(readiness.phase(), Phase::Ready);
        readiness.drain();
        readiness.serve();
        assert_eq!(readiness.phase(), Phase::Stopping);
    }
}
