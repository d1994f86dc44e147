//! The name of a field without the words around it.

use agent_common::columns::fold;

/// Questions before a name.
const ASKS: &[&str] = &[
    "quels sont ",
    "quelles sont ",
    "quelle est ",
    "quel est ",
    "wie lautet ",
    "wie lauten ",
    "what are ",
    "what is ",
    "was ist ",
    "qual e ",
    "quais sao ",
    "cual es ",
    "cuales son ",
    "values for ",
    "values of ",
    "value of ",
    "value for ",
    "following fields ",
    "fields ",
];

/// Verbs and articles before a name.
const LEADS: &[&str] = &[
    "hole ",
    "give ",
    "get ",
    "show ",
    "return ",
    "list ",
    "extract ",
    "only the ",
    "just the ",
    "the ",
    "out the ",
    "me the ",
    "all the ",
    "all ",
    "every ",
    "each ",
    "both the ",
    "their ",
    "its ",
    "out ",
    "me ",
    "here the ",
    "whose ",
    "o ",
    "a ",
    "as ",
    "os ",
    "el ",
    "la ",
    "le ",
    "les ",
    "die ",
    "der ",
    "das ",
    "den ",
    "l'",
    "alle ",
    "tous les ",
    "toutes les ",
    "todos os ",
    "todas las ",
];

/// What stands behind a name and is no part of it.
const TAILS: &[&str] = &[
    " in euro",
    " in euros",
    " in eur",
    " in usd",
    " in dollars",
    " heraus",
    " raus",
    " mentioned",
    " found",
    " only",
    " too",
    " there",
    " please",
    " pls",
    " bitte",
    " as a list",
    " as list",
    " each",
    " of the sender",
    " in iso format",
    " if any",
    " if given",
    " if there is one",
    " from this",
    " from it",
    " as a number",
    " as number",
];

/// A name without quotes, question, verb and article.
pub(crate) fn clean(name: &str) -> String {
    let mut text = name.trim().trim_matches(|c: char| "`'\"*:;.,()[]".contains(c)).to_owned();
    let folded = fold(&text);
    if let Some(lead) = ASKS.iter().find(|lead| folded.starts_with(**lead)) {
        text = text.chars().skip(lead.chars().count()).collect();
    }
    let lower = fold(&text);
    for lead in LEADS {
        if lower.starts_with(lead) && text.len() > lead.len() {
            text = text.get(lead.len()..).unwrap_or(&text).to_owned();
            break;
        }
    }
    for tail in TAILS {
        if fold(&text).ends_with(tail) && text.is_char_boundary(text.len() - tail.len()) {
            text.truncate(text.len() - tail.len());
        }
    }
    text.trim().to_owned()
}
