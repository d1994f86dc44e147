//! Frequent phrases of requests: choices, fields, groups, what is left out. All as the person wrote them.

pub use crate::choice_phrases::{choices, described};
pub use crate::field_phrases::fields;

/// Words before a name that are no part of it.
const ARTICLES: &[&str] = &[
    "a", "an", "the", "both", "all", "any", "every", "each", "its", "their", "my", "our", "your", "her", "his", "der",
    "die", "das", "den", "eine", "ein", "einen", "einer", "el", "la", "los", "las", "le", "les", "un", "una", "une",
    "o", "os", "as", "de", "het", "il", "lo", "i", "gli", "please", "either", "just", "only", "about", "and", "also",
    "il",
];
const JOINERS: &[&str] =
    &[" and ", " or ", " und ", " oder ", " y ", " e ", " et ", " ou ", " o ", " en ", " of ", " & ", " vs ", " vs. "];

/// The parts of `a, b and c`, of `a / b / c` and of `a; b`, without articles and marks.
#[must_use]
pub fn list(text: &str) -> Vec<String> {
    let sign = if text.contains(';') { ';' } else { ',' };
    let mut parts: Vec<String> = Vec::new();
    for part in outside_brackets(text, sign) {
        let joined: Vec<String> = if part.contains(" / ") {
            part.split(" / ").map(str::to_owned).collect()
        } else {
            by_words(
                &part,
                &JOINERS
                    .iter()
                    .filter(|word| **word != " of " && **word != " o " && **word != " e " && **word != " en ")
                    .copied()
                    .collect::<Vec<_>>(),
            )
        };
        parts.extend(joined.iter().map(|part| name(part)).filter(|part| !part.is_empty()));
    }
    parts
}

fn by_words(text: &str, words: &[&str]) -> Vec<String> {
    words.iter().fold(vec![text.to_owned()], |parts, word| {
        parts.iter().flat_map(|part| part.split(word).map(str::to_owned).collect::<Vec<_>>()).collect()
    })
}

fn outside_brackets(text: &str, sign: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == sign && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts
}

/// A name without articles, quotation marks and signs around it.
pub(crate) fn name(text: &str) -> String {
    let marks = |c: char| c.is_whitespace() || "\"'`“”„«»*.,:;?!".contains(c);
    let mut text = text.trim_matches(marks);
    while let Some((first, rest)) = text.split_once(' ') {
        let first = first.to_lowercase();
        let joins = ["or", "und", "oder", "ou", "y"].contains(&first.as_str());
        if !(ARTICLES.contains(&first.as_str()) || joins) {
            break;
        }
        text = rest.trim_matches(marks);
    }
    text.to_owned()
}

/// Where the clause that begins a text ends.
pub(crate) fn clause(text: &str) -> &str {
    let stops = [". ", "? ", "! ", "\n", " - ", " – ", "?", "!", ";"];
    let end = stops.iter().filter_map(|stop| text.find(stop)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim().trim_end_matches('.')
}

/// The place behind the first of `cues` that stands on its own, in a text of small letters.
pub(crate) fn behind(lower: &str, cues: &[&str]) -> Option<usize> {
    let found = cues.iter().filter_map(|cue| {
        let mut all = lower.match_indices(cue);
        all.find(|(at, _)| {
            lower.get(..*at).and_then(|text| text.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
        })
        .map(|(at, _)| (at, at + cue.len()))
    });
    found.min().map(|(_, end)| end)
}

pub(crate) fn unique(parts: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all
}

/// Small letters with every byte at its place.
pub(crate) fn lowered(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c.to_ascii_lowercase() } else { c }).collect()
}

