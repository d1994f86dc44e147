//! The exact split of a gross amount into the shares of developer, platform and treasury.

use serde::{Deserialize, Serialize};

use super::amount::Millipence;

/// The three shares of every gross amount, in tenths of a percent.
///
/// The shares always sum to 1000, and the developer's share is never below its floor,
/// because `new` is the only constructor and checks both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitPolicy {
    developer: u16,
    platform: u16,
    treasury: u16,
    floor: u16,
}

/// The reason a split policy is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum PolicyError {
    #[error("the shares add up to {0}.{1}%, they must add up to 100%")]
    Sum(u32, u32),
    #[error("the developer's share is below the floor; raise developer_pct or lower floor_pct")]
    BelowFloor,
}

/// The recipient of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// The owner of the plugin.
    Developer,
    /// The operator.
    Platform,
    /// The treasury.
    Treasury,
}

/// A gross amount after the split. The three shares always sum to `gross`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The gross amount, which is the price.
    pub gross: Millipence,
    /// The share of the plugin's owner.
    pub developer: Millipence,
    /// The operator's share.
    pub platform: Millipence,
    /// The treasury's share.
    pub treasury: Millipence,
}

impl SplitPolicy {
    /// Creates a policy from shares in tenths of a percent; 80 % is 800.
    pub fn new(developer: u16, platform: u16, treasury: u16, floor: u16) -> Result<Self, PolicyError> {
        let sum = u32::from(developer) + u32::from(platform) + u32::from(treasury);
        if sum != 1000 {
            return Err(PolicyError::Sum(sum / 10, sum % 10));
        }
        if developer < floor {
            return Err(PolicyError::BelowFloor);
        }
        Ok(Self { developer, platform, treasury, floor })
    }

    /// The size of a share in tenths of a percent.
    pub const fn tenths(&self, share: Share) -> u16 {
        match share {
            Share::Developer => self.developer,
            Share::Platform => self.platform,
            Share::Treasury => self.treasury,
        }
    }

    /// The floor of the developer's share, in tenths of a percent.
    pub const fn floor_tenths(&self) -> u16 {
        self.floor
    }

    /// Splits a gross amount. For whole pence the split is exact: every share is a whole
    /// number of millipence. For any other amount the platform gets the remainder, so
    /// that the parts still sum to the gross.
    pub fn split(&self, gross: Millipence) -> Shares {
        let part = |tenths: u16| {
            let exact = i128::from(gross.get()) * i128::from(tenths) / 1000;
            // A share is at most the gross amount, so it always fits into an i64.
            Millipence::new(i64::try_from(exact).unwrap_or(i64::MAX))
        };
        let (developer, treasury) = (part(self.developer), part(self.treasury));
        let platform = Millipence::new(gross.get() - developer.get() - treasury.get());
        Shares { gross, developer, platform, treasury }
    }
}

impl Shares {
    /// Rounds the three shares to whole pence by largest remainder, with ties going to
    /// developer, then platform, then treasury: `(developer, platform, treasury)`. The
    /// results sum to the gross in whole pence.
    pub fn whole_pence(&self) -> [i64; 3] {
        whole_pence(self.gross, [self.developer, self.platform, self.treasury])
    }
}

/// Rounds the parts of an amount to whole pence by largest remainder, with ties going to
/// the earlier part. The results sum to the amount in whole pence.
pub fn whole_pence<const PARTS: usize>(amount: Millipence, parts: [Millipence; PARTS]) -> [i64; PARTS] {
    let mut pence = parts.map(Millipence::pence_floor);
    let mut left = amount.pence_floor() - pence.iter().sum::<i64>();
    let mut order: [usize; PARTS] = std::array::from_fn(|index| index);
    order.sort_by_key(|&i| std::cmp::Reverse(parts.get(i).map_or(0, |p| p.get().rem_euclid(1000))));
    for index in order {
        if left <= 0 {
            break;
        }
        if let Some(slot) = pence.get_mut(index) {
            *slot += 1;
            left -= 1;
        }
    }
    pence
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn standard() -> SplitPolicy {
        SplitPolicy::new(800, 175, 25, 800).unwrap()
    }

    #[test]
    fn ten_pence_is_eight_two_nothing() {
        let shares = standard().split(Millipence::from_pence(10).unwrap());
        assert_eq!([shares.developer.get(), shares.platform.get(), shares.treasury.get()], [8_000, 1_750, 250]);
        assert_eq!(shares.whole_pence(), [8, 2, 0]);
    }

    #[test]
    fn refuses_policies_that_do_not_add_up() {
        assert_eq!(SplitPolicy::new(800, 200, 25, 0), Err(PolicyError::Sum(102, 5)));
        assert_eq!(SplitPolicy::new(780, 195, 25, 800), Err(PolicyError::BelowFloor));
        assert!(SplitPolicy::new(780, 195, 25, 780).is_ok());
    }

    proptest! {
        #[test]
        fn parts_sum_and_are_exact(pence in 0_i64..=100_000_000, dev in 0_u16..=1000, rest in 0_u16..=1000) {
            let platform = rest.min(1000 - dev);
            let policy = SplitPolicy::new(dev, platform, 1000 - dev - platform, 0).unwrap();
            let gross = Millipence::from_pence(pence).unwrap();
            let shares = policy.split(gross);
            prop_assert_eq!(shares.developer.get() + shares.platform.get() + shares.treasury.get(), gross.get());
            // Whole pence split without a remainder, so the platform gets exactly its
            // share.
            prop_assert_eq!(shares.platform.get(), pence * i64::from(platform));
            prop_assert_eq!(shares.developer.get(), pence * i64::from(dev));
            let whole = shares.whole_pence();
            prop_assert_eq!(whole.iter().sum::<i64>(), pence);
            prop_assert!(whole.iter().all(|p| *p >= 0));
        }
    }
}
