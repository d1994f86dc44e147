//! Fetches slices of rate-limit windows for all calls of this host.
//!
//! When a client's slice is used up, all its calls lack one at the same moment.
//! They wait for one shared request, which asks once per client, and only for
//! slices that are still needed when it is sent. A host therefore never has
//! more than one slice that its clients do not use. The request serves other
//! calls too, so it is finished even if the client that started it disconnects.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tollbridge_core::finish::Finish;

use super::call_slices::{CallSlices, Lack, SliceNeed};
use super::client::RateLimitKey;
use super::rate_limiter::RateLimiter;

/// The number of calls that one request covers.
const TOGETHER_MAX: usize = 512;

/// The number of times one call fetches slices: other calls may use them up, at
/// most until the limit is reached.
const SUPPLIED_MAX: usize = 100;

/// Fetches slices for all calls of this host.
pub(super) struct SliceSupply {
    slices: Arc<dyn CallSlices>,
    waiting: Mutex<Vec<(Lack, oneshot::Sender<bool>)>>,
    /// Held while slices are requested; further calls collect meanwhile.
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl SliceSupply {
    pub(super) fn new(slices: Arc<dyn CallSlices>) -> Self {
        Self { slices, waiting: Mutex::default(), asking: Arc::default() }
    }

    /// The number of hosts that share the limits.
    pub(super) fn hosts(&self) -> u32 {
        self.slices.hosts()
    }

    /// Retries a call until it lacks no slices that this host can get. Each attempt
    /// returns its outcome and its lack.
    pub(super) async fn attempt<T>(
        self: &Arc<Self>,
        limiter: &Arc<RateLimiter>,
        mut call: impl FnMut() -> (T, Option<Lack>),
    ) -> T {
        let (mut outcome, mut lacks) = call();
        for _ in 0..SUPPLIED_MAX {
            match lacks {
                Some(lack) if self.supply(limiter, lack).await => (outcome, lacks) = call(),
                _ => break,
            }
        }
        outcome
    }

    /// Fetches the slices that a call lacks, or waits until another call has
    /// fetched them. Returns whether the limiter was updated.
    async fn supply(self: &Arc<Self>, limiter: &Arc<RateLimiter>, lack: Lack) -> bool {
        let (reply, mut supplied) = oneshot::channel();
        self.waiting.lock().push((lack, reply));
        loop {
            let turn = self.asking.clone().lock_owned().await;
            match supplied.try_recv() {
                Ok(supplied) => return supplied,
                Err(oneshot::error::TryRecvError::Closed) => return false,
                Err(oneshot::error::TryRecvError::Empty) => {}
            }
            let (this, limiter) = (self.clone(), limiter.clone());
            let ask = async move {
                this.ask(&limiter).await;
                drop(turn);
            };
            Finish::new(ask).await;
        }
    }

    /// Requests the slices that waiting calls lack.
    async fn ask(&self, limiter: &RateLimiter) {
        let waiting: Vec<_> = {
            let mut waiting = self.waiting.lock();
            let count = waiting.len().min(TOGETHER_MAX);
            waiting.drain(..count).collect()
        };
        let needs = self.needs(limiter, waiting.iter().map(|(lack, _)| lack));
        let supplied = match needs.is_empty() {
            true => true,
            false => match self.slices.take(&needs).await {
                Some(granted) => {
                    needs.iter().zip(granted).for_each(|(need, granted)| limiter.add_slices(need, granted));
                    true
                }
                None => false,
            },
        };
        for (_, reply) in waiting {
            let _ = reply.send(supplied);
        }
    }

    /// Returns one need for each client that still lacks slices: a slice, or as
    /// many calls as are waiting if those are more.
    fn needs<'l>(&self, limiter: &RateLimiter, lacks: impl Iterator<Item = &'l Lack>) -> Vec<SliceNeed> {
        let mut calls: HashMap<RateLimitKey, (Lack, u32)> = HashMap::new();
        for lack in lacks {
            let (latest, count) = calls.entry(lack.client).or_insert((*lack, 0));
            *latest = if lack.now_ms > latest.now_ms { *lack } else { *latest };
            *count += 1;
        }
        let hosts = self.slices.hosts();
        let needs = calls.into_values().filter_map(|(lack, count)| {
            let need = limiter.need(hosts, &lack)?;
            let of_all = |wanted: u32| if wanted > 0 { wanted.max(count) } else { 0 };
            Some(SliceNeed { minute_wanted: of_all(need.minute_wanted), hour_wanted: of_all(need.hour_wanted), ..need })
        });
        needs.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use super::super::call_slices::{GrantedSlices, WindowSlice};
    use super::super::tier::RateLimits;
    use super::*;

    const LIMITS: RateLimits = RateLimits { per_minute: 10_000, per_hour: 20_000 };
    const NOW_MS: u64 = 1_800_000_000_000;

    /// A shared counter for two hosts, with a delay in the middle as on a network.
    #[derive(Default)]
    struct Place {
        /// Calls granted of the minute and of the hour.
        taken: Mutex<[u32; 2]>,
        asked: Mutex<u32>,
    }

    impl CallSlices for Place {
        fn hosts(&self) -> u32 {
            2
        }

        fn take<'a>(
            &'a self,
            needs: &'a [SliceNeed],
        ) -> Pin<Box<dyn Future<Output = Option<Vec<GrantedSlices>>> + Send + 'a>> {
            Box::pin(async move {
                tokio::task::yield_now().await;
                *self.asked.lock() += 1;
                let mut granted = Vec::new();
                for need in needs {
                    let mut taken = self.taken.lock();
                    let [minute, hour] = &mut *taken;
                    let take = |taken: &mut u32, wanted: u32, most: u32| {
                        let granted = wanted.min(most.saturating_sub(*taken));
                        *taken += granted;
                        WindowSlice { granted, taken: *taken }
                    };
                    granted.push([
                        take(minute, need.minute_wanted, need.limits.per_minute),
                        take(hour, need.hour_wanted, need.limits.per_hour),
                    ]);
                }
                tokio::task::yield_now().await;
                Some(granted)
            })
        }
    }

    /// A host.
    struct Host {
        limiter: Arc<RateLimiter>,
        supply: Arc<SliceSupply>,
    }

    impl Host {
        fn of(place: &Arc<Place>) -> Arc<Self> {
            Arc::new(Self { limiter: Arc::default(), supply: Arc::new(SliceSupply::new(place.clone())) })
        }

        /// Whether a call is admitted.
        async fn call(&self, client: RateLimitKey) -> bool {
            let attempt = || self.limiter.try_acquire_among(2, client, LIMITS, NOW_MS);
            self.supply.attempt(&self.limiter, attempt).await.is_allowed()
        }

        /// Returns the number of concurrent calls that are admitted.
        async fn calls(self: &Arc<Self>, client: RateLimitKey, at_once: u32, each: u32) -> u32 {
            let caller = || {
                let host = self.clone();
                tokio::spawn(async move {
                    let mut admitted = 0;
                    for _ in 0..each {
                        admitted += u32::from(host.call(client).await);
                        tokio::task::yield_now().await;
                    }
                    admitted
                })
            };
            let callers: Vec<_> = (0..at_once).map(|_| caller()).collect();
            let mut admitted = 0;
            for caller in callers {
                admitted += caller.await.unwrap();
            }
            admitted
        }
    }

    #[tokio::test]
    async fn calls_at_once_take_one_slice() {
        let place = Arc::new(Place::default());
        let (one, other) = (Host::of(&place), Host::of(&place));
        let client = RateLimitKey::from(std::net::IpAddr::from([192, 0, 2, 1]));
        assert_eq!(one.calls(client, 128, 30).await, 3_840);
        let slice = LIMITS.per_minute / 20 / 2;
        let minute = place.taken.lock()[0];
        assert!((3_840..=3_840 + slice).contains(&minute), "{minute} taken for 3,840 calls");
        assert!(*place.asked.lock() <= 40, "asked {} times", place.asked.lock());
        // The rest goes to the other host, except for the slice that the first one
        // holds.
        let admitted = other.calls(client, 128, 60).await;
        assert!((6_160 - slice..=6_160).contains(&admitted), "{admitted}");
    }

    /// A client that disconnects loses no slices, and no other client is refused.
    #[tokio::test]
    async fn a_client_that_hangs_up_takes_nothing_from_others() {
        let place = Arc::new(Place::default());
        let host = Host::of(&place);
        for number in 0..50 {
            let client = RateLimitKey::from(std::net::IpAddr::from([192, 0, 2, number]));
            *place.taken.lock() = [0, 0];
            let mut hangs_up = Box::pin(host.call(client));
            let waits = tokio::spawn({
                let host = host.clone();
                async move { host.call(client).await }
            });
            for _ in 0..=number % 3 {
                assert!(futures_util::poll!(&mut hangs_up).is_pending(), "the request is already answered");
                tokio::task::yield_now().await;
            }
            drop(hangs_up);
            assert!(waits.await.unwrap(), "refused");
            assert_eq!(place.taken.lock()[0], LIMITS.per_minute / 20 / 2);
        }
    }

    /// A limit whose slices are one call each still admits all calls it allows at
    /// once.
    #[tokio::test]
    async fn a_small_limit_is_given_out_at_once() {
        let place = Arc::new(Place::default());
        let client = RateLimitKey::from(std::net::IpAddr::from([192, 0, 2, 1]));
        place.taken.lock()[0] = LIMITS.per_minute - 60;
        let hosts = (Host::of(&place), Host::of(&place));
        let (one, other) = tokio::join!(hosts.0.calls(client, 100, 1), hosts.1.calls(client, 100, 1));
        assert_eq!(one + other, 60);
    }
}
