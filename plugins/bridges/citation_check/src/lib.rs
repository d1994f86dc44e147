//! A bridge that checks references: identifiers by form and check digit, parts as CSL-JSON, formatting.
//!
//! Nothing is looked up in a registry: what is right in form may still name nothing, and the answer says so.

mod arxiv;
mod bibtex;
mod check;
mod csl;
mod find;
mod format;
mod kinds;
mod number;
mod output;
mod pattern;
mod url;

use std::collections::BTreeMap;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error, bridge};

use crate::{
    format::Style,
    output::{Duplicate, Findings, Kind, Output, Reference, Summary},
};

/// Most references in one call.
const REFERENCES_MAX: usize = 100;
/// Most bytes of all references together; the answer is up to twenty times as long.
const BYTES_MAX: usize = 49_152;
/// Longest reference, in characters.
const REFERENCE_CHARS_MAX: usize = 4_000;

/// References to check.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("references | resource_id"))]
pub struct Input {
    /// One reference or identifier as text (`10.1000/182`, `ISBN 978-3-16-148410-0`), or the id of a stored text: BibTeX
    /// entries, else references apart by blank lines, else one a line. Alone it means: check it, format nothing.
    #[schemars(length(min = 1, max = 4000))]
    pub resource_id: Option<String>,
    /// References: running text, single identifiers or BibTeX entries; 1 to 100, each at most 4,000 characters, together at most 49,152 bytes. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 100), inner(length(min = 1, max = 4000)))]
    pub references: Option<Vec<String>>,
    /// Also write each reference in this style, where its parts are known. None unless given.
    pub style: Option<Style>,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let (texts, field) = texts(call, &input)?;
    if texts.is_empty() || texts.len() > REFERENCES_MAX {
        return Err(Error::invalid(field, format!("give 1 to {REFERENCES_MAX} references, not {}", texts.len())));
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    if bytes > BYTES_MAX {
        return Err(Error::invalid(
            field,
            format!("{bytes} bytes of references are more than {BYTES_MAX}; check in parts"),
        ));
    }
    for (place, text) in texts.iter().enumerate() {
        if text.chars().count() > REFERENCE_CHARS_MAX || text.trim().is_empty() {
            let field = if field == "/references" { format!("/references/{place}") } else { field.to_owned() };
            let message = format!("reference {}: give 1 to {REFERENCE_CHARS_MAX} characters", place.saturating_add(1));
            return Err(Error::invalid(field, message));
        }
    }
    let references: Vec<Reference> =
        texts.iter().enumerate().map(|(place, text)| check::check(place, text, input.style)).collect();
    let limitations = limitations(&references);
    let findings = Findings { duplicates: duplicates(&references), summary: summary(&references), references };
    Ok(Report::new(findings, METHOD, limitations).with_data(number::sources()?))
}

const METHOD: &str = "search for identifiers by form and label; check digits (ISO 2108, 3297, 7064 mod 11-2), ISBN ranges, forms of DOI, arXiv, PMID and URL; parts by BibTeX, APA or Vancouver pattern";

/// The references, and the member that they come from.
fn texts(call: &Call, input: &Input) -> Result<(Vec<String>, &'static str), Error> {
    match (&input.references, &input.resource_id, &call.resource) {
        (Some(_), Some(_), _) => Err(Error::invalid("/references", "give `references` or `resource_id`, not both")),
        (Some(list), None, _) => Ok((list.clone(), "/references")),
        (None, _, Some(stored)) => Ok((split(stored.text()?), "/resource_id")),
        (None, Some(text), None) if text.starts_with("res_") => {
            call.stored()?;
            Ok((Vec::new(), "/resource_id"))
        }
        (None, Some(text), None) => Ok((vec![text.clone()], "/resource_id")),
        (None, None, None) => Err(Error::invalid("/references", "give `references`, or one in `resource_id`")),
    }
}

/// A stored text as references; one more than allowed is enough to refuse it.
fn split(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let limit = REFERENCES_MAX + 1;
    if text.trim_start().starts_with('@') {
        let text = format!("\n{}", text.trim());
        return text.split("\n@").skip(1).take(limit).map(|entry| format!("@{entry}")).collect();
    }
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.trim().is_empty()).take(limit).collect();
    let parts = if blocks.len() > 1 {
        blocks
    } else {
        text.lines().filter(|line| !line.trim().is_empty()).take(limit).collect()
    };
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

fn duplicates(references: &[Reference]) -> Vec<Duplicate> {
    let mut places: BTreeMap<(Kind, String), Vec<usize>> = BTreeMap::new();
    for reference in references {
        for identifier in reference.identifiers.iter().filter(|identifier| identifier.valid) {
            // Journals and people may be named often.
            if matches!(identifier.kind, Kind::Issn | Kind::Orcid) {
                continue;
            }
            // The DOI that arXiv gives names the same paper as the identifier.
            let key = match kinds::arxiv_of(identifier) {
                Some(canonical) => (Kind::Arxiv, canonical),
                None => (identifier.kind, identifier.normalised.clone()),
            };
            let list = places.entry(key).or_default();
            if list.last() != Some(&reference.index) {
                list.push(reference.index);
            }
        }
    }
    let shared = places.into_iter().filter(|(_, indexes)| indexes.len() > 1);
    shared.map(|((kind, normalised), indexes)| Duplicate { kind, normalised, indexes }).collect()
}

fn summary(references: &[Reference]) -> Summary {
    let all = references.iter().flat_map(|reference| &reference.identifiers);
    Summary {
        references: references.len(),
        identifiers: all.clone().count(),
        invalid: all.filter(|identifier| !identifier.valid).count(),
        without_identifier: references.iter().filter(|reference| reference.identifiers.is_empty()).count(),
    }
}

fn limitations(references: &[Reference]) -> Vec<String> {
    let mut notes = vec![
        "No registry (Crossref, DataCite, PubMed, arXiv, ISBN agencies) and no address was asked: a valid identifier may name nothing, or another work.".to_owned(),
        "DOI, PMID and arXiv identifiers have no check digit, so a wrong digit in them is not found.".to_owned(),
    ];
    let unread = references.iter().filter(|reference| reference.read_as == "identifiers").count();
    if unread > 0 {
        notes.push(format!(
            "{unread} of {} references follow no pattern known here; only their identifiers were read.",
            references.len()
        ));
    }
    if references.iter().any(|reference| matches!(reference.read_as, "apa" | "vancouver")) {
        notes.push(
            "Parts read from running text follow its punctuation; look at them before you store them.".to_owned(),
        );
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/apa.json", "../cases/isbn_wrong.json"] }

#[cfg(test)]
mod tests;
