//! How memories of guests lie in the address space. Compiled code depends on it,
//! so whoever compiles has to know.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use wasmtime::Config;

/// Address space in front of and behind a memory that lets the compiler leave
/// out bounds checks.
const WIDE_RESERVATION: u64 = 4 << 30;

/// Enough that an access past the end of a memory meets no neighbour's.
const SMALL_GUARD: u64 = 64 << 10;

/// How memories lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLayout {
    /// With so much room that no access needs a check.
    Wide,
    /// With room for as many bytes as any memory may have.
    Narrow(u64),
    /// Moved when they grow.
    OnDemand,
}

/// It is none of `wide`, `on-demand` and a number.
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
