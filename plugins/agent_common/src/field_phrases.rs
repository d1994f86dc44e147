//! The fields that a request asks for.

use crate::field_words::{CUES, LIST_HEADS, STOPS};
use crate::phrases::{behind, clause, list, lowered, unique};

/// The fields asked for: `extract the X, Y and Z from …`, `what's the due date?`, `I need name, email`, `Need: a, b`.
#[must_use]
pub fn fields(request: &str) -> Vec<String> {
    let lower = lowered(request);
    if let Some(found) = behind(&lower, LIST_HEADS).and_then(|at| request.get(at..)) {
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
    let found = behind(&lower, CUES)
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
    let end = STOPS.iter().filter_map(|stop| lower.find(stop)).min().unwrap_or(text.len());
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
