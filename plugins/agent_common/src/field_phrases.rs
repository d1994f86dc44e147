//! The fields that a request asks for.

use crate::phrases::{behind, clause, list, lowered, unique};

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
