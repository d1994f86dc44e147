//! What the nearest sentences say of a claim: its words, figures, denials and amounts held against theirs.

use crate::facts::{self, Figure, Kind};
use crate::finding::Finding;
use crate::terms::{self, Term};
use agent_common::patterns::is_match;
use agent_common::prose::{self, Sentence};

/// Share of a claim's words that a sentence must have to say the same.
const SAME: f64 = 0.7;
/// Share with which it speaks of the same thing.
const ABOUT: f64 = 0.5;
/// Below this share of all words of a source it says nothing of the claim.
const ABSENT: f64 = 0.34;
/// The words and the figures agree, or one figure alone differs.
const SURE: f64 = 0.9;
/// Most of the words agree.
const LIKELY: f64 = 0.8;

/// A sentence of a source beside the claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// The sentence.
    pub text: String,
    /// Id of its source.
    pub source: String,
    /// Place of its first character in the source.
    pub start: usize,
    /// Share of the claim's words; those that only the source around it has count less.
    pub share: f64,
    /// Share of the claim's words in the whole source.
    pub around: f64,
    /// Words of the claim that neither has.
    pub missing: Vec<Term>,
    /// Its figures.
    pub figures: Vec<Figure>,
}

impl Spot {
    /// Reads a sentence; `before` is the one before it, `whole` all words of its source.
    pub fn read(wanted: &[Term], sentence: Sentence<'_>, before: &str, source: &str, whole: &[Term]) -> Self {
        let own = terms::terms(sentence.text);
        let lower = sentence.text.to_lowercase();
        let pronoun =
            ["it ", "they ", "he ", "she ", "this ", "these ", "there ", "es ", "sie ", "er ", "elle ", "il "]
                .iter()
                .any(|word| lower.starts_with(word));
        let leaning = if pronoun { terms::terms(before) } else { Vec::new() };
        let has = |list: &[Term], term: &Term| list.iter().any(|one| terms::alike(&one.word, &term.word));
        let (mut points, mut around, mut missing) = (0.0, 0.0, Vec::new());
        for term in wanted {
            let (here, there) = (has(&own, term), has(whole, term));
            points += if here || has(&leaning, term) {
                1.0
            } else if there {
                0.6
            } else {
                0.0
            };
            around += if there { 1.0 } else { 0.0 };
            if !there {
                missing.push(term.clone());
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "words of a sentence")]
        let all = wanted.len().max(1) as f64;
        Self {
            text: sentence.text.to_owned(),
            source: source.to_owned(),
            start: sentence.start,
            share: points / all,
            around: around / all,
            missing,
            figures: facts::figures(sentence.text),
        }
    }
}

/// What rules tell.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// A finding, by the spot of this place.
    Told {
        /// What the sources say.
        finding: Finding,
        /// Which spot shows it.
        spot: usize,
        /// Why.
        reason: String,
        /// How sure.
        confidence: f64,
    },
    /// They do not tell, and why.
    Unclear(String),
}

fn told(finding: Finding, reason: impl Into<String>, confidence: f64) -> Verdict {
    Verdict::Told { finding, spot: 0, reason: reason.into(), confidence }
}

/// Words that change what a sentence claims and have to be in both.
const WEIGHTY: &[&str] = &[
    "only",
    "first",
    "best",
    "worst",
    "largest",
    "biggest",
    "highest",
    "lowest",
    "longest",
    "oldest",
    "always",
    "every",
    "all",
    "caused",
    "causes",
    "because",
    "proves",
    "proven",
    "unique",
    "entirely",
    "completely",
    "most",
    "mainly",
    "half",
    "everybody",
    "everyone",
    "solely",
    "alle",
    "immer",
    "nur",
    "toujours",
    "siempre",
];
const HEDGES: &[&str] = &[
    " may ",
    " might ",
    " could ",
    "suggest",
    "possibly",
    "perhaps",
    "expected to",
    "plans to",
    "planned",
    "hopes",
    "is said to",
    "allegedly",
    "caution against",
    "would ",
    "should ",
    "recommend",
    "appears to",
    "seems to",
    "intends",
    " aims ",
    "proposed",
    "hypothes",
    "könnte",
    "soll ",
    "unless ",
    " if ",
];
const DOUBTS: &[&str] = &[
    "cannot conclude",
    "can't conclude",
    "could not conclude",
    "no evidence",
    "not clear whether",
    "unclear whether",
    "remains unclear",
    "not proven",
    "not possible to say",
    "cannot be concluded",
    "does not allow us to conclude",
    "inconclusive",
    "not been shown",
    "could not establish",
    "cannot say whether",
];

/// The word by which a text says less than it seems to.
pub fn hedge(text: &str) -> Option<&'static str> {
    let lower = format!(" {} ", text.to_lowercase());
    // May is a month too.
    let month = !text.contains(" may ");
    DOUBTS.iter().chain(HEDGES).find(|word| lower.contains(*word) && !(month && **word == " may ")).copied()
}

