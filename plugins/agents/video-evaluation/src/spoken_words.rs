//! What is said: sounds, other languages, words not for children, calls to act, fillers, difficulty.

use std::collections::BTreeMap;

use agent_common::patterns::{all, is_match};

use crate::found_captions::Cue;

/// Words that tell a language, by its name.
const LANGUAGES: &[(&str, &[&str])] = &[
    (
        "english",
        &[
            "the", "and", "is", "of", "to", "in", "you", "we", "it", "this", "that", "are", "for", "with", "a", "then",
            "what", "not", "do", "at", "on", "our", "your", "i", "was", "here", "be", "have", "will", "add", "how",
            "they", "no", "my",
        ],
    ),
    (
        "german",
        &[
            "der",
            "die",
            "das",
            "und",
            "ist",
            "wir",
            "nicht",
            "ein",
            "eine",
            "zu",
            "den",
            "mit",
            "ich",
            "sie",
            "zuerst",
            "dann",
            "auf",
            "für",
            "sind",
            "auch",
            "es",
            "jetzt",
            "im",
            "von",
            "schneiden",
            "bitte",
            "heute",
            "haben",
            "noch",
            "hier",
        ],
    ),
    (
        "french",
        &[
            "le", "la", "les", "et", "est", "nous", "vous", "de", "des", "un", "une", "du", "dans", "pour", "que",
            "pas", "je", "avec", "ce", "il", "elle", "sur", "au", "très", "bonjour", "merci", "à",
        ],
    ),
    (
        "spanish",
        &[
            "el", "la", "los", "las", "y", "es", "de", "que", "un", "una", "con", "por", "para", "en", "no", "hoy",
            "se", "lo", "nos", "muy", "hola", "gracias", "ahora", "está", "vamos", "del", "al",
        ],
    ),
    (
        "italian",
        &[
            "il", "lo", "gli", "e", "è", "di", "che", "un", "una", "con", "per", "non", "si", "sono", "della", "del",
            "ciao", "grazie", "oggi", "ora", "questo", "in",
        ],
    ),
    (
        "dutch",
        &[
            "de", "het", "een", "en", "is", "van", "wij", "niet", "ik", "met", "voor", "op", "dat", "zijn", "ook",
            "nu", "maar", "hier", "eerst", "dan",
        ],
    ),
    (
        "portuguese",
        &[
            "o", "os", "as", "e", "é", "de", "que", "um", "uma", "com", "para", "não", "em", "do", "da", "hoje",
            "obrigado", "agora", "você", "muito",
        ],
    ),
];

const PROFANE: &[&str] = &[
    "damn",
    "goddamn",
    "damned",
    "shit",
    "shat",
    "shitty",
    "bullshit",
    "fuck",
    "fucking",
    "fucked",
    "fucker",
    "motherfucker",
    "bitch",
    "bastard",
    "asshole",
    "arse",
    "ass",
    "crap",
    "crappy",
    "piss",
    "pissed",
    "dick",
    "cock",
    "cunt",
    "slut",
    "whore",
    "bollocks",
    "wanker",
    "bugger",
    "hell",
    "douche",
    "screw you",
    "scheiße",
    "scheisse",
    "arschloch",
    "verdammt",
    "merde",
    "putain",
    "connard",
    "mierda",
    "puta",
    "joder",
    "cazzo",
    "merda",
    "stronzo",
    "kut",
    "wtf",
    "stfu",
];

const CALLS: &str = r"(?i)\b(?:subscribe|sign up|click|tap|swipe|follow us|follow me|like and|hit the|leave a comment|download|register|order (?:now|yours|today|online|at|it)|buy (?:now|yours|today|it|one)|shop now|visit|come by|come (?:and|to) (?:see|visit|our)|drop by|stop by|call us|call now|call \d|give us a call|book (?:now|your|a|today)|join (?:us|now|our|today)|try it|get (?:yours|your|started|ten|\d+ ?%|in touch)|start your|learn more|find out more|check out|contact us|write to us|donate|apply (?:now|today)|pre-?order|link (?:below|in)|go to \S+\.(?:com|org|net|example|de|co)|see you at|don't miss|grab (?:yours|your)|reserve|send us|vote|share this|act now|install)\b|jetzt (?:kaufen|bestellen|anmelden)|abonniert|abonnez|suscríbete|iscriviti";

