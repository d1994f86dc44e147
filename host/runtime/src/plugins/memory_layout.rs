//! The layout of guests' memories in the address space. Compiled code depends on it, so the
//! compiler must use the engine's layout.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use wasmtime::Config;

/// Address space before and behind a memory that lets the compiler omit bounds checks.
const WIDE_RESERVATION: u64 = 4 << 30;

/// Guard size from which an access past the end of a memory cannot reach the next one.
const SMALL_GUARD: u64 = 64 << 10;

/// The layout of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLayout {
    /// Memories with enough reserved space that no access needs a check.
    Wide,
    /// Memories with reserved space for their largest size.
    Narrow(u64),
    /// Memories that are moved when they grow.
    OnDemand,
}

/// The error for a text that is none of `wide`, `on-demand` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write `wide`, `on-demand` or a number of bytes")]
pub struct UnknownLayout;

impl MemoryLayout {
    pub(super) fn apply(self, config: &mut Config) {
        match self {
            Self::Wide => config.memory_reservation(WIDE_RESERVATION),
            Self::Narrow(bytes) => config.memory_reservation(bytes).memory_guard_size(SMALL_GUARD),
            Self::OnDemand => {
                config.memory_reservation(0).memory_reservation_for_growth(1 << 20).memory_guard_size(SMALL_GUARD)
            }
        };
    }
}

impl Display for MemoryLayout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wide => f.write_str("wide"),
            Self::Narrow(bytes) => write!(f, "{bytes}"),
            Self::OnDemand => f.write_str("on-demand"),
        }
    }
}

impl FromStr for MemoryLayout {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Self, UnknownLayout> {
        match text {
            "wide" => Ok(Self::Wide),
            "on-demand" => Ok(Self::OnDemand),
            bytes => bytes.parse().map(Self::Narrow).map_err(|_| UnknownLayout),
        }
    }
}
