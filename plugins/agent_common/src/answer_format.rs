//! The form that a request wants its answer in.

use crate::number_words;

/// What a request says about the form of its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerFormat {
    /// `in two sentences`, `max 3 sentences`, a one-liner.
    pub sentences_max: Option<u32>,
    /// `at most 20 words`, `under 50 words`.
    pub words_max: Option<u32>,
    /// Bullets are wanted.
    pub bullets: bool,
    /// How many: `3 bullet points`.
    pub bullets_count: Option<u32>,
    /// `as JSON`.
    pub json: bool,
    /// `in a table`.
    pub table: bool,
    /// `TL;DR`, `in a nutshell`, `one-liner`.
    pub one_liner: bool,
    /// One paragraph, no bullets.
    pub paragraph: bool,
    /// ISO 639-1 code of the language that the answer shall have: `in English`.
    pub language: Option<&'static str>,
}

const SENTENCES: &[&str] = &[
    "sentence",
    "sentences",
    "satz",
    "sätze",
    "sätzen",
    "phrase",
    "phrases",
    "frase",
    "frases",
    "frasi",
    "zin",
    "zinnen",
    "zdania",
    "meningar",
];
const WORDS: &[&str] =
    &["word", "words", "wörter", "wörtern", "worte", "worten", "mots", "palabras", "palavras", "parole", "woorden"];
const BULLETS: &[&str] = &[
    "bullet",
    "bullets",
    "bulletpoints",
    "bulleted",
    "stichpunkte",
    "stichpunkten",
    "stichworte",
    "puces",
    "viñetas",
    "puntos",
    "punti",
    "opsommingstekens",
];
/// Nouns that count as bullets behind a number: `five key points`.
const POINTS: &[&str] = &["points", "takeaways", "lines", "items", "punkte", "punkten", "thesen"];
const LANGUAGES: &[(&str, &str)] = &[
    ("english", "en"),
    ("german", "de"),
    ("french", "fr"),
    ("spanish", "es"),
    ("italian", "it"),
    ("portuguese", "pt"),
    ("dutch", "nl"),
    ("polish", "pl"),
    ("swedish", "sv"),
    ("danish", "da"),
    ("norwegian", "no"),
    ("finnish", "fi"),
    ("czech", "cs"),
    ("turkish", "tr"),
    ("arabic", "ar"),
    ("chinese", "zh"),
    ("japanese", "ja"),
    ("korean", "ko"),
    ("russian", "ru"),
    ("ukrainian", "uk"),
    ("greek", "el"),
    ("hungarian", "hu"),
    ("romanian", "ro"),
    ("hebrew", "he"),
    ("hindi", "hi"),
    ("englisch", "en"),
    ("deutsch", "de"),
    ("französisch", "fr"),
    ("spanisch", "es"),
    ("italienisch", "it"),
    ("polnisch", "pl"),
    ("niederländisch", "nl"),
    ("anglais", "en"),
    ("allemand", "de"),
    ("français", "fr"),
    ("espagnol", "es"),
    ("inglés", "en"),
    ("alemán", "de"),
    ("francés", "fr"),
    ("español", "es"),
    ("inglês", "en"),
    ("alemão", "de"),
    ("espanhol", "es"),
    ("português", "pt"),
    ("inglese", "en"),
    ("tedesco", "de"),
    ("engels", "en"),
    ("duits", "de"),
    ("frans", "fr"),
];

