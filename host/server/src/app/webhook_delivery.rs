//! The two threads that deliver webhooks, alternating on one runtime.
//!
//! While calls are sealed at a high rate, the thread of the lowest priority delivers, and
//! uses at most a fiftieth of the machine's processor time: deliveries disturb caches and
//! the kernel, so they slow calls down even if they use only idle processor time. The
//! later events become, the more time deliveries may use. Otherwise the thread of
//! ordinary priority delivers: on a machine that other programs keep busy, the thread of
//! the lowest priority would get next to no processor time, and events would wait until
//! those programs end. Two threads are needed because a thread can lower its own priority
//! but not raise it again.

use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::runtime::Runtime;
use tollbridge_core::egress::Egress;
use tollbridge_core::time::now_ms;
use tollbridge_store::Store;
use tollbridge_webhooks::Webhooks;

use super::base::Base;

/// Nice value of the lowest priority; on an idle machine, the priority makes no
/// difference.
const NICE: i32 = 19;

/// Interval at which the delivering thread checks whether the other one should take over.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Minimum rate of sealed records, per second, at which calls take precedence over
/// deliveries.
const BUSY_RECORDS: u64 = 100;

/// Number of consecutive checks below [`BUSY_RECORDS`] after which the server counts as
/// calm.
const CALM_CHECKS: u32 = 10;

/// Longest burst of deliveries before a pause, while calls take precedence.
const BURST_MAX: Duration = Duration::from_millis(3);

/// Longest pause; during a longer one, requests in flight could time out.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Starts the delivery threads. Deliveries begin when this host becomes leader, and end when the
/// last reference is dropped.
pub(super) fn start(base: &Base) -> Result<Arc<Webhooks>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime for webhooks")?;
    let handle = runtime.handle().clone();
    let (rows, index) = (base.endpoint_rows.clone(), base.listeners.clone());
    let settings = &base.config.webhooks;
    let egress = Egress::new(settings.allow_networks.clone())?;
    let webhooks = Webhooks::idle(base.db.clone(), rows, index, settings, now_ms, handle, egress);
    let webhooks = Arc::new(webhooks);
    let runtime = Arc::new(runtime);
    let (to_ordinary, ordinary) = channel();
    let (to_low, low) = channel();
    // The thread of ordinary priority delivers first.
    to_ordinary.send(()).context("cannot start the thread for webhooks")?;
    let turns = [(Load::Low, ordinary, to_low), (Load::High, low, to_ordinary)];
    for (load, turn, other) in turns {
        let monitor = LoadMonitor {
            served: Arc::downgrade(&webhooks),
            store: base.db.shared_store(),
            load,
            lag_ms: AtomicU64::default(),
        };
        let driver = Driver { runtime: runtime.clone(), monitor, turn, other };
        std::thread::Builder::new()
            .name("webhooks".to_owned())
            .spawn(move || driver.run())
            .context("cannot start a thread for webhooks")?;
    }
    Ok(webhooks)
}

/// The server's load: `High` while calls are sealed at a high rate, otherwise `Low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    Low,
    High,
}

/// One of the two delivery threads.
struct Driver {
    runtime: Arc<Runtime>,
    monitor: LoadMonitor,
    turn: Receiver<()>,
    /// Signals the other thread to deliver. Each thread holds the only sender of the
    /// other, so when one thread ends, the other ends too.
    other: Sender<()>,
}

impl Driver {
    fn run(self) {
        if self.monitor.load == Load::High {
            // On Linux this changes only the priority of the calling thread.
            if let Err(error) = rustix::process::nice(NICE) {
                tracing::debug!(%error, "cannot lower the priority; webhooks are always delivered at ordinary \
                    priority");
            }
        }
        // Returning drops the runtime, which releases the store, so that the store closes
        // cleanly.
        while self.turn.recv().is_ok() {
            let continues = match self.monitor.load {
                Load::Low => self.runtime.block_on(self.monitor.turn()),
                Load::High => self.throttled_turn(),
            };
            if !continues || self.other.send(()).is_err() {
                return;
            }
        }
    }

    /// Delivers in short bursts with pauses, until this thread's turn ends. Returns false
    /// once the webhooks service was dropped.
    fn throttled_turn(&self) -> bool {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut turn = pin!(self.monitor.turn());
        loop {
            let before = self.busy();
            let parts = parts(Duration::from_millis(self.monitor.lag_ms.load(Ordering::Relaxed)));
            // Create the time-out inside the runtime, which has the timer.
            let burst = async { tokio::time::timeout(BURST_MAX, &mut turn).await };
            if let Ok(continues) = self.runtime.block_on(burst) {
                return continues;
            }
            std::thread::sleep(pause(self.busy().saturating_sub(before), processors, parts));
        }
    }

