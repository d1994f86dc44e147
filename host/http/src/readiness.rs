//! Whether load balancers should send calls here.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this server should be sent calls.
#[derive(Debug, Default)]
pub struct Readiness {
    draining: AtomicBool,
}

impl Readiness {
    /// From now on load balancers should go elsewhere.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether it takes calls.
    pub fn ready(&self) -> bool {
        !self.draining.load(Ordering::Relaxed)
    }
}