/// Judges a claim by its spots, the best first; `alone` if it is the only one.
pub fn judge(claim: &str, spots: &[Spot], sources: &[&str], alone: bool) -> Verdict {
    let Some(spot) = spots.first() else { return told(Finding::Unsupported, "the sources have no sentence", SURE) };
    let said = facts::said(claim);
    let wanted = terms::terms(claim).len();
    if let Some(verdict) = absent(claim, spot, spots, &said, wanted, (sources, alone)) {
        return verdict;
    }
    let aligned = aligned(claim, &spot.text);
    let lower = spot.text.to_lowercase();
    if DOUBTS.iter().any(|doubt| lower.contains(doubt))
        && spot.share >= ABOUT
        && !DOUBTS.iter().any(|doubt| claim.to_lowercase().contains(doubt))
    {
        return told(Finding::Unsupported, "the source says that this cannot be concluded", LIKELY);
    }
    if let Some(verdict) = amounts(claim, spot) {
        return verdict;
    }
    let (against, unmet) = figures_against(&said, spot, sources);
    // `an award in Venice and two in Berlin` are three.
    let adds = is_match(
        r"\b(?:and|plus|und|et|y) (?:another |a further )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|deux|trois|dos|tres)\b",
        &lower,
    ) && against.is_some()
        && said.iter().all(|one| matches!(one.kind, Kind::Count))
        && spot
            .figures
            .iter()
            .filter(|one| one.kind == Kind::Count)
            .all(|found| said.iter().any(|mine| mine.value > found.value));
    if adds {
        return Verdict::Unclear("the source gives several counts, which may add up".into());
    }
    if let Some((mine, theirs)) = against.filter(|_| spot.share >= ABOUT && hedge(&spot.text).is_none()) {
        return if terms::negated(claim) || terms::negated(&aligned) {
            Verdict::Unclear("one of the two denies, and their figures differ".into())
        } else {
            told(
                Finding::Contradicted,
                format!("the claim says {mine}, the source {theirs}"),
                if spot.share >= SAME { SURE } else { LIKELY },
            )
        };
    }
    if !unmet.is_empty() {
        return Verdict::Unclear(format!("the source gives no figure to hold {unmet} against"));
    }
    denial(claim, spot, &aligned, &said)
}

/// The source does not speak of it at all.
fn absent(
    claim: &str,
    spot: &Spot,
    spots: &[Spot],
    said: &[Figure],
    wanted: usize,
    (sources, alone): (&[&str], bool),
) -> Option<Verdict> {
    let around = spots.iter().map(|one| one.around).fold(0.0, f64::max);
    let borne = spots.iter().any(|one| {
        said.iter().any(|mine| one.figures.iter().any(|found| mine.kind != Kind::Year && mine.borne_out(found)))
    });
    // One or two sentences for one claim were picked because they speak of it; in other words if not in its own.
    let picked = alone && sources.iter().map(|text| prose::sentences(text).len()).sum::<usize>() < 3;
    let figured = said.iter().any(|mine| mine.kind != Kind::Year) && spots.iter().all(|one| one.figures.is_empty());
    if picked && !figured {
        return (around <= ABOUT && said.is_empty() && spot.share < ABOUT && hedge(&spot.text).is_none())
            .then(|| Verdict::Unclear("the source says it in other words, if it does".into()));
    }
    let close = spots.iter().any(|one| one.around > ABSENT && hedge(claim).is_some());
    if around <= ABSENT && !borne && !close && wanted >= 2 {
        return Some(told(
            Finding::Unsupported,
            "no sentence of the sources speaks of it",
            if around < 0.26 { SURE } else { LIKELY },
        ));
    }
    // What the claim says of its subject stands nowhere, and the source has no figure of that kind.
    let measured: Vec<&Figure> = said.iter().filter(|one| one.kind != Kind::Year).collect();
    let like = |mine: &Figure| spots.iter().any(|one| one.figures.iter().any(|found| found.comparable(mine)));
    let kindless = !measured.is_empty() && measured.iter().all(|mine| !like(mine));
    if kindless && around <= ABOUT {
        return Some(told(Finding::Unsupported, "the sources give no such figure", LIKELY));
    }
    let topic = spot.missing.len() * 2 >= wanted && wanted >= 3 && !borne;
    (topic && spot.around <= 0.5 && said.is_empty() && spot.missing.len() >= 2)
        .then(|| told(Finding::Unsupported, "the sources name its subject, but not what it says of it", LIKELY))
        .filter(|_| spot.missing.iter().all(|term| term.word.len() > 3))
}

