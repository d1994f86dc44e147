//! The clock of the simulated host: Tokio's paused one, which moves when nothing
//! else can, and jumps.

use std::cell::Cell;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

thread_local! {
    /// Unix milliseconds when the process began.
    static BASE_MS: Cell<u64> = const { Cell::new(0) };
    static BEGAN: Cell<Option<Instant>> = const { Cell::new(None) };
}

pub(crate) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Sets the clock of this thread.
pub(crate) fn set(now_ms: u64) {
    BASE_MS.set(now_ms);
    BEGAN.set(None);
}

/// A process begins, in its runtime.
pub(crate) fn begin() {
    BEGAN.set(Some(Instant::now()));
}

/// A process has ended: time stands still until the next one.
pub(crate) fn end() {
    BASE_MS.set(now_ms());
    BEGAN.set(None);
}

/// Unix time, milliseconds.
pub(crate) fn now_ms() -> u64 {
    let gone = BEGAN.get().filter(|_| Handle::try_current().is_ok()).map_or(Duration::ZERO, |began| began.elapsed());
    BASE_MS.get().saturating_add(u64::try_from(gone.as_millis()).unwrap())
}

/// Somebody sets the clock.
pub(crate) fn jump(by_ms: i64) {
    BASE_MS.set(BASE_MS.get().saturating_add_signed(by_ms));
}
