//! The health of one model at one provider: a circuit breaker with half-open probes, and
//! the latency of the model.
//!
//! Invariants:
//! 1. While the breaker is open, no request is sent; after the pause, one probe at a time
//!    is sent.
//! 2. If a probe is abandoned, another probe may be sent.
//! 3. A failed probe lengthens the pause, up to a maximum.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Length of the first pause after failures; each failed probe doubles it, up to `PAUSE_MAX`.
const PAUSE: Duration = Duration::from_secs(5);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Consecutive failures that open the breaker.
const CONSECUTIVE_FAILURES: u32 = 3;
/// The minimum number of requests in the window for its failure rate to be meaningful.
const WINDOW_REQUESTS_MIN: u32 = 5;
const WINDOW: Duration = Duration::from_secs(60);
/// A deployment counts as out of service after this long without a success, or if the
/// provider requested a pause of at least this length: model lists show the outage, and
/// calls that need the deployment are not sold.
const OUTAGE: Duration = Duration::from_secs(120);

/// Health of one deployment.
#[derive(Debug, Default)]
pub struct DeploymentHealth {
    state: Mutex<State>,
    /// Moving average of the time to the first content, in microseconds; 0 if unknown.
    latency_us: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    consecutive_failures: u32,
    /// Start of the current window; `now` and `before` count requests and failures of the
    /// current and the previous window.
    window: Option<Instant>,
    now: (u32, u32),
    before: (u32, u32),
    /// Requests and failures since the process started.
    all: (u64, u64),
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    /// Start of the period without a success.
    since: Instant,
    /// Time of the last failure.
    failed: Instant,
    until: Instant,
    pause: Duration,
    /// Whether the provider asked for the pause; such a pause also applies to forced
    /// requests.
    by_provider: bool,
    /// Whether a probe is in flight.
    probing: bool,
}

/// The decision whether a request may be sent.
#[derive(Debug)]
pub enum BreakerDecision<'h> {
    Allow(BreakerPermit<'h>),
    /// No request may be sent before this instant.
    RejectUntil(Instant),
}

/// A permit to send one request. Dropping the permit without a report counts as an
/// abandoned request.
#[must_use]
#[derive(Debug)]
pub struct BreakerPermit<'h> {
    health: &'h DeploymentHealth,
    probe: bool,
}

/// Whether a probe may now be sent to check whether an outage has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeDue(pub bool);

/// The outcome of an attempt, as it affects the next requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The provider answered.
    Success,
    /// The request caused the failure, or the cause is unknown.
    Inconclusive,
    /// The provider failed; enough failures open the breaker.
    Failure,
    /// The provider asked for a pause of this length.
    Backoff(Duration),
}

/// The state of a breaker, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Requests are sent.
    Closed,
    /// No requests are sent for this long.
    Open(Duration),
    /// The next request is a probe.
    HalfOpen,
}

