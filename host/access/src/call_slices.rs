//! Slices of rate-limit windows, for limits that several hosts share.
//!
//! Hosts reserve a client's calls in slices from a shared counter. The slices of all
//! hosts together are a twentieth of the limit, so at most that share stays unused on
//! hosts that the client does not call. A limit is never exceeded, and the counter gets
//! one request per slice, not per call.

use std::pin::Pin;

use super::client::RateLimitKey;
use super::tier::RateLimits;

/// A slice is the limit divided by this number and by the number of hosts, but at least
/// one call.
const SLICES: u32 = 20;

/// The calls of one window that were granted to hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSlice {
    /// Calls granted to this host.
    pub granted: u32,
    /// Calls granted to all hosts, as far as this host knows.
    pub taken: u32,
}

/// A call that is refused only because its host has no slice left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingSlice {
    pub(crate) client: RateLimitKey,
    pub(crate) limits: RateLimits,
    /// The time of the call.
    pub(crate) now_ms: u64,
}

/// A host's request for slices of one client's windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceNeed {
    /// The client to which the windows belong.
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

/// The slices granted for a [`SliceNeed`]: the slice of the minute, then the slice of the
/// hour.
pub type GrantedSlices = [WindowSlice; 2];

/// The shared counter that grants slices to hosts.
pub trait CallSlices: Send + Sync {
    /// Returns the number of serving hosts. A single host needs no slices.
    fn hosts(&self) -> u32;

    /// Requests slices for each need, in order. Returns `None` if the counter is
    /// unreachable.
    fn take<'a>(
        &'a self,
        needs: &'a [SliceNeed],
    ) -> Pin<Box<dyn Future<Output = Option<Vec<GrantedSlices>>> + Send + 'a>>;
}

impl WindowSlice {
    /// Returns the calls left in a window: the limit, less the `used` calls that this
    /// host has admitted and the calls granted to other hosts.
    pub(super) const fn left(self, limit: u32, used: u32) -> u32 {
        limit.saturating_sub(used).saturating_sub(self.taken.saturating_sub(self.granted))
    }

    /// Returns the number of calls to request before this host can admit another; 0 if
    /// granted calls are left.
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
