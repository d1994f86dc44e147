//! The cost of tokens: exact integers from a provider's price to millipence.
//!
//! Invariants: no floats; a cost is rounded up once, at the end, so that it always covers the
//! provider's charge; the worst case is never below the cost of the same number of tokens.

use tollbridge_core::config::Millionths;
use tollbridge_core::money::Millipence;

/// Picodollars (1e-12 USD) times millionths of a pound per dollar, in one millipence (1e-5 pounds).
const UNITS_PER_MILLIPENCE: u128 = 10_000_000_000_000;

/// Prices of one model at one provider, picodollars per token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenPrices {
    /// Per input token.
    pub input: u64,
    /// Per output token.
    pub output: u64,
    /// Per token of input that the provider had in its cache, if that is cheaper.
    pub cached: Option<u64>,
    /// Per token of input that the provider writes to its cache, if that costs more. For an hour in
    /// the cache it charges 8/5 of this (Anthropic: 1.25 and 2 times the price of input).
    pub cache_write: Option<u64>,
    /// Different prices for calls with much input.
    pub long: Option<LongContextPrices>,
}

/// Prices of calls with more than `above` tokens of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongContextPrices {
    pub above: u64,
    /// Per input token.
    pub input: u64,
    /// Per output token.
    pub output: u64,
}

/// The tokens that one request used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// All input, cached or not.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// The part of `input` that came from the provider's cache.
    pub cached: u64,
    /// The part of `input` that was written to the provider's cache.
    pub cache_write: u64,
    /// The part of `cache_write` that stays there for an hour.
    pub cache_write_hour: u64,
    /// Whether the provider reported no usage and it was estimated here.
    pub estimated: bool,
}

impl TokenPrices {
    /// Returns the cost of a request; saturates at the largest amount.
    pub fn cost(&self, usage: &TokenUsage, usd_gbp: Millionths) -> Millipence {
        let (input, output) = self.base(usage.input);
        let scaled = |price: u64| match self.input {
            0 => u128::from(price),
            base => (u128::from(price) * u128::from(input)).div_ceil(u128::from(base)),
        };
        let cached = usage.cached.min(usage.input);
        let written = usage.cache_write.min(usage.input - cached);
        let hour = usage.cache_write_hour.min(written);
        let hour_price = |price: u64| (scaled(price) * 8).div_ceil(5);
        let plain = usage.input - cached - written;
        let sum = [
            u128::from(plain) * u128::from(input),
            u128::from(cached) * self.cached.map_or(u128::from(input), scaled),
            u128::from(written - hour) * self.cache_write.map_or(u128::from(input), scaled),
            u128::from(hour) * self.cache_write.map_or(u128::from(input), hour_price),
            u128::from(usage.output) * u128::from(output),
        ];
        in_millipence(sum.into_iter().fold(0, u128::saturating_add), usd_gbp)
    }

    /// Returns the usage at which this many tokens cost the most, cached or not; with an hour in
    /// the cache if the request may ask for that.
    pub fn worst_usage(&self, input: u64, output: u64, for_an_hour: bool) -> TokenUsage {
        let written = self.cache_write.is_some_and(|price| price > self.input || for_an_hour);
        let cache_write = if written { input } else { 0 };
        let cache_write_hour = if for_an_hour { cache_write } else { 0 };
        TokenUsage { input, output, cache_write, cache_write_hour, estimated: true, ..TokenUsage::default() }
    }

    /// Returns whether neither input nor output costs anything.
    pub const fn is_free(&self) -> bool {
        self.input == 0 && self.output == 0
    }

    /// Returns the prices of input and output for a call with this many input tokens.
    fn base(&self, tokens: u64) -> (u64, u64) {
        match self.long {
            Some(long) if tokens > long.above => (long.input, long.output),
            _ => (self.input, self.output),
        }
    }
}

