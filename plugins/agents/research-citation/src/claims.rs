//! Claims by the words of their sources. Supported is only what a source sentence states in
//! the same words from its beginning on; contradicted only what it states with another
//! number. Everything else needs a reader who understands it.

use agent_common::sentences::{self, Sentence};
use agent_common::{columns, grounds};

use crate::input::Source;
use crate::output::{Checked, Finding, Quote};

/// What can follow the words of a claim in a sentence that still states the claim.
const CONTINUATIONS: [&str; 4] = ["and", "after", "following", "where"];
/// What stands before a number that is a measure, and not a name such as `room 5`.
const BEFORE_MEASURE: [&str; 7] = ["is", "are", "was", "were", "has", "have", "had"];

/// Checks a claim; an error is the reason why its words do not decide it.
pub fn check(claim: &str, sources: &[Source]) -> Result<Checked, String> {
    let wanted = words(claim);
    let mut other: Option<(Quote, String)> = None;
    for source in sources {
        for quote in statements(source) {
            let own = words(&quote.text);
            if states(&wanted, &own) {
                return Ok(checked(claim, Finding::Supported, Some(quote), "the source has these words"));
            }
            if let Some(reason) = other_number(claim, &wanted, &own) {
                other = Some((quote, reason));
            }
        }
    }
    match other {
        Some((quote, reason)) => Ok(checked(claim, Finding::Contradicted, Some(quote), &reason)),
        None => Err("no sentence of a source has the same words".to_owned()),
    }
}

/// Checks whether a source has the words of a claim, or of the quote in it.
pub fn literal(claim: &str, sources: &[Source]) -> Checked {
    let inner = claim.split_once(['"', '“', '„', '«']).and_then(|(_, rest)| rest.rsplit_once(['"', '”', '“', '»']));
    let words = inner.map_or(claim, |(quote, _)| quote).trim();
    for source in sources {
        let all = sentences::split(&source.text).into_iter();
        let mut sentence = all.filter(|sentence| grounds::stands_in(words, sentence.text));
        let whole = grounds::stands_in(words, &source.text);
        if let Some(found) = sentence.next() {
            let quote = Quote { text: found.text.to_owned(), source: source.id.clone(), start: found.start };
            return checked(claim, Finding::Supported, Some(quote), "the source has these words");
        }
        if whole {
            return checked(claim, Finding::Supported, None, "the source has these words over several sentences");
        }
    }
    checked(claim, Finding::Unsupported, None, "no source has these words")
}

/// Returns a finding.
pub fn checked(claim: &str, finding: Finding, quote: Option<Quote>, reason: &str) -> Checked {
    let (wanted, own) = (words(claim), quote.as_ref().map(|quote| words(&quote.text)).unwrap_or_default());
    let shared = wanted.iter().filter(|word| own.contains(word)).count();
    #[expect(clippy::cast_precision_loss, reason = "words of a sentence")]
    let overlap = agent_common::figures::round(shared as f64 / wanted.len().max(1) as f64);
    Checked { claim: claim.to_owned(), finding, overlap, quote, reason: reason.to_owned() }
}

/// Returns the sentences of a source that are statements.
fn statements(source: &Source) -> Vec<Quote> {
    let all = sentences::split(&source.text);
    // `Mr.` and `No.` end no sentence: neither part of it is a statement of its own.
    let goes_on = |at: usize| {
        let text = all.get(at).filter(|_| at + 1 < all.len()).map_or("", |sentence| sentence.text);
        let last = text.trim_end_matches('.').rsplit(' ').next().unwrap_or_default();
        last.chars().count() < 6 && last.starts_with(char::is_uppercase) && text.ends_with('.')
    };
    let parted = |at: usize| goes_on(at) || at.checked_sub(1).is_some_and(goes_on);
    let whole = all.iter().enumerate().filter(|(at, sentence)| !parted(*at) && !sentence.text.ends_with('?'));
    let quote = |(_, one): (usize, &Sentence<'_>)| Quote {
        text: one.text.to_owned(),
        source: source.id.clone(),
        start: one.start,
    };
    whole.map(quote).collect()
}

/// Returns the folded words of a sentence, and its marks inside; numbers without commas.
fn words(text: &str) -> Vec<String> {
    let text = columns::fold(text.trim().trim_matches(['"', '“', '”', '„', '«', '»', '\'', '‘', '’']));
    let pieces = text.trim_end_matches(['.', '!']).split_whitespace().flat_map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !"%€$£°".contains(c)).to_owned();
        let bare = if bare.starts_with(|c: char| c.is_ascii_digit()) { bare.replace(',', "") } else { bare };
        let mark = word.ends_with([',', ';', ':']) || word.starts_with(['(', '–', '—']);
        let sign = mark.then(|| ";".to_owned());
        if word.starts_with(['(', '–', '—']) { [sign, Some(bare)] } else { [Some(bare), sign] }
    });
    pieces.flatten().filter(|word| !word.is_empty()).collect()
}

/// Returns whether a sentence states a claim: the same words from its beginning on, then
/// its end or a continuation that takes nothing back.
fn states(claim: &[String], sentence: &[String]) -> bool {
    let Some(rest) = sentence.strip_prefix(claim).filter(|_| claim.len() > 2) else { return false };
    let unsure = ["but", "although", "though", "however", "not", "never", "no", "say", "says", "said", "if", "unless"];
    let next = rest.iter().find(|word| *word != ";");
    let goes_on = next.is_none_or(|word| CONTINUATIONS.contains(&word.as_str()));
    goes_on && !rest.iter().any(|word| unsure.contains(&word.as_str()))
}

/// Returns how a sentence differs, if it has the words of a claim with one other measure.
fn other_number(text: &str, claim: &[String], sentence: &[String]) -> Option<String> {
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let mut differing = claim.iter().zip(sentence).enumerate().filter(|(_, (own, other))| own != other);
    let (at, (own, other)) = differing.next()?;
    let before = claim.get(at.checked_sub(1)?)?;
    // Of two years, both can be right.
    let year = |word: &String| word.len() == 4 && word.starts_with(['1', '2']);
    let measure = BEFORE_MEASURE.contains(&before.as_str()) && is_number(own) && is_number(other);
    let replaced: Vec<String> =
        claim.iter().enumerate().map(|(place, word)| if place == at { other.clone() } else { word.clone() }).collect();
    let differ = measure && !(year(own) && year(other) && text.contains(own.as_str())) && states(&replaced, sentence);
    differ.then(|| format!("the claim says {own}, the source {other}"))
}