impl AnswerFormat {
    /// Reads the instruction of a request, not its material.
    #[must_use]
    pub fn read(instruction: &str) -> Self {
        let lower = instruction.to_lowercase().replace('’', "'");
        let words = words(&lower);
        let mut format = Self { language: language(&words), ..Self::default() };
        for (at, word) in words.iter().enumerate() {
            let count = count_before(&words, at);
            let none = negated(&words, at);
            if SENTENCES.contains(word) && !none {
                // `which sentence says …` and `this sentence` speak of a sentence of the material.
                format.sentences_max = format.sentences_max.or(count.filter(|_| !per(&words, at)));
            } else if WORDS.contains(word) && *word != "word" && !none {
                format.words_max = format.words_max.or(count.filter(|count| *count > 1));
            } else if BULLETS.contains(word) {
                if none {
                    format.paragraph = true;
                } else {
                    format.bullets = true;
                    format.bullets_count = format.bullets_count.or(count.filter(|_| !per(&words, at)));
                }
            } else if POINTS.contains(word)
                && !none
                && count.is_some_and(|count| count > 1)
                && near(&words, at, &["main", "key", "short", "quick", "takeaways", "points", "punkte", "punkten"])
            {
                format.bullets = true;
                format.bullets_count = format.bullets_count.or(count);
            } else if *word == "json" {
                format.json = !none
                    && before(
                        &words,
                        at,
                        &[
                            "as", "in", "return", "output", "answer", "give", "to", "with", "als", "en", "valid",
                            "reply", "respond", "the",
                        ],
                    )
                    || format.json;
            } else if ["table", "tabelle", "tableau", "tabla", "tabella"].contains(word) {
                format.table = !none
                    && before(&words, at, &["a", "as", "eine", "einer", "un", "una", "als"])
                    && before(&words, at, &["in", "as", "als", "en", "into", "make", "give", "with"])
                    || format.table;
            } else if *word == "paragraph" && count == Some(1) {
                format.paragraph = true;
            }
        }
        let short = [
            "tl;dr",
            "tldr",
            "tl dr",
            "one-liner",
            "one liner",
            "in a nutshell",
            "bottom line",
            "one line",
            "einzeiler",
            "in brief one",
        ];
        format.one_liner = short.iter().any(|phrase| lower.contains(phrase));
        if format.one_liner && format.sentences_max.is_none() && !format.bullets {
            format.sentences_max = Some(1);
        }
        format
    }

