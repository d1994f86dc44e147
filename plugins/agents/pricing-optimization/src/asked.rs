//! Whether what was read answers what is asked.

use agent_common::figures::figure;
use agent_common::{patterns, sentences};
use tollbridge_sdk::Error;

use crate::amounts;
use crate::roles::{self, Role};
use crate::sale::{Sale, prices};
use crate::terms::Terms;

/// Whether a number can be a price among these sales: of their size, and no number of units that a price is not.
pub fn is_price(value: f64, sales: &[Sale]) -> bool {
    let seen = prices(sales);
    let (Some(low), Some(high)) = (seen.first(), seen.last()) else { return true };
    let is_sold = sales.iter().any(|sale| sale.quantity == value) && !seen.contains(&value);
    value >= low / 4.0 && value <= high * 4.0 && !is_sold
}

const PROFIT: [&str; 12] = [
    "profit",
    "margin",
    "gewinn",
    "marge",
    "bénéfice",
    "beneficio",
    "utile",
    "winst",
    "deckungsbeitrag",
    "lucro",
    "margen",
    "margine",
];
const FREE: [&str; 30] = [
    "no cost",
    "no real cost",
    "no unit cost",
    "no variable",
    "zero cost",
    "cost is zero",
    "costs are zero",
    "cost zero",
    "cost: 0",
    "cost = 0",
    "cost 0",
    "costs nothing",
    "cost nothing",
    "nearly nothing",
    "nothing to make",
    "fixed cost",
    "costs are fixed",
    "cost is fixed",
    "keine kosten",
    "kosten sind fix",
    "sans coût",
    "sin coste",
    "sin costes",
    "digital",
    "cost ~0",
    "cost ~ 0",
    "cost none",
    "costs none",
    "whatever we sell",
    "full or empty",
];

/// An error where profit is asked for, and its answer hangs on a cost that was not found.
pub fn check_cost(beside: &str, sales: &[Sale], terms: &Terms) -> Result<(), Error> {
    let lower = beside.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if terms.revenue || has(&FREE) {
        return Ok(());
    }
    if let Some(left) = unexplained(beside, sales, terms) {
        let text = format!(
            "it is not clear what {} is; say `cost per unit: {}` if it is the cost, or leave it out",
            figure(left),
            figure(left)
        );
        return Err(Error::invalid("/unit_cost", text));
    }
    if has(&PROFIT) && !dearest_is_best(sales) {
        return Err(Error::invalid(
            "/unit_cost",
            "profit depends on what one unit costs you; give the cost per unit, or ask for revenue",
        ));
    }
    Ok(())
}

/// An error where a part of the sales is to be left out, or two things are sold: neither is done here.
pub fn check_scope(beside: &str) -> Result<(), Error> {
    let lower = beside.to_lowercase();
    let part = r"\b(ignor\w*|exclud\w*|except|leave out|leaving out|skip\w*|disregard\w*|without counting|ohne|sans|sin contar)\b[^.?!\n]{0,30}\b(week\w*|month\w*|rows?|lines?|days?|promo\w*|outliers?|holidays?|weekends?|year|woche\w*|zeile\w*|aktion\w*|semaine\w*|mois|semana\w*)\b";
    if patterns::is_match(part, &lower) {
        return Err(Error::invalid(
            "/history",
            "leave out the sales that are not to count and send the rest; this agent takes all that it is given",
        ));
    }
    let several = ["two products", "both products", "three products", "product b", "several products", "each product"];
    if several.iter().any(|word| lower.contains(word)) {
        return Err(Error::invalid(
            "/history",
            "one product is looked at in one task; give its own prices with the units sold at each",
        ));
    }
    Ok(())
}

/// Whether the price with the most revenue is the highest: then it brings the most profit at every cost.
fn dearest_is_best(sales: &[Sale]) -> bool {
    let best = crate::compared::best(sales, &Terms::default()).map(|best| best.price);
    best.is_some() && best == prices(sales).last().copied()
}

/// An amount with a currency below all prices that is neither of them, nor a bound: most likely a cost.
fn unexplained(beside: &str, sales: &[Sale], terms: &Terms) -> Option<f64> {
    let style = amounts::style(beside);
    let seen = prices(sales);
    let least = *seen.first()?;
    let known = [terms.current, terms.low, terms.high, terms.candidate];
    let sentences = beside.lines().flat_map(sentences::split).map(|one| one.text);
    for sentence in sentences {
        let told = roles::read(sentence, style);
        if told.iter().any(|one| one.role == Role::Sold) {
            continue;
        }
        let open = |value: f64| value < least && value > 0.0 && !known.contains(&Some(value));
        if let Some(left) = told.iter().find(|one| one.role == Role::Price && one.money && open(one.value)) {
            return Some(left.value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_that_is_not_found() {
        let sales = [Sale::of(3.2, 95.0), Sale::of(3.6, 88.0)];
        let dear = [Sale::of(10.0, 100.0), Sale::of(12.0, 60.0)];
        assert!(check_cost("Flour etc. is €1.10 per loaf.", &sales, &Terms::default()).is_err());
        assert!(check_cost("Which made more profit?", &sales, &Terms::default()).is_ok());
        assert!(check_cost("Which made more profit?", &dear, &Terms::default()).is_err());
        assert!(check_cost("Which made more profit? No cost per piece.", &dear, &Terms::default()).is_ok());
        assert!(check_scope("Ignoring the promo week, which price was best?").is_err());
        assert!(check_scope("Ignore the comments column.").is_ok());
        assert!(is_price(4.0, &sales) && !is_price(95.0, &sales) && !is_price(2000.0, &sales));
    }
}
