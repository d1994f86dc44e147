//! Resource usage of a plugin's last calls, to compare with its limits.
//!
//! Invariant: for each call only its time and memory are stored, nothing about its caller or input.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;

use crate::usage::CallUsage;

/// Maximum number of calls of a plugin whose time and memory are remembered: enough for a
/// 99th percentile, in 4 KiB.
const CALLS_MEASURED_MAX: usize = 256;

/// The resource usage of the last calls of one plugin.
#[derive(Debug, Default)]
pub(crate) struct RecentUsage(Mutex<VecDeque<(Duration, usize)>>);

/// A summary of the resource usage of a plugin's last calls, including failed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageSummary {
    /// Number of calls in the summary.
    pub calls: usize,
    /// Median time of a call, from the start of the instance, without the wait for a slot.
    pub time_p50: Duration,
    /// 95th percentile of the time of a call.
    pub time_p95: Duration,
    /// Longest time of a call.
    pub time_max: Duration,
    /// Median memory of a call in bytes: all memories of the instance, and the data that the host
    /// stores for it.
    pub memory_p50: usize,
    /// 95th percentile of the memory of a call, in bytes.
    pub memory_p95: usize,
    /// Largest memory of a call, in bytes.
    pub memory_max: usize,
}

impl RecentUsage {
    pub(crate) fn note(&self, usage: CallUsage) {
        let mut calls = self.0.lock();
        if calls.len() >= CALLS_MEASURED_MAX {
            calls.pop_front();
        }
        calls.push_back((usage.wall, usage.memory_bytes));
    }

    /// Returns the summary; `None` if the plugin has not been called yet.
    pub(crate) fn summary(&self) -> Option<UsageSummary> {
        let (mut times, mut bytes): (Vec<_>, Vec<_>) = self.0.lock().iter().copied().unzip();
        times.sort_unstable();
        bytes.sort_unstable();
        Some(UsageSummary {
            calls: times.len(),
            time_p50: at(&times, 50)?,
            time_p95: at(&times, 95)?,
            time_max: at(&times, 100)?,
            memory_p50: at(&bytes, 50)?,
            memory_p95: at(&bytes, 95)?,
            memory_max: at(&bytes, 100)?,
        })
    }
}

/// Returns the percentile of sorted values.
fn at<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = sorted.len().saturating_mul(percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(ms: usize, memory_bytes: usize) -> CallUsage {
        CallUsage { wall: Duration::from_millis(u64::try_from(ms).unwrap()), memory_bytes }
    }

    #[test]
    fn the_last_calls_are_ranked() {
        let usage = RecentUsage::default();
        assert_eq!(usage.summary(), None);
        usage.note(used(9_000, 9));
        for at in (1..=CALLS_MEASURED_MAX).rev() {
            usage.note(used(at, at * 10));
        }
        let seen = usage.summary().unwrap();
        let half = CALLS_MEASURED_MAX.div_ceil(2);
        assert_eq!(
            (seen.calls, seen.memory_p50),
            (CALLS_MEASURED_MAX, half * 10),
            "the oldest entry must have been dropped"
        );
        assert_eq!(
            (seen.time_max.as_millis(), seen.memory_max),
            (u128::try_from(CALLS_MEASURED_MAX).unwrap(), CALLS_MEASURED_MAX * 10)
        );
        assert!(seen.time_p50 < seen.time_p95 && seen.time_p95 < seen.time_max);
    }

    #[test]
    fn one_call_is_all_of_them() {
        let usage = RecentUsage::default();
        usage.note(used(3, 7));
        let seen = usage.summary().unwrap();
        assert_eq!((seen.time_p50, seen.time_p95, seen.memory_p95), (seen.time_max, seen.time_max, 7));
    }
}
