//! Numbers out of plain text.
//!
//! A comma parts numbers, it does not group digits: `1,200` is two numbers.
//! Digits that touch letters (`Q1`, `12th`) and dates are no numbers.

use crate::table::Table;

/// The series that a text gives: the last numeric column of a table in it, else
/// its longest unbroken run of numbers. Empty without one.
#[must_use]
pub fn series(text: &str) -> Vec<f64> {
    let table = Table::read(text).filter(|table| table.rows.len() > 2);
    let column = table.and_then(|table| (0..table.columns.len()).rev().find_map(|at| table.numbers(at)));
    column.unwrap_or_else(|| longest_run(text))
}

/// The longest run of numbers with no other word between them but `and`.
#[must_use]
pub fn longest_run(text: &str) -> Vec<f64> {
    let (mut best, mut run): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for token in tokens(text) {
        match number(token) {
            Some(value) => run.push(value),
            None if token.eq_ignore_ascii_case("and") => {}
            None => {
                longer(&mut best, &mut run);
            }
        }
    }
    longer(&mut best, &mut run);
    best
}

fn longer(best: &mut Vec<f64>, run: &mut Vec<f64>) {
    if run.len() > best.len() {
        std::mem::swap(best, run);
    }
    run.clear();
}

/// The number that follows one of `words`, at most two words on: `next 3 months`, `cost of 4.50`.
#[must_use]
pub fn after(text: &str, words: &[&str]) -> Option<f64> {
    let tokens: Vec<&str> = tokens(text).collect();
    let is_key = |token: &&str| words.iter().any(|word| token.trim_end_matches([':', '=']).eq_ignore_ascii_case(word));
    let starts = tokens.iter().enumerate().filter(|(_, token)| is_key(token)).map(|(at, _)| at);
    starts.filter_map(|at| tokens.iter().skip(at + 1).take(3).find_map(|token| number(token))).next()
}

/// One number, with a sign of money before it or a percent sign behind it.
#[must_use]
pub fn number(token: &str) -> Option<f64> {
    let token = token.trim_end_matches(['.', ':', '%', '!', '?']).trim_start_matches(['£', '$', '€', '=']);
    let plain = token.bytes().all(|byte| byte.is_ascii_digit() || b".-+eE".contains(&byte));
    let value: f64 = token.parse().ok().filter(|_| plain)?;
    value.is_finite().then_some(value)
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",;|[](){}\"".contains(c)).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_is_the_series() {
        assert_eq!(series("Forecast the next 3 months: 10, 12, 14 and 16."), [10.0, 12.0, 14.0, 16.0]);
        assert_eq!(series("[1.5, -2, 3e2]"), [1.5, -2.0, 300.0]);
        assert_eq!(series("Q1 12th 2026-01-31 nothing"), Vec::<f64>::new());
        assert_eq!(series("day,sold\n2026-01-01,5\n2026-01-02,6\n2026-01-03,7"), [5.0, 6.0, 7.0]);
    }

    #[test]
    fn a_number_after_its_word() {
        assert_eq!(after("the next 3 months", &["next"]), Some(3.0));
        assert_eq!(after("unit cost of £4.50 each", &["cost"]), Some(4.5));
        assert_eq!(after("the cost is not known, as of 2026", &["cost"]), None);
        assert_eq!(after("no word", &["next"]), None);
    }
}
