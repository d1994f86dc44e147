//! What was found for a request, before it is put into the answer.

use agent_common::figures;
use agent_common::patterns::is_match;

use crate::asked::Wish;
use crate::facts::{self, Fact};
use crate::finding::Finding;
use crate::found_captions::Cue;
use crate::spoken_words::{self, Said};

/// Figures that were computed.
pub const FIGURES: f64 = 0.95;
/// Findings by fixed rules.
pub const RULES: f64 = 0.85;
/// Technical data against usual values.
pub const DATA: f64 = 0.8;
/// Lists of words that found something.
pub const WORDS: f64 = 0.8;
/// Nothing was found.
pub const NOTHING: f64 = 0.65;
/// Below this it is refused.
pub const FLOOR: f64 = 0.5;
/// Flesch's reading ease below which a text is too hard for children, and for others.
const EASE_CHILDREN: f64 = 70.0;
const EASE_OTHERS: f64 = 40.0;

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    /// Findings beside those of the bridge.
    pub findings: Vec<Finding>,
    /// The answer in words, sentence by sentence.
    pub told: Vec<String>,
    /// Words that it is based on.
    pub based_on: Vec<String>,
    /// How likely it is right.
    pub confidence: f64,
}

impl Answered {
    /// An answer of figures.
    #[must_use]
    pub fn figures(told: Vec<String>, based_on: Vec<String>) -> Self {
        Self { findings: Vec::new(), told, based_on, confidence: FIGURES }
    }
}

/// What the words of cues or of a transcript answer; none where the request does not say which.
#[must_use]
pub fn of_words(wish: Wish, request: &str, cues: &[Cue], spoken: &str) -> Option<Answered> {
    match wish {
        Wish::Sounds => Some(listed(
            &spoken_words::sounds(cues),
            ("sound", "info", "carries a sound, not speech"),
            "no caption carries a sound instead of speech",
        )),
        Wish::Language => {
            let (wanted, other) = spoken_words::other_languages(cues, request);
            let wanted = wanted?;
            let none = format!("all captions whose language can be told are in {}", name(wanted));
            Some(listed(&other, ("language", "medium", &format!("not in {}", name(wanted))), &none))
        }
        Wish::Profanity => Some(listed(
            &spoken_words::profane(cues, spoken),
            ("profanity", "high", "vulgar language (swear word)"),
            "no word on the list of vulgar words is in it",
        )),
        Wish::CallToAction => {
            let found = spoken_words::calls(cues, spoken);
            let mut answered = listed(
                &found,
                ("call_to_action", "info", "calls to act"),
                "there is no call to action: no sentence asks to do something",
            );
            if found.is_empty() {
                answered.findings.push(Finding::new(
                    "medium",
                    "no_call_to_action",
                    "there is no call to action: no sentence asks to do something",
                    None,
                ));
            }
            Some(answered)
        }
        Wish::Count => counted(request, cues, spoken),
        Wish::Place => {
            let phrase =
                agent_common::quotes::find(request).into_iter().map(|quote| quote.text.trim().to_owned()).next()?;
            let found = spoken_words::places(cues, spoken, &phrase);
            Some(listed(
                &found,
                ("mention", "info", &format!("says \"{phrase}\"")),
                &format!("\"{phrase}\" is said nowhere"),
            ))
        }
        Wish::Difficulty => difficulty(request, cues, spoken),
        Wish::Check | Wish::Figure | Wish::Meaning => None,
    }
}

