//! Whether load balancers should send calls to this server.

use std::sync::atomic::{AtomicU8, Ordering};

/// The readiness of this server for calls.
#[derive(Debug, Default)]
pub struct Readiness(AtomicU8);

/// A phase in the life of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The server loads its plugins for the first time; calls to plugins that are already
    /// loaded are answered.
    Starting,
    /// Accepts calls.
    Ready,
    /// Finishes calls in flight.
    Stopping,
}

impl Readiness {
    /// Marks the server as ready, unless it is stopping.
    pub fn serve(&self) {
        let _ = self.0.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Marks the server as stopping, so that load balancers use other servers.
    pub fn drain(&self) {
        self.0.store(2, Ordering::Relaxed);
    }

    /// Returns the current phase.
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
    fn a_stopping_server_never_becomes_ready_again() {
        let readiness = Readiness::default();
        assert_eq!(readiness.phase(), Phase::Starting);
        readiness.serve();
        assert_eq!(readiness.phase(), Phase::Ready);
        readiness.drain();
        readiness.serve();
        assert_eq!(readiness.phase(), Phase::Stopping);
    }
}
