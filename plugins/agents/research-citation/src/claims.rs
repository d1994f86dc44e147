//! A claim against the sentences of the sources.

use agent_common::{figures::round, prose};

use crate::finding::{Checked, Finding, Quote};
use crate::source::Source;
use crate::verdict::{self, Spot, Verdict};
use crate::{change, terms};

/// The words of the claim stand in the source as they are.
const VERBATIM: f64 = 0.97;
/// Values by year were computed.
const COMPUTED: f64 = 0.85;

/// Checks a claim; the reason where rules do not tell.
pub fn check(claim: &str, sources: &[Source], literal: bool, alone: bool) -> Result<Checked, String> {
    let bare = prose::bare(claim);
    if let Some(found) = verbatim(claim, bare, sources) {
        return Ok(found);
    }
    if literal {
        return Ok(not_literal(claim, bare, sources));
    }
    let spots = spots(bare, sources);
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let best = spots.first();
    if let Some(holds) = change::borne_out(bare, &texts).filter(|_| best.is_some_and(|spot| spot.share > 0.3)) {
        let finding = if holds { Finding::Supported } else { Finding::Contradicted };
        let reason = format!(
            "the values that the source gives for the years {} it",
            if holds { "bear out" } else { "speak against" }
        );
        return Ok(told(claim, finding, best, reason, COMPUTED));
    }
    match verdict::judge(bare, &spots, &texts, alone) {
        Verdict::Told { finding, spot, reason, confidence } => {
            Ok(told(claim, finding, spots.get(spot), reason, confidence))
        }
        Verdict::Unclear(reason) => Err(reason),
    }
}

fn told(claim: &str, finding: Finding, spot: Option<&Spot>, reason: String, confidence: f64) -> Checked {
    Checked {
        claim: claim.into(),
        finding,
        overlap: round((spot.map_or(0.0, |spot| spot.share).min(1.0) * 1e4).floor() / 1e4),
        quote: spot.filter(|spot| spot.share > 0.0).map(|spot| Quote {
            text: spot.text.clone(),
            source: spot.source.clone(),
            start: spot.start,
        }),
        reason,
        confidence,
    }
}

/// Every sentence with its share of the claim's words, the best first.
fn spots(claim: &str, sources: &[Source]) -> Vec<Spot> {
    let wanted = terms::terms(claim);
    let mut spots: Vec<Spot> = Vec::new();
    for source in sources {
        let mut before = String::new();
        let whole = terms::terms(&format!("{} {}", source.id, source.text));
        for sentence in prose::sentences(&source.text) {
            let spot = Spot::read(&wanted, sentence, &before, &source.id, &whole);
            before = sentence.text.to_owned();
            spots.push(spot);
        }
    }
    let claimed = crate::facts::said(claim);
    let rank = |spot: &Spot| {
        let borne = claimed.iter().filter(|one| spot.figures.iter().any(|found| one.borne_out(found))).count();
        #[allow(clippy::cast_precision_loss, reason = "figures of a sentence")]
        let figures = borne as f64;
        spot.share + 0.3 * figures
    };
    spots.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    spots
}

fn plain(text: &str) -> String {
    let letters: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The claim, or the quotation in it, stands in a source word for word.
fn verbatim(claim: &str, bare: &str, sources: &[Source]) -> Option<Checked> {
    let quoted = quoted(bare);
    let wanted = plain(quoted.unwrap_or(bare));
    if wanted.split(' ').count() < 3 {
        return None;
    }
    for source in sources {
        for sentence in prose::sentences(&source.text) {
            let have = plain(sentence.text);
            // The rest of the sentence may deny or doubt what it repeats.
            let padded = format!(" {have} ");
            let Some(at) = padded.find(&format!(" {wanted} ")) else { continue };
            let lead = padded.get(..at).unwrap_or_default();
            if quoted.is_none() && (terms::negated(lead) || verdict::hedge(lead).is_some()) {
                continue;
            }
            let quote = Quote { text: sentence.text.to_owned(), source: source.id.clone(), start: sentence.start };
            return Some(Checked {
                claim: claim.into(),
                finding: Finding::Supported,
                overlap: 1.0,
                quote: Some(quote),
                reason: "the source has these words".into(),
                confidence: VERBATIM,
            });
        }
    }
    None
}

/// A quotation within a claim: `Adler writes that "…"`.
fn quoted(claim: &str) -> Option<&str> {
    let found = agent_common::quotes::find(claim);
    let [one] = found.as_slice() else { return None };
    (one.text.split_whitespace().count() >= 3 && one.text.len() * 2 > claim.len()).then_some(one.text)
}

/// A quotation that is not there: contradicted where the source says it otherwise.
fn not_literal(claim: &str, bare: &str, sources: &[Source]) -> Checked {
    let wanted = quoted(bare).unwrap_or(bare);
    let spots = spots(wanted, sources);
    let best = spots.first();
    let near = best.is_some_and(|spot| spot.share >= 0.75);
    let (finding, reason) = if near {
        (Finding::Contradicted, "the source says it in other words than the quotation")
    } else {
        (Finding::Unsupported, "no sentence of the sources has these words")
    };
    told(claim, finding, best, reason.into(), if near { 0.85 } else { 0.9 })
}
