//! The labels that a request offers to choose from, and what it says of them.

use crate::phrases::{behind, clause, list, lowered, name, unique};
use crate::quotes;

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
