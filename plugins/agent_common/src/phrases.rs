//! Frequent phrases of requests: choices, fields, groups, what is left out. All as the person wrote them.

use crate::quotes;

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
fn name(text: &str) -> String {
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
fn clause(text: &str) -> &str {
    let stops = [". ", "? ", "! ", "\n", " - ", " – ", "?", "!", ";"];
    let end = stops.iter().filter_map(|stop| text.find(stop)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim().trim_end_matches('.')
}

/// The place behind the first of `cues` that stands on its own, in a text of small letters.
fn behind(lower: &str, cues: &[&str]) -> Option<usize> {
    let found = cues.iter().filter_map(|cue| {
        let mut all = lower.match_indices(cue);
        all.find(|(at, _)| {
            lower.get(..*at).and_then(|text| text.chars().next_back()).is_none_or(|c| !c.is_alphanumeric())
        })
        .map(|(at, _)| (at, at + cue.len()))
    });
    found.min().map(|(_, end)| end)
}

/// Small letters with every byte at its place.
fn lowered(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii() { c.to_ascii_lowercase() } else { c }).collect()
}

/// The labels to choose from: `into a, b or c`, `labels: a, b`, `is it a or b?`, `one of: …`, `pos/neg`, labels in
/// quotation marks, in backticks or in capitals. Empty where the request names none.
#[must_use]
pub fn choices(request: &str) -> Vec<String> {
    let lower = lowered(request);
    let cues = [
        "labels:",
        "label:",
        "labels are",
        "categories:",
        "category:",
        "categories are",
        "classes:",
        "classes are",
        "possible labels",
        "options:",
        "choices:",
        "one of:",
        "exactly one of:",
        "one of these:",
        "one of",
        "etiquetas:",
        "kategorien:",
        "catégories :",
        "catégories:",
    ];
    if let Some(found) = behind(&lower, &cues).and_then(|at| request.get(at..)) {
        let found = short(&list(clause(found.trim_start_matches([':', ' ', '(']))), 4);
        if found.len() > 1 {
            return found;
        }
    }
    let ticks: Vec<String> = quotes::find(request)
        .iter()
        .filter(|q| request.get(q.start..).is_some_and(|r| r.starts_with('`')))
        .map(|q| q.text.to_owned())
        .collect();
    if ticks.len() > 1 {
        return unique(ticks);
    }
    let quoted: Vec<String> = quotes::find(request)
        .iter()
        .filter(|q| q.text.split_whitespace().count() < 4)
        .map(|q| q.text.to_owned())
        .collect();
    if quoted.len() > 1 {
        return unique(quoted);
    }
    for sentence in request.split(['.', '?', '!', '\n']).filter(|sentence| !sentence.trim().is_empty()) {
        for found in [bracketed(sentence), alternatives(sentence), slashes(sentence), colon(sentence)] {
            if found.len() > 1 {
                return unique(found);
            }
        }
    }
    let capitals: Vec<String> = request
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| {
            word.len() > 2
                && word.chars().all(|c| c.is_uppercase() || c == '_' || c.is_ascii_digit())
                && word.chars().any(char::is_alphabetic)
        })
        .map(str::to_owned)
        .collect();
    let capitals = unique(capitals);
    if capitals.len() > 1 { capitals } else { Vec::new() }
}

/// `for it (positive), against it (negative), or neither (neutral)`.
fn bracketed(sentence: &str) -> Vec<String> {
    let found: Vec<String> =
        sentence.split('(').skip(1).filter_map(|part| part.split_once(')').map(|(inner, _)| name(inner))).collect();
    if found.len() > 1 && sentence.contains(" or ") && found.iter().all(|one| one.split_whitespace().count() == 1) {
        found
    } else {
        Vec::new()
    }
}

