//! Fetches slices of rate-limit windows for all calls of this host.
//!
//! When a client's slice is used up, all its concurrent calls lack one. They wait for one
//! shared request, which asks for slices once per client, and only if they are still
//! needed when it is sent. A host therefore never has more than one unused slice of a
//! client. The request is shared, so it is finished even if the client that started it
//! disconnects.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tollbridge_core::finish::Finish;

use super::call_slices::{CallSlices, MissingSlice, SliceNeed};
use super::client::RateLimitKey;
use super::rate_limiter::RateLimiter;

/// Maximum number of waiting calls that one request covers.
const TOGETHER_MAX: usize = 512;

/// Maximum number of times that one call fetches slices. Concurrent calls may use up the
/// fetched slices first, so one fetch may not be enough.
const SUPPLIED_MAX: usize = 100;

/// Fetches slices for all calls of this host.
pub(super) struct SliceSupply {
    slices: Arc<dyn CallSlices>,
    waiting: Mutex<Vec<(MissingSlice, oneshot::Sender<bool>)>>,
    /// Lock held during a request for slices; calls that arrive meanwhile wait for the
    /// next request.
    asking: Arc<tokio::sync::Mutex<()>>,
}

impl SliceSupply {
    pub(super) fn new(slices: Arc<dyn CallSlices>) -> Self {
        Self { slices, waiting: Mutex::default(), asking: Arc::default() }
    }

    /// Returns the number of hosts that share the limits.
    pub(super) fn hosts(&self) -> u32 {
        self.slices.hosts()
    }

    /// Repeats `call` as long as it lacks slices and this host can get more. Each run of
    /// `call` returns its outcome, and the slices that it lacks.
    pub(super) async fn attempt<T>(
        self: &Arc<Self>,
        limiter: &Arc<RateLimiter>,
        mut call: impl FnMut() -> (T, Option<MissingSlice>),
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

    /// Fetches the slices that a call lacks, or waits while another call fetches them.
    /// Returns whether slices were received or are no longer needed.
    async fn supply(self: &Arc<Self>, limiter: &Arc<RateLimiter>, lack: MissingSlice) -> bool {
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

    /// Requests the slices that the waiting calls lack.
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

    /// Returns one need for each client that still lacks slices. Each need requests the
    /// calls of one slice, or one call for each waiting call if that is more.
    fn needs<'l>(&self, limiter: &RateLimiter, lacks: impl Iterator<Item = &'l MissingSlice>) -> Vec<SliceNeed> {
        let mut calls: HashMap<RateLimitKey, (MissingSlice, u32)> = HashMap::new();
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

    /// A shared counter for two hosts that pauses during each request, as a real network
    /// does.
    #[derive(Default)]
    struct Place {
        /// Calls granted so far in the minute window and in the hour window.
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

    /// A host that shares the limits.
    struct Host {
        limiter: Arc<RateLimiter>,
        supply: Arc<SliceSupply>,
    }

    impl Host {
        fn of(place: &Arc<Place>) -> Arc<Self> {
            Arc::new(Self { limiter: Arc::default(), supply: Arc::new(SliceSupply::new(place.clone())) })
        }

        /// Makes a call; returns whether it is admitted.
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
        assert!((3_840..=3_840 + slice).contains(&minute), "{minute} calls granted for 3,840 calls");
        assert!(*place.asked.lock() <= 40, "asked {} times", place.asked.lock());
        // The other host gets the rest, except for the slice that the first host holds.
        let admitted = other.calls(client, 128, 60).await;
        assert!((6_160 - slice..=6_160).contains(&admitted), "{admitted}");
    }

    /// If a client disconnects while its slices are requested, no slices are lost and no
    /// other client is refused.
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
                assert!(futures_util::poll!(&mut hangs_up).is_pending(), "the call must wait for its slices");
                tokio::task::yield_now().await;
            }
            drop(hangs_up);
            assert!(waits.await.unwrap(), "refused");
            assert_eq!(place.taken.lock()[0], LIMITS.per_minute / 20 / 2);
        }
    }

    /// If a limit is so small that each slice is one call, all calls within the limit are
    /// still admitted concurrently.
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
