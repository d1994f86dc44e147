//! Checks that the words of a model are supported by the words of the caller.

use crate::{number_words, quantity, sentences};

/// Small counts can be expressed in other words: `a quarter` is three months, `both` are two.
const SMALL: f64 = 12.0;

/// Words that are no names even if they are capitalized and the text does not have them.
const LITTLE: &str = "\
    a about actions advantages after against all also although among an and any anyone anything are as at because \
    before benefits between both but by cons decisions despite did disadvantages dislikes do does drawbacks during \
    each either every everybody everyone everything few first for former from fewer have he her here his how however \
    i if in instead is it its last later less likes many may more most much must my neither next no nobody none nor \
    not nothing now of on once one only open or other others our over overall people please pros questions reasons \
    second several she since so some somebody someone something still such summary than that the their then there \
    these they third this those though three to two under unless until we what when where whether which while who \
    why with without yet you your auch auf aus bei bis da damit dann das dass dem den der die dies diese durch ein \
    eine er es für gegen ihr im ist mit nach nachteile nicht nur ob seit sie sind so um und unter vom von vor \
    vorteile wenn wer wir zu zum zur über avantages après avec ce ces cette contre dans elle elles en et il ils \
    inconvénients la le les leur lors mais ne nous on ou pour sans selon si son sous sur tous un une con contra \
    cuando de desde el ella ellos entre esta este los las no para pero por según sin sobre su ventajas y";

/// Abbreviations that do not end a sentence.
const ABBREVIATIONS: &str = "\
    al p pp vol ed eds dr mr mrs ms prof st fig ca cf e.g i.e vs approx z.b bzw nr ch jan feb mar apr aug sept sep \
    oct nov dec inc ltd co u.s art sr jr m etc";

/// Returns the first number of `reply` that `task` does not have.
pub fn number_of_its_own(reply: &str, task: &str) -> Option<String> {
    number_above(SMALL, reply, task)
}

/// Returns the first number of `reply` that `task` does not have, including small counts other than `one`.
pub fn any_number_of_its_own(reply: &str, task: &str) -> Option<String> {
    number_above(1.0, reply, task)
}

fn number_above(small: f64, reply: &str, task: &str) -> Option<String> {
    let amounts = quantity::scan(task).into_iter().map(|quantity| quantity.value);
    let known: Vec<f64> = amounts.chain(runs(task).map(|(_, value)| value)).collect();
    let is_known = |value: f64| known.iter().any(|known| (known - value).abs() <= value.abs() * 1e-9);
    let own = runs(reply).find(|(_, value)| !(is_known(*value) || value.fract() == 0.0 && *value <= small));
    own.map(|(text, _)| text.to_owned())
}

/// Returns the first capitalized word of `reply` that `text` does not have, which can be a name.
pub fn name_of_its_own(reply: &str, text: &str) -> Option<String> {
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
    let mut begins = true;
    for sentence in sentences::split(reply) {
        for (at, word) in words(sentence.text).into_iter().enumerate() {
            let lower = word.to_lowercase();
            let little = LITTLE.split_whitespace().any(|little| little == lower);
            let first = at == 0 && begins && formed(&lower);
            if word.starts_with(char::is_uppercase) && !has(&lower) && !little && !first {
                return Some(word);
            }
        }
        begins = !is_abbreviation(sentence.text.trim_end_matches('.'));
    }
    None
}

/// Returns whether a text ends with an initial or a known abbreviation.
fn is_abbreviation(text: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    initial || ABBREVIATIONS.split_whitespace().any(|known| known == word.to_lowercase())
}

/// Returns whether a text has a quote as it is written, except for the space between its words.
pub fn word_for_word(quote: &str, text: &str) -> bool {
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    stands_in(quote, text) && spaced(text).contains(&spaced(quote))
}

/// Returns whether a text has a quote, except for case, space and the marks around words.
pub fn stands_in(quote: &str, text: &str) -> bool {
    let plain = |text: &str| -> String {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let quote = plain(quote);
    !quote.is_empty() && format!(" {} ", plain(text)).contains(&format!(" {quote} "))
}

/// Returns the numbers of a text with their values; the parts of dates count one by one.
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
    use crate::rows;

    #[test]
    fn replies_have_the_numbers_names_and_quotes_of_the_text() {
        type Row = (String, String, String, Option<String>);
        for (check, text, reply, expect) in rows::<Row>(include_str!("../cases/grounds.json")) {
            let shown = match check.as_str() {
                "number" => number_of_its_own(&reply, &text),
                "any number" => any_number_of_its_own(&reply, &text),
                "name" => name_of_its_own(&reply, &text),
                "quote" => stands_in(&reply, &text).then_some(reply.clone()),
                _ => word_for_word(&reply, &text).then_some(reply.clone()),
            };
            assert_eq!(shown, expect, "{check}: {reply}");
        }
    }
}
