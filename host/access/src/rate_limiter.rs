//! Rate limits: fixed windows of a minute and an hour, aligned to the clock.
//!
//! Both windows are tested and then both counted under one lock, so a refused call is not
//! counted and the limit is never exceeded. Counts are irrelevant once their hour has
//! passed, so a shard is emptied at the start of each hour.
//!
//! If several hosts share the limits, each host admits calls from its slices; see
//! `call_slices`.

use tollbridge_core::time::{HOUR_MS, MINUTE_MS};

use super::bounded::{GenerationalMap, SHARDS, Sharded};
use super::call_slices::{GrantedSlices, MissingSlice, SliceNeed, WindowSlice};
use super::client::RateLimitKey;
use super::tier::RateLimits;

/// Maximum number of clients (accounts and addresses) whose rate-limit windows are
/// remembered. The oldest are evicted first, which can only loosen limits.
const LIMITED_CLIENTS_MAX: usize = 1 << 20;
/// Maximum delay between reading the clock for a call and counting the call in its
/// rate-limit window. Threads read the clock before they take the lock, so a call's time
/// may be slightly in the past; a larger delay means that the clock was set back.
const CLOCK_SKEW_MS_MAX: u64 = 60_000;

/// A client's rate limit after a call, for the headers of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// The limit of calls per minute.
    pub limit_minute: u32,
    /// Number of further calls allowed in this minute; 0 if the hour's limit is used up,
    /// even at the start of a minute.
    pub remaining_minute: u32,
    /// Unix time in seconds of the next reset: the end of the minute, or of the hour if
    /// the hour's limit is used up.
    pub reset_unix_s: u64,
    /// Seconds to wait, if the call was refused.
    pub retry_after_s: Option<u32>,
}

/// Counts calls per client and refuses those over a limit.
pub struct RateLimiter {
    shards: Sharded<Shard>,
}

struct Shard {
    /// The hour to which the counts belong, in hours since 1970.
    hour: u64,
    used: GenerationalMap<RateLimitKey, WindowUsage>,
}

/// The usage of one client in the shard's hour.
#[derive(Clone, Copy, Default)]
struct WindowUsage {
    /// The minute, within the hour, that `this_minute` counts.
    minute: u64,
    this_minute: u32,
    this_hour: u32,
    /// The slices of this host, if several hosts share the limits.
    minute_slice: WindowSlice,
    hour_slice: WindowSlice,
}

impl RateLimitStatus {
    /// Returns whether the call was admitted.
    pub const fn is_allowed(&self) -> bool {
        self.retry_after_s.is_none()
    }
}

impl Default for RateLimiter {
    fn default() -> Self {
        Self::new()
    }
}

impl RateLimiter {
    /// Creates a limiter that tracks a bounded number of clients.
    pub fn new() -> Self {
        Self::with_capacity(LIMITED_CLIENTS_MAX)
    }

    /// Counts one call, if both windows have room for it.
    pub fn try_acquire(&self, client: RateLimitKey, limits: RateLimits, now_ms: u64) -> RateLimitStatus {
        self.try_acquire_among(1, client, limits, now_ms).0
    }

    /// Counts one call under limits that `hosts` hosts share. If the call is refused only
    /// because this host lacks slices, also returns the missing slices.
    pub(super) fn try_acquire_among(
        &self,
        hosts: u32,
        client: RateLimitKey,
        limits: RateLimits,
        now_ms: u64,
    ) -> (RateLimitStatus, Option<MissingSlice>) {
        let mut shard = self.shards.lock(&client);
        let (hour, used) = shard.usage_at(client, now_ms);
        let lacks = hosts > 1 && used.need(hosts, client, limits, hour).is_some();
        let admitted = used.has_room(limits) && !lacks;
        if admitted {
            used.this_minute += 1;
            used.this_hour += 1;
        }
        let lack = MissingSlice { client, limits, now_ms };
        (used.status(limits, hour, (!admitted).then_some(now_ms)), lacks.then_some(lack))
    }

    /// Returns the slices that this host lacks for a refused call; `None` if it has them
    /// by now.
    pub(super) fn need(&self, hosts: u32, lack: &MissingSlice) -> Option<SliceNeed> {
        let MissingSlice { client, limits, now_ms } = *lack;
        let mut shard = self.shards.lock(&client);
        let (hour, used) = shard.usage_at(client, now_ms);
        used.need(hosts, client, limits, hour)
    }