/// `is it a, b or c`: the names around the last `or`.
fn alternatives(sentence: &str) -> Vec<String> {
    let words = [" or ", " oder ", " ou ", " o ", " vs ", " vs. ", " versus "];
    let Some((at, len)) = words.iter().filter_map(|word| sentence.rfind(word).map(|at| (at, word.len()))).max() else {
        return Vec::new();
    };
    let left = sentence.get(..at).unwrap_or_default();
    let right = sentence.get(at + len..).unwrap_or_default();
    let left = left.rsplit([':', ';', '–', '—']).next().unwrap_or_default();
    let stops = [
        ",", ":", ";", " - ", " – ", " for ", " in ", " from ", " about", " please", " to ", " of ", " with ", " as ",
        " by ", "(", " - ",
    ];
    let end = stops.iter().filter_map(|stop| right.find(stop)).min().unwrap_or(right.len());
    let last = name(right.get(..end).unwrap_or(right));
    let mut names: Vec<String> = Vec::new();
    let parts: Vec<&str> = left.split(',').flat_map(|part| part.split(" or ")).collect();
    for part in parts.iter().rev() {
        let (cut, led) = led(part);
        let one = name(cut);
        let place = ["pile", "box", "bucket", "category", "group", "folder", "class"]
            .iter()
            .any(|word| lowered(&one).ends_with(word));
        if one.is_empty() || place || one.split_whitespace().count() > 3 {
            break;
        }
        names.insert(0, one);
        if led {
            break;
        }
    }
    // `for each of them or not` and `by more or less` offer nothing.
    if last.is_empty()
        || last.split_whitespace().count() > 3
        || names.is_empty()
        || last == "not"
        || last == "less"
        || last == "more"
    {
        return Vec::new();
    }
    names.push(last);
    names
}

/// The part behind the words that lead to a list, and whether there were any.
fn led(part: &str) -> (&str, bool) {
    let lower = lowered(part);
    let cues = [
        "whether it is about ",
        "whether it is ",
        "whether this is ",
        "whether they are ",
        "whether it's ",
        "if it is ",
        "if this is ",
        "if it's ",
        "is it ",
        "is this ",
        "is that ",
        "are these ",
        "are they ",
        "into ",
        " as ",
        "either ",
        "tell me ",
        "decide ",
        "with ",
        "this is ",
        "it is ",
        "it's ",
        "must be ",
        "be ",
        "is ",
        "are ",
        "est-ce ",
        "ist das ",
        "ist es ",
        "pile ",
        "is the customer ",
        "in ",
    ];
    let end = cues.iter().filter_map(|cue| {
        let at = lower.rfind(cue)?;
        let whole = cue.starts_with(' ')
            || lower.get(..at).and_then(|text| text.chars().next_back()).is_none_or(|c| !c.is_alphanumeric());
        whole.then_some(at + cue.len())
    });
    match end.max() {
        Some(end) => (part.get(end..).unwrap_or(part), true),
        None => (part, false),
    }
}

/// `pos/neg`, `spam / not spam`, `past / present / future`.
fn slashes(sentence: &str) -> Vec<String> {
    let part = if sentence.contains(" / ") {
        let first = sentence.split(" / ").next().unwrap_or_default();
        let start = first.rfind([',', ':', ';']).map_or_else(|| first.rfind(' ').map_or(0, |at| at + 1), |at| at + 1);
        sentence.get(start..).unwrap_or_default().to_owned()
    } else {
        sentence
            .split_whitespace()
            .find(|word| word.contains('/') && !word.contains("//") && !word.contains(|c: char| c.is_ascii_digit()))
            .unwrap_or_default()
            .trim_matches(|c: char| !c.is_alphanumeric())
            .replace('/', " / ")
    };
    let part = part.split([',', ':', ';', '(']).next().unwrap_or_default();
    short(&part.split(" / ").map(name).collect::<Vec<_>>(), 3)
}

/// `Which intent: cancel, upgrade, pause`.
fn colon(sentence: &str) -> Vec<String> {
    let Some((_, rest)) = sentence.split_once(':') else { return Vec::new() };
    let found = list(rest);
    if found.iter().all(|one| one.split_whitespace().count() <= 3) { found } else { Vec::new() }
}

fn short(parts: &[String], words: usize) -> Vec<String> {
    let fits = |part: &&String| !part.is_empty() && part.split_whitespace().count() <= words;
    if parts.iter().all(|part| fits(&part)) {
        unique(parts.to_vec())
    } else {
        parts.iter().take_while(fits).cloned().collect()
    }
}

