//! What happens on one connection: written where it happens, read by what
//! decides how long the connection may last.
//!
//! Nothing here reads the clock, allocates or takes a lock: it is on the path of
//! every call.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use tokio::task::AbortHandle;

/// Stands for a time at which a connection is not idle.
const BUSY: u64 = u64::MAX;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    in_flight: AtomicU32,
    requests: AtomicU32,
    /// A request's first bytes came, and not yet all of its head.
    head_begun: AtomicBool,
    /// An HTTP/2 frame, or headers in several, came in part.
    frame_begun: AtomicBool,
    frames: AtomicU32,
    blocked: AtomicBool,
    writes: AtomicU32,
    flooded: AtomicBool,
    http2: AtomicBool,
    idle_since: AtomicU64,
    task: OnceLock<AbortHandle>,
}

/// A request from its head to the last byte of its answer.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

impl InFlight {
    /// Whether the request came over HTTP/2.
    pub(crate) fn over_http2(&self) -> bool {
        self.0.http2.load(Relaxed)
    }
}

impl Activity {
    /// The head of a request is complete.
    pub(crate) fn begin(self: &Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Relaxed);
        self.requests.fetch_add(1, Relaxed);
        self.head_begun.store(false, Relaxed);
        InFlight(self.clone())
    }

    /// Bytes of HTTP/1 came. While a request is in flight they are its body.
    pub(crate) fn received_http1(&self) {
        if self.in_flight.load(Relaxed) == 0 {
            self.head_begun.store(true, Relaxed);
        }
    }

    /// Frames of HTTP/2 came to their end, and perhaps another began.
    pub(crate) fn received_frames(&self, complete: u32, begun: bool) {
        self.frames.fetch_add(complete, Relaxed);
        self.frame_begun.store(begun, Relaxed);
    }

    /// The preface said HTTP/2.
    pub(crate) fn speaks_http2(&self) {
        self.http2.store(true, Relaxed);
    }

    /// More frames without a request than a client has use for.
    pub(crate) fn flood(&self) {
        self.flooded.store(true, Relaxed);
    }

    /// The socket took something, or takes nothing at the moment.
    pub(crate) fn wrote(&self, blocked: bool) {
        // Most writes find it as it should be.
        if blocked || self.blocked.load(Relaxed) {
            self.blocked.store(blocked, Relaxed);
            if !blocked {
                self.writes.fetch_add(1, Relaxed);
            }
        }
    }

    pub(crate) fn is_flooded(&self) -> bool {
        self.flooded.load(Relaxed)
    }

    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked.load(Relaxed)
    }

    pub(crate) fn is_begun(&self) -> Begun {
        Begun { head: self.head_begun.load(Relaxed), frame: self.frame_begun.load(Relaxed) }
    }

    pub(crate) fn is_in_flight(&self) -> bool {
        self.in_flight.load(Relaxed) > 0
    }

    /// Counts that change with each request, frame and write.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            requests: self.requests.load(Relaxed),
            frames: self.frames.load(Relaxed),
            writes: self.writes.load(Relaxed),
        }
    }

    /// Nothing is in flight since some milliseconds after the table was made.
    pub(crate) fn rests_since(&self, ms: u64) {
        self.idle_since.store(ms, Relaxed);
    }

    pub(crate) fn rests_no_more(&self) {
        self.idle_since.store(BUSY, Relaxed);
    }

    /// Since when nothing is in flight; none while something is.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        let since = self.idle_since.load(Relaxed);
        (since != BUSY && !self.is_in_flight()).then_some(since)
    }

    /// The task that serves the connection.
    pub(crate) fn served_by(&self, task: AbortHandle) {
        // Said once, right after the task began.
        let _ = self.task.set(task);
    }

    /// Ends the connection at once; false if it has only just begun.
    pub(crate) fn end(&self) -> bool {
        self.task.get().map(AbortHandle::abort).is_some()
    }
}

/// What came in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    pub head: bool,
    pub frame: bool,
}

/// See [`Activity::counts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub requests: u32,
    pub frames: u32,
    pub writes: u32,
}
