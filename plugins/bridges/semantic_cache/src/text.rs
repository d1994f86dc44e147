//! Normal forms of questions: what must be equal for an exact hit, and for a near one.
//!
//! Invariant: words are only left out when they carry no meaning of their own in any question; what is not known stays.

/// The word that may be there or not. Others that look empty are not: `a` is a grade or a vitamin, `hello` may be what is
/// to be translated, and pronouns, prepositions, tenses, quantities and question words all change a question.
const EMPTY: &str = "the";
/// Beginnings that only announce a question, longest first.
const OPENINGS: [&str; 16] = [
    "can you please tell me ",
    "could you please tell me ",
    "i would like to know ",
    "can you tell me ",
    "could you tell me ",
    "i want to know ",
    "do you know ",
    "tell me ",
    "please ",
    "please, ",
    "hello, ",
    "hello! ",
    "hi, ",
    "hi! ",
    "hey, ",
    "hey! ",
];
/// Beginnings that are taken away one after the other.
const OPENINGS_MAX: usize = 4;
/// Short forms and what they stand for.
const SHORT: [(&str, &str); 14] = [
    ("what's", "what is"),
    ("who's", "who is"),
    ("where's", "where is"),
    ("how's", "how is"),
    ("that's", "that is"),
    ("it's", "it is"),
    ("i'm", "i am"),
    ("don't", "do not"),
    ("doesn't", "does not"),
    ("isn't", "is not"),
    ("aren't", "are not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
];

/// Lower case, one space between words, the typographic apostrophe as the plain one.
pub fn normalise(text: &str) -> String {
    let plain = text.replace(['\u{2019}', '\u{2018}'], "'").to_lowercase();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that carry meaning, in order. Signs inside a word stay, since `3.5`, `c++` and `-1` mean something.
pub fn content(normalised: &str) -> Vec<String> {
    let mut rest = normalised;
    for _ in 0..OPENINGS_MAX {
        let Some(shorter) = OPENINGS.iter().find_map(|opening| rest.strip_prefix(opening)) else { break };
        rest = shorter;
    }
    let words = rest.split(' ').map(trimmed).filter(|word| !word.is_empty() && *word != EMPTY);
    let long = |word: &'_ str| -> String {
        SHORT.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| *long).to_owned()
    };
    let long: Vec<String> = words.map(long).collect();
    long.iter().flat_map(|words| words.split(' ')).map(str::to_owned).collect()
}

/// A word without the sentence signs around it.
fn trimmed(word: &str) -> &str {
    let start = word.trim_start_matches(['"', '\'', '(', '[', '¿', '¡', '«', '„', '“']);
    start.trim_end_matches(['?', '!', '.', ',', ';', ':', '"', '\'', ')', ']', '»', '”', '…', '？', '。', '！'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_differ_and_what_not() {
        let same = |a: &str, b: &str| content(&normalise(a)) == content(&normalise(b));
        for (a, b) in [
            ("What is the capital of France?", "what's  the capital of France"),
            ("Please tell me what the boiling point of water is.", "what boiling point of water is"),
            ("Hi! Could you tell me who's there?", "who is there"),
            ("Can you tell me how to reset my password?", "how to reset my password"),
            ("Don’t cache this", "do not cache this"),
        ] {
            assert!(same(a, b), "{a} / {b}");
        }
        for (a, b) in [
            ("How do I enable logging?", "How do I disable logging?"),
            ("Is it safe to mix bleach and ammonia?", "Is it not safe to mix bleach and ammonia?"),
            ("convert 100 USD to EUR", "convert 100 EUR to USD"),
            ("convert 100 USD to EUR", "convert 101 USD to EUR"),
            ("Who won in 2022?", "Who won in 2023?"),
            ("Can I eat this?", "Can't I eat this?"),
            ("flights from Rome to Oslo", "flights to Rome from Oslo"),
            ("is 3.5 enough", "is 35 enough"),
            ("weather today", "weather tomorrow"),
            ("learn C", "learn C++"),
            ("Say hello in French", "Say thanks in French"),
            ("Translate: please", "Translate: thanks"),
            ("Is vitamin A good?", "Is vitamin good?"),
            ("temperature of 5", "temperature of -5"),
            ("Who is he?", "Who was he?"),
        ] {
            assert!(!same(a, b), "{a} / {b}");
        }
    }
}
