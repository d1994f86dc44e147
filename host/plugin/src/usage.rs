//! Resources that a plugin call used.

use std::time::Duration;

/// Resources that a plugin call used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallUsage {
    /// Wall-clock time since the instance was started.
    pub wall: Duration,
    /// Final size of all the guest's memories, which never shrink.
    pub memory_bytes: usize,
}
