//! The clock of the simulated host: Tokio's paused clock, which advances only when no
//! task can run, plus jumps.

use std::cell::Cell;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

thread_local! {
    /// Unix milliseconds at the start of the process.
    static BASE_MS: Cell<u64> = const { Cell::new(0) };
    static BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Sets the clock of this thread.
pub(crate) fn set(now_ms: u64) {
    BASE_MS.set(now_ms);
    BEGAN.set(None);
}

/// Starts the clock of a new process, inside the process's runtime.
pub(crate) fn begin() {
    BEGAN.set(Some(Instant::now()));
}

/// Stops the clock at the end of a process, until the next one starts.
pub(crate) fn end() {
    BASE_MS.set(now_ms());
    BEGAN.set(None);
}

/// Returns the Unix time in milliseconds.
pub(crate) fn now_ms() -> u64 {
    let gone = BEGAN.get().filter(|_| Handle::try_current().is_ok()).map_or(Duration::ZERO, |began| began.elapsed());
    BASE_MS.get().saturating_add(u64::try_from(gone.as_millis()).unwrap())
}

/// Moves the clock forwards or backwards.
pub(crate) fn jump(by_ms: i64) {
    BASE_MS.set(BASE_MS.get().saturating_add_signed(by_ms));
}
