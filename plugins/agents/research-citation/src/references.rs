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
    valid: bool,
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
    let call = style.map_or_else(
        || json!({ "references": references }),
        |style| json!({ "references": references, "style": style }),
    );
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
        let work = Work::of_csl(&read.csl).filter(|work| {
            // Running text is an article for certain only if it has a volume.
            read.read_as == "bibtex" || (work.kind == Kind::Article && !work.volume.is_empty())
        });
        let whole = work.filter(|work| work.missing().is_none());
        let own = whole.map(|work| style::write(&work, style, at + 1));
        let by_bridge =
            read.reference.formatted.clone().filter(|_| OF_BRIDGE.contains(&style) && read.read_as != "bibtex");
        let formatted = by_bridge.or(own);
        if required && formatted.is_none() {
            let fix = "the parts of `{}` are not certain; give them as lines `Author: Family, Given`, `Title:`, `Year:`, `Journal:` or `Publisher:`";
            return Err(Error::invalid("/references", fix.replace("{}", &read.reference.text)));
        }
        list.push(Reference { formatted, ..read.reference });
    }
    Ok((list, answer.limitations))
}

/// Writes works in a style, and checks their identifiers.
pub fn of_works(works: &[Work], style: Style) -> Result<Checked, Error> {
    let mut limitations = Vec::new();
    let mut list = Vec::new();
    for (at, work) in works.iter().enumerate() {
        if let Some(part) = work.missing() {
            let text = format!("the {part} of \"{}\" is missing; add it", work.title);
            return Err(Error::invalid("/works", text));
        }
        let number = if work.isbn.len() == 9 { "ISSN" } else { "ISBN" };
        let named = [("doi:", &work.doi), (number, &work.isbn)];
        let texts: Vec<String> = named
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        let mut issues = Vec::new();
        if !texts.is_empty() {
            let answer = ask(&texts, None)?;
            let faults =
                answer.result.references.into_iter().flat_map(|read| read.identifiers).filter(|one| !one.valid);
            issues.extend(faults.map(|one| format!("{}: {}", one.kind, one.fault.unwrap_or_else(|| "wrong".into()))));
            limitations = answer.limitations;
        }
        let text = work.title.chars().take(120).collect();
        list.push(Reference {
            text,
            ok: issues.is_empty(),
            formatted: Some(style::write(work, style, at + 1)),
            issues,
        });
    }
    Ok((list, limitations))
}

/// Checks identifiers by their forms and check digits.
pub fn of_identifiers(identifiers: &[Identifier]) -> Result<Checked, Error> {
    let label = |kind: Option<IdentifierKind>| match kind {
        Some(IdentifierKind::Isbn) => "ISBN ",
        Some(IdentifierKind::Issn) => "ISSN ",
        Some(IdentifierKind::Doi) => "doi:",
        Some(IdentifierKind::Orcid) => "https://orcid.org/",
        Some(IdentifierKind::Arxiv) => "arXiv:",
        Some(IdentifierKind::Pmid) => "PMID: ",
        None => "",
    };
    let texts: Vec<String> = identifiers.iter().map(|one| format!("{}{}", label(one.kind), one.value.trim())).collect();
    let answer = ask(&texts, None)?;
    let mut list = Vec::new();
    for (one, read) in identifiers.iter().zip(answer.result.references) {
        let name = one.kind.map(|kind| json!(kind).as_str().unwrap_or_default().to_owned());
        let own = read.identifiers.iter().filter(|found| name.as_ref().is_none_or(|name| found.kind == *name));
        let issues = match (own.collect::<Vec<_>>().as_slice(), &name) {
            ([found], _) => {
                // Ranges of registrants grow; the check digit decides.
                let fault = found.fault.clone().filter(|fault| !fault.contains("no registrant"));
                fault.into_iter().collect()
            }
            ([], Some(name)) => vec![format!("it has not the form of {name}")],
            _ => {
                let text = format!(
                    "which kind of identifier is `{}`? Name it: ISBN, ISSN, DOI, ORCID, arXiv or PMID",
                    one.value
                );
                return Err(Error::invalid("/identifiers", text));
            }
        };
        list.push(Reference { text: one.value.clone(), ok: issues.is_empty(), formatted: None, issues });
    }
    Ok((list, answer.limitations))
}
