//! Conversion of prices in pounds to amounts of a token.

use tollbridge_core::excerpt::excerpt;
use tollbridge_core::money::Millipence;

use crate::amount::Amount;
use crate::moment::moment;

/// Number of millipence in a pound.
const POUND: u128 = 100_000;
/// Maximum number of digits of a rate on each side of the decimal point.
const RATE_DIGITS_MAX: usize = 12;
/// Maximum time by which the date of a rate may be ahead of this host's clock, in
/// seconds.
const RATE_AHEAD_S_MAX: u64 = 60;
/// Maximum number of decimals of a token.
const DECIMALS_MAX: u8 = 18;

/// An exact exchange rate in whole tokens per pound, with its date and validity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Tokens per pound times 10^`scale`.
    digits: u128,
    scale: u32,
    source: String,
    as_of_s: u64,
    max_age_s: u64,
}

/// The reason why a price cannot be converted to a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum PriceError {
    #[error("`{0}` is not a rate; write the number of whole tokens per pound, like \"1.2734\"")]
    NoRate(String),
    #[error("the rate of {source_name} is {age_s} s old, but at most {max_age_s} s are allowed; get a new one")]
    Stale { source_name: String, age_s: u64, max_age_s: u64 },
    #[error(
        "the rate of {source_name} is dated {}, which is ahead of {}; set the clock",
        moment((*.as_of_s).into()),
        moment((*.now_s).into())
    )]
    FromTheFuture { source_name: String, as_of_s: u64, now_s: u64 },
    #[error("{0} is not a price")]
    NoPrice(Millipence),
    #[error("a price of {0} is less than the token's smallest unit")]
    TooSmall(Millipence),
    #[error("a price of {0} is too large for this token and rate")]
    TooLarge(Millipence),
}

/// A price converted to a token, and the rounding difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Amount to pay in the token's smallest unit, rounded down to a whole unit.
    pub amount: Amount,
    /// Whole millipence by which `amount` is worth less than the price; the caller
    /// records the difference, so that its postings balance. 0 for tokens with 6
    /// decimals, whose smallest unit is worth less than a millipence.
    pub shortfall: Millipence,
    /// The exact rounding difference as a fraction (numerator, denominator) of one
    /// smallest unit; less than 1.
    pub remainder: (u128, u128),
}

impl Rate {
    /// Creates a rate. `tokens_per_pound` is an exact decimal such as `1.2734`; `source`
    /// names the rate's origin, `as_of_s` is its date (Unix seconds), and it expires
    /// `max_age_s` seconds later.
    ///
    /// # Errors
    ///
    /// Returns [`PriceError::NoRate`] if `tokens_per_pound` is not a positive decimal
    /// number of at most 12 digits on each side of the point.
    pub fn new(
        tokens_per_pound: &str,
        source: impl Into<String>,
        as_of_s: u64,
        max_age_s: u64,
    ) -> Result<Self, PriceError> {
        let (digits, scale) =
            decimal(tokens_per_pound).ok_or_else(|| PriceError::NoRate(excerpt(tokens_per_pound, 60)))?;
        Ok(Self { digits, scale, source: source.into(), as_of_s, max_age_s })
    }

    /// Returns the number of whole tokens per pound, as passed to `new`.
    pub fn tokens_per_pound(&self) -> String {
        let digits = self.digits.to_string();
        let places = usize::try_from(self.scale).unwrap_or_default();
        let padded = format!("{digits:0>width$}", width = places.saturating_add(1));
        match padded.split_at_checked(padded.len().saturating_sub(places)) {
            Some((whole, part)) if !part.is_empty() => format!("{whole}.{part}"),
            _ => padded,
        }
    }

    /// Returns the origin of the rate.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the date of the rate in Unix seconds.
    pub const fn as_of_s(&self) -> u64 {
        self.as_of_s
    }

    /// Returns the seconds after which the rate expires.
    pub const fn max_age_s(&self) -> u64 {
        self.max_age_s
    }

    /// Converts a price to an amount of a token with the given `decimals`, at `now_s`
    /// (Unix time in seconds). Rounds in favour of the payer.
    ///
    /// # Errors
    ///
    /// Fails if the rate is too old or dated in the future, the price is zero or
    /// negative, or the amount is below one smallest unit or above 128 bits.
    pub fn convert(&self, price: Millipence, decimals: u8, now_s: u64) -> Result<Conversion, PriceError> {
        self.check_age(now_s)?;
        let pence = u128::try_from(price.get()).ok().filter(|pence| *pence > 0).ok_or(PriceError::NoPrice(price))?;
        let too_large = || PriceError::TooLarge(price);
        // One millipence is worth `per` / `whole` smallest units.
        let unit =
            10_u128.checked_pow(u32::from(decimals)).filter(|_| decimals <= DECIMALS_MAX).ok_or_else(too_large)?;
        let per = self.digits.checked_mul(unit).ok_or_else(too_large)?;
        let whole = 10_u128.checked_pow(self.scale).and_then(|scale| scale.checked_mul(POUND)).ok_or_else(too_large)?;
        let exact = pence.checked_mul(per).ok_or_else(too_large)?;
        let (units, rest) = (exact.checked_div(whole), exact.checked_rem(whole));
        let (Some(units), Some(rest)) = (units, rest) else { return Err(too_large()) };
        if units == 0 {
            return Err(PriceError::TooSmall(price));
        }
        // `rest` / `whole` smallest units are worth `rest` / `per` millipence.
        let short = rest.checked_div(per).and_then(|short| i64::try_from(short).ok()).ok_or_else(too_large)?;
        Ok(Conversion { amount: Amount::new(units), shortfall: Millipence::new(short), remainder: (rest, whole) })
    }