impl DeploymentHealth {
    /// Asks for permission to send a request. `force` allows a probe although failures
    /// have opened the breaker; it is used if no other provider is left.
    pub fn admit(&self, now: Instant, force: bool) -> BreakerDecision<'_> {
        let mut state = self.state.lock();
        let Some(open) = &mut state.open else {
            return BreakerDecision::Allow(BreakerPermit { health: self, probe: false });
        };
        if open.probing || (now < open.until && (open.by_provider || !force)) {
            return BreakerDecision::RejectUntil(open.until.max(now));
        }
        open.probing = true;
        BreakerDecision::Allow(BreakerPermit { health: self, probe: true })
    }

    /// Returns the instant from which requests may be sent to the deployment again;
    /// `None` if they may be sent now.
    pub fn paused_until(&self, now: Instant) -> Option<Instant> {
        let state = self.state.lock();
        state.open.as_ref().filter(|open| open.probing || open.until > now).map(|open| open.until.max(now))
    }

    /// Pauses the deployment until `until`, because its engine is not ready. Forced requests
    /// wait, too.
    pub fn hold(&self, now: Instant, until: Instant) {
        let mut state = self.state.lock();
        let (since, probing) = state.open.map_or((now, false), |open| (open.since, open.probing));
        state.open = Some(Open { since, failed: now, until, pause: PAUSE, by_provider: true, probing });
    }

    /// Ends every pause.
    pub fn release(&self) {
        let mut state = self.state.lock();
        (state.open, state.consecutive_failures) = (None, 0);
    }

    /// Returns whether the deployment has failed for so long that it is unlikely to
    /// recover within moments, and if so, whether a probe may be sent. Without a recent
    /// attempt the state is unknown, which does not count as an outage.
    pub fn lasting_outage(&self, now: Instant) -> Option<ProbeDue> {
        let open = self.state.lock().open?;
        let failed_long = open.failed.saturating_duration_since(open.since) >= OUTAGE;
        let pauses_long = open.until.saturating_duration_since(open.failed) >= OUTAGE;
        let is_recent = open.probing || now.saturating_duration_since(open.until) < OUTAGE;
        ((failed_long || pauses_long) && is_recent).then_some(ProbeDue(!open.probing && open.until <= now))
    }

    /// Returns whether the breaker blocks requests, or did so recently. Without a recent
    /// attempt the state is unknown, which does not count as tripped.
    pub fn is_tripped(&self, now: Instant) -> bool {
        let open = self.state.lock().open;
        open.is_some_and(|open| open.probing || now.saturating_duration_since(open.until) < OUTAGE)
    }

    pub fn state(&self, now: Instant) -> BreakerState {
        match self.state.lock().open {
            None => BreakerState::Closed,
            Some(open) if open.until > now => BreakerState::Open(open.until - now),
            Some(_) => BreakerState::HalfOpen,
        }
    }

    /// Returns the number of requests and of failures in the last one to two minutes.
    pub fn recent(&self, now: Instant) -> (u32, u32) {
        let mut state = self.state.lock();
        state.rotate(now);
        (state.now.0 + state.before.0, state.now.1 + state.before.1)
    }

    /// Returns the number of requests and of failures since the process started.
    pub fn since_start(&self) -> (u64, u64) {
        self.state.lock().all
    }

    /// Returns the average time to the first content, if known.
    pub fn latency(&self) -> Option<Duration> {
        Some(Duration::from_micros(self.latency_us.load(Ordering::Relaxed))).filter(|latency| !latency.is_zero())
    }

    fn record_latency(&self, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        let old = self.latency_us.load(Ordering::Relaxed);
        let new = if old == 0 { took } else { old - old / 8 + took / 8 };
        self.latency_us.store(new.max(1), Ordering::Relaxed);
    }
}

impl BreakerPermit<'_> {
    /// Reports the outcome of the request; `took` is the time to its first content.
    pub fn report(self, outcome: AttemptOutcome, took: Duration, now: Instant) {
        if outcome == AttemptOutcome::Success {
            self.health.record_latency(took);
        }
        let mut state = self.health.state.lock();
        state.rotate(now);
        match outcome {
            AttemptOutcome::Success => {
                state.count(false);
                state.consecutive_failures = 0;
                if self.probe {
                    state.open = None;
                    (state.now, state.before) = ((1, 0), (0, 0));
                }
            }
            AttemptOutcome::Inconclusive => {}
            AttemptOutcome::Failure => state.fail(self.probe, now),
            AttemptOutcome::Backoff(pause) => {
                state.count(true);
                let pause = pause.max(Duration::from_millis(1));
                let since = state.open.map_or(now, |open| open.since);
                let until = now + pause;
                state.open = Some(Open { since, failed: now, until, pause: PAUSE, by_provider: true, probing: false });
            }
        }
        // Dropping the permit releases the probe.
    }
}

impl Drop for BreakerPermit<'_> {
    fn drop(&mut self) {
        if self.probe
            && let Some(open) = &mut self.health.state.lock().open
        {
            open.probing = false;
        }
    }
}

