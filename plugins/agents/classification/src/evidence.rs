//! Which label the words of a text speak for.

use crate::concepts::{CONCEPTS, QUESTIONS, is_rest};
use crate::label::Label;
use crate::more_concepts::MORE_CONCEPTS;
use crate::spam;
use crate::stem::stem;

/// What a label's own name or description is worth in a text.
const OWN: f64 = 2.0;
/// What a word of its usual meaning is worth.
const USUAL: f64 = 1.0;

/// A label with the words that speak for it.
#[derive(Debug, Clone)]
pub struct Meaning {
    /// The label.
    pub name: String,
    /// Words and phrases with their worth.
    words: Vec<(String, f64)>,
    /// Whether it takes what fits no other.
    pub is_rest: bool,
    asks: bool,
    spam: bool,
}

/// A label, how sure, what shows it, and the scores of all labels.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The label; none where the words do not tell.
    pub label: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Words that speak for it.
    pub because: Vec<String>,
    /// By label, the best first.
    pub scores: Vec<(String, f64)>,
}

const STOP: &[&str] = &[
    "a", "an", "the", "of", "and", "or", "to", "in", "on", "for", "with", "about", "not", "is", "are", "it", "be",
    "that", "this", "question", "problem", "request", "issue", "text", "mail", "message", "all", "any", "my", "your",
    "i", "we", "you", "from", "at", "as", "by", "new", "mentions", "please", "their", "has", "have", "do", "does",
    "how", "what", "can", "when", "where", "was", "no", "me", "our", "if", "so", "there", "just", "they", "but", "its",
    "im", "customer", "wants", "want", "things", "anything",
];

impl Meaning {
    /// What a label means by its name, description and usual sense.
    #[must_use]
    pub fn of(label: &Label) -> Self {
        let name = label.name.to_lowercase().replace(['_', '-'], " ");
        let denied = ["not ", "non ", "no ", "nicht ", "kein ", "pas ", "niet ", "sin "]
            .iter()
            .any(|word| name.starts_with(word));
        let described = label.description.clone().unwrap_or_default();
        let mut words: Vec<(String, f64)> = Vec::new();
        let own = |text: &str| -> Vec<String> {
            text.split(|c: char| !c.is_alphanumeric())
                .filter(|word| word.chars().count() > 2 && !STOP.contains(&word.to_lowercase().as_str()))
                .map(stem)
                .collect()
        };
        words.extend(own(&name).into_iter().chain(own(&described)).map(|word| (word, OWN)));
        // `street light` is written `streetlight`, too.
        if (2..=3).contains(&name.split(' ').count()) {
            words.push((stem(&name.replace(' ', "")), OWN));
        }
        let keys: Vec<String> = std::iter::once(name.clone())
            .chain(described.to_lowercase().split([',', ';', '/']).map(|part| part.trim().to_owned()))
            .chain(name.split(' ').map(str::to_owned))
            .chain(described.to_lowercase().split(' ').map(str::to_owned))
            .collect();
        for (names, list) in CONCEPTS.iter().chain(MORE_CONCEPTS) {
            if names
                .split('|')
                .any(|one| keys.iter().any(|key| key == one || (key.len() > 3 && stem(key) == stem(one))))
            {
                words.extend(list.split('|').map(|word| {
                    (if word.contains(|c: char| !c.is_alphanumeric()) { word.to_owned() } else { stem(word) }, USUAL)
                }));
            }
        }
        words.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        words.dedup_by(|a, b| a.0 == b.0);
        let bare = name.trim().to_owned();
        Self {
            is_rest: denied
                || is_rest(&label.name)
                || ["the rest", "everything else", "all else", "anything else", "rest"]
                    .contains(&described.to_lowercase().trim())
                || is_rest(&described),
            asks: QUESTIONS.contains(&bare.as_str()),
            spam: spam::is_spam_name(&label.name),
            words,
            name: label.name.clone(),
        }
    }

    /// Whether enough is known of it to say that a text does not fit.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.words.len() > 4 || self.asks || self.spam
    }

    fn score(&self, text: &str, stems: &[String]) -> (f64, Vec<String>) {
        let mut sum = 0.0;
        let mut found = Vec::new();
        for (word, worth) in &self.words {
            let slip = || *worth >= OWN && word.chars().count() > 5 && stems.iter().any(|one| one_slip(one, word));
            let hit = if word.contains(|c: char| !c.is_alphanumeric()) {
                has(text, word) && !is_denied(text, word)
            } else {
                (stems.contains(word) || slip()) && !is_denied(text, word)
            };
            if hit {
                let many = if word.contains(' ') { 1.5 } else { 1.0 };
                sum += worth * many;
                found.push(word.clone());
            }
        }
        if self.asks
            && (text.trim_end().ends_with('?')
                || ["how ", "what ", "where ", "when ", "can i ", "is there ", "do you ", "which ", "who "]
                    .iter()
                    .any(|word| text.starts_with(word)))
        {
            sum += 2.0;
            found.push("?".into());
        }
        if self.spam {
            let (score, words) = spam::score(text);
            if score >= 2.5 {
                sum += score;
                found.extend(words);
            }
        }
        (sum, found)
    }
}

