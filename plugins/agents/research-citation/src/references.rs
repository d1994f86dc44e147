//! References, works and identifiers, checked by the bridge `citation_check` and written in
//! a style.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Error, bridges};

use crate::input::{Identifier, IdentifierKind};
use crate::output::Reference;
use crate::style::{self, Style};
use crate::work::{Kind, Work};

/// Styles that the bridge writes too.
const OF_BRIDGE: [Style; 3] = [Style::Apa, Style::Vancouver, Style::Bibtex];

#[derive(Deserialize)]
struct Read {
    #[serde(flatten)]
    reference: Reference,
    #[serde(default)]
    csl: Value,
    #[serde(default)]
    read_as: String,
    #[serde(default)]
    identifiers: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    kind: String,
    #[serde(default)]
    fault: Option<String>,
}

#[derive(Deserialize)]
struct References {
    references: Vec<Read>,
}

/// References, and limitations of their checks.
pub type Checked = (Vec<Reference>, Vec<String>);

fn ask(references: &[String], style: Option<Style>) -> Result<Answer<References>, Error> {
    let mut call = json!({ "references": references });
    if let (Some(style), Some(call)) = (style, call.as_object_mut()) {
        call.insert("style".to_owned(), json!(style));
    }
    Ok(bridges::call("citation_check", &call)?)
}

/// Checks references and writes them in a style. In a task in words (`strict`), a reference
/// without anything to check is an error; so is one whose parts are unclear, if a style was
/// `required`.
pub fn of_texts(references: &[String], style: Style, strict: bool, required: bool) -> Result<Checked, Error> {
    let answer = ask(references, Some(if OF_BRIDGE.contains(&style) { style } else { Style::Apa }))?;
    let mut list = Vec::new();
    for (at, read) in answer.result.references.into_iter().enumerate() {
        if strict && read.identifiers.is_empty() && read.read_as == "identifiers" {
            let fix = format!("`{}` has no identifier, and its parts are not certain", read.reference.text);
            return Err(Error::invalid("/references", fix));
        }
        let bibtex = read.read_as == "bibtex";
        // Running text is an article for certain only if it has a volume.
        let certain = |work: &Work| bibtex || (work.kind == Kind::Article && !work.volume.is_empty());
        let work = Work::of_csl(&read.csl).filter(|work| certain(work) && work.missing().is_none());
        let by_bridge = read.reference.formatted.clone().filter(|_| OF_BRIDGE.contains(&style) && !bibtex);
        let formatted = by_bridge.or_else(|| work.map(|work| style::write(&work, style, at + 1)));
        if required && formatted.is_none() {
            let fix = "give them as lines `Author: Family, Given`, `Title:`, `Year:`, `Journal:` or `Publisher:`";
            let text = format!("the parts of `{}` are not certain; {fix}", read.reference.text);
            return Err(Error::invalid("/references", text));
        }
        list.push(Reference { formatted, ..read.reference });
    }
    Ok((list, answer.limitations))
}

/// Writes works in a style, and checks their identifiers.
pub fn of_works(works: &[Work], style: Style) -> Result<Checked, Error> {
    let (mut list, mut limitations) = (Vec::new(), Vec::new());
    for (at, work) in works.iter().enumerate() {
        if let Some(part) = work.missing() {
            let text = format!("the {part} of \"{}\" is missing; add it", work.title);
            return Err(Error::invalid("/works", text));
        }
        let number = if work.isbn.len() == 9 { IdentifierKind::Issn } else { IdentifierKind::Isbn };
        let own = [(IdentifierKind::Doi, &work.doi), (number, &work.isbn)].into_iter();
        let own = own.filter(|(_, value)| !value.is_empty());
        let own: Vec<_> = own.map(|(kind, value)| Identifier { kind: Some(kind), value: value.clone() }).collect();
        let mut issues: Vec<String> = Vec::new();
        if !own.is_empty() {
            let (checked, notes) = of_identifiers(&own)?;
            let named = |one: Reference| one.issues.into_iter().map(move |issue| format!("{}: {issue}", one.text));
            issues.extend(checked.into_iter().flat_map(named));
            limitations = notes;
        }
        let (text, ok) = (work.title.chars().take(120).collect(), issues.is_empty());
        list.push(Reference { text, ok, formatted: Some(style::write(work, style, at + 1)), issues });
    }
    Ok((list, limitations))
}

/// Checks identifiers by their forms and check digits.
pub fn of_identifiers(identifiers: &[Identifier]) -> Result<Checked, Error> {
    let label = |kind: IdentifierKind| match kind {
        IdentifierKind::Isbn => "ISBN ",
        IdentifierKind::Issn => "ISSN ",
        IdentifierKind::Doi => "doi:",
        IdentifierKind::Orcid => "https://orcid.org/",
        IdentifierKind::Arxiv => "arXiv:",
        IdentifierKind::Pmid => "PMID: ",
    };
    let text = |one: &Identifier| format!("{}{}", one.kind.map_or("", label), one.value.trim());
    let answer = ask(&identifiers.iter().map(text).collect::<Vec<_>>(), None)?;
    let mut list = Vec::new();
    for (one, read) in identifiers.iter().zip(answer.result.references) {
        let name = one.kind.map(|kind| json!(kind).as_str().unwrap_or_default().to_owned());
        let own = read.identifiers.into_iter().filter(|found| name.as_ref().is_none_or(|name| found.kind == *name));
        let mut own: Vec<Found> = own.collect();
        let issues: Vec<String> = match (own.pop(), name) {
            // Ranges of registrants grow; the check digit decides.
            (Some(found), _) if own.is_empty() => {
                found.fault.filter(|fault| !fault.contains("no registrant")).into_iter().collect()
            }
            (None, Some(name)) => vec![format!("it has not the form of {name}")],
            _ => {
                let fix = "Name it: ISBN, ISSN, DOI, ORCID, arXiv or PMID";
                let text = format!("which kind of identifier is `{}`? {fix}", one.value);
                return Err(Error::invalid("/identifiers", text));
            }
        };
        list.push(Reference { text: one.value.clone(), ok: issues.is_empty(), formatted: None, issues });
    }
    Ok((list, answer.limitations))
}
