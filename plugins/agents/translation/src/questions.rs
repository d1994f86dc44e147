//! Questions for the translation of a word or two.

use agent_common::quotes;

use crate::{languages, table};

/// How questions for a word open.
const OPENINGS: &[&str] = &[
    "how do you say ",
    "how do i say ",
    "how would you say ",
    "how to say ",
    "how is ",
    "what is ",
    "what's ",
    "translate ",
    "please translate ",
    "was heißt ",
    "wie sagt man ",
    "comment dit-on ",
    "cómo se dice ",
    "come si dice ",
    "hoe zeg je ",
    "what does ",
    "say ",
];

/// Words that point to a text that stands elsewhere.
const VAGUE: &[&str] = &[
    "this",
    "it",
    "that",
    "these",
    "those",
    "the",
    "my",
    "following",
    "attached",
    "text",
    "below",
    "document",
    "file",
    "sentence",
    "me",
    "something",
    "everything",
];

/// `"Good morning" in German and French`: the quotations, and what stands around them.
pub(crate) fn quoted_alone(task: &str) -> Option<(Vec<String>, String)> {
    let found = quotes::find(task);
    let first = found.first()?;
    let mut rest = task.get(..first.start)?.to_owned();
    for (at, quote) in found.iter().enumerate() {
        let next = found.get(at + 1).map_or(task.len(), |next| next.start);
        rest.push_str(task.get(quote.end..next)?);
    }
    let short = rest.split_whitespace().count() <= 12;
    short.then(|| (found.iter().map(|quote| quote.text.to_owned()).collect(), rest))
}

/// `how do you say thank you in Japanese`, `Japanese for thank you`, `what does fromage mean`: the words asked about,
/// and the question without them.
pub(crate) fn plain_question(task: &str) -> Option<(String, String)> {
    let task = task.trim();
    if task.contains(['"', '\n', '“', '«', '„', ':', '\'', '`']) || task.split_whitespace().count() > 14 {
        return None;
    }
    let bare = task.trim_end_matches(['?', '.', '!', ' ']);
    let lower = bare.to_lowercase();
    let between = |from: usize| -> Option<(String, String)> {
        let rest = lower.get(from..)?;
        let ends = [" in ", " into ", " to ", " auf ", " en ", " mean", " bedeutet", " op z'n ", " naar "];
        let (at, end) = ends.iter().filter_map(|end| rest.rfind(end).map(|at| (at, *end))).max()?;
        let behind = rest.get(at + end.len()..)?;
        let known = end == " mean" || behind.split_whitespace().next().and_then(languages::code).is_some();
        let said = bare.get(from..from + at)?.trim().to_owned();
        known.then(|| {
            (said, format!("{} {}", lower.get(..from).unwrap_or_default(), rest.get(at..).unwrap_or_default()))
        })
    };
    let found = OPENINGS.iter().find(|open| lower.starts_with(**open)).and_then(|open| between(open.len()));
    let found = found.or_else(|| {
        let (name, said) = lower.split_once(" for ")?;
        languages::code(name.trim())?;
        Some((bare.get(bare.len() - said.len()..)?.to_owned(), format!("{name} for")))
    });
    let (said, rest) = found?;
    let clear = !said.is_empty()
        && said.split_whitespace().count() <= 6
        && !said.split_whitespace().any(|word| VAGUE.contains(&word.to_lowercase().as_str()));
    (clear || table_knows(&said)).then_some((said, rest))
}

fn table_knows(said: &str) -> bool {
    table::find(said, None, "de", false).is_some()
}

/// A question for a meaning wants it in the language that it is asked in.
pub(crate) fn of_question(lower: &str) -> Option<&'static str> {
    let cues = [
        (
            "en",
            &[
                "what does",
                "what is the meaning",
                "meaning of",
                "what do they say",
                "what did they write",
                "what's written",
            ] as &[&str],
        ),
        ("de", &["was heißt", "was bedeutet", "was steht", "was heisst"]),
        ("fr", &["que veut dire", "que signifie", "qu'est-ce que"]),
        ("es", &["qué significa", "que significa", "qué quiere decir", "qué dice"]),
        ("it", &["cosa significa", "che significa", "cosa vuol dire"]),
        ("nl", &["wat betekent"]),
        ("pt", &["o que significa", "o que quer dizer"]),
    ];
    cues.iter().find(|(_, words)| words.iter().any(|word| lower.contains(word))).map(|(code, _)| *code)
}
