//! Whether sentences say rules, or want everything checked.

use crate::sentence::Sentence;

const RULING: &[&str] = &[
    "must", "should", "may", "shall", "muss", "mussen", "darf", "soll", "doit", "debe", "cannot", "never", "always",
    "allowed", "nobody", "only",
];
const NARROWING: &[&str] = &[
    "only the row numbers",
    "only rows",
    "i only",
    "only list",
    "answer only",
    "only tell",
    "only give",
    "only need",
    "only want",
    "give only",
    "just",
];

const ALL: &[&str] = &[
    "check",
    "validate",
    "anything wrong",
    "errors",
    "error",
    "problems",
    "problem",
    "issues",
    "mistakes",
    "mistake",
    "wrong",
    "clean",
    "quality",
    "prufe",
    "prufen",
    "bitte prufen",
    "fehler",
    "correct",
    "verify",
    "validation",
    "ok",
    "okay",
    "in order",
    "sane",
    "sanity",
    "plausible",
    "plausibility",
    "kontrolliere",
    "kontrollieren",
    "verifie",
    "verifiez",
    "revisa",
    "impossible",
    "bad rows",
    "faulty",
    "data check",
    "erreurs",
    "errores",
    "look over",
    "valid",
    "invalid",
    "odd",
    "broken",
    "proofread",
    "audit",
    "flaws",
    "inconsistencies",
    "inconsistent",
    "strange",
];

const ELSE: &[&str] = &[
    "anything else",
    "everything",
    "all problems",
    "all errors",
    "any other",
    "anything wrong",
    "alle fehler",
    "every problem",
    "what else",
    "other problems",
];

pub(crate) fn is_rule(sentence: &Sentence<'_>) -> bool {
    sentence.says(RULING) && sentence.pieces.len() > 3 && !sentence.has(NARROWING)
}

/// Whether everything is to be checked.
pub(crate) fn wants_all(sentences: &[Sentence<'_>]) -> bool {
    sentences.iter().any(|sentence| sentence.has(ALL))
}

/// Whether it is said that all is meant beside a rule: `check everything`, `and anything else`.
pub(crate) fn names_all(sentences: &[Sentence<'_>]) -> bool {
    sentences.iter().any(|sentence| sentence.has(ELSE))
}
