//! The profile of one column.

use std::collections::{BTreeMap, HashMap};

use crate::kind::{Kind, Order, date, number};
use crate::output::{Column, Dates, Frequent, Numbers, Texts};
use crate::table::Cell;
use bridge_common::number::tidy;

/// A column has a type when this share of its values has it.
const TYPED: f64 = 0.95;
/// A shape is told when this share of the texts has it.
const SHAPED: f64 = 0.8;
/// Multiple of the quartile distance for outliers.
const FENCE: f64 = 3.0;
/// Characters of a value that are shown.
const SHOWN: usize = 60;

/// Text of a cell.
#[must_use]
pub fn text(cell: &Cell) -> Option<&str> {
    match cell {
        Cell::Missing => None,
        Cell::Plain(text) | Cell::Quoted(text) => Some(text),
    }
}

/// Profiles a column.
#[must_use]
pub fn profile(name: &str, cells: &[&Cell], top: usize) -> Column {
    let mut types: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for cell in cells {
        if let (Some(kind), Some(text)) = (Kind::of(cell), text(cell)) {
            *types.entry(kind.name()).or_default() += 1;
            *counts.entry(text.trim()).or_default() += 1;
        }
    }
    let filled: usize = types.values().sum();
    let kind = kind_of(&types, filled);
    let mut frequent: Vec<(&str, usize)> = counts.iter().map(|(value, count)| (*value, *count)).collect();
    frequent.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let shown = |(value, count): &(&str, usize)| Frequent { value: value.chars().take(SHOWN).collect(), count: *count };
    let missing = cells.len() - filled;
    Column {
        name: name.to_owned(),
        kind,
        missing,
        missing_share: tidy(missing as f64 / cells.len().max(1) as f64),
        distinct: counts.len(),
        top: frequent.iter().take(top).map(shown).collect(),
        numbers: ["integer", "number"].contains(&kind).then(|| numbers(cells)).flatten(),
        texts: (kind == "text").then(|| texts(cells)).flatten(),
        dates: ["date", "datetime"].contains(&kind).then(|| dates(cells)).flatten(),
        types,
    }
}

fn kind_of(types: &BTreeMap<&'static str, usize>, filled: usize) -> &'static str {
    if filled == 0 {
        return "empty";
    }
    let count = |name: &str| types.get(name).copied().unwrap_or(0);
    let enough = |count: usize| count as f64 >= TYPED * filled as f64;
    let single =
        ["integer", "number", "boolean", "date", "datetime", "text"].into_iter().find(|name| enough(count(name)));
    match single {
        // A single fraction makes a column of integers one of numbers.
        Some("integer") if count("number") > 0 => "number",
        Some(name) => name,
        None if enough(count("integer") + count("number")) => "number",
        None if enough(count("date") + count("datetime")) => "datetime",
        None => "mixed",
    }
}

fn numbers(cells: &[&Cell]) -> Option<Numbers> {
    let read = |(row, cell): (usize, &&Cell)| match cell {
        Cell::Plain(text) => number(text).map(|number| (number, row)),
        _ => None,
    };
    let mut numbers: Vec<(f64, usize)> = cells.iter().enumerate().filter_map(read).collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let sorted: Vec<f64> = numbers.iter().map(|(number, _)| *number).collect();
    let (least, most) = (sorted.first().copied()?, sorted.last().copied()?);
    // Sums are taken in units of the largest number, so that they cannot overflow.
    let unit = least.abs().max(most.abs()).max(f64::MIN_POSITIVE);
    let count = sorted.len() as f64;
    let mean = sorted.iter().map(|number| number / unit).sum::<f64>() / count;
    let squares: f64 = sorted.iter().map(|number| (number / unit - mean).powi(2)).sum();
    let (p25, p75) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let reach = FENCE * (p75 / unit - p25 / unit);
    let beyond = |number: f64| (p25 / unit - reach - number / unit).max(number / unit - p75 / unit - reach);
    let mut outliers: Vec<(f64, usize)> = numbers
        .iter()
        .map(|(number, row)| (beyond(*number), *row))
        .filter(|(beyond, _)| *beyond > 0.0 && reach > 0.0)
        .collect();
    outliers.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Some(Numbers {
        least,
        p05: tidy(quantile(&sorted, 0.05)),
        p25: tidy(p25),
        median: tidy(quantile(&sorted, 0.5)),
        p75: tidy(p75),
        p95: tidy(quantile(&sorted, 0.95)),
        most,
        mean: tidy(mean * unit),
        standard_deviation: tidy((squares / (count - 1.0).max(1.0)).sqrt() * unit),
        zeros: sorted.iter().filter(|number| **number == 0.0).count(),
        negative: sorted.iter().filter(|number| **number < 0.0).count(),
        outliers: outliers.len(),
        outliers_at: outliers.iter().take(10).map(|(_, row)| *row).collect(),
    })
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = share * last as f64;
    let low = place.floor() as usize;
    let at = |index: usize| sorted.get(index.min(last)).copied().unwrap_or(0.0);
    let part = place - low as f64;
    // No difference is taken, as that of two extreme numbers overflows.
    at(low) * (1.0 - part) + at(low + 1) * part
}

fn texts(cells: &[&Cell]) -> Option<Texts> {
    let all: Vec<&str> = cells.iter().filter_map(|cell| text(cell)).collect();
    let lengths: Vec<usize> = all.iter().map(|text| text.trim().chars().count()).collect();
    let mut shapes: HashMap<String, usize> = HashMap::new();
    all.iter().for_each(|text| *shapes.entry(shape(text.trim())).or_default() += 1);
    let usual = shapes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))?;
    Some(Texts {
        shortest: lengths.iter().copied().min()?,
        longest: lengths.iter().copied().max()?,
        mean: tidy(lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64),
        padded: all.iter().filter(|text| text.trim() != **text).count(),
        shape: (usual.1 as f64 >= SHAPED * all.len() as f64).then_some(usual.0),
    })
}