fn in_millipence(picodollars: u128, usd_gbp: Millionths) -> Millipence {
    let exact = picodollars.saturating_mul(u128::from(usd_gbp.get()));
    Millipence::new(i64::try_from(exact.div_ceil(UNITS_PER_MILLIPENCE)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rate(millionths: u64) -> Millionths {
        Millionths::of(millionths)
    }

    #[test]
    fn costs_by_hand() {
        // gpt-4o-mini: 0.15 and 0.60 dollars per million tokens.
        let prices = TokenPrices { input: 150_000, output: 600_000, cached: Some(75_000), ..TokenPrices::default() };
        let usage = |input, output, cached| TokenUsage { input, output, cached, ..TokenUsage::default() };
        // A million in, a million out: 0.75 dollars, 0.5925 pounds.
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 0), rate(790_000)).get(), 59_250);
        // Half of the input from the cache: 0.1125 + 0.6 dollars.
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 500_000), rate(790_000)).get(), 56_288);
        // One token: a fraction of a millipence, rounded up.
        assert_eq!(prices.cost(&usage(1, 0, 0), rate(790_000)).get(), 1);
        assert_eq!(prices.cost(&usage(0, 0, 0), rate(790_000)).get(), 0);
        // More cached tokens than input tokens are not believed.
        assert_eq!(prices.cost(&usage(10, 0, u64::MAX), rate(1_000_000)).get(), 1);
    }

    #[test]
    fn long_calls_cost_what_their_tier_says() {
        let long = Some(LongContextPrices { above: 200_000, input: 2_500_000, output: 15_000_000 });
        let prices =
            TokenPrices { input: 1_250_000, output: 10_000_000, cached: Some(125_000), cache_write: None, long };
        let cost = |input, output, cached| {
            prices.cost(&TokenUsage { input, output, cached, ..TokenUsage::default() }, rate(1_000_000)).get()
        };
        assert_eq!(cost(200_000, 0, 0), 25_000);
        assert_eq!(cost(200_001, 0, 0), 50_001);
        assert_eq!(cost(200_001, 1_000, 0), 51_501);
        // The discount for cached input is the same share of the long price.
        assert_eq!(cost(400_000, 0, 400_000), 10_000);
    }

    #[test]
    fn an_hour_in_the_cache_costs_twice_the_input() {
        let prices = TokenPrices { input: 3_000_000, cache_write: Some(3_750_000), ..TokenPrices::default() };
        let usage = TokenUsage { input: 1_000_000, cache_write: 1_000_000, ..TokenUsage::default() };
        assert_eq!(prices.cost(&usage, rate(1_000_000)).get(), 375_000);
        let hour = TokenUsage { cache_write_hour: 1_000_000, ..usage };
        assert_eq!(prices.cost(&hour, rate(1_000_000)).get(), 600_000);
    }

    #[test]
    fn nothing_overflows() {
        let prices = TokenPrices { input: u64::MAX, output: u64::MAX, ..TokenPrices::default() };
        for for_an_hour in [false, true] {
            let worst = prices.worst_usage(u64::MAX, u64::MAX, for_an_hour);
            assert_eq!(prices.cost(&worst, rate(u64::MAX)).get(), i64::MAX);
        }
    }

    proptest! {
        /// The worst case covers any caching, and a cost is never less than the exact fractional
        /// cost of its tokens.
        #[test]
        fn the_worst_case_covers_every_case(
            input in 0_u64..10_000_000, output in 0_u64..1_000_000, part in 0_u64..=100, written in 0_u64..=100,
            price in 0_u64..100_000_000, above in 0_u64..1_000_000, usd in 1_u64..3_000_000,
        ) {
            let prices = TokenPrices {
                input: price, output: price * 4, cached: Some(price / 10), cache_write: Some(price + price / 4),
                long: Some(LongContextPrices { above, input: price * 2, output: price * 6 }),
            };
            let cached = input * part / 100;
            let cache_write = (input - cached) * written / 100;
            let usage = TokenUsage { input, output, cached, cache_write, cache_write_hour: 0, estimated: false };
            let cost = prices.cost(&usage, rate(usd));
            prop_assert!(cost <= prices.cost(&prices.worst_usage(input, output, false), rate(usd)));
            let hour = TokenUsage { cache_write_hour: cache_write * part / 100, ..usage };
            prop_assert!(prices.cost(&hour, rate(usd)) >= cost);
            prop_assert!(prices.cost(&hour, rate(usd)) <= prices.cost(&prices.worst_usage(input, output, true), rate(usd)));
            let more = prices.cost(&TokenUsage { output: output + 1, ..usage }, rate(usd));
            prop_assert!(more >= cost);
            // Two requests never cost less than one with all their tokens.
            if input > 2 * above {
                let half = TokenUsage { input: input / 2, output: output / 2, ..TokenUsage::default() };
                let both = TokenUsage { input: input / 2 * 2, output: output / 2 * 2, ..TokenUsage::default() };
                prop_assert!(2 * prices.cost(&half, rate(usd)).get() >= prices.cost(&both, rate(usd)).get());
            }
        }
    }
}