    /// Adds slices granted to this host, unless their windows have ended.
    pub(super) fn add_slices(&self, need: &SliceNeed, [minute, hour]: GrantedSlices) {
        let mut shard = self.shards.lock(&need.client);
        let window = (need.minute_begins_s - need.hour_begins_s) * 1000 / MINUTE_MS;
        if shard.hour != need.hour_begins_s * 1000 / HOUR_MS {
            return;
        }
        let used = shard.used.entry(need.client, WindowUsage::default);
        if used.minute == window {
            used.minute_slice.add(minute);
        }
        used.hour_slice.add(hour);
    }

    /// Returns the rate limit of a client without counting a call.
    pub fn status(&self, client: RateLimitKey, limits: RateLimits, now_ms: u64) -> RateLimitStatus {
        let mut shard = self.shards.lock(&client);
        let minute = shard.advance_to(now_ms);
        let mut used = shard.used.peek(&client).copied().unwrap_or_default();
        used.advance_to(minute);
        used.status(limits, shard.hour, None)
    }

    fn with_capacity(clients: usize) -> Self {
        let each = clients / SHARDS;
        Self { shards: Sharded::new(|| Shard { hour: 0, used: GenerationalMap::new(each) }) }
    }
}

impl Shard {
    /// Advances to the hour of `now_ms`; returns the minute within that hour. A slightly
    /// late call of the previous hour counts at the beginning of the current one.
    fn advance_to(&mut self, now_ms: u64) -> u64 {
        let (hour, minute) = (now_ms / HOUR_MS, now_ms % HOUR_MS / MINUTE_MS);
        if hour == self.hour {
            return minute;
        }
        let late_ms = self.hour.saturating_mul(HOUR_MS).saturating_sub(now_ms);
        if hour < self.hour && late_ms <= CLOCK_SKEW_MS_MAX {
            return 0;
        }
        self.hour = hour;
        self.used.clear();
        minute
    }

    /// Advances to a time; returns its hour and the client's usage in the current
    /// windows.
    fn usage_at(&mut self, client: RateLimitKey, now_ms: u64) -> (u64, &mut WindowUsage) {
        let minute = self.advance_to(now_ms);
        let used = self.used.entry(client, WindowUsage::default);
        used.advance_to(minute);
        (self.hour, used)
    }
}

impl WindowUsage {
    /// Advances to a minute. A call of the previous minute is late and counts in the
    /// current one; a call of an earlier minute means that the clock was set back.
    fn advance_to(&mut self, minute: u64) {
        if minute != self.minute && minute + 1 != self.minute {
            self.minute = minute;
            self.this_minute = 0;
            self.minute_slice = WindowSlice::default();
        }
    }

    const fn minute_left(&self, limits: RateLimits) -> u32 {
        self.minute_slice.left(limits.per_minute, self.this_minute)
    }

    const fn hour_left(&self, limits: RateLimits) -> u32 {
        self.hour_slice.left(limits.per_hour, self.this_hour)
    }

    const fn has_room(&self, limits: RateLimits) -> bool {
        self.minute_left(limits) > 0 && self.hour_left(limits) > 0
    }

    /// Returns the slices that this host lacks for another call; `None` if it has them,
    /// or if a limit is reached.
    fn need(&self, hosts: u32, client: RateLimitKey, limits: RateLimits, hour: u64) -> Option<SliceNeed> {
        if !self.has_room(limits) {
            return None;
        }
        let minute_wanted = self.minute_slice.wanted(limits.per_minute, self.this_minute, hosts);
        let hour_wanted = self.hour_slice.wanted(limits.per_hour, self.this_hour, hosts);
        let hour_begins_s = hour.saturating_mul(HOUR_MS) / 1000;
        let minute_begins_s = hour_begins_s.saturating_add(self.minute * MINUTE_MS / 1000);
        let need = SliceNeed { client, limits, minute_begins_s, hour_begins_s, minute_wanted, hour_wanted };
        (minute_wanted > 0 || hour_wanted > 0).then_some(need)
    }

