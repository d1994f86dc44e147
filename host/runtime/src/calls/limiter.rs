//! Limits memory, tables and host calls of one plugin call.
//!
//! Invariant: limits apply to the sum over the whole store. The engine's own limits count each
//! memory and each table separately, so twenty memories would get twenty times the limit.

use wasmtime::{Error, ResourceLimiter};

use crate::limits::{
    GUEST_CORE_INSTANCES_MAX, GUEST_MEMORIES_MAX, GUEST_TABLE_ELEMENTS_MAX, GUEST_TABLES_MAX, HOST_CALLS_MAX,
};
use crate::loading::reported_limits::ReportedLimits;

/// Maximum number of ledger reads in one call. They are expensive: reading a proof may
/// sign a checkpoint, and verifying one checks signatures.
const LEDGER_READS_MAX: u32 = 64;

/// Counters of the memories, tables and host calls of one wasmtime store.
#[derive(Debug)]
pub(crate) struct Limiter {
    memory: usize,
    memory_max: usize,
    elements: usize,
    host_calls_left: u32,
    ledger_reads_left: u32,
    refused: Option<RefusedGrowth>,
}

/// The resource that a plugin tried to grow beyond its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedGrowth {
    Memory,
    Tables,
}

impl RefusedGrowth {
    /// Returns the message for the plugin's author.
    pub(crate) fn describe(self, limits: &ReportedLimits) -> String {
        match self {
            Self::Memory => {
                format!("the memory limit was reached: {} MiB ({})", limits.memory_bytes >> 20, limits.memory_key)
            }
            Self::Tables => format!("the limit of table elements was reached: {GUEST_TABLE_ELEMENTS_MAX}"),
        }
    }
}

/// The error for a plugin that made too many host calls during one call.
#[derive(Debug, thiserror::Error)]
#[error("more than {HOST_CALLS_MAX} host calls in one call")]
pub(crate) struct TooManyHostCalls;

/// The error for a plugin that read the ledger too often during one call.
#[derive(Debug, thiserror::Error)]
#[error("more than {LEDGER_READS_MAX} reads of the ledger in one call")]
struct TooManyLedgerReads;

impl Limiter {
    pub(crate) fn new(memory_max: usize) -> Self {
        Self {
            memory: 0,
            memory_max,
            elements: 0,
            host_calls_left: HOST_CALLS_MAX,
            ledger_reads_left: LEDGER_READS_MAX,
            refused: None,
        }
    }

    /// Returns the current total size of all memories in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.memory
    }

    /// Adds bytes that the host stores for the instance to the instance's memory; returns whether
    /// the sum is within the limit.
    pub(crate) fn keep_in_host(&mut self, bytes: usize) -> bool {
        let more = self.memory.saturating_add(bytes);
        if more > self.memory_max {
            self.refused = Some(RefusedGrowth::Memory);
            return false;
        }
        self.memory = more;
        true
    }

    /// Returns the last growth that was refused, to explain a later failure.
    pub(crate) fn refused(&self) -> Option<RefusedGrowth> {
        self.refused
    }

    /// Counts a host call. Beyond the limit, the error ends the plugin call; the guest cannot catch
    /// it.
    pub(crate) fn count_host_call(&mut self) -> Result<(), Error> {
        self.host_calls_left = self.host_calls_left.checked_sub(1).ok_or(TooManyHostCalls)?;
        Ok(())
    }

    /// Counts a read of the ledger, which costs more than other host calls and has its own limit.
    pub(crate) fn count_ledger_read(&mut self) -> Result<(), Error> {
        self.count_host_call()?;
        self.ledger_reads_left = self.ledger_reads_left.checked_sub(1).ok_or(TooManyLedgerReads)?;
        Ok(())
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool, Error> {
        let more = self.memory.saturating_add(desired.saturating_sub(current));
        if more > self.memory_max {
            self.refused = Some(RefusedGrowth::Memory);
            return Ok(false);
        }
        self.memory = more;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool, Error> {
        let more = self.elements.saturating_add(desired.saturating_sub(current));
        if more > GUEST_TABLE_ELEMENTS_MAX {
            self.refused = Some(RefusedGrowth::Tables);
            return Ok(false);
        }
        self.elements = more;
        Ok(true)
    }

    fn instances(&self) -> usize {
        usize::try_from(GUEST_CORE_INSTANCES_MAX).unwrap_or(usize::MAX)
    }

    fn tables(&self) -> usize {
        usize::try_from(GUEST_TABLES_MAX).unwrap_or(usize::MAX)
    }

    fn memories(&self) -> usize {
        usize::try_from(GUEST_MEMORIES_MAX).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_summed() {
        let mut limiter = Limiter::new(100);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(0, 40, None).unwrap());
        assert!(!limiter.memory_growing(40, 41, None).unwrap());
        assert_eq!(limiter.memory(), 100);
        assert!(limiter.refused().is_some());
    }

    #[test]
    fn tables_are_summed() {
        let mut limiter = Limiter::new(0);
        assert!(limiter.table_growing(0, GUEST_TABLE_ELEMENTS_MAX, None).unwrap());
        assert!(!limiter.table_growing(0, 1, None).unwrap());
    }

    #[test]
    fn growing_by_everything_does_not_overflow() {
        let mut limiter = Limiter::new(usize::MAX - 1);
        assert!(limiter.memory_growing(0, 10, None).unwrap());
        assert!(!limiter.memory_growing(0, usize::MAX, None).unwrap());
    }

    #[test]
    fn host_calls_run_out() {
        let mut limiter = Limiter::new(0);
        for _ in 0..HOST_CALLS_MAX {
            limiter.count_host_call().unwrap();
        }
        assert!(limiter.count_host_call().unwrap_err().is::<TooManyHostCalls>());
    }
}
