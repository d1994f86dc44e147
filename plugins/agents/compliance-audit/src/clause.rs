//! Clauses and the many ways in which documents say them.
//!
//! A cue is a set of word groups; a sentence shows the clause if it has a word of each group. Hints are words near the
//! subject: where one of them stands and no cue fits, the clause may be there in other words.

/// A clause.
#[derive(Debug)]
pub struct Clause {
    /// What people call it; the first is its name.
    pub names: &'static [&'static str],
    /// Groups of which each must have a word in the sentence.
    pub cues: &'static [&'static [&'static [&'static str]]],
    /// Words with which its absence is not certain.
    pub hints: &'static [&'static str],
}

macro_rules! clause {
    ([$($name:literal),*], [$([$([$($word:literal),*]),*]),*], [$($hint:literal),*]) => {
        $crate::clause::Clause { names: &[$($name),*], cues: &[$(&[$(&[$($word),*]),*]),*], hints: &[$($hint),*] }
    };
}
pub(crate) use clause;

/// Whether a sentence shows a clause.
pub fn shows(clause: &Clause, sentence: &str) -> bool {
    let lower = format!(" {} ", sentence.to_lowercase().replace('’', "'"));
    clause.cues.iter().any(|cue| cue.iter().all(|group| group.iter().any(|word| has(&lower, word))))
}

/// A word at its beginning; with a space before it as it stands.
fn has(text: &str, word: &str) -> bool {
    if !word.starts_with(char::is_alphabetic) {
        return text.contains(word);
    }
    text.match_indices(word).any(|(at, _)| {
        text.get(..at).and_then(|before| before.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
    })
}

/// The hint that stands in a text.
pub fn hint(clause: &Clause, text: &str) -> Option<&'static str> {
    let lower = format!(" {} ", text.to_lowercase());
    clause.hints.iter().find(|word| has(&lower, word)).copied()
}
