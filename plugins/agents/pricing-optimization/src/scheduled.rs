//! Prices by number of a period and a list of what was sold: `38 in weeks 1, 3, 5 and 42 in weeks 2, 4, 6`.

use agent_common::request::Request;
use agent_common::{patterns, quantity, series};

use crate::amounts;
use crate::sale::Sale;

const TIMES: &str =
    r"(?:weeks?|months?|days?|quarters?|rounds?|woche|wochen|monate?n?|semanas?|semaines?|mois|mes|meses)";
const NUMBERS: &str = r"((?:\d{1,2}(?:\s*(?:,|-|–|and|to|und|bis|et|y|through|&)\s*)?)+)";

/// The periods that `1, 3 and 5` or `1-4` name.
fn periods(list: &str) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    let mut open = false;
    let tokens = list.replace(['-', '–'], " to ").replace([',', '&'], " ");
    for token in tokens.split_whitespace() {
        match token.parse::<usize>() {
            Ok(number) => {
                let from = all.last().filter(|_| open).map_or(number, |last| last + 1);
                all.extend((from..=number).take(60));
                open = false;
            }
            Err(_) => open = ["to", "bis", "through"].contains(&token),
        }
    }
    all
}

/// The price of each period, by number from 1.
fn schedule(task: &str) -> Vec<(usize, f64)> {
    let lower = task.to_lowercase();
    let style = amounts::style(task);
    let (before, behind) = (price_first(&lower, style), price_last(&lower, style));
    if before.len() >= behind.len() { before } else { behind }
}

/// `38 in week 1, 3, 5 and 42 in weeks 2, 4, 6`: the last number before `in week` is a price.
fn price_first(lower: &str, style: Option<quantity::Style>) -> Vec<(usize, f64)> {
    let Some(regex) = patterns::compiled(&format!(r"\s(?:in|during|for|over|en|pendant|in den)\s+{TIMES}\s+")) else {
        return Vec::new();
    };
    let places: Vec<(usize, usize)> = regex.find_iter(lower).map(|found| (found.start(), found.end())).collect();
    let mut all = Vec::new();
    for (at, (start, end)) in places.iter().enumerate() {
        let lead = lower.get(..*start).unwrap_or_default();
        let clause = lead.rsplit(['.', ':', '\n']).next().unwrap_or_default();
        if ["sold", "sell", "sales", "units", "verkauf", "vend"].iter().any(|word| clause.contains(word)) {
            return Vec::new();
        }
        let near = |one: &amounts::Amount| {
            lead.get(one.end..).is_some_and(|rest| rest.trim().chars().count() < 10 && !rest.contains(['.', ',', '\n']))
        };
        let Some(price) = amounts::all(lead, style).last().copied().filter(near) else { return Vec::new() };
        let rest = lower.get(*end..).unwrap_or_default();
        let listed = patterns::groups(&format!("^{NUMBERS}"), rest).first().cloned().unwrap_or_default();
        let mut list = periods(&listed);
        // Where the list runs into the next `in week`, its last number is the price there.
        if places.get(at + 1).is_some_and(|next| end + listed.len() >= next.0) {
            list.pop();
        }
        all.extend(list.into_iter().map(|period| (period, price.value)));
    }
    all
}

/// `weeks 1-3 at 8, weeks 4-6 at 9`
fn price_last(lower: &str, style: Option<quantity::Style>) -> Vec<(usize, f64)> {
    let money = r"[€$£]?\s*(\d+(?:[.,]\d+)?)";
    let pattern = format!(r"{TIMES}\s+{NUMBERS}\s*(?:at|:|=|@|we charged|we asked|cost|price|zu)\s*{money}");
    let Some(regex) = patterns::compiled(&pattern) else { return Vec::new() };
    let mut all = Vec::new();
    for captures in regex.captures_iter(lower) {
        let group = |at: usize| captures.get(at).map_or("", |group| group.as_str());
        let Some(price) = quantity::read(group(2), style).map(|one| one.value) else { continue };
        all.extend(periods(group(1)).into_iter().map(|period| (period, price)));
    }
    all
}

