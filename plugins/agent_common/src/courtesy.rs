//! Greetings and thanks around a request.

use crate::asking::asks;

const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "dear",
    "good morning",
    "good afternoon",
    "good evening",
    "greetings",
    "hi there",
    "hello there",
    "hey there",
    "bonjour",
    "salut",
    "hallo",
    "guten tag",
    "guten morgen",
    "hola",
    "olá",
    "ciao",
    "buongiorno",
    "dzień dobry",
    "buenos días",
    "moin",
    "sehr geehrte",
];
const CLOSINGS: &[&str] = &[
    "thanks",
    "thank you",
    "many thanks",
    "thx",
    "cheers",
    "regards",
    "best regards",
    "kind regards",
    "best",
    "merci",
    "merci d'avance",
    "merci beaucoup",
    "danke",
    "vielen dank",
    "danke schön",
    "gracias",
    "muchas gracias",
    "obrigado",
    "obrigada",
    "grazie",
    "bedankt",
    "thanks in advance",
    "thanks a lot",
    "ta",
    "z góry dziękuję",
    "viele grüße",
    "mit freundlichen grüßen",
    "yours",
    "sincerely",
    "much appreciated",
    "thank you very much",
    "thanks so much",
    "liebe grüße",
    "please and thank you",
    "danke im voraus",
    "gracias de antemano",
];

/// A line or sentence that only greets.
pub(crate) fn greets(text: &str) -> bool {
    let lower = text.trim().trim_end_matches([',', '!', '.', ':', ' ']).to_lowercase();
    let short = lower.split_whitespace().count() <= 4;
    short
        && !text.contains('?')
        && GREETINGS
            .iter()
            .any(|word| lower == *word || lower.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ','])))
        && !asks(&lower)
}

/// A line or sentence that only thanks or signs.
#[must_use]
pub fn closes(text: &str) -> bool {
    let lower = text.trim().trim_end_matches(['!', '.', ',', ' ', ')', ':']).to_lowercase();
    let word = CLOSINGS.iter().any(|word| {
        lower == *word || lower.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ',', '!', '.', '-']))
    });
    word && !text.contains('?') && lower.split_whitespace().count() <= 6
}

/// The text without a greeting before it: `hi there, my boss …`.
pub(crate) fn without_greeting(text: &str) -> &str {
    let trimmed = text.trim_start();
    let cut = trimmed.find([',', '!', '.', '\n', ':']).filter(|at| *at < 40);
    match cut.and_then(|at| trimmed.split_at_checked(at + 1)) {
        Some((head, rest)) if greets(head) => without_greeting(rest),
        _ => trimmed,
    }
}
