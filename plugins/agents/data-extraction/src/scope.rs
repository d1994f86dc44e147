//! Whether a request asks for what rules can read, or for everything.

use agent_common::columns::fold;

/// What is not in the task.
const ELSEWHERE: &[&str] = &[
    "same ones as last time",
    "usual fields",
    "last time",
    "code book",
    "attached",
    "attachment",
    "template",
    "voice message",
    "audio",
    "recording",
    "picture",
    "photo",
    "screenshot",
    "shared folder",
    "our system",
    "as defined",
    "you know",
    "as always",
    "wie immer",
    "as usual",
    "our standard",
    "standard fields",
    "im anhang",
    "scan",
];

/// What no rule reads.
const MEANING: &[&str] = &[
    "in the end",
    "entities",
    "who has to",
    "sentence which",
    "quote the sentence",
    "why",
    "opinion",
    "agreed",
    "implied",
    "action items",
    "to do",
    "main point",
    "reason",
    "mood",
    "tone",
    "people",
    "organisations",
    "organizations",
    "infer",
    "guess",
    "complaint about",
    "what happened",
    "what went wrong",
    "wants",
    "decided",
    "decision",
    "promised",
    "promises",
    "responsible",
    "arguments",
    "pros",
    "cons",
    "symptoms",
    "diagnosis",
    "skills",
    "hobbies",
    "topics",
    "speakers",
    "relationship",
];

/// Whether a request speaks of what is not in the task.
pub(crate) fn is_elsewhere(instruction: &str) -> bool {
    let folded = spaced(instruction);
    ELSEWHERE.iter().any(|word| folded.contains(&format!(" {word} ")))
}

fn spaced(instruction: &str) -> String {
    let words = fold(instruction).replace(|c: char| !c.is_alphanumeric(), " ");
    format!(" {} ", words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What a request speaks of that is not in the task, or that no rule reads.
pub(crate) fn beyond(instruction: &str) -> Option<&'static str> {
    let folded = spaced(instruction);
    let has = |word: &&&str| folded.contains(&format!(" {word} "));
    ELSEWHERE.iter().find(has).or_else(|| MEANING.iter().find(has)).copied()
}

/// Whether all that is found is wanted.
pub(crate) fn everything(instruction: &str) -> bool {
    let folded = fold(instruction);
    instruction.is_empty()
        || [
            "everything",
            "all fields",
            "all values",
            "all the fields",
            "key value",
            "key-value",
            "the fields",
            "all data",
            "all the data",
            "extract the data",
            "alle felder",
            "all details",
            "all information",
            "fields from this",
            "structured",
        ]
        .iter()
        .any(|word| folded.contains(word))
}
