//! The cost of tokens, computed in exact integers from a provider's price to millipence.
//!
//! Invariants: no floats; a cost is rounded up once, at the end, so that it always covers
//! the provider's charge; the worst-case cost is never below the cost of the same number
//! of tokens.

use tollbridge_core::config::Millionths;
use tollbridge_core::money::Millipence;

/// One millipence (1e-5 pounds), in picodollars (1e-12 USD) times millionths of a pound
/// per dollar.
const UNITS_PER_MILLIPENCE: u128 = 10_000_000_000_000;

/// The prices of one model at one provider, in picodollars per token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenPrices {
    /// Price of an input token.
    pub input: u64,
    /// Price of an output token.
    pub output: u64,
    /// Price of an input token that the provider read from its cache, if lower than
    /// `input`.
    pub cached: Option<u64>,
    /// Price of an input token that the provider writes to its cache, if higher than
    /// `input`. Caching for an hour costs 8/5 of this price (Anthropic charges 1.25 and 2
    /// times the input price).
    pub cache_write: Option<u64>,
    /// Prices of calls with long input, if different.
    pub long: Option<LongContextPrices>,
}

/// The prices of calls with more than `above` input tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongContextPrices {
    pub above: u64,
    /// Price of an input token.
    pub input: u64,
    /// Price of an output token.
    pub output: u64,
}

/// The tokens that one request used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// All input tokens, cached or not.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// The part of `input` that the provider read from its cache.
    pub cached: u64,
    /// The part of `input` that the provider wrote to its cache.
    pub cache_write: u64,
    /// The part of `cache_write` that is cached for an hour.
    pub cache_write_hour: u64,
    /// Whether the usage was estimated here, because the provider reported none.
    pub estimated: bool,
}

impl TokenPrices {
    /// Returns the cost of a request; saturates at the maximum amount.
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

    /// Returns the most expensive usage with the given numbers of tokens, with or without
    /// caching. `for_an_hour` says whether the request may ask for caching for an hour.
    pub fn worst_usage(&self, input: u64, output: u64, for_an_hour: bool) -> TokenUsage {
        let written = self.cache_write.is_some_and(|price| price > self.input || for_an_hour);
        let cache_write = if written { input } else { 0 };
        let cache_write_hour = if for_an_hour { cache_write } else { 0 };
        TokenUsage { input, output, cache_write, cache_write_hour, estimated: true, ..TokenUsage::default() }
    }

    /// Returns whether input and output are both free.
    pub const fn is_free(&self) -> bool {
        self.input == 0 && self.output == 0
    }

    /// Returns the input and output prices of a call with this many input tokens.
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
        // A million input and a million output tokens: 0.75 dollars, 0.5925 pounds.
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 0), rate(790_000)).get(), 59_250);
        // Half of the input was cached: 0.1125 + 0.6 dollars.
        assert_eq!(prices.cost(&usage(1_000_000, 1_000_000, 500_000), rate(790_000)).get(), 56_288);
        // One token costs a fraction of a millipence, which is rounded up.
        assert_eq!(prices.cost(&usage(1, 0, 0), rate(790_000)).get(), 1);
        assert_eq!(prices.cost(&usage(0, 0, 0), rate(790_000)).get(), 0);
        // The number of cached tokens is limited to that of input tokens.
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
        // For long input, the discount for cached tokens is the same percentage.
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
        /// The worst-case cost covers any caching, and a cost is never less than the
        /// exact fractional cost of its tokens.
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
            // Two requests never cost less than one request with all their tokens.
            if input > 2 * above {
                let half = TokenUsage { input: input / 2, output: output / 2, ..TokenUsage::default() };
                let both = TokenUsage { input: input / 2 * 2, output: output / 2 * 2, ..TokenUsage::default() };
                prop_assert!(2 * prices.cost(&half, rate(usd)).get() >= prices.cost(&both, rate(usd)).get());
            }
        }
    }
}
