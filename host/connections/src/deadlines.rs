//! Deadlines: how long a connection may stay in its current state.
//!
//! One timer serves all deadlines of a connection. It is reset only for an earlier deadline; for a
//! later one it fires once and is then reset. So a call on a busy connection costs one clock read
//! and no timer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};
use tollbridge_core::limits::{
    CLOSE_MS_MAX, FIRST_REQUEST_MS_MAX, HEADERS_MS_MAX, IDLE_MS_MAX, PROXY_IDLE_MS_MAX, WRITE_MS_MAX,
};

use super::activity::Activity;
use super::close_reason::CloseReason;

/// The deadlines of one connection; see the module.
#[derive(Debug)]
pub(crate) struct Deadlines {
    activity: Arc<Activity>,
    /// Time at which the table of the connection was created.
    epoch: Instant,
    idle_limit: Duration,
    idle: Option<Idle>,
    stall: Option<(Stall, Instant)>,
    closing: Option<(Instant, CloseReason)>,
    timer: Pin<Box<Sleep>>,
}

/// The action for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Finish the requests in flight, then close.
    Finish(CloseReason),
    /// Close at once.
    End(CloseReason),
}

/// Start of an idle period, and the number of requests before it.
#[derive(Clone, Copy, Debug)]
struct Idle {
    requests: u32,
    since: Instant,
}

/// An incomplete operation; the number distinguishes it from the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stall {
    Write(u32),
    Head(u32),
    Frame(u32),
}

impl Deadlines {
    /// Creates the deadlines of a connection that starts now.
    pub(crate) fn new(activity: Arc<Activity>, epoch: Instant, proxy: bool) -> Self {
        let idle_limit = Duration::from_millis(if proxy { PROXY_IDLE_MS_MAX } else { IDLE_MS_MAX });
        let first = Instant::now() + Duration::from_millis(FIRST_REQUEST_MS_MAX);
        let timer = Box::pin(sleep_until(first));
        Self { activity, epoch, idle_limit, idle: None, stall: None, closing: None, timer }
    }

    /// Resolves when the connection must be closed. Must be polled after anything that drives the
    /// connection.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Verdict> {
        if self.activity.is_flooded() {
            return Poll::Ready(Verdict::End(CloseReason::Flood));
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

    /// Notes that the connection was asked to close; once nothing is in flight, little time
    /// remains.
    pub(crate) fn close(&mut self, reason: CloseReason) {
        self.closing.get_or_insert((Instant::now() + Duration::from_millis(CLOSE_MS_MAX), reason));
    }

    fn verdict(&mut self, reason: CloseReason) -> Verdict {
        if reason == CloseReason::Idle && self.closing.is_none() {
            self.close(reason);
            return Verdict::Finish(reason);
        }
        Verdict::End(reason)
    }

    fn observe(&mut self) {
        let counts = self.activity.counts();
        if self.activity.is_in_flight() {
            if self.idle.take().is_some() {
                self.activity.rests_no_more();
            }
        } else if self.idle.is_none_or(|idle| idle.requests != counts.requests) {
            let since = Instant::now();
            // The table already has the start time of a connection without requests.
            if counts.requests > 0 {
                let ms = since.saturating_duration_since(self.epoch).as_millis();
                self.activity.rests_since(u64::try_from(ms).unwrap_or_default());
            }
            self.idle = Some(Idle { requests: counts.requests, since });
        }
        let begun = self.activity.is_begun();
        let stall = if self.activity.is_blocked() {
            Some(Stall::Write(counts.writes))
        } else if begun.frame && counts.requests > 0 {
            Some(Stall::Frame(counts.frames))
        } else if begun.head && counts.requests > 0 && self.idle.is_some() {
            Some(Stall::Head(counts.requests))
        } else {
            None
        };
        if stall != self.stall.map(|(stall, _)| stall) {
            self.stall = stall.map(|stall| (stall, Instant::now()));
        }
    }

    /// Returns the earliest deadline.
    fn next(&self) -> Option<(Instant, CloseReason)> {
        let ms = Duration::from_millis;
        let idle = self.idle.map(|idle| match idle.requests {
            0 => (idle.since + ms(FIRST_REQUEST_MS_MAX), CloseReason::NoRequest),
            _ => (idle.since + self.idle_limit, CloseReason::Idle),
        });
        let stall = self.stall.map(|(stall, since)| match stall {
            Stall::Write(_) => (since + ms(WRITE_MS_MAX), CloseReason::Unread),
            Stall::Head(_) | Stall::Frame(_) => (since + ms(HEADERS_MS_MAX), CloseReason::SlowHead),
        });
        // Once it is asked to close, little time remains when nothing is in flight.
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

    /// A connection, and its lifetime in seconds.
    struct Watched {
        activity: Arc<Activity>,
        deadlines: Deadlines,
        began: Instant,
    }

    impl Watched {
        fn new() -> Self {
            let activity = Arc::new(Activity::default());
            let began = Instant::now();
            Self { deadlines: Deadlines::new(activity.clone(), began, false), activity, began }
        }

        /// Returns the verdict within a number of seconds.
        async fn within(&mut self, seconds: u64) -> Option<(Verdict, u64)> {
            let verdict = poll_fn(|context| self.deadlines.poll(context));
            let verdict = tokio::time::timeout(Duration::from_secs(seconds), verdict).await.ok()?;
            Some((verdict, self.began.elapsed().as_secs()))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_however_it_is_broken() {
        let mut silent = Watched::new();
        assert_eq!(silent.within(60).await, Some((Verdict::End(CloseReason::NoRequest), 15)));
        let mut busy = Watched::new();
        for frames in 1..=14 {
            // Pings and settings are not requests.
            busy.activity.received_frames(frames, frames % 2 == 0);
            assert_eq!(busy.within(1).await, None);
        }
        assert_eq!(busy.within(60).await, Some((Verdict::End(CloseReason::NoRequest), 15)));
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
        assert_eq!(watched.within(5).await, Some((Verdict::Finish(CloseReason::Idle), 300 + 59 + 60)));
        assert_eq!(watched.within(60).await, Some((Verdict::End(CloseReason::Idle), 300 + 59 + 60 + 5)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_began_must_end() {
        let mut watched = Watched::new();
        drop(watched.activity.begin());
        assert_eq!(watched.within(10).await, None);
        watched.activity.received_http1();
        assert_eq!(watched.within(60).await, Some((Verdict::End(CloseReason::SlowHead), 25)));
        // A frame, while a call is in flight.
        let mut watched = Watched::new();
        let _call = watched.activity.begin();
        for frame in 0..10 {
            watched.activity.received_frames(frame, true);
            assert_eq!(watched.within(14).await, None, "{frame}");
        }
        assert_eq!(watched.within(60).await, Some((Verdict::End(CloseReason::SlowHead), 14 * 9 + 15)));
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_slowly_stays_and_who_reads_nothing_goes() {
        let mut watched = Watched::new();
        let _call = watched.activity.begin();
        for _ in 0..10 {
            watched.activity.wrote(true);
            assert_eq!(watched.within(29).await, None);
            watched.activity.wrote(false);
        }
        watched.activity.wrote(true);
        assert_eq!(watched.within(60).await, Some((Verdict::End(CloseReason::Unread), 290 + 30)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_ends_at_once() {
        let mut watched = Watched::new();
        let _call = watched.activity.begin();
        watched.activity.flood();
        assert_eq!(watched.within(1).await, Some((Verdict::End(CloseReason::Flood), 0)));
    }
}
