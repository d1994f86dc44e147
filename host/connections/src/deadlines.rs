//! Deadlines: how long a connection may stay in its current state.
//!
//! One timer serves all deadlines of a connection. It is reset immediately only if the
//! next deadline became earlier; if it became later, the timer first fires and is then
//! reset. A call on a busy connection therefore costs one clock read and no timer
//! operation.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::Activity;
use super::close_reason::CloseReason;

/// Maximum time from the start of a connection to the complete head of its first request,
/// whatever else the client sends before it: nothing, half a preface, settings or pings.
const FIRST_REQUEST_MS_MAX: u64 = 15_000;
/// Maximum time from the first to the last byte of a later request's head, or of one
/// HTTP/2 frame.
const HEADERS_MS_MAX: u64 = 15_000;
/// Maximum time for which a connection without requests in flight may stay open after it
/// was asked to close.
const CLOSE_MS_MAX: u64 = 5_000;

/// The deadlines of one connection; see the module documentation.
#[derive(Debug)]
pub(crate) struct Deadlines {
    activity: Arc<Activity>,
    /// Creation time of the connection table; idle times are relative to it.
    epoch: Instant,
    idle_limit: Duration,
    unread_limit: Duration,
    idle: Option<Idle>,
    stall: Option<(PendingOperation, Instant)>,
    closing: Option<(Instant, CloseReason)>,
    timer: Pin<Box<Sleep>>,
}

/// The action to take on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CloseAction {
    /// Finish the requests in flight, then close.
    Finish(CloseReason),
    /// Close at once.
    End(CloseReason),
}

/// The start of an idle period, and the number of requests that came before it.
#[derive(Clone, Copy, Debug)]
struct Idle {
    requests: u32,
    since: Instant,
}

/// An incomplete operation; its number distinguishes it from later operations of the same
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PendingOperation {
    Write(u32),
    Head(u32),
    Frame(u32),
}

impl Deadlines {
    /// Creates the deadlines of a connection that starts now.
    pub(crate) fn new(activity: Arc<Activity>, epoch: Instant, idle_limit: Duration, unread_limit: Duration) -> Self {
        let first = Instant::now() + Duration::from_millis(FIRST_REQUEST_MS_MAX);
        let timer = Box::pin(sleep_until(first));
        Self { activity, epoch, idle_limit, unread_limit, idle: None, stall: None, closing: None, timer }
    }

