//! Whether words ask for something, apart from telling it.

use crate::asking_words::{ASKING, DEICTIC, LANGUAGES, POLITE, QUESTIONS, VERBS, WANTED, WEAK_VERBS};
pub use crate::courtesy::closes;
pub(crate) use crate::courtesy::{greets, without_greeting};

/// Words in small letters, without signs at their ends.
fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

fn has(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        lower.match_indices(phrase).any(|(at, _)| {
            let before = lower.get(..at).and_then(|text| text.chars().next_back());
            let after = lower.get(at + phrase.len()..).and_then(|text| text.chars().next());
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            edge(before) && (edge(after) || !phrase.ends_with(char::is_alphanumeric))
        })
    })
}

/// How strongly a sentence or a short line asks: 0 tells, 2 asks, 4 asks for what agents do.
#[must_use]
pub fn strength(text: &str) -> u32 {
    let whole = of_one(text);
    let sentences = crate::sentences::split(text);
    if sentences.len() < 2 || text.split_whitespace().count() > 70 {
        return whole;
    }
    sentences.iter().map(|sentence| of_one(sentence.text)).max().unwrap_or(0).max(whole)
}

fn of_one(text: &str) -> u32 {
    let text = text.trim();
    let lower = text.to_lowercase().replace('’', "'");
    let words = words(&lower);
    let Some(first) = words.iter().find(|word| !POLITE.contains(&word.as_str())) else { return 0 };
    let mut score = 0;
    let question = lower.trim_end_matches(|c: char| "\"'”») \t:)".contains(c)).ends_with(['?', '？'])
        || lower.contains("? ")
        || lower.contains("??");
    if question {
        score += 2;
    }
    let opening = lower.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(first.as_str())
        || POLITE.contains(&words.first().map_or("", String::as_str));
    // `Review 1:` and `Summary: all well` name a text, they ask for none.
    let names = words.len() < 4 && words.get(1).is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    if opening && VERBS.contains(&first.as_str()) && !names {
        score += if WEAK_VERBS.contains(&first.as_str()) { 1 } else { 3 };
    }
    if QUESTIONS.contains(&first.as_str()) && (question || words.len() < 12) {
        score += 1;
    }
    if has(&lower, ASKING) {
        score += 2;
    }
    if has(&lower, WANTED) && words.len() < 40 {
        score += 2;
    }
    if has(&lower, DEICTIC) && (lower.ends_with(':') || question) {
        score += 1;
    }
    if lower.ends_with(':') && words.len() > 2 {
        score += 1;
    }
    // `one of them is special, find it`
    let last = lower.rsplit([',', ';', '–']).next().unwrap_or_default();
    let last = last.split_whitespace().find(|word| !POLITE.contains(word)).unwrap_or_default();
    if lower.contains([',', ';', '–']) && words.len() < 25 && VERBS.contains(&last) && !WEAK_VERBS.contains(&last) {
        score += 2;
    }
    let names_language = words.len() < 12 && words.iter().any(|word| LANGUAGES.contains(&word.as_str()));
    if names_language && (lower.ends_with(':') || has(&lower, ASKING)) {
        score += 2;
    }
    if words.len() > 70 { score / 2 } else { score }
}

/// Whether a text asks.
#[must_use]
pub fn asks(text: &str) -> bool {
    strength(text) >= 2
}

/// Whether a sentence speaks of the asker's own situation.
pub(crate) fn is_context(text: &str) -> bool {
    let own = [
        "unser",
        "unsere",
        "mein",
        "meine",
        "notre",
        "nos",
        "mon",
        "mes",
        "nuestro",
        "nuestra",
        "mi",
        "nosso",
        "nostro",
        "i",
        "i'm",
        "im",
        "we",
        "my",
        "our",
        "me",
        "us",
        "you",
        "it's",
        "your",
        "attached",
        "screenshot",
        "inbox",
        "ich",
        "wir",
        "je",
        "nous",
        "thanks",
        "sorry",
        "ignore",
        "answer",
    ];
    words(text).iter().any(|word| own.contains(&word.as_str()))
}

/// Whether a text asks for what agents do, not for a parcel or a call.
#[must_use]
pub fn wants_work(text: &str) -> bool {
    let lower = text.to_lowercase();
    let verb = words(&lower).iter().any(|word| VERBS.contains(&word.as_str()) && !WEAK_VERBS.contains(&word.as_str()));
    has(&lower, WANTED)
        || (verb
            && (has(&lower, DEICTIC) || has(&lower, ASKING) || lower.trim_end().ends_with('?') || strength(&lower) > 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_and_telling() {
        let asking = [
            "Please sum up the table in two sentences.",
            "good or bad??",
            "Is that positive or negative?",
            "Sentiment?",
            "sentiment of this:",
            "Return JSON like [{\"n\":1}].",
            "Vat dit samen in maximaal 2 zinnen:",
            "Boil this down to max 25 words",
            "I need the profit per product from this list.",
            "Bitte ins Deutsche übersetzen:",
            "Which batches are outliers",
            "Extraia o nome do cliente, o CPF e o valor total.",
            "Five bullets for the intranet please.",
            "Quel est le sentiment de cet avis ?",
            "average age by gender from the survey below?",
            "Rank these.",
            "nitpicks welcome:",
        ];
        for text in asking {
            assert!(asks(text), "{text}: {}", strength(text));
        }
        let telling = [
            "The airport branch was closed from August to December 2024.",
            "Review 1: great",
            "Thanks!",
            "It arrived with a broken shade.",
            "Jan 210, Feb 214",
            "The soup was excellent and the waiter charming.",
            "name,age",
            "",
            "I hate the weight of it.",
        ];
        for text in telling {
            assert!(!asks(text), "{text}: {}", strength(text));
        }
    }

    #[test]
    fn greetings_and_thanks() {
        for text in ["Hi!", "Dear all,", "Good morning,", "Bonjour,", "Hello Jo,"] {
            assert!(greets(text), "{text}");
        }
        for text in ["Thanks, Gwen", "Merci d'avance", "Many thanks, Edda", "cheers T.", "Best regards"] {
            assert!(closes(text), "{text}");
        }
        assert!(!greets("Hi, is this spam?") && !closes("Thanks to the new motor it is far more reliable now"));
        assert_eq!(without_greeting("hi there, my boss"), "my boss");
    }
}