/// The sales where each period has one price and one number of what was sold.
pub fn read(task: &str, request: &Request) -> Vec<Sale> {
    let mut schedule = schedule(task);
    schedule.sort_by_key(|(period, _)| *period);
    let whole = schedule.iter().enumerate().all(|(at, (period, _))| *period == at + 1);
    let different = schedule.first().is_some_and(|(_, first)| schedule.iter().any(|(_, price)| price != first));
    if schedule.len() < 2 || !whole || !different {
        return Vec::new();
    }
    let fits = |values: &Vec<f64>| values.len() == schedule.len();
    let read: Vec<Vec<f64>> = series::read(task, request).into_iter().map(|list| list.values).filter(fits).collect();
    let listed = read.into_iter().next().or_else(|| lists(task).into_iter().find(fits));
    let Some(sold) = listed else { return Vec::new() };
    schedule.iter().zip(&sold).map(|((_, price), sold)| Sale::of(*price, *sold)).collect()
}

/// A list of what was sold for each price: `12.50: 1040, 1033, 1051`.
pub fn grouped(task: &str) -> Vec<Sale> {
    let style = amounts::style(task);
    let pattern = r"(?:^|[\n.;|]\s*)(?:[-*]\s*)?(?:at |price )?[€$£]?\s?(\d+(?:[.,]\d+)?)\s?[€$£]?\s*(?::|->|=>|=|→)\s*((?:\d+(?:\.\d+)?(?:\s*[,/]\s*|\s+)){1,}\d+)(?:[.;\n|]|\s*$)";
    let mut sales = Vec::new();
    let mut rest = task;
    while let Some(found) = patterns::compiled(pattern).and_then(|regex| regex.captures(rest)) {
        let group = |at: usize| found.get(at).map_or("", |group| group.as_str());
        let price = quantity::read(group(1), style).map(|one| one.value);
        let units =
            group(2).split(|c: char| !(c.is_ascii_digit() || c == '.')).filter_map(|token| token.parse::<f64>().ok());
        sales.extend(units.filter_map(|sold| Some(Sale::of(price?, sold))));
        // The sign at the end of one list opens the next.
        let end = found.get(2).map_or(rest.len(), |list| list.end());
        rest = rest.get(end..).unwrap_or_default();
    }
    sales
}

/// Lists of numbers parted by commas.
fn lists(task: &str) -> Vec<Vec<f64>> {
    patterns::all(r"(?:\d+[,;]?\s+(?:and\s+|und\s+)?){2,}\d+", task)
        .into_iter()
        .map(|list| {
            let tokens = list.split(|c: char| !(c.is_ascii_digit() || c == '.'));
            tokens.filter_map(|token| token.parse::<f64>().ok()).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_by_period() {
        let shown = |task: &str| {
            let sales = read(task, &Request::read(task));
            sales.iter().map(|sale| format!("{}x{}", sale.price, sale.quantity)).collect::<Vec<_>>().join(" ")
        };
        let task = "Fence panels were 38 in week 1, 3, 5 and 42 in weeks 2, 4, 6. Panels sold weeks 1 to 6: 144, 96, 150, 93, 147, 99.";
        assert_eq!(shown(task), "38x144 42x96 38x150 42x93 38x147 42x99");
        let task = "Weeks 1-3 at €8, weeks 4-6 at €9. Sold: 120, 118, 121, 104, 101, 103. Which price?";
        assert_eq!(shown(task), "8x120 8x118 8x121 9x104 9x101 9x103");
        let listed = grouped("Four weeks each. 12.50: 1040, 1033. 13.50: 1002, 990. We are at 12.50.");
        assert_eq!(listed.iter().map(|sale| sale.quantity).collect::<Vec<_>>(), [1040.0, 1033.0, 1002.0, 990.0]);
        assert_eq!(shown("We sold 120 in week 1, 3 and 98 in week 2."), "");
    }
}