/// Something that is said in a cue, or in a sentence of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The cue, from 1; none in a transcript.
    pub cue: Option<usize>,
    /// The words.
    pub quote: String,
    /// What of them counts.
    pub what: String,
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Cues that are a sound between brackets or notes.
#[must_use]
pub fn sounds(cues: &[Cue]) -> Vec<Said> {
    let found = |cue: &Cue| {
        let line = cue.line();
        let sounds = all(r"(\[[^\]]+\]|\([^)]+\)|♪[^♪]*♪?|\*[^*]+\*)", &line);
        (!sounds.is_empty()).then(|| Said { cue: Some(cue.number), quote: line, what: sounds.join(" ") })
    };
    cues.iter().filter_map(found).collect()
}

/// The language of a short text by its common words; none where they do not tell.
#[must_use]
pub fn language(text: &str) -> Option<&'static str> {
    let words = words(text);
    let score = |list: &[&str]| words.iter().filter(|word| list.contains(&word.as_str())).count();
    let mut scores: Vec<(usize, &str)> = LANGUAGES.iter().map(|(name, list)| (score(list), *name)).collect();
    scores.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match scores.as_slice() {
        [(best, name), (second, _), ..] if best > second => Some(name),
        _ => None,
    }
}

/// Cues in another language than the wanted one, or than most of them.
#[must_use]
pub fn other_languages(cues: &[Cue], request: &str) -> (Option<&'static str>, Vec<Said>) {
    let lower = request.to_lowercase();
    let named = LANGUAGES.iter().map(|(name, _)| *name).find(|name| lower.contains(name));
    let own: Vec<(usize, &'static str)> =
        cues.iter().filter_map(|cue| Some((cue.number, language(&cue.text)?))).collect();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (_, name) in &own {
        *counts.entry(name).or_default() += 1;
    }
    let most = counts.iter().max_by_key(|(_, count)| **count).map(|(name, _)| *name);
    let Some(wanted) = named.or(most) else { return (None, Vec::new()) };
    let other = own.into_iter().filter(|(_, name)| *name != wanted);
    let said = other.filter_map(|(number, name)| {
        let cue = cues.iter().find(|cue| cue.number == number)?;
        Some(Said { cue: Some(number), quote: cue.line(), what: name.to_owned() })
    });
    (Some(wanted), said.collect())
}

/// The sentences of cues or of a transcript.
fn parts(cues: &[Cue], transcript: &str) -> Vec<(Option<usize>, String)> {
    if cues.is_empty() {
        agent_common::sentences::split(transcript)
            .into_iter()
            .map(|sentence| (None, sentence.text.to_owned()))
            .collect()
    } else {
        cues.iter().map(|cue| (Some(cue.number), cue.line())).collect()
    }
}

/// Words that are not for children.
#[must_use]
pub fn profane(cues: &[Cue], transcript: &str) -> Vec<Said> {
    let found = |(cue, text): (Option<usize>, String)| {
        let own: Vec<String> = words(&text).into_iter().filter(|word| PROFANE.contains(&word.as_str())).collect();
        (!own.is_empty()).then(|| Said { cue, quote: text, what: own.join(", ") })
    };
    parts(cues, transcript).into_iter().filter_map(found).collect()
}

/// Sentences that call to do something.
#[must_use]
pub fn calls(cues: &[Cue], transcript: &str) -> Vec<Said> {
    let found = |(cue, text): (Option<usize>, String)| {
        let own = all(CALLS, &text);
        (!own.is_empty()).then(|| Said { cue, quote: text, what: own.join(", ") })
    };
    parts(cues, transcript).into_iter().filter_map(found).collect()
}

/// Where a phrase is said.
#[must_use]
pub fn places(cues: &[Cue], transcript: &str, phrase: &str) -> Vec<Said> {
    let lower = phrase.to_lowercase();
    let found = |(cue, text): (Option<usize>, String)| {
        let hit = agent_common::patterns::count_word(&text.to_lowercase(), &lower) > 0;
        hit.then(|| Said { cue, quote: text, what: phrase.to_owned() })
    };
    parts(cues, transcript).into_iter().filter_map(found).collect()
}

/// Filler words, with what a request names.
#[must_use]
pub fn counted(request: &str, text: &str) -> Vec<(String, usize)> {
    const FILLERS: [&str; 10] = ["um", "uh", "er", "erm", "hmm", "like", "you know", "basically", "actually", "ähm"];
    let mut named: Vec<String> = agent_common::quotes::find(request)
        .into_iter()
        .filter(|quote| quote.text.split_whitespace().count() < 5)
        .map(|quote| quote.text.trim().to_lowercase())
        .collect();
    if named.is_empty() {
        let after = all(
            r"(?i)(?:filler words?|fillers|the words?|word)\s*:?\s+((?:\w+(?:\s*,\s*|\s+and\s+|\s+or\s+|\s*/\s*)?){1,4})",
            request,
        );
        let stop = [
            "in", "the", "my", "this", "are", "is", "there", "do", "we", "of", "said", "per", "appear", "does", "how",
            "count", "please", "used", "occur", "below", "has", "that", "you", "were", "i",
        ];
        let list = after.first().map(|list| words(list)).unwrap_or_default();
        named = list
            .into_iter()
            .filter(|word| word != "and" && word != "or")
            .take_while(|word| !stop.contains(&word.as_str()))
            .collect();
    }
    if named.is_empty() && request.to_lowercase().contains("filler") {
        named = FILLERS
            .iter()
            .filter(|word| !matches!(**word, "like" | "actually"))
            .map(|word| (*word).to_owned())
            .collect();
        let lower = text.to_lowercase();
        named.retain(|word| agent_common::patterns::count_word(&lower, word) > 0);
    }
    let lower = text.to_lowercase();
    named.into_iter().map(|word| (word.clone(), agent_common::patterns::count_word(&lower, &word))).collect()
}

/// Flesch's reading ease of an English text: 100 is very easy, below 30 very hard; and its longest words.
#[must_use]
pub fn ease(text: &str) -> Option<(f64, Vec<String>)> {
    let words: Vec<String> = words(text);
    let sentences = agent_common::sentences::split(text).len().max(1);
    if words.len() < 8 {
        return None;
    }
    let syllables: usize = words.iter().map(|word| syllables(word)).sum();
    let (count, sentences) = (words.len() as f64, sentences as f64);
    let ease = 206.835 - 1.015 * (count / sentences) - 84.6 * (syllables as f64 / count);
    let mut long: Vec<String> = words.into_iter().filter(|word| syllables_are_many(word)).collect();
    long.dedup();
    long.truncate(5);
    Some(((ease * 10.0).round() / 10.0, long))
}

fn syllables_are_many(word: &str) -> bool {
    syllables(word) > 3
}

/// Syllables of a word in small letters.
#[must_use]
pub fn syllables(word: &str) -> usize {
    let mut count = 0;
    let mut before = false;
    for c in word.chars() {
        let vowel = "aeiouyáéíóúäöü".contains(c);
        count += usize::from(vowel && !before);
        before = vowel;
    }
    let silent = word.ends_with('e') && !word.ends_with("le") && count > 1;
    (count - usize::from(silent)).max(1)
}

/// Whether a request speaks of children.
#[must_use]
pub fn for_children(request: &str) -> bool {
    is_match(r"(?i)child|kids?\b|year[- ]old|years? old|pupils|school|kinder|enfants|niños", request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(number: usize, text: &str) -> Cue {
        Cue { number, start: 0.0, end: 1.0, text: text.into() }
    }

    #[test]
    fn what_is_said() {
        assert_eq!(sounds(&[cue(1, "[door creaks]"), cue(2, "Hi.")]).len(), 1);
        let cues = [
            cue(1, "The recipe is simple."),
            cue(2, "Zuerst schneiden wir die Zwiebeln."),
            cue(3, "Then add a little salt."),
        ];
        let (wanted, other) = other_languages(&cues, "Captions must be entirely in English.");
        assert_eq!((wanted, other.first().and_then(|said| said.cue)), (Some("english"), Some(2)));
        assert_eq!(profane(&[cue(1, "A duck!"), cue(2, "Damn, it shat on my shoe.")], "").len(), 1);
        assert!(profane(&[cue(1, "Hello class, a classic assessment")], "").is_empty());
        assert_eq!(calls(&[], "We repair shoes. Come by this Saturday and get ten percent off.").len(), 1);
        assert!(calls(&[], "The bridge opened in May. It is long.").is_empty());
        let said = "So um today we uh look at the um new dashboard and um yeah it is uh faster";
        assert_eq!(counted("Count the filler words \"um\" and \"uh\"", said), [("um".into(), 3), ("uh".into(), 2)]);
        assert_eq!(counted("How many fillers are in it?", said), [("um".into(), 3), ("uh".into(), 2)]);
        assert!(ease("Amortisation of intangible assets proceeds on a straight-line basis unless impairment indicators necessitate an extraordinary write-down.").is_some_and(|(ease, _)| ease < 20.0));
        assert!(
            ease("The cat sat on the mat. It is a big red cat. We like the cat.").is_some_and(|(ease, _)| ease > 90.0)
        );
    }
}
