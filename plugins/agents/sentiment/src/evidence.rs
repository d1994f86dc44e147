//! Words, phrases and stars that judge.

use crate::lexicon::Lexicon;
use crate::tokens::Token;

/// Words before what was hoped for and did not come.
const WISHED: &[&str] = &[
    "wish",
    "wished",
    "hoped",
    "hoping",
    "supposed",
    "promised",
    "claimed",
    "claims",
    "should",
    "expected",
    "expecting",
    "wanted",
];

/// A word or phrase that judges.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// As it stands in the text, in small letters.
    pub words: String,
    /// -4 to 4.
    pub value: f64,
    /// Its sentence, from 0.
    pub sentence: usize,
    /// Its clause, from 0.
    pub clause: usize,
    /// Place of its first word.
    pub at: usize,
    /// Whether only the general lexicon knows it.
    pub is_general: bool,
}

/// The words and phrases of a text that judge.
pub(crate) fn evidence(tokens: &[Token], lexicon: Lexicon) -> Vec<Evidence> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let Some(hit) = lexicon.at(tokens, at) else {
            at += 1;
            continue;
        };
        let words = tokens.get(at..at + hit.count).unwrap_or_default();
        let said = words.iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ");
        let negated_inside = hit.is_phrase && words.iter().any(|token| lexicon.negates(&token.word));
        let value = if negated_inside { hit.value } else { turned(tokens, at, hit.value, lexicon) };
        all.push(Evidence {
            words: said,
            value,
            sentence: token.sentence,
            clause: token.clause,
            at,
            is_general: hit.is_general,
        });
        at += hit.count;
    }
    all
}

/// A value after what stands up to three words before it.
fn turned(tokens: &[Token], at: usize, value: f64, lexicon: Lexicon) -> f64 {
    let Some(own) = tokens.get(at) else { return value };
    let before: Vec<&str> = tokens
        .get(at.saturating_sub(5)..at)
        .unwrap_or_default()
        .iter()
        .filter(|token| token.sentence == own.sentence && token.part == own.part)
        .map(|token| token.word.as_str())
        .collect();
    let near = before.get(before.len().saturating_sub(3)..).unwrap_or_default();
    let unreal = before.windows(2).any(|pair| {
        matches!(pair, [first, second] if ["could", "should", "would"].contains(first) && ["have", "be"].contains(second))
    });
    if before.iter().any(|word| WISHED.contains(word)) || (unreal && value > 0.0) {
        return if value > 0.0 { if unreal { -1.5 } else { -1.0 } } else { 0.0 };
    }
    let Some(negation) = near.iter().rposition(|word| lexicon.negates(word)) else { return value };
    let after = near.get(negation + 1..).unwrap_or_default();
    if near.get(negation) == Some(&"far") && after.first() != Some(&"from") {
        return value;
    }
    // `not only good`, `no doubt`, `never so good`.
    if after.iter().any(|word| ["only", "doubt", "just", "such", "so", "this"].contains(word)) {
        let praised = near.get(negation) == Some(&"never")
            || after.contains(&"only")
            || after.contains(&"just")
            || after.contains(&"doubt");
        if praised {
            return value;
        }
    }
    if value > 0.0 { -0.8 * value } else { -0.45 * value }
}

/// `★☆☆☆☆`, `2/5`, `9 out of 10`, `4 stars`.
pub(crate) fn stars(text: &str, tokens: &[Token]) -> Option<Evidence> {
    let (full, hollow) = (text.matches(['★', '⭐']).count(), text.matches('☆').count());
    let share = |n: f64, of: f64| (n <= of && of > 0.0).then_some(n / of);
    let cast = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
    let drawn = if (full + hollow > 1 && full + hollow <= 5) || hollow > 0 { share(cast(full), 5.0) } else { None };
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    let said = || {
        tokens.iter().enumerate().find_map(|(at, token)| {
            let (n, of) = token.word.split_once('/').unwrap_or((&token.word, ""));
            let n = n.parse::<f64>().ok().or_else(|| agent_common::number_words::cardinal(n).map(f64::from))?;
            let of = match of {
                "5" | "10" => of.parse().ok()?,
                "" if word(at + 1).starts_with("star") && n <= 5.0 => 5.0,
                "" if word(at + 1) == "out" && word(at + 2) == "of" => word(at + 3).parse().ok()?,
                _ => return None,
            };
            share(n, of).map(|share| (share, at))
        })
    };
    let (share, at) = drawn.map(|share| (share, 0)).or_else(said)?;
    let value = if share >= 0.75 {
        3.0
    } else if share <= 0.45 {
        -3.0
    } else {
        return None;
    };
    let token = tokens.get(at);
    let place = |of: fn(&Token) -> usize| token.map_or(0, of);
    let words = if drawn.is_some() { format!("{full} of 5 stars") } else { word(at).to_owned() };
    Some(Evidence { words, value, sentence: place(|t| t.sentence), clause: place(|t| t.clause), at, is_general: false })
}
