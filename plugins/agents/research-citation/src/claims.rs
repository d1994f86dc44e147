//! A claim against the sentences of the sources.

use std::collections::BTreeSet;

use agent_common::{
    figures::round,
    sentences::{self, Sentence},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Source;

/// Share of a claim's content words that a sentence must have to speak of it.
const ABOUT: f64 = 0.6;
const NEGATIONS: [&str; 9] = ["not", "no", "never", "none", "nor", "neither", "without", "cannot", "n't"];

/// A claim, and what the sources say of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// As written.
    pub claim: String,
    /// What the sources say.
    pub finding: Finding,
    /// Share of its content words in the quote, 0 to 1.
    pub overlap: f64,
    /// The sentence that comes nearest; null where none has a word of it.
    pub quote: Option<Quote>,
    /// Why this finding.
    pub reason: String,
}

/// What the sources say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A sentence says the same, with the same numbers.
    Supported,
    /// A sentence speaks of the same with other numbers, or the opposite.
    Contradicted,
    /// No sentence speaks of it.
    Unsupported,
}

/// A sentence of a source.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Quote {
    /// Word for word.
    pub text: String,
    /// Id of the source.
    pub source: String,
    /// Place of its first character in the source, from 0, in characters.
    pub start: usize,
}

/// Each claim, in order.
pub fn check(claims: &[Sentence<'_>], sources: &[Source]) -> Vec<Checked> {
    let sentences: Vec<(&Source, Sentence<'_>)> = sources
        .iter()
        .flat_map(|source| sentences::split(&source.text).into_iter().map(move |sentence| (source, sentence)))
        .collect();
    let read: Vec<BTreeSet<String>> = sentences.iter().map(|(_, sentence)| sentences::stems(sentence.text)).collect();
    claims.iter().map(|claim| one(claim.text, &sentences, &read)).collect()
}

fn one(claim: &str, sentences: &[(&Source, Sentence<'_>)], read: &[BTreeSet<String>]) -> Checked {
    let words: BTreeSet<String> =
        sentences::stems(claim).into_iter().filter(|word| !is_number(word) && !negates(word)).collect();
    let mut best: Option<(f64, usize)> = None;
    for (at, have) in read.iter().enumerate() {
        #[allow(clippy::cast_precision_loss, reason = "words of a sentence")]
        let share = words.intersection(have).count() as f64 / words.len().max(1) as f64;
        // Of sentences that fit alike, one with the claim's own numbers.
        let share = share + if numbers(claim).is_subset(&numbers_of(have)) { 1e-6 } else { 0.0 };
        if share > 1e-5 && best.is_none_or(|(most, _)| share > most) {
            best = Some((share, at));
        }
    }
    let nearest = best.and_then(|(share, at)| Some((share, sentences.get(at)?)));
    let Some((share, (source, sentence))) = nearest else {
        return Checked {
            claim: claim.into(),
            finding: Finding::Unsupported,
            overlap: 0.0,
            quote: None,
            reason: "no sentence of the sources has a word of it".into(),
        };
    };
    let (finding, reason) = judge(claim, sentence.text, share);
    let quote = Quote { text: sentence.text.into(), source: source.id.clone(), start: sentence.start };
    Checked {
        claim: claim.into(),
        finding,
        overlap: round((share.min(1.0) * 1e4).floor() / 1e4),
        quote: Some(quote),
        reason,
    }
}

fn judge(claim: &str, sentence: &str, share: f64) -> (Finding, String) {
    if share < ABOUT {
        return (
            Finding::Unsupported,
            format!("the nearest sentence has {:.0} % of its words; {:.0} % are needed", share * 100.0, ABOUT * 100.0),
        );
    }
    let (said, found) = (numbers(claim), numbers(sentence));
    let missing: Vec<&str> = said.difference(&found).map(String::as_str).collect();
    if !missing.is_empty() {
        if found.is_empty() {
            return (Finding::Unsupported, format!("the source gives no figure for {}", missing.join(", ")));
        }
        let instead: Vec<&str> = found.iter().map(String::as_str).collect();
        return (
            Finding::Contradicted,
            format!("the claim says {}, the source {}", missing.join(", "), instead.join(", ")),
        );
    }
    if negated(claim) != negated(sentence) {
        return (Finding::Contradicted, "one of the two denies what the other says".into());
    }
    (Finding::Supported, "the words and all figures of the claim stand in the quote".into())
}

fn numbers(text: &str) -> BTreeSet<String> {
    numbers_of(&sentences::stems(text))
}

fn numbers_of(words: &BTreeSet<String>) -> BTreeSet<String> {
    words.iter().filter(|word| is_number(word)).cloned().collect()
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

fn negates(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

fn negated(text: &str) -> bool {
    let count =
        text.to_lowercase().split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| negates(word)).count();
    count % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_negations_decide() {
        let sources =
            [Source { id: "a".into(), text: "The bridge opened in 1966. It was not closed in winter.".into() }];
        let claims = [
            ("The bridge opened in 1966.", Finding::Supported),
            ("The bridge opened in 1967.", Finding::Contradicted),
            ("It was closed in winter.", Finding::Contradicted),
            ("Trains run every hour.", Finding::Unsupported),
        ];
        for (claim, expect) in claims {
            let checked = check(&sentences::split(claim), &sources);
            assert_eq!(checked[0].finding, expect, "{claim}: {}", checked[0].reason);
        }
    }
}