/// What results are wanted for: `by region`, `per team`, `for each store`, `by region and month`.
#[must_use]
pub fn groups(request: &str) -> Vec<String> {
    let lower = lowered(request);
    let cues = [
        " by ",
        " per ",
        " for each ",
        " for every ",
        " of each ",
        " je ",
        " pro ",
        " par ",
        " por ",
        " per each ",
        " nach ",
    ];
    let padded = format!(" {lower}");
    let mut found: Vec<(usize, String)> = Vec::new();
    for cue in cues {
        for (at, _) in padded.match_indices(cue) {
            let from = at + cue.len() - 1;
            let rest = request.get(from..).unwrap_or_default();
            let stops = [
                ",", ".", "?", "!", ":", ";", "\n", "(", " over ", " in ", " from ", " for ", " with ", " of ", " as ",
                " - ", " please", " is ", " sort", " highest", " desc", " using", " about", " über ",
            ];
            let end = stops.iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
            for part in list(rest.get(..end).unwrap_or(rest)) {
                let words = part.split_whitespace().count();
                let other = part.starts_with(|c: char| c.is_ascii_digit())
                    || ["cent", "hand", "noon", "far", "default", "how", "year end", "of", "descending"]
                        .contains(&part.as_str());
                if (1..=3).contains(&words) && !other {
                    found.push((from, part));
                } else {
                    break;
                }
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    unique(found.into_iter().map(|(_, part)| part).collect())
}

/// What is to be left out: `without X`, `except X`, `ignore the X`, `excluding X`, `not X`.
#[must_use]
pub fn exclusions(request: &str) -> Vec<String> {
    let lower = lowered(request);
    let cues = [
        "without ",
        "except for ",
        "except ",
        "excluding ",
        "ignoring ",
        "ignore ",
        "leave out ",
        "leaving out ",
        "skip ",
        "but not ",
        "do not include ",
        "don't include ",
        "apart from ",
        "ohne ",
        "sans ",
        "sin ",
    ];
    let mut found: Vec<(usize, String)> = Vec::new();
    for cue in cues {
        for (at, _) in lower.match_indices(cue) {
            let whole = lower.get(..at).and_then(|text| text.chars().next_back()).is_none_or(|c| !c.is_alphanumeric());
            let rest = request.get(at + cue.len()..).unwrap_or_default();
            let end = [",", ".", "?", "!", ";", "\n", ":", " and then", ")"]
                .iter()
                .filter_map(|stop| rest.find(stop))
                .min()
                .unwrap_or(rest.len());
            if whole {
                found.extend(list(rest.get(..end).unwrap_or(rest)).into_iter().map(|part| (at, part)));
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    let all =
        unique(found.into_iter().map(|(_, part)| part).filter(|part| part.split_whitespace().count() < 7).collect());
    all.iter()
        .filter(|one| {
            !all.iter().any(|other| other != *one && one.ends_with(other.as_str()) && one.starts_with("for "))
        })
        .cloned()
        .collect()
}

/// Whether `word` is denied: one of `no`, `not`, `without`, `don't`, … stands at most three words before it.
#[must_use]
pub fn is_negated(request: &str, word: &str) -> bool {
    const NOT: [&str; 16] = [
        "no", "not", "without", "don't", "dont", "never", "nor", "neither", "isn't", "ohne", "kein", "keine", "nicht",
        "sans", "pas", "sin",
    ];
    let lower = request.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let target = word.to_lowercase();
    words
        .iter()
        .enumerate()
        .filter(|(_, one)| **one == target)
        .any(|(at, _)| words.get(at.saturating_sub(3)..at).unwrap_or_default().iter().any(|word| NOT.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_as_written() {
        let cases = [
            ("Sort into bug, feature or question.", "bug|feature|question"),
            ("Labels: harassment, self_promotion, ok.", "harassment|self_promotion|ok"),
            ("Pick one of: billing, bug_report, how_to.", "billing|bug_report|how_to"),
            (
                "Please put every mail into exactly one of: ORDER, RETURN, SPAM. Answer with number and label.",
                "ORDER|RETURN|SPAM",
            ),
            ("ham or spam?", "ham|spam"),
            ("Spam or not spam?", "Spam|not spam"),
            ("School work: is it a simile, a metaphor or a hyperbole?", "simile|metaphor|hyperbole"),
            ("Which intent: cancel, upgrade, downgrade, pause?", "cancel|upgrade|downgrade|pause"),
            ("Topic of this headline: sports, politics, business, science?", "sports|politics|business|science"),
            ("GitHub issues to triage, labels `bug`, `enhancement`, `question`:", "bug|enhancement|question"),
            ("Our rule: under 500 are \"small\", up to 5,000 \"medium\", more \"large\".", "small|medium|large"),
            ("anything with invoice goes to FINANCE; anything with login goes to ACCESS", "FINANCE|ACCESS"),
            ("Please sort those sentences by tense. past / present / future", "past|present|future"),
            ("just tell me spam / not spam.", "spam|not spam"),
            ("is this comment pos/neg:", "pos|neg"),
            (
                "Decide for each review whether it is about the PRODUCT, the DELIVERY or the STAFF.",
                "PRODUCT|DELIVERY|STAFF",
            ),
            ("legit or scam, text from an unknown number:", "legit|scam"),
            ("Can you tell if this is spam, promotion or personal?", "spam|promotion|personal"),
            ("cat, dog or horse - it must be one of the three", "cat|dog|horse"),
            (
                "is the person for it (positive), against it (negative), or neither (neutral)?",
                "positive|negative|neutral",
            ),
            ("please tag each with positive, negative or neutral for the company", "positive|negative|neutral"),
            ("Put in the right pile, invoice or contract:", "invoice|contract"),
            ("Classify this text", ""),
            ("What is the sentiment?", ""),
        ];
        for (text, expect) in cases {
            assert_eq!(choices(text).join("|"), expect, "{text}");
        }
        let lines = "- BILLING: invoices, refunds\n- OTHER: the rest\n";
        let told: Vec<String> =
            described(lines).iter().map(|(label, said)| format!("{label}={}", said.join("+"))).collect();
        assert_eq!(told, ["BILLING=invoices+refunds", "OTHER=rest"]);
        let nested = described("spam:\n  \"buy now\"\nham:\n  \"see you\"\n");
        assert_eq!(nested.first(), Some(&("spam".to_owned(), vec!["buy now".to_owned()])));
    }

    #[test]
    fn fields_are_as_written() {
        let cases = [
            ("Extract the invoice number and the total from the scan.", "invoice number|total"),
            (
                "Get company, role, city and application deadline for each of the jobs.",
                "company|role|city|application deadline",
            ),
            ("Need: order number, order date, size", "order number|order date|size"),
            ("I need name, email", "name|email"),
            ("what's the due date?", "due date"),
            (
                "From the mail below I need the booking code, arrival and number of nights as JSON.",
                "booking code|arrival|number of nights",
            ),
            ("version number, licence and author of this package.json", "version number|licence|author"),
            (
                "Flight details: flight number, from, to, departure time, seat.",
                "flight number|from|to|departure time|seat",
            ),
            ("Extraia o nome do cliente, o CPF e o valor total.", "nome do cliente|CPF e o valor total"),
            ("Impressum-Check bitte: Name, Anschrift, E-Mail.", "Name|Anschrift|E-Mail"),
        ];
        for (text, expect) in cases {
            assert_eq!(fields(text).join("|"), expect, "{text}");
        }
    }

    #[test]
    fn groups_and_exclusions() {
        let cases = [
            ("sum of the discount column by region, thx", "region"),
            ("Total damaged per hub, highest first please.", "hub"),
            ("average by region and month", "region|month"),
            ("for each store, the mean", "store"),
            ("Summe je Vertreter über alle drei Monate", "Vertreter"),
            ("additionner les kg par fruit ?", "fruit"),
            ("5 per cent of all", ""),
            ("what is the total?", ""),
        ];
        for (text, expect) in cases {
            assert_eq!(groups(text).join("|"), expect, "{text}");
        }
        let left_out = [
            ("sum it without returns", "returns"),
            ("Ignore the comments column, my colleague likes it.", "comments column"),
            ("all except Monday and Tuesday", "Monday|Tuesday"),
            ("all of it", ""),
        ];
        for (text, expect) in left_out {
            assert_eq!(exclusions(text).join("|"), expect, "{text}");
        }
        assert!(is_negated("one paragraph without any bullets", "bullets") && !is_negated("three bullets", "bullets"));
    }
}
