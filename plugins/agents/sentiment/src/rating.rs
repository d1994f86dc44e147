//! What a text says for and against its subject, and how sure that is.

use crate::english;
use crate::evidence::{Evidence, evidence, stars};
use crate::facts::states_a_fact;
use crate::lexicon::{self, Lexicon};
use crate::tokens::{self, Token};

/// Below this the agent does not answer.
pub const CONFIDENCE_FLOOR: f64 = 0.55;
/// Several strong words, all on one side.
const PLAIN: f64 = 0.92;
/// One strong word or phrase, nothing against it.
const ONE_SIDED: f64 = 0.86;
/// A statement of fact without a word that judges; and strong words on both sides.
const BALANCED: f64 = 0.8;
/// One side outweighs the other, or a weak word alone.
const LEANING: f64 = 0.65;
/// Nothing to go by.
const NOTHING: f64 = 0.3;
/// From here on a word is strong.
const STRONG: f64 = 1.5;

/// Words between praise and blame.
const CONTRAST: &[&str] = &[
    "but",
    "however",
    "although",
    "though",
    "yet",
    "aber",
    "mais",
    "pero",
    "ma",
    "mas",
    "maar",
    "except",
    "while",
    "unfortunately",
    "and",
];

/// Phrases of those who neither praise nor blame.
const LUKEWARM: &[&str] = &[
    "neither good nor bad",
    "nothing special",
    "so-so",
    "so so",
    "it's okay",
    "it is okay",
    "it's ok",
    "it is ok",
    "was okay",
    "was ok",
    "is ok,",
    "average",
    "nothing to write home about",
    "does the job",
    "does what it says",
    "no strong opinion",
    "no opinion",
    "neither like",
    "middle of the road",
    "weder gut noch schlecht",
    "it's fine",
    "ni bon ni mauvais",
    "not good, not bad",
    "not great, not terrible",
];

/// The rating of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Rating {
    /// positive, negative, neutral or mixed.
    pub label: &'static str,
    /// -1 to 1.
    pub score: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// What shows it.
    pub evidence: Vec<Evidence>,
    /// Its words.
    pub tokens: Vec<Token>,
    /// Language of the words that count.
    pub language: &'static str,
}

/// Rates a text; `market`: as news for those who hold shares.
#[must_use]
pub fn rate(text: &str, market: bool) -> Rating {
    let tokens = tokens::read(text);
    let lexicon = Lexicon::of(&tokens, market);
    let mut evidence = evidence(&tokens, lexicon);
    evidence.extend(stars(text, &tokens));
    evidence.sort_by_key(|one| one.at);
    let (label, confidence) = judge(text, &tokens, &evidence);
    let score = score(evidence.iter().map(|one| one.value).sum());
    Rating { label, score, confidence, evidence, tokens, language: lexicon.code() }
}

/// A sum of values brought between -1 and 1, as VADER does it.
#[must_use]
pub fn score(sum: f64) -> f64 {
    agent_common::figures::round(sum / (sum * sum + 15.0).sqrt())
}

fn judge(text: &str, tokens: &[Token], evidence: &[Evidence]) -> (&'static str, f64) {
    let side = |sign: f64| evidence.iter().map(|one| (one.value * sign).max(0.0)).sum::<f64>();
    let strong = |sign: f64| evidence.iter().any(|one| one.value * sign >= STRONG);
    let (good, bad) = (side(1.0), side(-1.0));
    if let Some(found) = irony(text, tokens, evidence) {
        return found;
    }
    // Words of blame that praise among friends: `sick`, `an absolute killer`.
    let slang = [
        "sick", "killer", "wicked", "insane", "filthy", "nasty", "crazy", "dead", "i'm dead", "savage", "unreal",
        "brutal",
    ];
    let blamed = evidence.iter().filter(|one| one.value < 0.0);
    if bad > 0.0
        && blamed.clone().all(|one| {
            slang.contains(&one.words.as_str()) || one.words.ends_with(" sick") || one.words.ends_with(" dead")
        })
    {
        return ("negative", NOTHING);
    }
    if evidence.is_empty() || (good < 1.0 && bad < 1.0) {
        if states_a_fact(text, tokens) && evidence.is_empty() {
            let hints = tokens.iter().any(|token| lexicon::may_feel(&token.word)) || text.contains(['@', '#']);
            return ("neutral", if hints { NOTHING } else { BALANCED });
        }
        return lukewarm(text);
    }
    if lukewarm(text).1 > NOTHING && good < 2.5 && bad < 2.5 {
        return lukewarm(text);
    }
    let (label, most, least) = if good >= bad { ("positive", good, bad) } else { ("negative", bad, good) };
    // One word that may mean something else here.
    let doubtful = evidence.len() == 1 && evidence.iter().all(|one| one.is_general && one.value.abs() < 2.5);
    if doubtful {
        return (label, if tokens.len() > 12 { NOTHING } else { LEANING });
    }
    let thin = coverage(tokens, evidence) < 0.3;
    let confidence = if strong(1.0) && strong(-1.0) {
        let ratio = least / most;
        if ratio >= 0.35 {
            let told = tokens.iter().any(|token| CONTRAST.contains(&token.word.as_str()));
            return (
                "mixed",
                if thin {
                    NOTHING
                } else if told && ratio >= 0.5 {
                    BALANCED
                } else {
                    LEANING
                },
            );
        }
        if most >= 4.0 { LEANING + 0.1 } else { LEANING }
    } else if least >= 1.0 && least / most > 0.45 {
        NOTHING
    } else if most >= 4.0 {
        PLAIN
    } else if most >= STRONG {
        ONE_SIDED
    } else {
        LEANING
    };
    (label, if thin { (confidence - 0.4).max(NOTHING) } else { confidence })
}

