//! Sentiment of supplied texts: each by VADER's rules with general and finance words, and all as an index.
//!
//! Invariants: only what the caller supplied is scored; the same items give the same answer; every number is finite.

mod feed;
mod index;
mod input;
mod output;
mod vader;
mod when;
mod words;

use bridge_common::{Report, Source};
use tollbridge_sdk::{Call, Error, bridge};

use feed::Feed;
use input::Domain;
pub use input::Input;
pub use output::Output;
use output::{Counts, Findings, IndexShown, Interval, ItemScore, WordScore, tidy};
use vader::Score;
use words::Words;

/// Where VADER's authors draw the line between neutral and not.
const NEUTRAL_BAND: f64 = 0.05;
/// Where news are negative and positive: tuned on the tuning part of the editorials, see `quality/`.
const NEWS_BAND: (f64, f64) = (0.1, 0.35);
/// Rated words that are listed for an item.
const WORDS_LISTED: usize = 20;
/// Longest word that is shown, in characters.
const WORD_SHOWN: usize = 40;

const VADER: Source<&str> = Source {
    name: "VADER lexicon and rules",
    version: "3.3.2",
    as_of: "2020-05-22",
    licence: "MIT",
    source: "vaderSentiment on PyPI, C.J. Hutto; ratings by ten people for each word",
};
const FINANCE: Source<&str> = Source {
    name: "AFINN-165 financial market news, its additions and changes",
    version: "3.0.0",
    as_of: "2024-12-09",
    licence: "MIT",
    source: "afinn-165-financialmarketnews on npm, Ryan O'Day and Titus Wormer; values set by its author",
};

const AFINN: Source<&str> = Source {
    name: "AFINN-165",
    version: "2.0.2",
    as_of: "2025-05-09",
    licence: "MIT",
    source: "afinn-165 on npm, Titus Wormer, after F.Å. Nielsen; values set by its author",
};
const TEXTBLOB: Source<&str> = Source {
    name: "subjectivity lexicon for English",
    version: "1.3",
    as_of: "2026-07-18",
    licence: "PDDL",
    source: "T. De Smedt and W. Daelemans, in TextBlob 0.20.1 on PyPI; polarity of the senses of a word",
};

/// Scores the items that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let usual = if input.domain == Domain::News { NEWS_BAND } else { (NEUTRAL_BAND, NEUTRAL_BAND) };
    let band = input.neutral_band.map_or(usual, |band| (band, band));
    if !(0.0..=0.5).contains(&band.0) {
        return Err(Error::invalid("/neutral_band", "give a number from 0 to 0.5"));
    }
    let feed = Feed::read(call, &input)?;
    let (rated, lists) = match input.domain {
        Domain::Finance => (Words::Finance, &[VADER, FINANCE][..]),
        Domain::General => (Words::General, &[VADER][..]),
        Domain::News => (Words::News, &[VADER, AFINN, TEXTBLOB][..]),
    };
    let scores: Vec<Score> = feed.entries.iter().map(|entry| vader::score(&entry.text, rated)).collect();
    let weights = index::weights(&feed, input.half_life_hours);
    let compounds: Vec<f64> = scores.iter().map(|score| score.compound).collect();
    let index = index::index(&compounds, &weights).ok_or_else(|| {
        Error::invalid("/half_life_hours", "all items are so old that nothing is left of them; give a longer half-life")
    })?;
    let mut counts = Counts::default();
    let mut items = Vec::with_capacity(scores.len());
    for (place, ((entry, score), weight)) in feed.entries.iter().zip(&scores).zip(&weights).enumerate() {
        items.push(ItemScore {
            index: place,
            id: entry.id.clone(),
            label: label(score, band, &mut counts),
            compound: tidy(score.compound),
            positive: tidy(score.positive),
            neutral: tidy(score.neutral),
            negative: tidy(score.negative),
            weight: tidy(*weight),
            words: words(score, rated),
        });
    }
    let shown = IndexShown {
        value: tidy(index.mean),
        ci95: index.interval.map(|(lower, upper)| Interval { lower: tidy(lower), upper: tidy(upper) }),
        n: items.len(),
        effective_n: tidy(index.effective),
        as_of: feed.as_of.map(when::text),
    };
    let limitations = limitations(&counts, &shown, rated);
    let findings = Findings { index: shown, items, counts };
    Ok(Report::new(findings, method(&input), limitations).with_data(lists.iter().copied()))
}

/// The label of an item; `band` says how far neutral goes below and above 0.
fn label(score: &Score, band: (f64, f64), counts: &mut Counts) -> &'static str {
    if score.compound >= band.1 && score.compound > 0.0 {
        counts.positive = counts.positive.saturating_add(1);
        "positive"
    } else if score.compound <= -band.0 && score.compound < 0.0 {
        counts.negative = counts.negative.saturating_add(1);
        "negative"
    } else {
        counts.neutral = counts.neutral.saturating_add(1);
        if score.words.is_empty() {
            counts.unrated = counts.unrated.saturating_add(1);
        }
        "neutral"
    }
}

fn words(score: &Score, rated: Words) -> Vec<WordScore> {
    let shown = |(word, value): &(String, f64)| WordScore {
        word: word.chars().take(WORD_SHOWN).collect(),
        value: tidy(*value),
        list: rated.list(&word.to_lowercase()),
    };
    score.words.iter().take(WORDS_LISTED).map(shown).collect()
}

fn method(input: &Input) -> String {
    let lists = match input.domain {
        Domain::Finance => "VADER rules (release 3.3.2) with VADER's lexicon and, over it, words of financial news",
        Domain::General => "VADER rules (release 3.3.2) with VADER's lexicon",
        Domain::News => "VADER rules (release 3.3.2) with the mean of the lexicons of VADER, AFINN and TextBlob",
    };
    let decay = input.half_life_hours.map_or(String::new(), |hours| format!(", halved every {hours} hours of age"));
    format!("{lists}; index: mean of compounds weighted as given{decay}, with Student's 95% interval")
}

fn limitations(counts: &Counts, index: &IndexShown, rated: Words) -> Vec<String> {
    let mut notes = vec![
        "words and five rules, no understanding: irony, comparisons and what a piece of news means for a price are not seen"
            .to_owned(),
        "English only; what is in another language counts as neutral".to_owned(),
        "the interval takes the items as independent; copies of one report make it too narrow".to_owned(),
    ];
    if rated == Words::News {
        notes.push(
            "measured on the sentences of newspaper editorials; how good the words are on news of markets is not known"
                .to_owned(),
        );
    }
    if rated == Words::Finance {
        notes.push("the finance words have values set by one author, not measured; no openly licensed labelled set of market news was at hand to test them on".to_owned());
    }
    if counts.unrated > 0 {
        notes.push(format!("{} of {} items have no rated word; they count as 0", counts.unrated, index.n));
    }
    if index.ci95.is_none() {
        notes.push("too few items for an interval".to_owned());
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/market.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