    fn check_age(&self, now_s: u64) -> Result<(), PriceError> {
        let (source_name, max_age_s) = (self.source.clone(), self.max_age_s);
        if self.as_of_s > now_s.saturating_add(RATE_AHEAD_S_MAX) {
            return Err(PriceError::FromTheFuture { source_name, as_of_s: self.as_of_s, now_s });
        }
        match now_s.saturating_sub(self.as_of_s) {
            age_s if age_s > max_age_s => Err(PriceError::Stale { source_name, age_s, max_age_s }),
            _ => Ok(()),
        }
    }
}

/// Returns the digits of a positive decimal number without the point, and the number of
/// decimals.
fn decimal(text: &str) -> Option<(u128, u32)> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.len() <= RATE_DIGITS_MAX && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || (part.is_empty() && text.contains('.')) {
        return None;
    }
    let number: u128 = format!("{whole}{part}").parse().ok()?;
    (number > 0).then_some((number, u32::try_from(part.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW_S: u64 = 1_800_000_000;

    fn rate(text: &str) -> Rate {
        Rate::new(text, "test", NOW_S, 3_600).unwrap()
    }

    #[test]
    fn a_price_is_rounded_down() {
        let convert = |rate_text: &str, price: i64| rate(rate_text).convert(Millipence::new(price), 6, NOW_S).unwrap();
        // 30p (30,000 millipence) at 1.2734 dollars per pound are 0.38202 dollars.
        assert_eq!(convert("1.2734", 30_000).amount, Amount::new(382_020));
        assert_eq!(convert("1.2734", 30_000).remainder.0, 0);
        for text in ["1.2734", "0.05", "3", "1.333333333333"] {
            assert_eq!(rate(text).tokens_per_pound(), text);
        }
        let third = convert("1.333333333333", 10_000);
        assert_eq!((third.amount, third.shortfall), (Amount::new(133_333), Millipence::ZERO));
        // With two decimals, 30.5p at 1.25 dollars per pound are 38 cents and a fraction
        // of a cent.
        let cents = rate("1.25").convert(Millipence::new(30_500), 2, NOW_S).unwrap();
        assert_eq!(cents.amount, Amount::new(38));
        assert_eq!(cents.shortfall, Millipence::new(100));
    }

    #[test]
    fn a_price_without_an_amount_is_refused() {
        let old = |now_s| rate("1").convert(Millipence::new(1), 6, now_s);
        assert!(old(NOW_S + 3_600).is_ok());
        assert!(matches!(old(NOW_S + 3_601), Err(PriceError::Stale { .. })));
        assert!(matches!(old(NOW_S - 61), Err(PriceError::FromTheFuture { .. })));
        let (dated, now) = (moment(NOW_S.into()), moment((NOW_S - 61).into()));
        assert_eq!(
            old(NOW_S - 61).unwrap_err().to_string(),
            format!("the rate of test is dated {dated}, which is ahead of {now}; set the clock")
        );
        for price in [0, -1, i64::MIN] {
            assert!(matches!(rate("1").convert(Millipence::new(price), 6, NOW_S), Err(PriceError::NoPrice(_))));
        }
        assert!(matches!(rate("1").convert(Millipence::new(999), 2, NOW_S), Err(PriceError::TooSmall(_))));
        let huge = rate("999999999999").convert(Millipence::new(i64::MAX), 18, NOW_S);
        assert!(matches!(huge, Err(PriceError::TooLarge(_))));
        assert!(matches!(rate("1").convert(Millipence::new(1), 255, NOW_S), Err(PriceError::TooLarge(_))));
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,2", "0", "0.000", "1.0000000000001", "NaN", " 1"] {
            assert!(matches!(Rate::new(text, "test", 0, 0), Err(PriceError::NoRate(_))), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_appears_or_vanishes(
            pence in 1_i64..100_000_000_000,
            whole in 0_u32..1_000_000,
            part in 1_u32..1_000_000,
            decimals in 0_u8..=18,
        ) {
            let rate = rate(&format!("{whole}.{part:06}"));
            let price = Millipence::new(pence);
            let Ok(conversion) = rate.convert(price, decimals, NOW_S) else { return Ok(()) };
            let (rest, whole_unit) = conversion.remainder;
            prop_assert!(rest < whole_unit);
            // Exact check in integers: units * whole + rest = pence * per.
            let per = rate.digits * 10_u128.pow(u32::from(decimals));
            prop_assert_eq!(
                conversion.amount.get() * whole_unit + rest,
                u128::try_from(pence).unwrap() * per
            );
            let short = u128::try_from(conversion.shortfall.get()).unwrap();
            prop_assert!(short * per <= rest && rest < (short + 1) * per);
        }
    }
}
