//! Sampling: all requests are traced, up to a limit per second.

use std::sync::atomic::{AtomicU64, Ordering};

/// Number of low bits of `window` that count the traces; the other bits are the second.
const COUNT_BITS: u32 = 24;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// A limit on the traces started per second.
#[derive(Debug)]
pub(crate) struct TraceLimit {
    per_second: u64,
    /// A second, and the number of traces started in that second.
    window: AtomicU64,
}

impl TraceLimit {
    pub(crate) fn new(per_second: u32) -> Self {
        Self { per_second: u64::from(per_second).min(COUNT_MASK), window: AtomicU64::new(0) }
    }

    /// Counts a trace and returns true, or returns false if the limit of this second is
    /// reached.
    pub(crate) fn take(&self, now_ms: u64) -> bool {
        let second = now_ms.div_euclid(1_000);
        let taken = self.window.try_update(Ordering::Relaxed, Ordering::Relaxed, |window| {
            let (of, count) = (window >> COUNT_BITS, window & COUNT_MASK);
            // If the clock was set back, keep counting in the later second.
            let count = if of >= second { count } else { 0 };
            (count < self.per_second).then(|| (of.max(second) << COUNT_BITS) | (count + 1))
        });
        taken.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_samples_at_most_its_share() {
        let limit = TraceLimit::new(3);
        let begun = |now_ms: u64| (0..10).filter(|_| limit.take(now_ms)).count();
        assert_eq!((begun(5_000), begun(5_999), begun(6_000)), (3, 0, 3));
        assert_eq!(
            (begun(5_500), begun(7_000)),
            (0, 3),
            "after the clock was set back, the limit of the later second must still apply"
        );
        assert!(!TraceLimit::new(0).take(1));
    }

    #[test]
    fn many_at_once_share_a_second() {
        let limit = TraceLimit::new(100);
        let begun: usize = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| (0..1_000).filter(|_| limit.take(1_000)).count())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(begun, 100);
    }
}
