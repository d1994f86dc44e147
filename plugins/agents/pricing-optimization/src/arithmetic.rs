//! Exact arithmetic of margin, markup, discount, tax and break-even.

use agent_common::exact::Exact;
use tollbridge_sdk::Error;

use crate::input::{Calculation, Input};
use crate::output::{Basis, Figure, Output};

/// Returns a number as an exact decimal.
fn exact(value: f64) -> Option<Exact> {
    Exact::read(&format!("{value}"))
}

/// Returns 1 plus so many percent.
fn factor(percent: Exact) -> Option<Exact> {
    Exact::whole(1).plus(percent.over(Exact::whole(100))?)
}

fn percent_of(part: Exact, whole: Exact) -> Option<Exact> {
    part.times(Exact::whole(100))?.over(whole)
}

/// The figures of a calculation, exact.
#[derive(Default)]
struct Exacts {
    cost: Option<Exact>,
    price: Option<Exact>,
    vat: Option<Exact>,
    discounted: Option<Exact>,
    list: Vec<(&'static str, Option<Exact>)>,
}

/// Returns all figures that follow from those given.
pub fn answer(given: &Calculation, input: &Input) -> Result<Output, Error> {
    let field = |text: &str| Error::invalid("/calculate", text.to_owned());
    let read = |value: Option<f64>| value.and_then(exact);
    let mut exacts = Exacts { cost: read(input.unit_cost), vat: read(given.vat_percent), ..Exacts::default() };
    let ways = [given.price, given.gross_price, given.margin_percent, given.markup_percent];
    let known = ways.iter().filter(|way| way.is_some()).count();
    let fits = match (given.price, given.gross_price, exacts.cost) {
        (Some(_), Some(_), cost) => {
            given.vat_percent.is_none() && known == 2 + usize::from(cost.is_none() && known > 2)
        }
        (_, _, Some(_)) => known == 1,
        (_, _, None) => known == 1 && given.margin_percent.is_none() && given.markup_percent.is_none() || known == 2,
    };
    if !fits {
        return Err(field(
            "give the price, or the unit cost with a margin or a markup, and no figure that follows from the others",
        ));
    }
    if given.gross_price.is_some() && given.price.is_none() && given.vat_percent.is_none() {
        return Err(field("a price with tax needs `vat_percent`"));
    }
    if given.discount_percent.is_some() && given.discounted_price.is_some() {
        return Err(field("give `discount_percent` or `discounted_price`, not both"));
    }
    exacts
        .solve(given)
        .ok_or_else(|| field("these figures have no result: check for a margin of 100 % or more, and for zeros"))?;
    exacts.derive(given, input);
    Ok(exacts.output(input))
}

impl Exacts {
    /// Finds price and cost.
    fn solve(&mut self, given: &Calculation) -> Option<()> {
        let read = |value: Option<f64>| value.and_then(exact);
        let one = Exact::whole(1);
        let (margin, markup) = (read(given.margin_percent), read(given.markup_percent));
        let left = margin.map(|margin| one.minus(margin.over(Exact::whole(100))?));
        let left = match left {
            Some(left) => Some(left.filter(|left| *left > Exact::whole(0))?),
            None => None,
        };
        self.price = match (read(given.price), read(given.gross_price), self.cost) {
            (Some(price), Some(gross), _) => {
                self.vat = Some(percent_of(gross.minus(price)?, price)?);
                Some(price)
            }
            (Some(price), None, _) => Some(price),
            (None, Some(gross), _) => Some(gross.over(factor(self.vat?)?)?),
            (None, None, Some(cost)) => match (left, markup) {
                (Some(left), _) => Some(cost.over(left)?),
                (None, Some(markup)) => Some(cost.times(factor(markup)?)?),
                (None, None) => None,
            },
            _ => None,
        };
        let price = self.price.filter(|price| *price > Exact::whole(0))?;
        if self.cost.is_none() {
            self.cost = match (left, markup) {
                (Some(left), _) => Some(price.times(left)?),
                (None, Some(markup)) => Some(price.over(factor(markup)?)?),
                (None, None) => None,
            };
        }
        self.discounted = match (read(given.discount_percent), read(given.discounted_price)) {
            (Some(discount), _) => Some(price.minus(price.times(discount)?.over(Exact::whole(100))?)?),
            (None, discounted) => discounted,
        };
        Some(())
    }