    /// Whether the request says anything about form.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

fn words(text: &str) -> Vec<&str> {
    let trimmed = |word: &'_ str| -> (usize, usize) {
        let from = word.find(|c: char| c.is_alphanumeric()).unwrap_or(0);
        let to = word.rfind(|c: char| c.is_alphanumeric()).map_or(0, |at| at + 1);
        (from, to.max(from))
    };
    let split = text.split(|c: char| c.is_whitespace() || c == '/' || c == '-');
    split
        .map(|word| {
            word.get(trimmed(word).0..trimmed(word).1).map_or(word, |cut| if cut.is_empty() { word } else { cut })
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// The count in the four words before: `max. 3 short sentences`; the upper one of `two to three` and `2-3`.
fn count_before(words: &[&str], at: usize) -> Option<u32> {
    let from = at.saturating_sub(4);
    let window = words.get(from..at)?;
    for word in window.iter().rev() {
        let count = word.parse::<u32>().ok().or_else(|| number_words::cardinal(word));
        let one = ["a", "single", "einem", "ein", "une", "un", "una", "uma", "één", "jeden"].contains(word);
        if count.is_some() {
            return count;
        }
        if one
            && window.last() == Some(word)
            && ["single", "einem", "ein", "une", "un", "una", "uma", "één"].contains(word)
        {
            return Some(1);
        }
        if ["the", "this", "which", "that", "of", "for"].contains(word) {
            return None;
        }
    }
    None
}

/// `one bullet per person`, `one sentence for each`: a count of its own for each thing.
fn per(words: &[&str], at: usize) -> bool {
    words.get(at + 1).is_some_and(|word| ["per", "each", "pro", "par", "por"].contains(word))
        || (words.get(at + 1) == Some(&"for") && words.get(at + 2).is_some_and(|word| ["each", "every"].contains(word)))
}

fn negated(words: &[&str], at: usize) -> bool {
    let window = words.get(at.saturating_sub(3)..at).unwrap_or_default();
    window.iter().any(|word| ["no", "without", "not", "ohne", "keine", "sans", "sin", "don't"].contains(word))
}

fn before(words: &[&str], at: usize, list: &[&str]) -> bool {
    let window = words.get(at.saturating_sub(3)..at).unwrap_or_default();
    window.iter().any(|word| list.contains(word))
}

fn near(words: &[&str], at: usize, list: &[&str]) -> bool {
    let window = words.get(at.saturating_sub(3)..=at).unwrap_or_default();
    window.iter().any(|word| list.contains(word))
}

/// `in English`, `auf Deutsch`, `two English sentences`, `answer: German`.
fn language(words: &[&str]) -> Option<&'static str> {
    let find = |word: &str| LANGUAGES.iter().find(|(name, _)| *name == word).map(|(_, code)| *code);
    words.iter().enumerate().find_map(|(at, word)| {
        let code = find(word)?;
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let plain = before == "plain" && at.checked_sub(2).is_none_or(|at| words.get(at) != Some(&"in"));
        let after = words.get(at + 1).copied().unwrap_or_default();
        let into =
            ["in", "into", "to", "auf", "ins", "en", "em", "på", "po", "plain", "answer", "reply"].contains(&before);
        let form = SENTENCES.contains(&after)
            || BULLETS.contains(&after)
            || ["please", "pls", "summary", "version", "answer", "bitte", "only"].contains(&after);
        (into || form || plain).then_some(code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_forms() {
        let cases = [
            ("Summarise in two sentences.", "s2"),
            ("Make a summary of max. 3 sentences from both texts together:", "s3"),
            ("what's the bottom line in one sentence?", "s1 one"),
            ("Vat dit samen in maximaal 2 zinnen:", "s2"),
            ("Fasse das in drei Sätzen zusammen", "s3"),
            ("Résume en une phrase", "s1"),
            ("one sentence please:", "s1"),
            ("2-3 sentences", "s3"),
            ("Two-sentence answer please", "s2"),
            ("two sentences max", "s2"),
            ("Boil this down to max 25 words", "w25"),
            ("at most 20 words", "w20"),
            ("under fifty words", "w50"),
            ("max 40 words", "w40"),
            ("give me the main points in five bullets.", "b5"),
            ("Five bullets for the intranet please.", "b5"),
            ("status in exactly 3 bullets, then stop.", "b3"),
            ("3 bullet points", "b3"),
            ("as bullets", "b"),
            ("Please summarise. One sentence per person, as bullets.", "b"),
            ("three key takeaways", "b3"),
            ("one paragraph, no bullets", "p"),
            ("I need it as JSON", "json"),
            ("Return JSON like [{\"n\":1}].", "json"),
            ("answer in JSON", "json"),
            ("Forecast through March 2024, please in a table.", "table"),
            ("Please sum up the table in two sentences.", "s2"),
            ("What does it say, in two English sentences?", "s2 en"),
            ("TL;DR", "s1 one"),
            ("Answer in German, max 30 words", "w30 de"),
            ("Quote the sentence which says how long the contract runs", ""),
            ("What is the sentiment of this sentence:", ""),
            ("Sentiment, one word:", ""),
            ("Translate the following sentence to English.", "en"),
            ("Summarise this", ""),
        ];
        for (text, expect) in cases {
            let format = AnswerFormat::read(text);
            let count = |name: &str, count: Option<u32>| count.map(|n| format!("{name}{n}"));
            let flag = |name: &str, set: bool| set.then(|| name.to_owned());
            let bullets = if format.bullets_count.is_some() {
                count("b", format.bullets_count)
            } else {
                flag("b", format.bullets)
            };
            let parts = [
                count("s", format.sentences_max),
                count("w", format.words_max),
                bullets,
                flag("json", format.json),
                flag("table", format.table),
                flag("one", format.one_liner),
                flag("p", format.paragraph),
                format.language.map(str::to_owned),
            ];
            assert_eq!(parts.into_iter().flatten().collect::<Vec<_>>().join(" "), expect, "{text}");
        }
    }
}