/// `AB1 2CD` is `A9 9A`: letters and digits by their class, a run of one class as a single mark.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for letter in text.chars().take(200) {
        let class = match letter {
            letter if letter.is_numeric() => '9',
            letter if letter.is_uppercase() => 'A',
            letter if letter.is_alphabetic() => 'a',
            letter => letter,
        };
        if !(shape.ends_with(class) && "9Aa".contains(class)) {
            shape.push(class);
        }
        if shape.len() >= 30 {
            break;
        }
    }
    shape
}

fn dates(cells: &[&Cell]) -> Option<Dates> {
    let all: Vec<_> =
        cells.iter().filter_map(|cell| text(cell)).filter_map(|text| Some((date(text)?, text.trim()))).collect();
    let orders: Vec<Order> = all.iter().map(|(date, _)| date.order).collect();
    let has = |order: Order| orders.contains(&order);
    let order = match (has(Order::DayFirst), has(Order::MonthFirst), has(Order::Either)) {
        (true, false, _) => "day_first",
        (false, true, _) => "month_first",
        (false, false, false) => "iso",
        _ => "ambiguous",
    };
    // Where the month comes first, dates that could be either are read so too.
    let sort = |(date, _): &&(crate::kind::Date, &str)| match date.order {
        Order::Either if order == "month_first" => (date.sort.0, date.sort.2, date.sort.1, date.sort.3),
        _ => date.sort,
    };
    let (first, last) = (all.iter().min_by_key(sort)?, all.iter().max_by_key(sort)?);
    Some(Dates { first: first.1.to_owned(), last: last.1.to_owned(), order })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles as R's `quantile(c(1, 2, 3, 4, 10))` and NumPy's default give them.
    #[test]
    fn quantiles_of_type_7() {
        let sorted = [1.0, 2.0, 3.0, 4.0, 10.0];
        for (share, expect) in [(0.0, 1.0), (0.05, 1.2), (0.25, 2.0), (0.5, 3.0), (0.75, 4.0), (0.95, 8.8), (1.0, 10.0)]
        {
            assert!((quantile(&sorted, share) - expect).abs() < 1e-12, "{share}");
        }
        assert_eq!(quantile(&[f64::MIN, f64::MAX], 0.5), 0.0);
    }

    #[test]
    fn shapes() {
        for (text, expect) in
            [("AB1 2CD", "A9 9A"), ("ann@x.org", "a@a.a"), ("Leeds", "Aa"), ("2026-1", "9-9"), ("", "")]
        {
            assert_eq!(shape(text), expect, "{text}");
        }
    }
}
