//! Slices of windows, for limits that hold over several hosts.
//!
//! Hosts that serve together take what a client may call in slices from one
//! place: a twentieth of the limit for all of them together, so that hosts which
//! keep slices that their clients do not use withhold no more than that. A limit
//! is never exceeded; there is a request to the one place for each slice, not for
//! each call.

use std::pin::Pin;

use super::client::RateLimitKey;
use super::tier::RateLimits;

/// All hosts together have slices of this part of a limit.
const SLICES: u32 = 20;

/// What has been given out of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSlice {
    /// Calls, to this host.
    pub granted: u32,
    /// Calls, to all hosts, as far as this one has heard.
    pub taken: u32,
}

/// A call that is not let in only because its host has no slice left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(crate) client: RateLimitKey,
    pub(crate) limits: RateLimits,
    /// When it came.
    pub(crate) now_ms: u64,
}

/// What a host needs before it lets calls of a client in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SliceNeed {
    /// Whose windows.
    pub client: RateLimitKey,
    /// How much the windows have in all.
    pub limits: RateLimits,
    /// When the windows begin, Unix time in seconds.
    pub minute_begins_s: u64,
    /// See above.
    pub hour_begins_s: u64,
    /// Calls to ask for; none where there are enough.
    pub minute_wanted: u32,
    /// See above.
    pub hour_wanted: u32,
}

/// The answer to a [`SliceNeed`]: of the minute and of the hour.
pub type GrantedSlices = [WindowSlice; 2];

/// The place from which hosts take slices.
pub trait CallSlices: Send + Sync {
    /// How many hosts serve. One alone needs no slices.
    fn hosts(&self) -> u32;

    /// Takes slices, for each need in order; none when the place cannot be reached.
    fn take<'a>(
        &'a self,
        needs: &'a [SliceNeed],
    ) -> Pin<Box<dyn Future<Output = Option<Vec<GrantedSlices>>> + Send + 'a>>;
}

impl WindowSlice {
    /// What is left of a window of which this host has let in `used` calls, and
    /// others have taken the rest.
    pub(super) const fn left(self, limit: u32, used: u32) -> u32 {
        limit.saturating_sub(used).saturating_sub(self.taken.saturating_sub(self.granted))
    }

    /// How much one of several hosts has to ask for before the next call; none
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