/// `all` against `97 of the 118`, `none` against a number, `most` against a share.
fn amounts(claim: &str, spot: &Spot) -> Option<Verdict> {
    if spot.share < ABOUT {
        return None;
    }
    let lower = format!(" {} ", claim.to_lowercase());
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(&format!(" {word} ")));
    let share = spot.figures.iter().find(|one| one.kind == Kind::Percent && one.value <= 100.0)?;
    if terms::negated(&spot.text) || terms::negated(claim) {
        return None;
    }
    if has(&["all", "every", "everyone", "everybody", "alle", "tous", "todos"]) {
        return (share.value < 99.5)
            .then(|| told(Finding::Contradicted, format!("the source says {}", share.text), SURE));
    }
    if has(&["most", "majority of", "the majority", "mehrheit", "la plupart", "la mayoría"])
        && facts::figures(claim).is_empty()
    {
        let finding = if share.value > 50.0 { Finding::Supported } else { Finding::Contradicted };
        return (spot.share >= SAME).then(|| told(finding, format!("the source says {}", share.text), LIKELY));
    }
    None
}

/// The figure of the claim that the source gives otherwise, and the figures that it does not give.
fn figures_against(said: &[Figure], spot: &Spot, sources: &[&str]) -> (Option<(String, String)>, String) {
    let everywhere: Vec<Figure> = sources.iter().flat_map(|text| facts::figures(text)).collect();
    let (mut against, mut unmet) = (None, Vec::new());
    for mine in said {
        if spot.figures.iter().any(|found| mine.borne_out(found)) {
            continue;
        }
        if mine.kind == Kind::Year && everywhere.iter().any(|found| mine.borne_out(found)) {
            continue;
        }
        let free = |found: &&Figure| found.comparable(mine) && !said.iter().any(|other| other.borne_out(found));
        let rivals: Vec<&Figure> = spot.figures.iter().filter(free).collect();
        let same_noun = |found: &&&Figure| !mine.noun.is_empty() && terms::alike(&mine.noun, &found.noun);
        let rival = match rivals.as_slice() {
            [one] => Some(*one),
            several => several
                .iter()
                .find(same_noun)
                .copied()
                .or_else(|| several.first().copied().filter(|_| mine.kind != Kind::Count)),
        };
        let elsewhere = everywhere.iter().any(|found| mine.borne_out(found));
        match rival.filter(|_| !elsewhere) {
            Some(rival) => against = against.or(Some((mine.text.clone(), rival.text.clone()))),
            None => unmet.push(mine.text.clone()),
        }
    }
    (against, unmet.join(", "))
}

/// The clauses of a sentence that have words of the claim.
fn aligned(claim: &str, sentence: &str) -> String {
    let wanted = terms::terms(claim);
    let shares = |clause: &&str| {
        let own = terms::terms(clause);
        wanted.iter().filter(|term| own.iter().any(|one| terms::alike(&one.word, &term.word))).count()
    };
    let clauses = prose::clauses(sentence);
    let most = clauses.iter().map(shares).max().unwrap_or(0);
    let kept: Vec<&str> = clauses.into_iter().filter(|clause| most > 0 && shares(clause) == most).collect();
    if kept.is_empty() { sentence.to_owned() } else { kept.join("; ") }
}

/// All figures agree: what do the words say?
fn denial(claim: &str, spot: &Spot, aligned: &str, said: &[Figure]) -> Verdict {
    let unlike = terms::negated(claim) != terms::negated(aligned);
    let opposed = terms::opposed(claim, aligned);
    if spot.share >= ABOUT && (unlike || opposed) {
        let enough = spot.share >= if opposed && !unlike { ABOUT } else { SAME - 0.1 };
        if enough && unlike != opposed && hedge(aligned).is_none() {
            return told(
                Finding::Contradicted,
                "one of the two denies what the other says",
                if spot.share >= SAME { SURE } else { LIKELY },
            );
        }
        return Verdict::Unclear("whether the two deny each other takes understanding".into());
    }
    let lower = format!(" {} ", claim.to_lowercase().replace(['.', ','], " "));
    let theirs = format!(" {} ", spot.text.to_lowercase().replace(['.', ','], " "));
    let weighty =
        WEIGHTY.iter().find(|word| lower.contains(&format!(" {word} ")) && !theirs.contains(&format!(" {word} ")));
    if let Some(word) = weighty {
        return Verdict::Unclear(format!("\"{word}\" is not in the nearest sentence"));
    }
    if let Some(word) = hedge(&spot.text).filter(|word| !lower.contains(word.trim())) {
        return Verdict::Unclear(format!("the nearest sentence has \"{}\"", word.trim()));
    }
    let german = claim.chars().filter(|c| c.is_uppercase()).count() > 3;
    let foreign = spot.missing.iter().any(|term| term.name) && !(german && spot.share >= SAME);
    let borne = !said.is_empty();
    let enough = spot.share >= if borne { ABOUT } else { SAME };
    if enough && !foreign {
        let sure = spot.share >= if borne { SAME } else { 0.85 };
        return told(
            Finding::Supported,
            "the words and all figures of the claim stand in the quote",
            if sure { SURE } else { LIKELY },
        );
    }
    Verdict::Unclear("no sentence says it in words that are near enough".into())
}
