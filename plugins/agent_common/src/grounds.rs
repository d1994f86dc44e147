//! Whether what a model says stands in the caller's own words.

use crate::{number_words, quantity};

/// Small counts may be said in other words: `a quarter` is three months, `both` are two.
const SMALL: f64 = 12.0;

/// Words in which sentences begin and that are no names, though the text may not have them.
const LITTLE: &str = "a about actions advantages after against all also although among an and any anyone anything are as \
    at because before benefits between both but by cons decisions despite did disadvantages dislikes do does drawbacks \
    during each either every everybody everyone everything few first for former from fewer have he her here his how \
    however i if in instead is it its last later less likes many may more most much must my neither next no nobody none \
    nor not nothing now of on once one only open or other others our over overall people please pros questions reasons \
    second several she since so some somebody someone something still such summary than that the their then there these \
    they third this those though three to two under unless until we what when where whether which while who why with \
    without yet you your auch auf aus bei bis da damit dann das dass dem den der die dies diese durch ein eine er es für \
    gegen ihr im ist mit nach nachteile nicht nur ob seit sie sind so um und unter vom von vor vorteile wenn wer wir zu \
    zum zur über avantages après avec ce ces cette contre dans elle elles en et il ils inconvénients la le les leur lors \
    mais ne nous on ou pour sans selon si son sous sur tous un une con contra cuando de desde el ella ellos entre esta \
    este los las no para pero por según sin sobre su ventajas y";

/// The first number of `said` that `task` does not have.
#[must_use]
pub fn number_of_its_own(said: &str, task: &str) -> Option<String> {
    number_above(SMALL, said, task)
}

/// The first number of `said` that `task` does not have, small counts too; but `one` is often no count.
#[must_use]
pub fn any_number_of_its_own(said: &str, task: &str) -> Option<String> {
    number_above(1.0, said, task)
}

fn number_above(small: f64, said: &str, task: &str) -> Option<String> {
    let known: Vec<f64> =
        quantity::scan(task).iter().map(|quantity| quantity.value).chain(runs(task).map(|(_, value)| value)).collect();
    let stands = |value: f64| known.iter().any(|known| (known - value).abs() <= value.abs() * 1e-9);
    let own = runs(said).find(|(_, value)| !(stands(*value) || value.fract() == 0.0 && *value <= small));
    own.map(|(text, _)| text.to_owned())
}

/// The first word of `said` in a capital that `text` does not have: a name, or what may be one.
#[must_use]
pub fn name_of_its_own(said: &str, text: &str) -> Option<String> {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let known: Vec<String> = words(text).iter().map(|word| word.to_lowercase()).collect();
    let has = |word: &str| known.iter().any(|known| known.trim_end_matches('s') == word.trim_end_matches('s'));
    // The first word of a sentence is no name if the text has another form of it.
    let formed = |word: &str| {
        let stem: String = word.chars().take(word.chars().count().saturating_sub(3).max(4)).collect();
        known.iter().any(|known| known.starts_with(&stem) && known.len().abs_diff(word.len()) <= 3)
    };
    crate::prose::sentences(said).into_iter().find_map(|sentence| {
        let own = words(sentence.text).into_iter().enumerate().find(|(at, word)| {
            let lower = word.to_lowercase();
            let capital = word.chars().next().is_some_and(char::is_uppercase);
            capital && !has(&lower) && !(LITTLE.split(' ').any(|little| little == lower) || *at == 0 && formed(&lower))
        });
        own.map(|(_, word)| word)
    })
}

/// Whether a quote stands in a text as it is written, but for the space between its words.
#[must_use]
pub fn word_for_word(quote: &str, text: &str) -> bool {
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    stands_in(quote, text) && spaced(text).contains(&spaced(quote))
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

    #[test]
    fn small_numbers_and_names_are_those_of_the_text() {
        let text = "Three crates of pears went to Ann Bee at Oakfield. The board approves it.";
        for said in ["3 crates went to Ann.", "Approved by the board; one crate of Oakfield's pears.", "The board."] {
            assert_eq!((any_number_of_its_own(said, text), name_of_its_own(said, text)), (None, None), "{said}");
        }
        assert_eq!(any_number_of_its_own("2 crates, then two more", text).as_deref(), Some("2"));
        for (said, own) in [("They went to Carl.", "Carl"), ("Ann Lee got them.", "Lee"), ("Dave paid.", "Dave")] {
            assert_eq!(name_of_its_own(said, text).as_deref(), Some(own), "{said}");
        }
    }

    #[test]
    fn quotes_word_for_word_have_the_same_signs() {
        let text = "Total: £1,200.50\n(incl. VAT), ref A-7";
        assert!(word_for_word("£1,200.50 (incl. VAT)", text) && word_for_word("A-7", text));
        assert!(!word_for_word("1,200", text) && !word_for_word("a-7", text) && !word_for_word("$1,200.50", text));
    }
}