    /// Returns the status for the response; `refused_at` is the time of a refused call.
    fn status(&self, limits: RateLimits, hour: u64, refused_at: Option<u64>) -> RateLimitStatus {
        let (minute_left, hour_left) = (self.minute_left(limits), self.hour_left(limits));
        let hour_start_ms = hour.saturating_mul(HOUR_MS);
        let lasts_ms = if hour_left == 0 { HOUR_MS } else { (self.minute + 1) * MINUTE_MS };
        let reset_ms = hour_start_ms.saturating_add(lasts_ms);
        let wait_s = |now_ms: u64| reset_ms.saturating_sub(now_ms).div_ceil(1000).max(1);
        RateLimitStatus {
            limit_minute: limits.per_minute,
            remaining_minute: minute_left.min(hour_left),
            reset_unix_s: reset_ms / 1000,
            retry_after_s: refused_at.map(|now_ms| u32::try_from(wait_s(now_ms)).unwrap_or(u32::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use proptest::prelude::*;

    const CLIENT: RateLimitKey = RateLimitKey::V4(1);
    /// 2023-11-14 22:00:00 UTC, the start of an hour.
    const HOUR: u64 = 1_700_000_000_000 / HOUR_MS * HOUR_MS;

    fn limits(per_minute: u32, per_hour: u32) -> RateLimits {
        RateLimits { per_minute, per_hour }
    }

    #[test]
    fn counts_down_and_refuses() {
        let limiter = RateLimiter::new();
        let now = HOUR + 61_500;
        for left in (0..3).rev() {
            let status = limiter.try_acquire(CLIENT, limits(3, 100), now);
            assert!(status.is_allowed());
            assert_eq!((status.limit_minute, status.remaining_minute), (3, left));
            assert_eq!(status.reset_unix_s, HOUR / 1000 + 120);
        }
        let refused = limiter.try_acquire(CLIENT, limits(3, 100), now);
        assert_eq!((refused.remaining_minute, refused.retry_after_s), (0, Some(59)));
        let next = limiter.try_acquire(CLIENT, limits(3, 100), HOUR + 120_000);
        assert_eq!((next.remaining_minute, next.retry_after_s), (2, None));
        assert!(
            limiter.try_acquire(RateLimitKey::V4(2), limits(3, 100), now).is_allowed(),
            "each client has its own limit"
        );
    }

    #[test]
    fn the_hour_blocks_with_its_own_reset() {
        let limiter = RateLimiter::new();
        for _ in 0..4 {
            assert!(limiter.try_acquire(CLIENT, limits(100, 5), HOUR).is_allowed());
        }
        // The last call of the hour: none remain, even at the start of a minute.
        let last = limiter.try_acquire(CLIENT, limits(100, 5), HOUR + 59 * MINUTE_MS);
        assert_eq!((last.remaining_minute, last.reset_unix_s, last.retry_after_s), (0, HOUR / 1000 + 3600, None));
        let refused = limiter.try_acquire(CLIENT, limits(100, 5), HOUR + HOUR_MS - 1);
        assert_eq!((refused.remaining_minute, refused.reset_unix_s), (0, HOUR / 1000 + 3600));
        assert_eq!(refused.retry_after_s, Some(1));
        assert_eq!(limiter.try_acquire(CLIENT, limits(100, 5), HOUR + HOUR_MS).remaining_minute, 4);
    }

    #[test]
    fn remaining_never_promises_more_than_the_hour_has() {
        let limiter = RateLimiter::new();
        assert_eq!(limiter.try_acquire(CLIENT, limits(10, 3), HOUR).remaining_minute, 2);
    }

    #[test]
    fn refused_calls_and_peeks_spend_nothing() {
        let limiter = RateLimiter::new();
        for _ in 0..10 {
            limiter.try_acquire(CLIENT, limits(2, 3), HOUR);
        }
        let peeked = limiter.status(CLIENT, limits(2, 3), HOUR + MINUTE_MS);
        assert_eq!((peeked.remaining_minute, peeked.retry_after_s), (1, None));
        assert_eq!(limiter.status(CLIENT, limits(2, 3), HOUR + MINUTE_MS), peeked);
        assert!(limiter.try_acquire(CLIENT, limits(2, 3), HOUR + MINUTE_MS).is_allowed());
        assert!(!limiter.try_acquire(CLIENT, limits(2, 3), HOUR + MINUTE_MS).is_allowed());
        assert_eq!(limiter.status(RateLimitKey::V4(9), limits(2, 3), HOUR).remaining_minute, 2);
    }

    #[test]
    fn a_higher_tier_counts_at_once() {
        let limiter = RateLimiter::new();
        assert!(limiter.try_acquire(CLIENT, limits(1, 10), HOUR).is_allowed());
        assert!(!limiter.try_acquire(CLIENT, limits(1, 10), HOUR).is_allowed());
        assert_eq!(limiter.try_acquire(CLIENT, limits(5, 10), HOUR).remaining_minute, 3);
        assert_eq!(limiter.try_acquire(CLIENT, limits(0, 0), HOUR).remaining_minute, 0);
    }

    /// A shared counter that grants slices to hosts.
    #[derive(Default)]
    struct Place(std::collections::HashMap<(u64, u64), u32>);

    impl Place {
        fn take(&mut self, need: &SliceNeed) -> GrantedSlices {
            let mut of = |begins: u64, length: u64, wanted: u32, most: u32| {
                let taken = self.0.entry((begins, length)).or_default();
                let granted = wanted.min(most.saturating_sub(*taken));
                *taken += granted;
                WindowSlice { granted, taken: *taken }
            };
            [
                of(need.minute_begins_s, 60, need.minute_wanted, need.limits.per_minute),
                of(need.hour_begins_s, 3600, need.hour_wanted, need.limits.per_hour),
            ]
        }
    }

    /// Makes a call on one host; returns whether it is admitted, and the number of
    /// requests for slices.
    fn call(limiter: &RateLimiter, hosts: u32, limits: RateLimits, now: u64, place: &mut Place) -> (bool, u32) {
        for asked in 0..3 {
            match limiter.try_acquire_among(hosts, CLIENT, limits, now) {
                (_, Some(lack)) => {
                    let need = limiter.need(hosts, &lack).unwrap();
                    limiter.add_slices(&need, place.take(&need));
                }
                (status, None) => return (status.is_allowed(), asked),
            }
        }
        panic!("the granted slice does not suffice for the call");
    }

    #[test]
    fn several_hosts_admit_as_many_calls_as_one() {
        for (per_minute, per_hour) in [(60, 1000), (600, 10_000), (6000, 100_000), (3, 100), (1, 1)] {
            let limits = limits(per_minute, per_hour);
            for hosts in [2_u32, 3, 8] {
                let (limiters, mut place) =
                    ((0..hosts).map(|_| RateLimiter::new()).collect::<Vec<_>>(), Place::default());
                let (mut admitted, mut asked) = (0, 0);
                for call_number in 0..per_minute * 3 {
                    // Three quarters of the calls go to host 0.
                    let host = if call_number % 4 == 0 { call_number / 4 % hosts } else { 0 };
                    let (free, times) =
                        call(&limiters[usize::try_from(host).unwrap()], hosts, limits, HOUR, &mut place);
                    (admitted, asked) = (admitted + u32::from(free), asked + times);
                }
                assert!(admitted <= per_minute, "{admitted} calls were admitted with {limits:?} on {hosts} hosts");
                assert!(
                    admitted >= per_minute - per_minute / 20,
                    "{admitted} calls were admitted with {limits:?} on {hosts} hosts"
                );
                assert!(
                    asked <= (per_minute * 2).min(60 * hosts),
                    "{asked} requests for slices were made with {limits:?} on {hosts} hosts"
                );
            }
        }
    }

    #[test]
    fn a_formerly_single_host_counts_the_calls_it_admitted() {
        let (first, second, mut place) = (RateLimiter::new(), RateLimiter::new(), Place::default());
        let limits = limits(60, 100);
        for _ in 0..50 {
            assert!(first.try_acquire(CLIENT, limits, HOUR).is_allowed());
        }
        assert!(call(&first, 2, limits, HOUR, &mut place).0);
        let rest = (0..60).filter(|_| call(&second, 2, limits, HOUR, &mut place).0).count();
        assert!((6..=9).contains(&rest), "{rest}");
        // A new minute begins, but the hour is the same.
        let next = (0..60).filter(|_| call(&second, 2, limits, HOUR + MINUTE_MS, &mut place).0).count();
        assert!((35..=41).contains(&next), "{next}");
    }

    #[test]
    fn late_calls_do_not_open_a_window_again() {
        for turn in [HOUR + MINUTE_MS, HOUR] {
            let limiter = RateLimiter::new();
            assert!(limiter.try_acquire(CLIENT, limits(2, 100), turn).is_allowed());
            assert!(limiter.try_acquire(CLIENT, limits(2, 100), turn - 1).is_allowed());
            assert!(!limiter.try_acquire(CLIENT, limits(2, 100), turn).is_allowed());
            assert!(!limiter.try_acquire(CLIENT, limits(2, 100), turn - 1).is_allowed());
        }
    }

    #[test]
    fn a_clock_set_back_locks_no_client_out() {
        let limiter = RateLimiter::new();
        for later in [HOUR + 5 * MINUTE_MS, HOUR + 50 * HOUR_MS] {
            while limiter.try_acquire(CLIENT, limits(3, 100), later).is_allowed() {}
            assert!(limiter.try_acquire(CLIENT, limits(3, 100), HOUR).is_allowed(), "{later}");
        }
    }

    #[test]
    fn extreme_times_do_no_harm() {
        let limiter = RateLimiter::new();
        for now in [u64::MAX, 0, u64::MAX - 1, HOUR] {
            assert!(limiter.try_acquire(CLIENT, limits(1, 1), now).is_allowed(), "{now}");
            assert!(!limiter.try_acquire(CLIENT, limits(1, 1), now).is_allowed(), "{now}");
        }
    }

    #[test]
    fn unknown_clients_cannot_fill_the_memory() {
        let limiter = RateLimiter::with_capacity(64 * SHARDS);
        for n in 0..100_000 {
            limiter.try_acquire(RateLimitKey::V6Net(n), limits(1, 1), HOUR);
        }
        let held: usize = limiter.shards.all().map(|shard| shard.used.len()).sum();
        assert!((32 * SHARDS..=64 * SHARDS).contains(&held), "{held}");
        assert!(
            !limiter.try_acquire(RateLimitKey::V6Net(99_999), limits(1, 1), HOUR).is_allowed(),
            "the newest clients must be remembered"
        );
        for n in 0..10_000 {
            limiter.try_acquire(RateLimitKey::V6Net(n), limits(1, 1), HOUR + HOUR_MS);
        }
        let held: usize = limiter.shards.all().map(|shard| shard.used.len()).sum();
        assert!(held <= 10_000, "the counts of the previous hour must be dropped: {held}");
    }

    #[test]
    fn exactly_the_limit_is_let_in() {
        const THREADS: usize = 64;
        let limiter = RateLimiter::new();
        let (barrier, admitted) = (Barrier::new(THREADS), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    barrier.wait();
                    for _ in 0..50 {
                        let status = limiter.try_acquire(CLIENT, limits(100, 2_000), HOUR);
                        admitted.fetch_add(u32::from(status.is_allowed()), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(admitted.into_inner(), 100);
    }

    /// Computes the expected result of a call from the list of calls admitted so
    /// far.
    fn naive(admitted: &[u64], limits: RateLimits, now_ms: u64) -> (bool, u32) {
        let within = |window: u64| {
            let count = admitted.iter().filter(|at| *at / window == now_ms / window).count();
            u32::try_from(count).unwrap()
        };
        let left =
            (limits.per_minute.saturating_sub(within(MINUTE_MS))).min(limits.per_hour.saturating_sub(within(HOUR_MS)));
        (left > 0, left.saturating_sub(1))
    }

    proptest! {
        #[test]
        fn behaves_like_the_naive_model(
            steps in prop::collection::vec((0_u64..4, 0_u64..200_000), 1..300),
            per_minute in 1_u32..6,
            per_hour in 1_u32..20,
        ) {
            let limiter = RateLimiter::new();
            let limits = limits(per_minute, per_hour);
            let mut admitted: [Vec<u64>; 4] = Default::default();
            let mut now = HOUR;
            for (client, wait) in steps {
                now += wait;
                let calls = &mut admitted[usize::try_from(client).unwrap()];
                let expect = naive(calls, limits, now);
                let status = limiter.try_acquire(RateLimitKey::V6Net(client), limits, now);
                prop_assert_eq!((status.is_allowed(), status.remaining_minute), expect);
                if status.is_allowed() {
                    calls.push(now);
                } else {
                    // A client that waits for `retry_after_s` is admitted.
                    let later = now + u64::from(status.retry_after_s.unwrap()) * 1000;
                    prop_assert!(naive(calls, limits, later).0);
                    prop_assert!(!naive(calls, limits, later.saturating_sub(1000)).0);
                }
            }
        }
    }
}