fn name(language: &str) -> String {
    let mut letters = language.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

fn listed(found: &[Said], (kind, severity, what): (&str, &str, &str), none: &str) -> Answered {
    let finding = |said: &Said| {
        let place = said.cue.map_or("the transcript".to_owned(), |cue| format!("caption {cue}"));
        let shown = if said.what == said.quote { String::new() } else { format!(" ({})", said.what) };
        Finding::new(severity, kind, format!("{place}: {what}{shown}: \"{}\"", said.quote), said.cue)
            .quoting(said.quote.clone())
    };
    let findings: Vec<Finding> = found.iter().map(finding).collect();
    let told = if findings.is_empty() {
        vec![none.to_owned()]
    } else {
        findings.iter().map(|finding| finding.message.clone()).collect()
    };
    let confidence = if findings.is_empty() { NOTHING } else { WORDS };
    Answered { findings, told, based_on: found.iter().map(|said| said.quote.clone()).collect(), confidence }
}

fn counted(request: &str, cues: &[Cue], spoken: &str) -> Option<Answered> {
    let text =
        if cues.is_empty() { spoken.to_owned() } else { cues.iter().map(Cue::line).collect::<Vec<_>>().join(" ") };
    let counts = spoken_words::counted(request, &text);
    if counts.is_empty() {
        return None;
    }
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    let mut told: Vec<String> = counts
        .iter()
        .map(|(word, count)| format!("\"{word}\" is said {}", figures::count(*count, "time", "times")))
        .collect();
    if counts.len() > 1 {
        told.push(format!("together {total}"));
    }
    let findings = counts.iter().filter(|(_, count)| *count > 0);
    let findings = findings
        .map(|(word, count)| Finding::new("info", "word_count", format!("\"{word}\": {count}"), None))
        .collect();
    Some(Answered { findings, told, based_on: Vec::new(), confidence: FIGURES })
}

/// The captions with words that are too long for those who read them.
fn hardest(request: &str, cues: &[Cue]) -> Option<Answered> {
    let least = if spoken_words::for_children(request) { 4 } else { 5 };
    let long = |cue: &Cue| -> Vec<String> {
        let words = cue.text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        words.filter(|word| spoken_words::syllables(&word.to_lowercase()) >= least).map(str::to_owned).collect()
    };
    let found: Vec<Said> = cues
        .iter()
        .map(|cue| (cue, long(cue)))
        .filter(|(_, long)| !long.is_empty())
        .map(|(cue, long)| Said { cue: Some(cue.number), quote: cue.line(), what: long.join(", ") })
        .collect();
    let (kind, what) = ("difficult_language", "difficult wording: long words");
    (!found.is_empty())
        .then(|| listed(&found, (kind, "high", what), "no caption has a long word"))
        .map(|answered| Answered { confidence: 0.75, ..answered })
}

fn difficulty(request: &str, cues: &[Cue], spoken: &str) -> Option<Answered> {
    if is_match(r"(?i)(?:which|what) (?:one|caption|cue|subtitle|line)s?\b", request) && cues.len() > 1 {
        return hardest(request, cues);
    }
    let text =
        if cues.is_empty() { spoken.to_owned() } else { cues.iter().map(Cue::line).collect::<Vec<_>>().join(" ") };
    if spoken_words::language(&text).is_some_and(|language| language != "english") {
        return None;
    }
    let (ease, long) = spoken_words::ease(&text)?;
    let least = if spoken_words::for_children(request) { EASE_CHILDREN } else { EASE_OTHERS };
    let figure = format!("reading ease {ease} of 100 by Flesch, where {least} or more are wanted");
    if ease < least - 10.0 {
        let message = format!("poor: the language is too difficult: {figure}; long words such as {}", long.join(", "));
        let finding = Finding::new("high", "difficult_language", message.clone(), None);
        let again =
            Finding::new("high", "complex_sentences", "the sentences are long and complex for this audience", None);
        return Some(Answered {
            findings: vec![finding, again.clone(), again],
            told: vec![message],
            based_on: long,
            confidence: WORDS,
        });
    }
    let unsure = ease < least + 10.0;
    (!unsure).then(|| Answered {
        told: vec![format!("good: the language is easy enough: {figure}")],
        confidence: NOTHING,
        ..Answered::default()
    })
}

/// The figures of captions that a request asks for.
#[must_use]
pub fn of_figures(request: &str, cues: &[Cue], media: Option<f64>, counts: &dyn Fn(&str) -> usize) -> Option<Answered> {
    let lower = request.to_lowercase();
    if let Some((kind, what)) = QUALIFIED
        .iter()
        .find(|(pattern, _, _)| is_match(&format!("(?:how many|number of|count).*(?:{pattern})"), &lower))
        .map(|(_, kind, what)| (*kind, *what))
    {
        return Some(Answered::figures(
            vec![format!("{} {what}", figures::count(counts(kind), "caption", "captions"))],
            Vec::new(),
        ));
    }
    let one = facts::about(cues, request);
    let own: Vec<Cue> = one.map_or_else(|| cues.to_vec(), |cue| vec![cue.clone()]);
    let all = facts::of_captions(&own, if one.is_some() { None } else { media });
    let mut wanted: Vec<&Fact> = facts::asked(&all, request);
    if wanted.is_empty() && one.is_some() && is_match(r"how long|duration|lange|durée", &lower) {
        wanted = all.iter().filter(|fact| fact.name == "average_duration").collect();
    }
    if wanted.is_empty() {
        return None;
    }
    let told = wanted.iter().map(|fact| fact.words.clone()).collect();
    let based_on = one.map(|cue| vec![cue.line()]).unwrap_or_default();
    Some(Answered::figures(told, based_on))
}

/// Questions for how many captions have a fault: the pattern, the bridge's kind, the words.
const QUALIFIED: &[(&str, &str, &str)] = &[
    (
        r"longer than|more than .* seconds|too long|exceed .* seconds|over \d+ ?s",
        "too_long",
        "are on screen for too long",
    ),
    (r"shorter than|less than .* seconds|too short|under \d+ ?s", "too_short", "are on screen for too short a time"),
    (r"overlap", "overlap", "overlap with one before"),
    (r"empty|blank|no text|without text", "empty_cue", "have no text"),
    (
        r"too fast|\bcps\b|characters (?:per|a) second|reading speed",
        "too_many_characters_per_second",
        "are too fast to read",
    ),
    (r"wpm|words (?:per|a) minute", "too_many_words_per_minute", "have too many words per minute"),
    (r"line.*(?:long|character)|characters (?:per|a|in a) line", "line_too_long", "have a line that is too long"),
    (r"out of order|wrong order", "out_of_order", "are out of order"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_figures() {
        let cue = |number, start, end, text: &str| Cue { number, start, end, text: text.into() };
        let cues = [cue(1, 0.0, 2.0, "Knock knock."), cue(2, 2.5, 6.5, "Who is there?"), cue(3, 7.0, 10.0, "Nobody.")];
        let none = |_: &str| 0;
        let told = |request: &str| of_figures(request, &cues, None, &none).map(|answered| answered.told.join("; "));
        assert_eq!(told("avg caption duration in seconds?").as_deref(), Some("a caption lasts 3 s on average"));
        assert_eq!(told("How long is cue 2?").as_deref(), Some("a caption lasts 4 s on average"));
        assert_eq!(told("How many captions overlap?").as_deref(), Some("0 captions overlap with one before"));
        assert_eq!(told("What colour is it?"), None);
        let found = of_words(Wish::Place, "Which cue says \"who\"?", &cues, "").unwrap();
        assert_eq!(found.findings.first().and_then(|finding| finding.cue), Some(2));
        assert!(of_words(Wish::Place, "Which cue is it?", &cues, "").is_none());
    }
}
