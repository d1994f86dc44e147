//! A person or a posting in a line of a list.

use serde_json::json;

use crate::fill::{Evidence, Found};
use crate::wanted::Wanted;

const ROLE: &[&str] = &["role", "position", "job", "title", "person", "name", "speaker"];
const FIRM: &[&str] = &["company", "employer", "organisation", "firm", "organization"];
const TOWN: &[&str] = &["city", "town", "place", "location"];

/// `Night Porter at Hotel Meridian, Vienna.`: role, company and place of a posting.
pub(crate) fn posting(item: &str, field: &Wanted, fields: &[Wanted]) -> Option<Found> {
    let is = |field: &Wanted, words: &[&str]| field.words.iter().any(|word| words.contains(&word.as_str()));
    let first = item.split([',', ':', ';', '(', '–']).next().unwrap_or_default().trim();
    let words: Vec<&str> = first.split_whitespace().collect();
    let person = (2..=3).contains(&words.len())
        && words.iter().all(|word| {
            word.chars().next().is_some_and(char::is_uppercase)
                && word.chars().all(|c| c.is_alphabetic() || "-.'’".contains(c))
        });
    let named = field.words.last().is_some_and(|word| ["name", "person", "names", "persons"].contains(&word.as_str()))
        && field.words.len() < 3;
    if named && person && first.len() < item.len() {
        return Some(Found { value: json!(first), raw: first.to_owned(), evidence: Evidence::Word });
    }
    if !fields.iter().any(|field| is(field, ROLE)) || !fields.iter().any(|field| is(field, FIRM)) {
        return None;
    }
    let first = item.split(". ").next().unwrap_or(item).trim_end_matches('.');
    let (role, rest) = first.split_once(" at ")?;
    let (firm, town) = rest.split_once(", ").unwrap_or((rest, ""));
    let value = if is(field, FIRM) {
        firm
    } else if is(field, TOWN) {
        town
    } else if is(field, ROLE) {
        role
    } else {
        return None;
    };
    (!value.is_empty() && value.split_whitespace().count() < 6).then(|| Found {
        value: json!(value.trim()),
        raw: value.trim().to_owned(),
        evidence: Evidence::Word,
    })
}