/// Whether two words differ by one letter that is missing, doubled or another.
fn one_slip(a: &str, b: &str) -> bool {
    let (short, long): (Vec<char>, Vec<char>) = if a.chars().count() <= b.chars().count() {
        (a.chars().collect(), b.chars().collect())
    } else {
        (b.chars().collect(), a.chars().collect())
    };
    let alike = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let rest = |skip: usize| short.get(alike + skip..).is_some_and(|rest| Some(rest) == long.get(alike + 1..));
    match long.len() - short.len() {
        0 => alike < short.len() && alike > 0 && rest(1),
        1 => alike > 0 && rest(0),
        _ => false,
    }
}

/// `not urgent`, `rien d'urgent`: the word stands there only to be denied.
fn is_denied(text: &str, word: &str) -> bool {
    let denials = [
        "not ",
        "not very ",
        "not that ",
        "isn't ",
        "nothing ",
        "no ",
        "non-",
        "nicht ",
        "nichts ",
        "kein ",
        "keine ",
        "pas ",
        "rien d'",
        "rien de ",
        "nada ",
    ];
    let all = text.matches(word).count();
    let denied: usize = denials.iter().map(|denial| text.matches(&format!("{denial}{word}")).count()).sum();
    all > 0 && denied >= all
}

fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let edge = |c: Option<char>, own: Option<char>| {
            !own.is_some_and(char::is_alphanumeric) || c.is_none_or(|c| !c.is_alphanumeric())
        };
        edge(text.get(..at).and_then(|text| text.chars().next_back()), phrase.chars().next())
            && edge(text.get(at + phrase.len()..).and_then(|text| text.chars().next()), phrase.chars().next_back())
    })
}

/// Chooses among labels by their words and by examples.
#[must_use]
pub fn choose(meanings: &[Meaning], labels: &[Label], text: &str) -> Choice {
    let lower = text.to_lowercase().replace('’', "'");
    let apart: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let joined =
        apart.windows(2).filter(|pair| pair.iter().all(|word| word.len() > 2)).map(|pair| stem(&pair.concat()));
    let mut stems: Vec<String> = apart.iter().map(|word| stem(word)).chain(joined).collect();
    stems.sort();
    stems.dedup();
    let mut scored: Vec<(usize, f64, Vec<String>)> = meanings
        .iter()
        .enumerate()
        .map(|(at, meaning)| {
            let (own, mut found) = if meaning.is_rest { (0.0, Vec::new()) } else { meaning.score(&lower, &stems) };
            let (learnt, more) = examples(labels, at, &stems);
            found.extend(more);
            (at, own + learnt, found)
        })
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let name = |at: usize| meanings.get(at).map(|meaning| meaning.name.clone());
    let scores = scored.iter().filter_map(|(at, score, _)| Some((name(*at)?, *score))).collect();
    let (best, second) = (scored.first(), scored.get(1).map_or(0.0, |one| one.1));
    let none = Choice { label: None, confidence: 0.0, because: Vec::new(), scores };
    let Some((at, score, found)) = best else { return none };
    if *score <= 0.0 {
        let rest = meanings.iter().find(|meaning| meaning.is_rest);
        let known = meanings.iter().all(|meaning| meaning.is_rest || meaning.is_known());
        return match rest.filter(|_| known) {
            Some(rest) => Choice {
                label: Some(rest.name.clone()),
                confidence: 0.7,
                because: vec!["no word of another label".into()],
                ..none
            },
            None => none,
        };
    }
    let margin = score - second;
    let confidence = match margin {
        _ if *score < 1.0 || margin < 0.3 * score => 0.3,
        margin if margin >= 3.0 => 0.92,
        margin if margin >= 2.0 => 0.86,
        margin if margin >= 1.0 => 0.75,
        _ => 0.3,
    };
    Choice { label: name(*at), confidence, because: found.clone(), ..none }
}

/// What examples of a label share with a text and those of no other label do.
fn examples(labels: &[Label], at: usize, stems: &[String]) -> (f64, Vec<String>) {
    let words = |label: &Label| -> Vec<String> {
        label
            .examples
            .iter()
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| word.chars().count() > 2 && !STOP.contains(&word.to_lowercase().as_str()))
            .map(stem)
            .collect()
    };
    let Some(own) = labels.get(at).map(words) else { return (0.0, Vec::new()) };
    let others: Vec<String> =
        labels.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, label)| words(label)).collect();
    let mut found: Vec<String> =
        stems.iter().filter(|word| own.contains(word) && !others.contains(word)).cloned().collect();
    found.dedup();
    (1.2 * f64::from(u32::try_from(found.len()).unwrap_or(u32::MAX)), found)
}
