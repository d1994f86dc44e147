//! Arithmetic of margin, markup, discount, tax and break-even.

use tollbridge_sdk::Error;

use crate::input::{Calculation, Input};
use crate::output::{Figure, Output};

/// Returns the factor of an increase by a percentage.
fn factor(percent: f64) -> f64 {
    1.0 + percent / 100.0
}

/// Returns all figures that follow from those given.
pub fn answer(given: &Calculation, input: &Input) -> Result<Output, Error> {
    let Calculation { price, gross_price, vat_percent, margin_percent, markup_percent, .. } = *given;
    let invalid = |text: &str| Err(Error::invalid("/calculate", text));
    let known = [price, gross_price, margin_percent, markup_percent].iter().flatten().count();
    let fits = match (price, gross_price, input.unit_cost) {
        (Some(_), Some(_), cost) => vat_percent.is_none() && known == 2 + usize::from(cost.is_none() && known > 2),
        (_, _, Some(_)) => known == 1,
        (_, _, None) => known == 2 || known == 1 && price.or(gross_price).is_some(),
    };
    if !fits {
        return invalid(
            "give the price, or the unit cost with a margin or a markup, and no figure that follows from the others",
        );
    }
    if gross_price.is_some() && price.is_none() && vat_percent.is_none() {
        return invalid("a price with tax needs `vat_percent`");
    }
    if given.discount_percent.is_some() && given.discounted_price.is_some() {
        return invalid("give `discount_percent` or `discounted_price`, not both");
    }
    let vat = vat_percent.or(price.zip(gross_price).map(|(net, gross)| 100.0 * (gross - net) / net));
    let net = price.or(gross_price.zip(vat).map(|(gross, vat)| gross / factor(vat)));
    // The cost as a share of the price.
    let share = margin_percent.map(|margin| factor(-margin)).or(markup_percent.map(|markup| 1.0 / factor(markup)));
    let price = net.or(input.unit_cost.zip(share).map(|(cost, share)| cost / share));
    let possible = |price: &f64| *price > 0.0 && price.is_finite() && share.is_none_or(|share| share > 0.0);
    let Some(price) = price.filter(possible) else {
        return invalid("these figures have no result: check for a margin of 100 % or more, and for zeros");
    };
    let cost = input.unit_cost.or(share.map(|share| price * share));
    let discounted = given.discounted_price.or(given.discount_percent.map(|discount| price * factor(-discount)));
    let figures = figures(given, input.fixed_cost, [Some(price), discounted, vat, cost]);
    let text = figures.iter().map(|figure| format!("{} {}", figure.name, figure.value)).collect::<Vec<_>>().join("; ");
    Ok(Output {
        price: figures
            .iter()
            .rfind(|figure| figure.name == "price" || figure.name == "discounted price")
            .map(|one| one.value),
        figures,
        limitations: vec!["arithmetic only: whether buyers pay this price was not examined".to_owned()],
        ..Output::of(&[], input, "arithmetic", &[format!("Computed: {text}")])
    })
}

/// Returns the figures that follow from price, price after the discount, tax and cost.
fn figures(given: &Calculation, fixed: Option<f64>, known: [Option<f64>; 4]) -> Vec<Figure> {
    let [price, discounted, vat, cost] = known;
    let sold_at = discounted.or(price);
    let both = |a: Option<f64>, b: Option<f64>, of: fn(f64, f64) -> f64| a.zip(b).map(|(a, b)| of(a, b));
    let percent = |part: f64, whole: f64| 100.0 * part / whole;
    let gross = |net: f64, vat: f64| net * factor(vat);
    let discount = both(price, discounted, |price, sold_at| price - sold_at);
    let each = both(sold_at, cost, |sold_at, cost| sold_at - cost);
    let units = |profit: f64| each.filter(|each| *each > 0.0).map(|each| (profit + fixed.unwrap_or(0.0)) / each);
    let all = [
        ("price", price),
        ("discounted price", discounted),
        ("discount", discount),
        ("discount in percent", both(discount, price, percent)),
        ("vat in percent", vat),
        ("gross price", both(price, vat, gross)),
        ("discounted gross price", both(discounted, vat, gross)),
        ("vat", both(sold_at, vat, |net, vat| net * vat / 100.0)),
        ("unit cost", cost),
        ("profit per unit", each),
        ("margin in percent", both(each, sold_at, percent)),
        ("markup in percent", both(each, cost, percent)),
        ("revenue", both(sold_at, given.quantity, |price, units| price * units)),
        ("profit", both(each, given.quantity, |each, units| each * units).map(|profit| profit - fixed.unwrap_or(0.0))),
        ("break-even units", fixed.and_then(|_| units(0.0))),
        ("units for the target profit", given.target_profit.and_then(units)),
    ];
    let finite = |(name, value): (&str, Option<f64>)| {
        value.filter(|value| value.is_finite()).map(|value| Figure::of(name, value))
    };
    all.into_iter().filter_map(finite).collect()
}