    /// Resolves when the connection must be closed. Must be polled after every poll of
    /// the connection itself.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<CloseAction> {
        if self.activity.is_flooded() {
            return Poll::Ready(CloseAction::End(CloseReason::Flood));
        }
        self.observe();
        while let Some((at, reason)) = self.next() {
            if at < self.timer.deadline() || self.timer.is_elapsed() {
                self.timer.as_mut().reset(at);
            }
            ready!(self.timer.as_mut().poll(context));
            if at <= Instant::now() {
                return Poll::Ready(self.verdict(reason));
            }
        }
        Poll::Pending
    }

    /// Records that the connection was asked to close. From now on, it may stay open
    /// without a request in flight for at most `CLOSE_MS_MAX`.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        self.closing.get_or_insert((Instant::now() + Duration::from_millis(CLOSE_MS_MAX), reason));
    }

    fn verdict(&mut self, reason: CloseReason) -> CloseAction {
        if reason == CloseReason::Idle && self.closing.is_none() {
            self.close(reason);
            return CloseAction::Finish(reason);
        }
        CloseAction::End(reason)
    }

    fn observe(&mut self) {
        let counts = self.activity.counts();
        if self.activity.is_in_flight() {
            if self.idle.take().is_some() {
                self.activity.clear_idle();
            }
        } else if self.idle.is_none_or(|idle| idle.requests != counts.requests) {
            let since = Instant::now();
            // Before the first request, the connection table has already recorded the
            // start of the connection as the start of the idle period.
            if counts.requests > 0 {
                let ms = since.saturating_duration_since(self.epoch).as_millis();
                self.activity.set_idle_since(u64::try_from(ms).unwrap_or_default());
            }
            self.idle = Some(Idle { requests: counts.requests, since });
        }
        let begun = self.activity.is_begun();
        let stall = if self.activity.is_blocked() {
            Some(PendingOperation::Write(counts.writes))
        } else if begun.frame && counts.requests > 0 {
            Some(PendingOperation::Frame(counts.frames))
        } else if begun.head && counts.requests > 0 && self.idle.is_some() {
            Some(PendingOperation::Head(counts.requests))
        } else {
            None
        };
        if stall != self.stall.map(|(stall, _)| stall) {
            self.stall = stall.map(|stall| (stall, Instant::now()));
        }
    }

    /// Returns the earliest deadline, and the reason for closing the connection then.
    fn next(&self) -> Option<(Instant, CloseReason)> {
        let ms = Duration::from_millis;
        let idle = self.idle.map(|idle| match idle.requests {
            0 => (idle.since + ms(FIRST_REQUEST_MS_MAX), CloseReason::NoRequest),
            _ => (idle.since + self.idle_limit, CloseReason::Idle),
        });
        let stall = self.stall.map(|(stall, since)| match stall {
            PendingOperation::Write(_) => (since + self.unread_limit, CloseReason::Unread),
            PendingOperation::Head(_) | PendingOperation::Frame(_) => {
                (since + ms(HEADERS_MS_MAX), CloseReason::SlowHead)
            }
        });
        // A connection that was asked to close may be idle only for a short time.
        let rest = match (self.closing, self.idle) {
            (Some((at, reason)), Some(Idle { since, .. })) => Some((at.max(since + ms(CLOSE_MS_MAX)), reason)),
            (Some(_), None) => None,
            (None, _) => idle,
        };
        [rest, stall].into_iter().flatten().min_by_key(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    const IDLE: Duration = Duration::from_secs(60);
    const UNREAD: Duration = Duration::from_secs(30);

    /// A connection under test, and its start time.
    struct Watched {
        activity: Arc<Activity>,
        deadlines: Deadlines,
        began: Instant,
    }

    impl Watched {
        fn new() -> Self {
            let activity = Arc::new(Activity::default());
            let began = Instant::now();
            Self { deadlines: Deadlines::new(activity.clone(), began, IDLE, UNREAD), activity, began }
        }

        /// Waits up to `seconds` for an action; returns the action and the age of the
        /// connection in seconds.
        async fn within(&mut self, seconds: u64) -> Option<(CloseAction, u64)> {
            let verdict = poll_fn(|context| self.deadlines.poll(context));
            let verdict = tokio::time::timeout(Duration::from_secs(seconds), verdict).await.ok()?;
            Some((verdict, self.began.elapsed().as_secs()))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_however_it_is_broken() {
        let mut silent = Watched::new();
        assert_eq!(silent.within(60).await, Some((CloseAction::End(CloseReason::NoRequest), 15)));
        let mut busy = Watched::new();
        for frames in 1..=14 {
            // Pings and settings are not requests.
            busy.activity.received_frames(frames, frames % 2 == 0);
            assert_eq!(busy.within(1).await, None);
        }
        assert_eq!(busy.within(60).await, Some((CloseAction::End(CloseReason::NoRequest), 15)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_may_take_its_time_and_rest_is_counted_from_its_end() {
        let mut watched = Watched::new();
        let call = watched.activity.begin();
        assert_eq!(watched.within(300).await, None);
        assert_eq!(watched.activity.idle_since(), None);
        drop(call);
        assert_eq!(watched.within(59).await, None);
        assert_eq!(watched.activity.idle_since(), Some(300_000));
        drop(watched.activity.begin());
        assert_eq!(watched.within(59).await, None);
        assert_eq!(watched.within(5).await, Some((CloseAction::Finish(CloseReason::Idle), 300 + 59 + 60)));
        assert_eq!(watched.within(60).await, Some((CloseAction::End(CloseReason::Idle), 300 + 59 + 60 + 5)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_started_request_must_end() {
        let mut watched = Watched::new();
        drop(watched.activity.begin());
        assert_eq!(watched.within(10).await, None);
        watched.activity.received_http1();
        assert_eq!(watched.within(60).await, Some((CloseAction::End(CloseReason::SlowHead), 25)));
        // An incomplete frame while a call is in flight.
        let mut watched = Watched::new();
        let _call = watched.activity.begin();
        for frame in 0..10 {
            watched.activity.received_frames(frame, true);
            assert_eq!(watched.within(14).await, None, "{frame}");
        }
        assert_eq!(watched.within(60).await, Some((CloseAction::End(CloseReason::SlowHead), 14 * 9 + 15)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_stays_and_a_stalled_reader_is_closed() {
        let mut watched = Watched::new();
        let _call = watched.activity.begin();
        for _ in 0..10 {
            watched.activity.wrote(true);
            assert_eq!(watched.within(29).await, None);
            watched.activity.wrote(false);
        }
        watched.activity.wrote(true);
        assert_eq!(watched.within(60).await, Some((CloseAction::End(CloseReason::Unread), 290 + 30)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_ends_at_once() {
        let mut watched = Watched::new();
        let _call = watched.activity.begin();
        watched.activity.set_flooded();
        assert_eq!(watched.within(1).await, Some((CloseAction::End(CloseReason::Flood), 0)));
    }
}
