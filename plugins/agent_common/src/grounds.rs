//! Whether what a model says stands in the caller's own words.

use crate::{number_words, quantity};

/// Small counts may be said in other words: `a quarter` is three months, `both` are two.
const SMALL: f64 = 12.0;

/// The first number of `said` that `task` does not have.
#[must_use]
pub fn number_of_its_own(said: &str, task: &str) -> Option<String> {
    let known: Vec<f64> =
        quantity::scan(task).iter().map(|quantity| quantity.value).chain(runs(task).map(|(_, value)| value)).collect();
    let stands = |value: f64| known.iter().any(|known| (known - value).abs() <= value.abs() * 1e-9);
    let own = runs(said).find(|(_, value)| !(stands(*value) || value.fract() == 0.0 && *value <= SMALL));
    own.map(|(text, _)| text.to_owned())
}

/// Whether a quote stands in a text, but for case, space and the marks around it.
#[must_use]
pub fn stands_in(quote: &str, text: &str) -> bool {
    let plain = |text: &str| -> String {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let quote = plain(quote);
    !quote.is_empty() && format!(" {} ", plain(text)).contains(&format!(" {quote} "))
}

/// Digits with what parts them, and their value; parts of dates and of words count one by one.
fn runs(text: &str) -> impl Iterator<Item = (&str, f64)> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | ',')));
    words.flat_map(|word| {
        let number = word.trim_matches(|c: char| !c.is_alphanumeric());
        let of_words = number_words::cardinal(number).map(|value| (number, f64::from(value)));
        let digits = number.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
        of_words.into_iter().chain(digits.filter_map(value))
    })
}

fn value(digits: &str) -> Option<(&str, f64)> {
    let digits = digits.trim_matches(['.', ',']);
    let read = quantity::read(digits, None)?;
    Some((digits, read.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_task() {
        let task = "Revenue was 1,234.50 in March 2024 and twelve thousand on 2024-04-01; add INV-0077, 15% and £3k.";
        for said in [
            "1234.5",
            "sum 1,234.50",
            "12000 and 12,000",
            "2024-04-01",
            "INV-0077",
            "15 %",
            "3000",
            "next 3 months",
            "first two",
        ] {
            assert_eq!(number_of_its_own(said, task), None, "{said}");
        }
        for (said, own) in
            [("1234.6", "1234.6"), ("INV-0078", "0078"), ("2025", "2025"), ("16%", "16"), ("thirty", "thirty")]
        {
            assert_eq!(number_of_its_own(said, task).as_deref(), Some(own), "{said}");
        }
    }

    #[test]
    fn quotes_are_whole_words_of_the_text() {
        let text = "The delivery  never\narrived, and \"nobody\" answered.";
        assert!(stands_in("never arrived", text) && stands_in("“Nobody answered”", text));
        assert!(!stands_in("ever arrived", text) && !stands_in("", text) && !stands_in("nobody cared", text));
    }
}