    /// Returns the total time that the runtime has spent on deliveries.
    fn busy(&self) -> Duration {
        self.runtime.metrics().worker_total_busy_duration(0)
    }
}

/// Returns `n` if deliveries may use 1/n of the machine's processor time while calls take
/// precedence. The later the events, the larger the share.
const fn parts(late: Duration) -> u32 {
    match late.as_secs() {
        0..10 => 50,
        10..60 => 6,
        _ => 1,
    }
}

/// Returns the pause after deliveries ran for `worked`, so that they use at most
/// 1/`parts` of the machine. With at least `parts` processors there is no pause, because
/// a single thread cannot use more than that share.
fn pause(worked: Duration, processors: usize, parts: u32) -> Duration {
    let processors = u32::try_from(processors).map_or(parts, |count| count.clamp(1, parts));
    (worked.saturating_mul(parts - processors) / processors).min(PAUSE_MAX)
}

/// A monitor of the server's load, which decides which of the two threads delivers.
struct LoadMonitor {
    served: Weak<Webhooks>,
    store: Arc<dyn Store>,
    /// The load during which this thread delivers.
    load: Load,
    /// The delay of events: the latest reported delay or half the previous value,
    /// whichever is larger.
    lag_ms: AtomicU64,
}

impl LoadMonitor {
    /// Waits until the load has changed, so that the other thread should deliver; returns
    /// false if the webhooks service was dropped meanwhile.
    async fn turn(&self) -> bool {
        let (mut size, mut calm, mut checked) = (self.size(0), 0, Instant::now());
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            let Some(lag) = self.served.upgrade().map(|webhooks| webhooks.lag()) else { return false };
            // A busy delivery worker does not report the delay at every check, so halve
            // the last value instead of dropping it.
            let faded = self.lag_ms.load(Ordering::Relaxed) / 2;
            let lag_ms = u64::try_from(lag.as_millis()).unwrap_or(u64::MAX);
            self.lag_ms.store(lag_ms.max(faded), Ordering::Relaxed);
            let now = self.size(size);
            calm = if is_busy(now.saturating_sub(size), checked.elapsed()) { 0 } else { calm + 1 };
            (size, checked) = (now, Instant::now());
            if self.load.is_over(calm) {
                return true;
            }
        }
    }

    /// Returns the ledger's number of records, or `before` if it cannot be read.
    fn size(&self, before: u64) -> u64 {
        self.store.head().map_or(before, |head| head.size)
    }
}

/// Checks whether this many records in this time count as busy.
fn is_busy(records: u64, time: Duration) -> bool {
    u128::from(records) * 1_000 >= u128::from(BUSY_RECORDS) * time.as_millis()
}

impl Load {
    /// Returns whether the server has left this load, given the number of consecutive
    /// calm checks.
    const fn is_over(self, calm: u32) -> bool {
        match self {
            Self::Low => calm == 0,
            Self::High => calm >= CALM_CHECKS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_take_a_fiftieth_of_the_machine() {
        let worked = Duration::from_millis(3);
        for (processors, millis) in [(0, 100), (1, 100), (2, 72), (10, 12), (50, 0), (64, 0)] {
            assert_eq!(pause(worked, processors, 50), Duration::from_millis(millis), "{processors}");
        }
        assert_eq!(pause(Duration::from_secs(1), 1, 50), PAUSE_MAX);
    }

    #[test]
    fn late_deliveries_may_use_more_and_very_late_ones_everything() {
        for (seconds, share) in [(0, 50), (9, 50), (10, 6), (59, 6), (60, 1), (u64::MAX / 1_000, 1)] {
            assert_eq!(parts(Duration::from_secs(seconds)), share, "{seconds}");
        }
        assert_eq!(pause(BURST_MAX, 1, 1), Duration::ZERO);
    }

    #[test]
    fn a_hundred_records_a_second_are_busy() {
        let interval = Duration::from_millis(100);
        assert!(is_busy(10, interval) && !is_busy(9, interval) && !is_busy(10, 2 * interval));
    }

    #[test]
    fn one_busy_check_ends_low_load_and_only_a_calm_second_restores_it() {
        assert!(Load::Low.is_over(0) && !Load::Low.is_over(1));
        assert!(!Load::High.is_over(0) && !Load::High.is_over(CALM_CHECKS - 1) && Load::High.is_over(CALM_CHECKS));
    }
}
