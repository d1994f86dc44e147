//! The queue of a batch's lines that have no result yet; it decides which line is sent
//! next, and when.
//!
//! Invariants: every line is queued until it has its result; during an outage, one line
//! at a time probes whether the outage has ended, at increasing intervals.

use std::collections::BTreeMap;
use std::time::Duration;

use super::line_step::LineAttempts;
use crate::limits::BATCH_LINES_RUNNING_PER_ACCOUNT_MAX;

/// Maximum pause before a batch sends its next line while its lines keep failing.
const BATCH_PAUSE_MS_MAX: u64 = 60_000;

/// Number of consecutive failed lines that counts as an outage.
const OUTAGE_LINES: u32 = 4;

/// The lines of a batch that wait to be sent.
#[derive(Debug)]
pub(super) struct LineQueue {
    /// Lines that were not sent yet, in reverse order.
    fresh: Vec<u64>,
    /// Lines to retry, by due time and line number.
    delayed: BTreeMap<(u64, u64), LineAttempts>,
    /// Number of failures since the last answer.
    streak: u32,
    /// Unix time in milliseconds before which no line is started.
    paused_until_ms: u64,
}

impl LineQueue {
    /// Queues the lines from 1 to `total` for which `is_done` returns false.
    pub(super) fn new(total: u64, is_done: impl Fn(u64) -> bool) -> Self {
        let fresh = (1..=total).rev().filter(|line| !is_done(*line)).collect();
        Self { fresh, delayed: BTreeMap::new(), streak: 0, paused_until_ms: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.delayed.is_empty()
    }

    /// Returns the number of lines that may be sent concurrently.
    pub(super) const fn at_once(&self) -> usize {
        if self.streak < OUTAGE_LINES { BATCH_LINES_RUNNING_PER_ACCOUNT_MAX } else { 1 }
    }

    /// Takes the next line that may be sent.
    pub(super) fn take(&mut self, now_ms: u64) -> Option<(u64, LineAttempts)> {
        if now_ms < self.paused_until_ms {
            return None;
        }
        if let Some(entry) = self.delayed.first_entry().filter(|entry| entry.key().0 <= now_ms) {
            let ((_, line), tries) = entry.remove_entry();
            return Some((line, tries));
        }
        self.fresh.pop().map(|line| (line, LineAttempts::default()))
    }

    /// Returns the time until a line is due, at most `most`.
    pub(super) fn wait(&self, now_ms: u64, most: Duration) -> Duration {
        let due = match self.delayed.first_key_value() {
            _ if !self.fresh.is_empty() => self.paused_until_ms,
            Some(((due, _), _)) => (*due).max(self.paused_until_ms),
            None => u64::MAX,
        };
        // Wait at least ten milliseconds, so that the loop never spins.
        Duration::from_millis(due.saturating_sub(now_ms).max(10)).min(most)
    }

    /// Queues a line for a retry at `due_ms`.
    pub(super) fn put_back(&mut self, line: u64, tries: LineAttempts, due_ms: u64) {
        self.delayed.insert((due_ms, line), tries);
    }

    /// Records that a provider answered a line.
    pub(super) fn answered(&mut self) {
        (self.streak, self.paused_until_ms) = (0, 0);
    }

    /// Records that no provider answered a line.
    pub(super) fn failed(&mut self, now_ms: u64) {
        self.streak = self.streak.saturating_add(1);
        if let Some(beyond) = self.streak.checked_sub(OUTAGE_LINES) {
            let pause = 1_000_u64.saturating_mul(1 << beyond.min(16)).min(BATCH_PAUSE_MS_MAX);
            self.paused_until_ms = now_ms.saturating_add(pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    fn tries() -> LineAttempts {
        LineAttempts::default()
    }

    #[test]
    fn lines_come_in_order_without_those_that_are_done() {
        let mut queue = LineQueue::new(5, |line| line == 2 || line == 4);
        let sent: Vec<u64> = std::iter::from_fn(|| queue.take(0)).map(|(line, _)| line).collect();
        assert_eq!(sent, [1, 3, 5]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_line_comes_again_when_it_is_due() {
        let mut queue = LineQueue::new(1, |_| false);
        queue.take(0).unwrap();
        queue.put_back(1, tries(), 5_000);
        assert!(!queue.is_empty() && queue.take(4_999).is_none());
        assert_eq!(queue.wait(1_000, HOUR), Duration::from_secs(4));
        assert_eq!(queue.take(5_000), Some((1, tries())));
        assert_eq!(queue.wait(5_000, HOUR), HOUR);
    }

    #[test]
    fn an_outage_slows_a_batch_down_until_one_answers() {
        let mut queue = LineQueue::new(100, |_| false);
        for _ in 0..OUTAGE_LINES - 1 {
            queue.failed(0);
        }
        assert!(queue.at_once() > 1 && queue.take(0).is_some());
        queue.failed(0);
        assert_eq!((queue.at_once(), queue.take(999)), (1, None));
        assert_eq!(queue.wait(0, HOUR), Duration::from_secs(1));
        for _ in 0..40 {
            queue.failed(1_000);
        }
        assert_eq!(queue.wait(1_000, HOUR), Duration::from_millis(BATCH_PAUSE_MS_MAX));
        queue.answered();
        assert!(queue.at_once() > 1 && queue.take(1_000).is_some());
    }
}
