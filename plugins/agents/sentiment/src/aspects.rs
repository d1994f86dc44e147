//! Things that a text speaks of, and what the clauses that name them say.

use agent_common::patterns::groups;
use agent_common::{figures, phrases};

use crate::aspect_words::{CUES, GENERIC, PRONOUNS, STOPS, VERBS, synonyms};
use crate::rating::{self, Rating};
use crate::tokens::Token;

/// The things that a request asks about by name: of several readings that whose names the text mentions most.
#[must_use]
pub fn asked(instruction: &str, text: &str) -> Vec<String> {
    let lower = instruction.to_lowercase().replace('’', "'");
    let said: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(stem).collect();
    let mentioned = |names: &Vec<String>| {
        let named = |name: &&String| {
            let head = name.split_whitespace().last().map(stem).unwrap_or_default();
            said.contains(&head) || synonyms(&head).iter().any(|word| said.contains(&stem(word)))
        };
        names.iter().filter(named).count()
    };
    let mut readings: Vec<(usize, Vec<String>)> = CUES
        .iter()
        .flat_map(|cue| lower.match_indices(cue).map(|(at, cue)| (at + cue.len(), cue.len())))
        .map(|(from, length)| (length, listed(lower.get(from..).unwrap_or_default())))
        .collect();
    let judged = r"\b(?:need|want|like|have|get|see) (the [^.?!:]{3,80}?) (?:rated|judged|scored|labelled|labeled|tagged|classified)\b";
    readings.extend(groups(judged, &lower).get(1).map(|list| (0, listed(list))));
    readings.retain(|(_, names)| !names.is_empty());
    let best = readings.into_iter().max_by_key(|(length, names)| (mentioned(names), *length));
    best.map(|(_, names)| names).unwrap_or_default()
}

/// The names of a list that ends where its clause does; `overall` beside others is none.
fn listed(rest: &str) -> Vec<String> {
    let rest = rest.trim_start_matches([':', ' ', '(', '-', '\n']);
    let end = STOPS.iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
    let names = phrases::list(rest.get(..end).unwrap_or(rest).trim_end_matches(':'));
    let mut names: Vec<String> =
        names.into_iter().map(|name| name.trim_start_matches("the ").trim().to_owned()).collect();
    let generic = |name: &String| name.split_whitespace().any(|word| GENERIC.contains(&word));
    if names.len() > 2 {
        names.retain(|name| !generic(name));
    }
    let fits = |name: &String| (1..=3).contains(&name.split_whitespace().count()) && !generic(name);
    if names.iter().all(fits) { names } else { Vec::new() }
}

/// Whether a request wants the things that the text itself speaks of.
#[must_use]
pub fn wants_own(instruction: &str) -> bool {
    let lower = instruction.to_lowercase();
    [
        "per aspect",
        "by aspect",
        "each aspect",
        "aspects",
        "aspect-based",
        "aspect based",
        "per topic",
        "what exactly do they like",
        "pros and cons",
    ]
    .iter()
    .any(|cue| lower.contains(cue))
}

/// What the text says of a thing: label, score and whether anything judges it; none if it does not name it.
#[must_use]
pub fn rated(name: &str, rating: &Rating) -> Option<(&'static str, f64, bool)> {
    let wanted: Vec<String> = name.to_lowercase().split_whitespace().map(stem).collect();
    let head = wanted.last()?.clone();
    let synonyms = synonyms(&head);
    let named = |token: &&Token| stem(&token.word) == head || synonyms.contains(&token.word.as_str());
    let mut clauses: Vec<usize> = rating.tokens.iter().filter(named).map(|token| token.clause).collect();
    clauses.dedup();
    let first = rating.tokens.iter().find(named)?;
    let of = |clause: usize| rating.evidence.iter().filter(move |one| one.clause == clause);
    let mut own: Vec<f64> = clauses.iter().flat_map(|clause| of(*clause)).map(|one| one.value).collect();
    if own.is_empty() {
        // `staff and service were great`, `the wine, however, was corked`: the next clause of the sentence.
        let later = rating
            .evidence
            .iter()
            .find(|one| one.sentence == first.sentence && one.clause > first.clause && one.clause <= first.clause + 2);
        own.extend(later.map(|one| one.value));
    }
    let judged = !own.is_empty();
    let (good, bad) =
        (own.iter().copied().filter(|v| *v > 0.0).sum::<f64>(), -own.iter().copied().filter(|v| *v < 0.0).sum::<f64>());
    let label = match (good >= 1.0, bad >= 1.0) {
        (true, true) if good.min(bad) / good.max(bad) >= 0.5 => "mixed",
        (true, _) if good > bad => "positive",
        (_, true) => "negative",
        _ => "neutral",
    };
    Some((label, figures::round(rating::score(good - bad)), judged))
}

/// The things that a text judges: the word before `is` or `was` in clauses that judge, and what praise stands before.
#[must_use]
pub fn own(rating: &Rating) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let word = |at: usize| rating.tokens.get(at).map_or("", |token| token.word.as_str());
    for (at, token) in rating.tokens.iter().enumerate() {
        let judges = rating.evidence.iter().any(|one| one.clause == token.clause);
        let name = at.checked_sub(1).map(word).unwrap_or_default();
        let clean = name.chars().count() > 2
            && name.chars().all(char::is_alphabetic)
            && !PRONOUNS.contains(&name)
            && !rating.evidence.iter().any(|one| one.words == name);
        if judges && VERBS.contains(&token.word.as_str()) && clean && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    // `great screen, terrible battery`
    for one in &rating.evidence {
        let next = one.at + one.words.split(' ').count();
        let Some(token) = rating.tokens.get(next).filter(|token| token.clause == one.clause) else { continue };
        let last = rating.tokens.get(next + 1).is_none_or(|after| after.clause != token.clause);
        let clean = token.word.chars().count() > 3
            && token.word.chars().all(char::is_alphabetic)
            && !rating.evidence.iter().any(|other| other.at == next);
        if last && clean && !names.contains(&token.word) {
            names.push(token.word.clone());
        }
    }
    names.truncate(10);
    names
}

fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.len() > 3 && !word.ends_with("ss") {
        word.strip_suffix('s').unwrap_or(word).to_owned()
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asked_and_rated() {
        let asked_for = [
            ("Aspect sentiment for camera, speaker and weight.", "camera|speaker|weight"),
            ("What does this reviewer think of the camera?", "camera"),
            ("Sentiment towards the staff and the food?", "staff|food"),
            ("How do they feel about the delivery in this review?", "delivery"),
            ("Sentiment for each review:", ""),
            ("What is the sentiment of this review?", ""),
            ("sentiment for the stock:", ""),
        ];
        for (text, expect) in asked_for {
            assert_eq!(asked(text, "").join("|"), expect, "{text}");
        }
        let rating = rating::rate(
            "The camera is excellent, the speaker is awful, and I hate the weight of it. Great screen. The price is fair enough; staff and service were great.",
            false,
        );
        let label = |name: &str| rated(name, &rating).map(|found| found.0);
        assert_eq!(
            ["camera", "speaker", "weight", "screen", "staff", "garden"].map(label),
            [Some("positive"), Some("negative"), Some("negative"), Some("positive"), Some("positive"), None]
        );
    }
}
