//! The activity of one connection. The I/O path records it; `deadlines` and
//! `connection_table` read it to decide how long the connection may stay open.
//!
//! This module never reads the clock, allocates or takes a lock, because every call
//! passes through it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use tokio::task::AbortHandle;

/// Value of `idle_since` while a connection is not idle.
const BUSY: u64 = u64::MAX;

/// The activity of one connection; see the module documentation.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    in_flight: AtomicU32,
    requests: AtomicU32,
    /// Whether the head of a request was received only in part.
    head_begun: AtomicBool,
    /// Whether an HTTP/2 frame, or a header block of several frames, was received only in
    /// part.
    frame_begun: AtomicBool,
    frames: AtomicU32,
    blocked: AtomicBool,
    writes: AtomicU32,
    flooded: AtomicBool,
    http2: AtomicBool,
    idle_since: AtomicU64,
    task: OnceLock<AbortHandle>,
}

/// A guard that counts a request as in flight, from its head to the last byte of the
/// response.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Activity>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

impl InFlight {
    /// Returns whether the request came over HTTP/2.
    pub(crate) fn over_http2(&self) -> bool {
        self.0.http2.load(Relaxed)
    }
}

impl Activity {
    /// Records a complete request head. The request counts as in flight until the guard
    /// is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Relaxed);
        self.requests.fetch_add(1, Relaxed);
        self.head_begun.store(false, Relaxed);
        InFlight(self.clone())
    }

    /// Records received HTTP/1 bytes. While a request is in flight, they count as part of
    /// its body.
    pub(crate) fn received_http1(&self) {
        if self.in_flight.load(Relaxed) == 0 {
            self.head_begun.store(true, Relaxed);
        }
    }

    /// Records completed HTTP/2 frames, and whether another frame has begun.
    pub(crate) fn received_frames(&self, complete: u32, begun: bool) {
        self.frames.fetch_add(complete, Relaxed);
        self.frame_begun.store(begun, Relaxed);
    }

    /// Records that the client sent the HTTP/2 preface.
    pub(crate) fn set_http2(&self) {
        self.http2.store(true, Relaxed);
    }

    /// Records that the client sent too many control frames.
    pub(crate) fn set_flooded(&self) {
        self.flooded.store(true, Relaxed);
    }

    /// Records a write: either the socket accepted bytes, or it is blocked.
    pub(crate) fn wrote(&self, blocked: bool) {
        // Most writes leave the state unchanged.
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

    pub(crate) fn is_begun(&self) -> PartialInput {
        PartialInput { head: self.head_begun.load(Relaxed), frame: self.frame_begun.load(Relaxed) }
    }

    pub(crate) fn is_in_flight(&self) -> bool {
        self.in_flight.load(Relaxed) > 0
    }

    /// Returns counts that change with each request, frame and write.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            requests: self.requests.load(Relaxed),
            frames: self.frames.load(Relaxed),
            writes: self.writes.load(Relaxed),
        }
    }

    /// Records that the connection has been idle since `ms`, in milliseconds after the
    /// creation of the connection table.
    pub(crate) fn set_idle_since(&self, ms: u64) {
        self.idle_since.store(ms, Relaxed);
    }

    pub(crate) fn clear_idle(&self) {
        self.idle_since.store(BUSY, Relaxed);
    }

    /// Returns the start of the idle period, in milliseconds after the creation of the
    /// connection table; `None` while a request is in flight.
    pub(crate) fn idle_since(&self) -> Option<u64> {
        let since = self.idle_since.load(Relaxed);
        (since != BUSY && !self.is_in_flight()).then_some(since)
    }

    /// Records the task that serves the connection.
    pub(crate) fn served_by(&self, task: AbortHandle) {
        // Set once, right after the task started.
        let _ = self.task.set(task);
    }

    /// Aborts the connection; returns false if it has only just started and its task is
    /// not recorded yet.
    pub(crate) fn end(&self) -> bool {
        self.task.get().map(AbortHandle::abort).is_some()
    }
}

/// Whether a request head, or a frame, was received only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartialInput {
    pub head: bool,
    pub frame: bool,
}

/// The result of [`Activity::counts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub requests: u32,
    pub frames: u32,
    pub writes: u32,
}
