//! The tax on an amount, in whole minor units.
//!
//! Invariant: net + tax = gross, and the parts of the tax add up to it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{amount::Amount, percent::Percent, quote::Part};

/// How tax on top of an amount is rounded.
const ON_TOP: &str = "each tax by itself to the currency's smallest unit, halves away from zero";
/// How tax inside an amount is rounded.
const INSIDE: &str =
    "the whole tax once to the currency's smallest unit, halves away from zero; the last tax is what the others leave";

/// The tax on an amount.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Charge {
    /// Did the amount include the tax?
    pub inclusive: bool,
    /// The whole rate, in percent.
    pub rate_percent: String,
    /// The amount without tax, decimal text in the currency.
    pub net: String,
    /// The tax.
    pub tax: String,
    /// The amount with tax.
    pub gross: String,
    /// The same in minor units (pence, cents).
    pub net_minor: i64,
    /// The tax in minor units.
    pub tax_minor: i64,
    /// The amount with tax in minor units.
    pub gross_minor: i64,
    /// Each tax.
    pub parts: Vec<ChargePart>,
    /// How it was rounded.
    pub rounding: &'static str,
}

/// One tax of several.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChargePart {
    /// VAT, GST, …
    pub tax_name: &'static str,
    /// Its rate in percent.
    pub rate_percent: String,
    /// Its tax, decimal text.
    pub tax: String,
}

/// The tax on `amount`; none if a number is out of range.
pub fn charge(amount: Amount, inclusive: bool, parts: &[Part]) -> Option<Charge> {
    let total = parts.iter().try_fold(Percent::ZERO, |sum, part| sum.plus(part.rate))?;
    let given = amount.minor();
    let taxes = if inclusive { inside(given, total, parts)? } else { on_top(given, parts)? };
    let tax = taxes.iter().try_fold(0i128, |sum, tax| sum.checked_add(*tax))?;
    let (net, gross) = if inclusive { (given.checked_sub(tax)?, given) } else { (given, given.checked_add(tax)?) };
    let text = |minor| amount.with(minor).map(|amount| amount.to_string());
    let part = |(part, tax): (&Part, &i128)| {
        Some(ChargePart { tax_name: part.tax_name, rate_percent: part.rate.to_string(), tax: text(*tax)? })
    };
    Some(Charge {
        inclusive,
        rate_percent: total.to_string(),
        net: text(net)?,
        tax: text(tax)?,
        gross: text(gross)?,
        net_minor: net.try_into().ok()?,
        tax_minor: tax.try_into().ok()?,
        gross_minor: gross.try_into().ok()?,
        parts: parts.iter().zip(&taxes).map(part).collect::<Option<_>>()?,
        rounding: if inclusive { INSIDE } else { ON_TOP },
    })
}

fn on_top(net: i128, parts: &[Part]) -> Option<Vec<i128>> {
    parts.iter().map(|part| part.rate.of(net)).collect()
}

/// The whole tax is rounded once; the last part is what the others leave of it.
fn inside(gross: i128, total: Percent, parts: &[Part]) -> Option<Vec<i128>> {
    let mut rest = total.within(total, gross)?;
    let mut taxes = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let tax = if index + 1 == parts.len() { rest } else { part.rate.within(total, gross)? };
        rest = rest.checked_sub(tax)?;
        taxes.push(tax);
    }
    Some(taxes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::amount::MINOR_MAX;

    fn parts(rates: &[&str]) -> Vec<Part> {
        rates.iter().map(|rate| Part { tax_name: "VAT", rate: Percent::parse(rate).unwrap() }).collect()
    }

    #[test]
    fn adds_and_takes_out() {
        let check = |text: &str, inclusive, rates: &[&str], expect: [&str; 3]| {
            let got = charge(Amount::parse(text, 2).unwrap(), inclusive, &parts(rates)).unwrap();
            assert_eq!([got.net, got.tax, got.gross], expect);
        };
        check("100.00", false, &["20"], ["100.00", "20.00", "120.00"]);
        check("120.00", true, &["20"], ["100.00", "20.00", "120.00"]);
        check("0.10", false, &["5"], ["0.10", "0.01", "0.11"]);
        check("-0.10", false, &["5"], ["-0.10", "-0.01", "-0.11"]);
        // Each tax by itself: 5 % of 10.10 is 0.505, 9.975 % is 1.007475.
        check("10.10", false, &["5", "9.975"], ["10.10", "1.52", "11.62"]);
        check("11.62", true, &["5", "9.975"], ["10.11", "1.51", "11.62"]);
        check("5.00", false, &["0"], ["5.00", "0.00", "5.00"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(minor in -MINOR_MAX..=MINOR_MAX, first in 0u32..=50_000, second in 0u32..=50_000, inclusive: bool) {
            let rate = |thousandths: u32| format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
            let given = Amount::new(minor.into(), 2).unwrap();
            let got = charge(given, inclusive, &parts(&[&rate(first), &rate(second)])).unwrap();
            prop_assert_eq!(got.net_minor + got.tax_minor, got.gross_minor);
            prop_assert_eq!(if inclusive { got.gross_minor } else { got.net_minor }, minor);
            let sum: i128 = got.parts.iter().map(|part| Amount::parse(&part.tax, 2).map(Amount::minor).unwrap()).sum();
            prop_assert_eq!(sum, i128::from(got.tax_minor));
            prop_assert!(got.tax_minor == 0 || (got.tax_minor > 0) == (minor > 0));
        }
    }
}
