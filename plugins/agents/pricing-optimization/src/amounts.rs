//! Amounts behind and before words: `costs us 40`, `109 right now`, `between 1,20 and 1,80 €`.

use agent_common::quantity::{self, Style};

/// A number of a text, with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount {
    pub value: f64,
    pub start: usize,
    pub end: usize,
    pub percent: bool,
}

/// The decimal sign that all numbers of a text use, where they tell.
pub fn style(text: &str) -> Option<Style> {
    let tokens: Vec<&str> = text.split(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.')).collect();
    let tokens: Vec<&str> =
        tokens.into_iter().map(|token| token.trim_matches(['.', ','])).filter(|t| !t.is_empty()).collect();
    quantity::style(&tokens)
}

/// The numbers of a text in order; `style` decides what `1.000` is.
pub fn all(text: &str, style: Option<Style>) -> Vec<Amount> {
    let read = |q: quantity::Quantity| {
        let written = text.get(q.start..q.end)?;
        let value = quantity::read(written, style).map_or(q.value, |one| one.value);
        Some(Amount { value: value.abs(), start: q.start, end: q.end, percent: q.percent })
    };
    quantity::scan(text).into_iter().filter(|q| !q.ordinal).filter_map(read).collect()
}

fn ends_sentence(text: &str) -> bool {
    text.contains('\n') || text.contains(". ") || text.contains(['?', '!', ';'])
}

/// Places of a word as a whole.
fn places(lower: &str, word: &str) -> Vec<(usize, usize)> {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    lower
        .match_indices(word)
        .filter(|(at, _)| {
            edge(lower.get(..*at).and_then(|before| before.chars().next_back()))
                && edge(lower.get(at + word.len()..).and_then(|after| after.chars().next()))
        })
        .map(|(at, _)| (at, at + word.len()))
        .collect()
}

/// The number behind one of the words in the same sentence, at most `far` characters on.
pub fn after(text: &str, words: &[&str], far: usize, style: Option<Style>) -> Option<Amount> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let amounts = all(text, style);
    words.iter().find_map(|word| {
        places(&lower, word).into_iter().find_map(|(start, end)| {
            let fixed = lower
                .get(..start)
                .is_some_and(|before| before.trim_end().ends_with("fixed") || before.trim_end().ends_with("no"));
            let next = amounts.iter().find(|amount| amount.start >= end && !amount.percent)?;
            let between = text.get(end..next.start)?;
            (!fixed && between.chars().count() <= far && !ends_sentence(between)).then_some(*next)
        })
    })
}

/// The number before one of the words, at most `far` characters back.
pub fn before(text: &str, words: &[&str], far: usize, style: Option<Style>) -> Option<Amount> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let amounts = all(text, style);
    words.iter().find_map(|word| {
        places(&lower, word).into_iter().find_map(|(start, _)| {
            let last = amounts.iter().rev().find(|amount| amount.end <= start && !amount.percent)?;
            let between = text.get(last.end..start)?;
            (between.chars().count() <= far && !ends_sentence(between)).then_some(*last)
        })
    })
}

/// Two numbers behind one of the words, joined as a range.
pub fn range(text: &str, words: &[&str], style: Option<Style>) -> Option<(f64, f64)> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let amounts = all(text, style);
    words.iter().find_map(|word| {
        places(&lower, word).into_iter().find_map(|(_, end)| {
            let at = amounts.iter().position(|amount| amount.start >= end)?;
            let (low, high) = (amounts.get(at)?, amounts.get(at + 1)?);
            let lead = text.get(end..low.start)?;
            let between = text.get(low.end..high.start)?.to_lowercase();
            let joint = between.trim_matches(|c: char| c.is_whitespace() || "€$£".contains(c));
            let joints = [
                "to",
                "and",
                "-",
                "–",
                "—",
                ",",
                "..",
                "...",
                "bis",
                "und",
                "et",
                "à",
                "a",
                "y",
                "e",
                "und",
                "tot",
                "en",
                "euros and",
                "euro and",
                "eur and",
                "",
            ];
            let joined = joints.contains(&joint) || joint.ends_with(" and") || joint.ends_with(" to");
            (lead.chars().count() <= 25 && !ends_sentence(lead) && joined && low.value < high.value)
                .then_some((low.value, high.value))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_words() {
        let text = "We sit at 109 right now and a kit costs us 40. The board allows 99 to 129.";
        assert_eq!(after(text, &["costs"], 20, None).map(|a| a.value), Some(40.0));
        assert_eq!(before(text, &["right now"], 5, None).map(|a| a.value), Some(109.0));
        assert_eq!(range(text, &["allows"], None), Some((99.0, 129.0)));
        assert_eq!(range("Limiti: 1.000–1.600 €", &["limiti"], Some(Style::Comma)), Some((1000.0, 1600.0)));
        assert_eq!(range("bounds [12, 16]", &["bounds"], None), Some((12.0, 16.0)));
        assert_eq!(range("cut from 240 to 220", &["from"], None), None);
    }
}