fn unique(parts: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all
}

/// Labels with what is said of them, from lines such as `- BILLING: invoices, refunds` or `spam = unwanted mail`.
#[must_use]
pub fn described(text: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let bare = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let nested = line.starts_with([' ', '\t']) || bare.starts_with(['"', '“']);
        let cut = bare
            .split_once(": ")
            .or_else(|| bare.split_once(" = "))
            .or_else(|| bare.split_once(" - "))
            .or_else(|| bare.split_once(" – "));
        if let Some((label, rest)) = cut.filter(|(label, _)| label.split_whitespace().count() <= 3 && !nested) {
            all.push((name(label), list(rest)));
        } else if let Some(label) = bare.strip_suffix(':').filter(|label| label.split_whitespace().count() <= 3) {
            all.push((name(label), Vec::new()));
        } else if let Some((_, examples)) = all.last_mut().filter(|_| !bare.is_empty()) {
            examples.push(bare.trim_matches(['"', '“', '”', ' ']).to_owned());
        }
    }
    all.retain(|(label, _)| !label.is_empty());
    all
}

/// The fields asked for: `extract the X, Y and Z from …`, `what's the due date?`, `I need name, email`, `Need: a, b`.
#[must_use]
pub fn fields(request: &str) -> Vec<String> {
    let lower = lowered(request);
    let lists = [
        "need:",
        "fields:",
        "items:",
        "item:",
        "mentions:",
        "details:",
        "these fields:",
        "following:",
        "columns:",
        "felder:",
        "check for:",
        "contains:",
        "include:",
    ];
    if let Some(found) = behind(&lower, &lists).and_then(|at| request.get(at..)) {
        let found = cleaned(&list(cut_field(clause(found.trim_start()))));
        if !found.is_empty() {
            return found;
        }
    }
    if let Some((_, rest)) = request.split_once(": ") {
        let found = list(cut_field(clause(rest)));
        if found.len() > 1 && found.iter().all(|one| one.split_whitespace().count() <= 4) {
            return cleaned(&found);
        }
    }
    let cues = [
        "extract the ",
        "extract ",
        "get me ",
        "get ",
        "pull out ",
        "pull ",
        "i need to know ",
        "we need ",
        "i need ",
        "give me ",
        "find ",
        "what's the ",
        "what is the ",
        "what are the ",
        "list the ",
        "list ",
        "tell me the ",
        "tell me ",
        "return ",
        "extraia ",
        "extrae ",
        "extrais ",
        "extrahiere ",
        "finde ",
        "nenne ",
        "whats the ",
        "is there ",
        "enthält der text ",
        "gibt es ",
    ];
    let found = behind(&lower, &cues)
        .and_then(|at| request.get(at..))
        .map(|rest| list(cut_field(clause(rest))))
        .unwrap_or_default();
    if !found.is_empty() {
        return cleaned(&found);
    }
    let first = clause(request);
    if first.contains(',') || first.contains(" and ") || first.contains(" und ") {
        cleaned(&list(cut_field(first)))
    } else {
        Vec::new()
    }
}

/// The list without what tells where it is found and how it is wanted.
fn cut_field(text: &str) -> &str {
    let lower = lowered(text);
    let stops = [
        " from ",
        " out of ",
        " of each",
        " of the ",
        " of this",
        " of these",
        " for each",
        " for every",
        " for all",
        " in this",
        " in the ",
        " as json",
        " as a ",
        " as csv",
        " as list",
        " below",
        " please",
        " pls",
        " bitte",
        " aus ",
        " dans ",
        " del ",
        " mentioned",
        " are in ",
        " with amounts",
        " (",
    ];
    let end = stops.iter().filter_map(|stop| lower.find(stop)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

fn cleaned(parts: &[String]) -> Vec<String> {
    let asks = ["when ", "who ", "how ", "what ", "which ", "where "];
    let fits = |part: &&String| {
        !part.is_empty()
            && part.split_whitespace().count() <= 6
            && !asks.iter().any(|word| lowered(part).starts_with(word))
    };
    unique(parts.iter().filter(fits).cloned().collect())
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
