//! The layout of guests' memories in the address space. Compiled code depends on the layout, so the
//! compiler must use the same layout as the engine.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use wasmtime::Config;

/// Address space reserved before and after a memory, enough to let the compiler omit bounds checks.
const WIDE_RESERVATION: u64 = 4 << 30;

/// Size of the guard region behind a memory, large enough that an access past its end cannot reach
/// the next memory.
const SMALL_GUARD: u64 = 64 << 10;

/// The layout of guests' memories in the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLayout {
    /// Each memory reserves enough address space that no access needs a bounds check.
    Wide,
    /// Each memory reserves this many bytes, its largest size.
    Narrow(u64),
    /// Nothing is reserved: a memory may be moved when it grows.
    OnDemand,
}

/// The error for text that is neither `wide`, `on-demand` nor a number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write `wide`, `on-demand` or a number of bytes")]
pub struct UnknownLayout;

impl MemoryLayout {
    pub(crate) fn apply(self, config: &mut Config) {
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
