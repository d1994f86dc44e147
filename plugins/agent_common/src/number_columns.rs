//! Numbers in the cells of a column, read without guessing the decimal sign.

use crate::quantity::{self, Quantity, Style};

/// Returns the number in each cell, none for a text or an empty cell.
///
/// # Errors
/// A cell that can be read in two ways, or cells with different units.
pub fn numbers(cells: &[&str]) -> Result<Vec<Option<f64>>, String> {
    if let Some(cell) = ambiguous(cells) {
        return Err(format!(
            "`{cell}` can be read in two ways; write thousands without a sign, and decimals with a point"
        ));
    }
    let style = quantity::style(cells);
    let read = |cell: &&str| quantity::read(cell, style).filter(|found| !found.in_words);
    let found: Vec<Option<Quantity>> = cells.iter().map(read).collect();
    // 3 months and 2 weeks, or € 5 and $ 5, are not compared by their numbers.
    let kind = |one: &Quantity| {
        let unit = one.unit.as_ref().map(|unit| unit.trim_end_matches('s').to_lowercase());
        (one.currency, unit, one.percent)
    };
    let mut kinds: Vec<_> = found.iter().flatten().map(kind).filter(|kind| *kind != (None, None, false)).collect();
    kinds.dedup();
    if kinds.len() > 1 {
        return Err("the numbers have different units or currencies; give all of them in one".to_owned());
    }
    Ok(found.into_iter().map(|one| one.map(|one| one.value)).collect())
}

/// Returns the first number whose decimal sign the other numbers do not settle: `1.250`
/// among whole numbers, or `1,5` beside `1.5`.
pub fn ambiguous<'t>(cells: &[&'t str]) -> Option<&'t str> {
    let style_of = |cell: &&str| quantity::style(&[*cell]);
    let point = cells.iter().find(|cell| style_of(cell) == Some(Style::Point));
    let comma = cells.iter().find(|cell| style_of(cell) == Some(Style::Comma));
    match (point, comma) {
        (Some(_), Some(cell)) => Some(cell),
        (None, None) => cells.iter().find(|cell| is_grouped(cell)).copied(),
        _ => None,
    }
}

/// Returns whether a text is digits with one point before the last three.
fn is_grouped(text: &str) -> bool {
    let text =
        text.trim().trim_start_matches(['-', '+', '€', '$', '£', ' ']).trim_end_matches(['€', '$', '£', '%', ' ']);
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(whole, part)| {
        (1..=3).contains(&whole.len()) && whole != "0" && part.len() == 3 && digits(whole) && digits(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_with_one_reading_are_read() {
        assert_eq!(numbers(&["1,200", "€ 3", "", "n/a"]), Ok(vec![Some(1200.0), Some(3.0), None, None]));
        assert_eq!(numbers(&["1.200,50", "1.200"]), Ok(vec![Some(1200.5), Some(1200.0)]));
        assert_eq!(numbers(&["1.250", "1.5"]), Ok(vec![Some(1.25), Some(1.5)]));
        assert_eq!(numbers(&["1 month", "3 months"]), Ok(vec![Some(1.0), Some(3.0)]));
    }

    #[test]
    fn columns_with_two_readings_are_not() {
        for cells in [&["1.250", "3"][..], &["1,5", "1.5"], &["€1.250"], &["€5", "$6"], &["2 weeks", "3 months"]] {
            assert!(numbers(cells).is_err(), "{cells:?}");
        }
    }
}
