//! Ids that sort by creation time, so that a list sorted by id is also sorted by time.

use std::sync::atomic::{AtomicU64, Ordering};

use tollbridge_ledger::random_tx;

/// Number of bits of an id that count the ids created within a millisecond.
const COUNT_BITS: u32 = 16;
/// Number of hexadecimal digits for time and counter.
const ORDER_DIGITS: usize = 16;

/// Time and counter of the last id created by this process.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Creates an id of a prefix and `digits` hexadecimal digits. Of two ids from one
/// process, the later one is greater, even within a millisecond.
///
/// Returns `None` if the operating system provides no random bytes.
pub fn ordered_id(prefix: &str, digits: usize, now_ms: u64) -> Option<String> {
    let random: String = hex::encode(random_tx().ok()?).chars().take(digits.saturating_sub(ORDER_DIGITS)).collect();
    let now = now_ms << COUNT_BITS;
    let after = |last: u64| last.saturating_add(1).max(now);
    let order = after(LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last))).unwrap_or(now));
    Some(format!("{prefix}{order:016x}{random}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_millisecond_sort_as_they_were_made() {
        let ids: Vec<String> = (0..200).filter_map(|_| ordered_id("file-", 32, 1_795_579_184_894)).collect();
        assert_eq!(ids.len(), 200);
        assert!(ids.is_sorted_by(|one, next| one < next), "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == "file-".len() + 32), "{ids:?}");
    }
}