    fn derive(&mut self, given: &Calculation, input: &Input) {
        let Some(price) = self.price else { return };
        let sold_at = self.discounted.unwrap_or(price);
        let mut list = vec![("price", Some(price))];
        if self.discounted.is_some() {
            list.push(("discounted price", Some(sold_at)));
            list.push(("discount", price.minus(sold_at)));
            list.push(("discount in percent", price.minus(sold_at).and_then(|part| percent_of(part, price))));
        }
        if let Some(vat) = self.vat {
            let gross = |net: Exact| net.times(factor(vat)?);
            list.push(("vat in percent", Some(vat)));
            list.push(("gross price", gross(price)));
            if self.discounted.is_some() {
                list.push(("discounted gross price", gross(sold_at)));
            }
            list.push(("vat", gross(sold_at).and_then(|gross| gross.minus(sold_at))));
        }
        let each = self.cost.and_then(|cost| sold_at.minus(cost));
        if let (Some(cost), Some(each)) = (self.cost, each) {
            list.push(("unit cost", Some(cost)));
            list.push(("profit per unit", Some(each)));
            list.push(("margin in percent", percent_of(each, sold_at)));
            list.push(("markup in percent", percent_of(each, cost)));
        }
        let fixed = input.fixed_cost.and_then(exact);
        if let Some(units) = given.quantity.and_then(exact) {
            list.push(("revenue", sold_at.times(units)));
            let profit = each.and_then(|each| each.times(units)?.minus(fixed.unwrap_or_default()));
            list.push(("profit", profit));
        }
        let need =
            |profit: Exact| profit.plus(fixed.unwrap_or_default())?.over(each.filter(|each| *each > Exact::whole(0))?);
        if fixed.is_some() {
            list.push(("break-even units", need(Exact::whole(0))));
        }
        if let Some(target) = given.target_profit.and_then(exact) {
            list.push(("units for the target profit", need(target)));
        }
        self.list = list;
    }

    fn output(&self, input: &Input) -> Output {
        let figures: Vec<Figure> =
            self.list.iter().filter_map(|(name, value)| Some(Figure::of(name, value.as_ref()?.number()))).collect();
        let texts: Vec<String> = figures.iter().map(Figure::text).collect();
        let price = self.discounted.or(self.price).map(|price| price.rounded(6).number());
        Output {
            summary: format!("Computed: {}.", texts.join("; ")),
            decision: "unclear".to_owned(),
            price,
            current_price: input.current_price,
            figures,
            based_on: Basis::of(&[], input, "arithmetic"),
            limitations: vec!["arithmetic only: whether buyers pay this price was not examined".to_owned()],
            ..Output::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(given: Calculation, unit_cost: Option<f64>, fixed_cost: Option<f64>) -> String {
        let input = Input { unit_cost, fixed_cost, ..Input::default() };
        answer(&given, &input).map_or_else(|error| error.message().to_owned(), |output| output.summary)
    }

    #[test]
    fn figures_that_follow() {
        let none = Calculation::default();
        let cases = [
            (Calculation { margin_percent: Some(40.0), ..none }, Some(12.0), "price 20;"),
            (Calculation { markup_percent: Some(25.0), ..none }, Some(80.0), "margin in percent 20;"),
            (Calculation { gross_price: Some(119.0), vat_percent: Some(19.0), ..none }, None, "price 100;"),
            (
                Calculation { price: Some(80.0), discount_percent: Some(15.0), vat_percent: Some(20.0), ..none },
                None,
                "discounted gross price 81.6;",
            ),
            (Calculation { price: Some(50.0), discounted_price: Some(42.5), ..none }, None, "discount in percent 15."),
            (Calculation { price: Some(50.0), margin_percent: Some(30.0), ..none }, None, "unit cost 35;"),
            (Calculation { price: Some(100.0), gross_price: Some(107.0), ..none }, None, "vat in percent 7;"),
            (
                Calculation { price: Some(25.0), margin_percent: Some(30.0), ..none },
                Some(10.0),
                "no figure that follows",
            ),
            (Calculation { gross_price: Some(25.0), ..none }, None, "needs `vat_percent`"),
            (Calculation { margin_percent: Some(100.0), ..none }, Some(10.0), "have no result"),
            (none, Some(10.0), "give the price"),
        ];
        for (given, cost, expect) in cases {
            let found = text(given, cost, None);
            assert!(found.contains(expect), "{found} has no {expect}");
        }
        let sold = Calculation { price: Some(15.0), target_profit: Some(1000.0), ..none };
        let found = text(sold, Some(9.0), Some(3000.0));
        assert!(found.contains("break-even units 500; units for the target profit 666.666667"), "{found}");
    }
}