impl State {
    fn rotate(&mut self, now: Instant) {
        match self.window {
            Some(began) if now.saturating_duration_since(began) < WINDOW => {}
            Some(began) => {
                let skipped = now.saturating_duration_since(began) >= 2 * WINDOW;
                self.before = if skipped { (0, 0) } else { self.now };
                self.now = (0, 0);
                self.window = Some(now);
            }
            None => self.window = Some(now),
        }
    }

    fn count(&mut self, failed: bool) {
        self.now = (self.now.0 + 1, self.now.1 + u32::from(failed));
        self.all = (self.all.0.saturating_add(1), self.all.1.saturating_add(u64::from(failed)));
    }

    fn fail(&mut self, probe: bool, now: Instant) {
        self.count(true);
        self.consecutive_failures += 1;
        let (all, failed) = (self.now.0 + self.before.0, self.now.1 + self.before.1);
        let pause = match self.open {
            Some(open) if probe => (open.pause * 2).min(PAUSE_MAX),
            // The request was sent before the breaker opened, so its outcome is ignored.
            Some(_) => return,
            None if self.consecutive_failures >= CONSECUTIVE_FAILURES
                || (all >= WINDOW_REQUESTS_MIN && failed * 2 > all) =>
            {
                PAUSE
            }
            None => return,
        };
        let since = self.open.map_or(now, |open| open.since);
        self.open = Some(Open { since, failed: now, until: now + pause, pause, by_provider: false, probing: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(health: &DeploymentHealth, now: Instant) -> BreakerPermit<'_> {
        match health.admit(now, false) {
            BreakerDecision::Allow(permit) => permit,
            BreakerDecision::RejectUntil(until) => panic!("wait {:?}", until - now),
        }
    }

    fn after(health: &DeploymentHealth, now: Instant, outcome: AttemptOutcome) {
        go(health, now).report(outcome, Duration::from_millis(5), now);
    }

    #[test]
    fn opens_after_three_in_a_row_and_lets_one_probe_through() {
        let (health, start) = (DeploymentHealth::default(), Instant::now());
        for _ in 0..3 {
            after(&health, start, AttemptOutcome::Failure);
        }
        assert_eq!(health.state(start), BreakerState::Open(PAUSE));
        assert!(health.is_tripped(start) && health.is_tripped(start + PAUSE) && !health.is_tripped(start + OUTAGE * 2));
        assert!(matches!(health.admit(start, false), BreakerDecision::RejectUntil(_)));
        assert!(matches!(health.admit(start, true), BreakerDecision::Allow(_)), "a forced request may be sent");
        let later = start + PAUSE;
        let probe = go(&health, later);
        assert!(matches!(health.admit(later, false), BreakerDecision::RejectUntil(_)), "a second probe");
        assert!(matches!(health.admit(later, true), BreakerDecision::RejectUntil(_)), "a second forced probe");
        // The probe's client disconnected: the outcome is unknown, and another probe may be sent.
        drop(probe);
        let probe = go(&health, later);
        probe.report(AttemptOutcome::Failure, Duration::ZERO, later);
        assert_eq!(health.state(later), BreakerState::Open(PAUSE * 2));
        let last = later + PAUSE * 2;
        after(&health, last, AttemptOutcome::Success);
        assert_eq!((health.state(last), health.since_start()), (BreakerState::Closed, (5, 4)));
        assert!(!health.is_tripped(last) && health.latency().is_some());
    }

    /// A failure of a request that was in flight when its engine ended does not end the hold.
    #[test]
    fn a_held_deployment_gets_no_request_until_it_is_released() {
        let (health, start) = (DeploymentHealth::default(), Instant::now());
        let in_flight = go(&health, start);
        health.hold(start, start + PAUSE);
        in_flight.report(AttemptOutcome::Failure, Duration::ZERO, start);
        assert!(matches!(health.admit(start, true), BreakerDecision::RejectUntil(_)), "a forced request is sent");
        assert_eq!((health.state(start), health.paused_until(start)), (BreakerState::Open(PAUSE), Some(start + PAUSE)));
        let later = start + OUTAGE;
        health.hold(later, later + PAUSE);
        assert_eq!(health.lasting_outage(later), Some(ProbeDue(false)), "an engine that does not start is no outage");
        health.release();
        assert_eq!((health.state(later), health.lasting_outage(later)), (BreakerState::Closed, None));
        go(&health, later).report(AttemptOutcome::Success, Duration::from_millis(5), later);
    }

    /// Failures that last seconds are not an outage; failures that last minutes are,
    /// until one request succeeds.
    #[test]
    fn only_lasting_trouble_is_an_outage() {
        let (health, start) = (DeploymentHealth::default(), Instant::now());
        for _ in 0..3 {
            after(&health, start, AttemptOutcome::Failure);
        }
        let mut now = start;
        while now < start + OUTAGE {
            assert_eq!(health.lasting_outage(now), None, "after {:?}", now - start);
            assert_eq!(
                health.lasting_outage(now + OUTAGE),
                None,
                "failures that lasted only seconds are not an outage"
            );
            now = health.paused_until(now).unwrap();
            after(&health, now, AttemptOutcome::Failure);
        }
        assert_eq!(health.lasting_outage(now), Some(ProbeDue(false)));
        let later = health.paused_until(now).unwrap();
        assert_eq!(health.lasting_outage(later), Some(ProbeDue(true)), "a probe is due");
        assert_eq!(health.lasting_outage(later + OUTAGE), None, "without a recent attempt there is no outage");
        let probe = go(&health, later);
        assert_eq!(health.lasting_outage(later), Some(ProbeDue(false)), "two probes");
        probe.report(AttemptOutcome::Success, Duration::from_millis(5), later);
        assert_eq!(health.lasting_outage(later), None, "the outage has not ended");
        after(&health, later, AttemptOutcome::Backoff(OUTAGE));
        assert_eq!(health.lasting_outage(later), Some(ProbeDue(false)), "the provider asked for a long pause");
    }

    #[test]
    fn pauses_grow_to_their_bound() {
        let (health, mut now) = (DeploymentHealth::default(), Instant::now());
        for _ in 0..3 {
            after(&health, now, AttemptOutcome::Failure);
        }
        for _ in 0..10 {
            now = health.paused_until(now).unwrap();
            after(&health, now, AttemptOutcome::Failure);
        }
        assert_eq!(health.state(now), BreakerState::Open(PAUSE_MAX));
    }

    #[test]
    fn a_share_of_failures_opens_it_and_old_ones_are_forgotten() {
        let (health, start) = (DeploymentHealth::default(), Instant::now());
        for outcome in
            [AttemptOutcome::Failure, AttemptOutcome::Failure, AttemptOutcome::Success, AttemptOutcome::Failure]
        {
            after(&health, start, outcome);
        }
        assert_eq!(health.state(start), BreakerState::Closed);
        after(&health, start + Duration::from_secs(300), AttemptOutcome::Failure);
        assert_eq!(health.state(start + Duration::from_secs(300)), BreakerState::Closed, "old failures count");
        let again = start + Duration::from_secs(600);
        for outcome in
            [AttemptOutcome::Success, AttemptOutcome::Failure, AttemptOutcome::Failure, AttemptOutcome::Success]
        {
            after(&health, again, outcome);
        }
        after(&health, again, AttemptOutcome::Failure);
        assert!(matches!(health.state(again), BreakerState::Open(_)), "three of five");
    }

    #[test]
    fn a_wish_to_be_left_alone_is_respected() {
        let (health, now) = (DeploymentHealth::default(), Instant::now());
        after(&health, now, AttemptOutcome::Backoff(Duration::from_secs(17)));
        assert_eq!(health.state(now), BreakerState::Open(Duration::from_secs(17)));
        assert!(
            matches!(health.admit(now, true), BreakerDecision::RejectUntil(_)),
            "a forced request is sent during the pause"
        );
        after(&health, now + Duration::from_secs(17), AttemptOutcome::Inconclusive);
        assert_eq!(health.state(now + Duration::from_secs(17)), BreakerState::HalfOpen);
    }
}
