//! Slices of rate-limit windows, for limits that several hosts share.
//!
//! Hosts take a client's allowance in slices from a shared counter: all slices
//! together are a twentieth of the limit, so that hosts whose clients leave
//! their slices unused withhold no more than that. A limit is never exceeded,
//! and the counter gets one request per slice, not per call.

use std::pin::Pin;

use super::client::RateLimitKey;
use super::tier::RateLimits;

/// The divisor of a limit that gives the slices of all hosts together.
const SLICES: u32 = 20;

/// The part of a window that has been handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSlice {
    /// Calls granted to this host.
    pub granted: u32,
    /// Calls granted to all hosts, as far as this host knows.
    pub taken: u32,
}

/// A call that is refused only because its host has no slice left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(crate) client: RateLimitKey,
    pub(crate) limits: RateLimits,
    /// The time of the call.
    pub(crate) now_ms: u64,
}

/// The slices that a host needs before it admits calls of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceNeed {
    /// The client of the windows.
    pub client: RateLimitKey,
    /// The limits of the windows.
    pub limits: RateLimits,
    /// The start of the minute window, Unix time in seconds.
    pub minute_begins_s: u64,
    /// The start of the hour window, Unix time in seconds.
    pub hour_begins_s: u64,
    /// Calls to request for the minute; 0 if enough are left.
    pub minute_wanted: u32,
    /// Calls to request for the hour; 0 if enough are left.
    pub hour_wanted: u32,
}

/// The answer to a [`SliceNeed`]: slices of the minute and of the hour.
pub type GrantedSlices = [WindowSlice; 2];

/// The shared counter from which hosts take slices.
pub trait CallSlices: Send + Sync {
    /// The number of serving hosts. A single host needs no slices.
    fn hosts(&self) -> u32;

    /// Takes slices for each need, in order; `None` if the counter cannot be
    /// reached.
    fn take<'a>(
        &'a self,
        needs: &'a [SliceNeed],
    ) -> Pin<Box<dyn Future<Output = Option<Vec<GrantedSlices>>> + Send + 'a>>;
}

impl WindowSlice {
    /// The calls left in a window of which this host has admitted `used`, after
    /// subtracting those granted to other hosts.
    pub(super) const fn left(self, limit: u32, used: u32) -> u32 {
        limit.saturating_sub(used).saturating_sub(self.taken.saturating_sub(self.granted))
    }

    /// The number of calls that this host has to request before the next call; 0
    /// while it has some.
    pub(super) fn wanted(self, limit: u32, used: u32, hosts: u32) -> u32 {
        match used.checked_sub(self.granted) {
            Some(beyond) => beyond.saturating_add((limit / SLICES / hosts.max(1)).max(1)),
            None => 0,
        }
    }

    pub(super) fn add(&mut self, more: Self) {
        self.granted = self.granted.saturating_add(more.granted);
        self.taken = self.taken.max(more.taken).max(self.granted);
    }
}
