//! A form by an example or by a count of digits: `like AB-1234`, `five digits`.

use agent_common::columns::fold;

use crate::form::Form;
use crate::sentence::Sentence;
use crate::shape::shape;

/// A form by an example or by a count of digits.
pub(crate) fn like(sentence: &Sentence<'_>) -> Option<Form> {
    let lower = fold(&sentence.text);
    if ["yyyy-mm-dd", "aaaa-mm-jj", "jjjj-mm-tt", "aaaa-mm-dd", "jjjj-mm-dd"].iter().any(|form| lower.contains(form))
        || lower.contains("iso 8601")
        || lower.contains("iso format")
    {
        return Some(Form::IsoDay);
    }
    if lower.contains("hh:mm") {
        return Some(Form::Time);
    }
    if sentence.says(&["hex"]) {
        return None;
    }
    for at in 0..sentence.pieces.len() {
        let Some(count) = sentence.pieces.get(at).and_then(|piece| {
            let digits = piece.token.number().and_then(|n| n.text().parse::<usize>().ok());
            digits.or_else(|| agent_common::number_words::cardinal(&piece.text).and_then(|n| usize::try_from(n).ok()))
        }) else {
            continue;
        };
        let digits = sentence.is(at + 1, &["digits", "digit", "stellen", "ziffern", "chiffres", "stellig"])
            || (sentence.is(at + 1, &["-"]) && sentence.is(at + 2, &["digit", "digits"]));
        let letters = (0..at).rev().take(5).any(|at| sentence.is(at, &["letters", "letter", "buchstaben"]));
        if digits && (1..=30).contains(&count) {
            let before = (0..at).rev().take(6).find_map(|at| {
                let n = sentence.pieces.get(at)?;
                let value =
                    n.token.number().and_then(|n| n.text().parse::<usize>().ok()).or_else(|| {
                        agent_common::number_words::cardinal(&n.text).and_then(|n| usize::try_from(n).ok())
                    })?;
                sentence
                    .is(
                        at + 1,
                        &["letters", "letter", "capital", "uppercase", "buchstaben", "grossbuchstaben", "capitals"],
                    )
                    .then_some(value)
            });
            return match before.filter(|_| {
                letters
                    || (0..at).any(|at| sentence.is(at, &["letters", "letter", "capital", "capitals", "buchstaben"]))
            }) {
                Some(letters) => {
                    let dash = if lower.contains("dash") || lower.contains("hyphen") || lower.contains("bindestrich") {
                        "-"
                    } else {
                        ""
                    };
                    Some(Form::Like(format!("{}{dash}{}", "A".repeat(letters), "9".repeat(count))))
                }
                None => Some(Form::Digits(count)),
            };
        }
    }
    let cue = ["like ", "format ", "form ", "pattern ", "look like ", "wie "]
        .iter()
        .find_map(|cue| sentence.text.find(cue).map(|at| at + cue.len()))?;
    let example = sentence.text.get(cue..)?.split_whitespace().find(|word| word.chars().any(|c| c.is_ascii_digit()))?;
    let example = example.trim_matches(|c: char| "\"'`.,;:()?!".contains(c));
    let fits = example.chars().any(|c| c.is_ascii_digit()) && example.len() > 2;
    fits.then(|| Form::Like(shape(example)))
}
