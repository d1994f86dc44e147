//! Daily quotas of an action per client address, for example sign-ups.
//!
//! Counts are kept in memory and stored in a row that is committed with the counted
//! action, so the next process or leader continues from them.

use std::net::IpAddr;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Expect, Put, Store};

use super::account::AccountError;
use super::bounded::GenerationalMap;
use super::client::RateLimitKey;
use super::short_lived::{find, put};

/// Maximum number of client addresses whose sign-ups of the day are counted.
const SIGNUP_ADDRESSES_MAX: usize = 1 << 16;

/// A quota of one action per client address and day (UTC).
pub struct DailyQuota {
    /// The name of the action; part of the row keys.
    what: &'static str,
    limit: u32,
    today: Mutex<DayCounts>,
}

/// The reason an action is refused.
#[derive(Debug, thiserror::Error)]
pub enum DailyQuotaError {
    /// The address has used up its quota of the day.
    #[error("this address has reached its daily limit; try again tomorrow")]
    Exceeded {
        /// Seconds until midnight UTC.
        retry_after_s: u32,
    },
    /// The stored count cannot be read.
    #[error(transparent)]
    Row(#[from] AccountError),
}

struct DayCounts {
    day: u64,
    counts: GenerationalMap<RateLimitKey, u32>,
}

#[derive(Serialize, Deserialize)]
struct CountRow {
    count: u32,
}

impl DailyQuota {
    /// Creates a quota of `limit` actions per address and day.
    pub fn new(what: &'static str, limit: u32) -> Self {
        let today = Mutex::new(DayCounts { day: 0, counts: GenerationalMap::new(SIGNUP_ADDRESSES_MAX) });
        Self { what, limit, today }
    }

    /// Counts an action before it is committed; returns the row to commit with it.
    ///
    /// # Errors
    /// [`DailyQuotaError::Exceeded`] if the address has used up its quota of today.
    pub fn take(&self, store: &dyn Store, client: IpAddr, now_ms: u64) -> Result<Put, DailyQuotaError> {
        let (client, day) = (RateLimitKey::from(client), now_ms / DAY_MS);
        let (key, midnight_ms) = (self.key(client, day), (day + 1).saturating_mul(DAY_MS));
        let mut today = self.today.lock();
        today.advance_to(day);
        let known = match today.counts.get(&client) {
            Some(count) => *count,
            None => find::<CountRow>(store, &key, now_ms)?.map_or(0, |found| found.row.count),
        };
        if known >= self.limit {
            let left_s = midnight_ms.saturating_sub(now_ms).div_ceil(1000);
            return Err(DailyQuotaError::Exceeded { retry_after_s: u32::try_from(left_s).unwrap_or(u32::MAX) });
        }
        *today.counts.entry(client, || 0) = known + 1;
        Ok(put(key, midnight_ms, &CountRow { count: known + 1 }, Expect::Any)?)
    }

    /// Undoes the count of an action that was not committed.
    pub fn release(&self, client: IpAddr, now_ms: u64) {
        let mut today = self.today.lock();
        if today.day == now_ms / DAY_MS
            && let Some(count) = today.counts.get(&RateLimitKey::from(client))
        {
            *count = count.saturating_sub(1);
        }
    }

    fn key(&self, client: RateLimitKey, day: u64) -> String {
        format!("quota/{}/{day}/{}", self.what, client.share().tenant)
    }
}

impl DayCounts {
    fn advance_to(&mut self, day: u64) {
        if day != self.day {
            self.day = day;
            self.counts.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use tollbridge_store::Change;

    use super::super::testing::{MemoryStore, NOW, TestStore};
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    /// Returns the seconds to wait if the action is refused.
    fn refused(quota: &DailyQuota, store: &MemoryStore, client: IpAddr, now_ms: u64) -> Option<u32> {
        match quota.take(store, client, now_ms) {
            Ok(put) => {
                store.apply(Change { puts: vec![put], ..Change::default() }).unwrap();
                None
            }
            Err(DailyQuotaError::Exceeded { retry_after_s }) => Some(retry_after_s),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_day_has_so_many() {
        let (store, sign_ups) = (MemoryStore::default(), DailyQuota::new("signup", 5));
        let day = NOW / DAY_MS * DAY_MS;
        for _ in 0..5 {
            assert_eq!(refused(&sign_ups, &store, HERE, day), None);
        }
        assert_eq!(refused(&sign_ups, &store, HERE, day + 1), Some(86_400));
        assert_eq!(refused(&sign_ups, &store, HERE, day + DAY_MS - 1), Some(1));
        assert_eq!(refused(&sign_ups, &store, THERE, day), None);
        sign_ups.release(HERE, day);
        assert_eq!(refused(&sign_ups, &store, HERE, day), None);
        assert!(refused(&sign_ups, &store, HERE, day).is_some());
        assert_eq!(refused(&sign_ups, &store, HERE, day + DAY_MS), None);
        sign_ups.release(THERE, day + DAY_MS);
    }

    #[test]
    fn the_next_process_continues_the_count() {
        let (store, day) = (MemoryStore::default(), NOW / DAY_MS * DAY_MS);
        for _ in 0..4 {
            assert_eq!(refused(&DailyQuota::new("signup", 5), &store, HERE, day), None);
        }
        let next = DailyQuota::new("signup", 5);
        assert_eq!(refused(&next, &store, HERE, day), None);
        assert_eq!(refused(&next, &store, HERE, day), Some(86_400));
        assert_eq!(refused(&DailyQuota::new("notice", 5), &store, HERE, day), None, "each action has its own count");
        assert_eq!(refused(&DailyQuota::new("signup", 5), &store, HERE, day + DAY_MS), None);
    }

    #[test]
    fn one_network_of_ipv6_is_one_address_and_memory_is_bounded() {
        let (store, sign_ups) = (MemoryStore::default(), DailyQuota::new("signup", 5));
        for n in 0..5_u16 {
            let client = std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 0, n, 0, 0, 1).into();
            assert_eq!(refused(&sign_ups, &store, client, NOW), None);
        }
        assert!(refused(&sign_ups, &store, "2001:db8::9".parse().unwrap(), NOW).is_some());
        for n in 0..200_000_u32 {
            let _ = sign_ups.take(&store, std::net::Ipv4Addr::from_bits(n).into(), NOW);
        }
        assert!(sign_ups.today.lock().counts.len() <= SIGNUP_ADDRESSES_MAX);
    }
}
