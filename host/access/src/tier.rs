//! Tiers and their rate limits.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tollbridge_core::config::{Allowance, TiersConfig};

/// The service level of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The default tier.
    #[default]
    Free,
    /// A tier that is bought for a period.
    Pro,
    /// A tier that the operator grants.
    Enterprise,
}

/// Maximum numbers of requests per clock minute and per clock hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimits {
    /// Calls per minute.
    pub per_minute: u32,
    /// Calls per hour.
    pub per_hour: u32,
}

/// The error for a text that names no tier.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a tier; the tiers are free, pro and enterprise")]
pub struct UnknownTier(String);

impl Tier {
    /// All tiers.
    pub const ALL: [Self; 3] = [Self::Free, Self::Pro, Self::Enterprise];

    /// Returns the name of the tier as stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }

    /// Returns the weight of an account in fair queues, relative to the free tier.
    pub const fn weight(self) -> NonZeroU32 {
        let turns = match self {
            Self::Free => 1,
            Self::Pro => 4,
            Self::Enterprise => 8,
        };
        NonZeroU32::MIN.saturating_add(turns - 1)
    }

    /// Returns the configured rate limits of this tier.
    pub fn limits(self, tiers: &TiersConfig) -> RateLimits {
        RateLimits::from(match self {
            Self::Free => tiers.free,
            Self::Pro => tiers.pro,
            Self::Enterprise => tiers.enterprise,
        })
    }
}

impl From<Allowance> for RateLimits {
    fn from(Allowance { per_minute, per_hour }: Allowance) -> Self {
        Self { per_minute, per_hour }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|tier| tier.as_str() == text).ok_or_else(|| UnknownTier(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_core::config::Sources;

    #[test]
    fn names_read_back() {
        for tier in Tier::ALL {
            assert_eq!(tier.to_string().parse(), Ok(tier));
            assert_eq!(serde_json::to_string(&tier).unwrap(), format!("\"{tier}\""));
        }
        assert!("Free".parse::<Tier>().is_err() && "".parse::<Tier>().is_err());
    }

    #[test]
    fn limits_come_from_the_configuration() {
        let tiers = Sources::default().load().unwrap().config.tiers;
        let limits = Tier::ALL.map(|tier| tier.limits(&tiers)).map(|l| (l.per_minute, l.per_hour));
        assert_eq!(limits, [(100, 2_000), (1_000, 60_000), (10_000, 600_000)]);
    }
}
