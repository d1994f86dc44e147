//! Limits how often the processor is asked about the same order or fee.

use std::collections::HashMap;

use parking_lot::Mutex;

use crate::limits::ORDER_LOOKUP_MS_MIN;

/// Maximum number of orders and fees whose last look-up is remembered; an evicted one may
/// be looked up again at once.
const ORDERS_REMEMBERED_MAX: usize = 1 << 14;

/// Time of the last look-up of each order and fee. In memory: after a restart, each is
/// looked up again.
#[derive(Default)]
pub(crate) struct PollThrottle {
    /// Unix milliseconds of the last look-up, by the name of the order or fee.
    last_ms: Mutex<HashMap<String, u64>>,
}

impl PollThrottle {
    /// Returns whether the last look-up is at least `wait_ms` ago; if so, records
    /// `now_ms` as the last one.
    pub(crate) fn try_acquire(&self, name: &str, now_ms: u64, wait_ms: u64) -> bool {
        let mut last_ms = self.last_ms.lock();
        if last_ms.len() >= ORDERS_REMEMBERED_MAX {
            last_ms.retain(|_, last| last.saturating_add(ORDER_LOOKUP_MS_MIN) > now_ms);
            if last_ms.len() >= ORDERS_REMEMBERED_MAX {
                last_ms.clear();
            }
        }
        let last = last_ms.entry(name.to_owned()).or_default();
        let due = last.saturating_add(wait_ms) <= now_ms;
        if due {
            *last = now_ms;
        }
        due
    }

    /// Returns how long to wait between two look-ups of an item that began at `since_ms`:
    /// a tenth of its age, so older items are looked up less often.
    pub(crate) fn backoff_ms(since_ms: u64, now_ms: u64) -> u64 {
        (now_ms.saturating_sub(since_ms) / 10).max(3 * ORDER_LOOKUP_MS_MIN)
    }
}