/// The share of sentences in which something judges; one word among many sentences shows little.
fn coverage(tokens: &[Token], evidence: &[Evidence]) -> f64 {
    let mut own: Vec<usize> = evidence.iter().map(|one| one.sentence).collect();
    own.dedup();
    // Greetings and names are no sentences that could judge.
    let long = |sentence: &usize| tokens.iter().filter(|token| token.sentence == *sentence).count() > 3;
    let mut all: Vec<usize> = tokens.iter().map(|token| token.sentence).collect();
    all.dedup();
    all.retain(|sentence| own.contains(sentence) || long(sentence));
    let cast = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    if all.len() < 3 { 1.0 } else { cast(own.len()) / cast(all.len()) }
}

/// Praise that opens a complaint, and the turns of phrase that irony likes.
fn irony(text: &str, tokens: &[Token], evidence: &[Evidence]) -> Option<(&'static str, f64)> {
    let lower = text.to_lowercase().replace('’', "'");
    let side = |sign: f64, from: usize| {
        evidence.iter().filter(|one| one.at >= from).map(|one| (one.value * sign).max(0.0)).sum::<f64>()
    };
    let start = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    let opener = english::OPENERS
        .iter()
        .filter(|opener| {
            start
                .strip_prefix(**opener)
                .is_some_and(|rest| rest.trim_start().starts_with([',', '.', '!', ':', '…', '-', '–']))
        })
        .max_by_key(|opener| opener.len());
    let cue = english::IRONY.iter().any(|cue| {
        if *cue == "/s" {
            lower.trim_end().ends_with("/s")
        } else {
            lower.contains(cue) && !(*cue == "so much for" && lower.contains("thank"))
        }
    });
    if let Some(opener) = opener {
        let behind = opener.split(' ').count();
        if side(-1.0, behind) >= STRONG && side(1.0, behind) < 1.0 {
            return Some(("negative", BALANCED));
        }
        let again = ["another", "again", "third", "yet", "council", "thanks"];
        if side(1.0, behind) < 1.0 && tokens.iter().any(|token| again.contains(&token.word.as_str())) {
            return Some(("negative", NOTHING));
        }
    }
    if cue && side(1.0, 0) > 0.0 {
        return Some(("negative", if side(-1.0, 0) >= 2.0 { LEANING } else { NOTHING }));
    }
    None
}

fn lukewarm(text: &str) -> (&'static str, f64) {
    let lower = text.to_lowercase().replace('’', "'");
    if LUKEWARM.iter().any(|phrase| lower.contains(phrase)) { ("neutral", LEANING) } else { ("neutral", NOTHING) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_texts() {
        let cases = include_str!("../cases/labels.txt");
        let mut wrong = Vec::new();
        for line in cases.lines().filter(|line| !line.is_empty()) {
            let (wanted, text) = line.split_once('\t').unwrap_or_default();
            let (wanted, market) = wanted.strip_suffix('$').map_or((wanted, false), |wanted| (wanted, true));
            let rating = rate(text, market);
            let label = if rating.confidence < CONFIDENCE_FLOOR { "refused" } else { rating.label };
            if label != wanted {
                wrong.push(format!(
                    "{label} not {wanted}: {text} {:?}",
                    rating.evidence.iter().map(|e| (e.words.clone(), e.value)).collect::<Vec<_>>()
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
