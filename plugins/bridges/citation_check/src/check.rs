//! One reference: its identifiers, its parts, and what contradicts what.

use crate::{
    bibtex,
    csl::Item,
    find,
    format::{self, Style},
    kinds,
    output::{Identifier, Kind, Reference},
    pattern,
};

/// Most identifiers that are looked at in one reference.
const IDENTIFIERS_MAX: usize = 20;

/// Checks one reference.
pub fn check(index: usize, text: &str, style: Option<Style>) -> Reference {
    let mut identifiers = find::identifiers(text);
    let more = identifiers.len().saturating_sub(IDENTIFIERS_MAX);
    identifiers.truncate(IDENTIFIERS_MAX);
    let (mut item, read_as) = match bibtex::read(text) {
        Some(item) => (item, "bibtex"),
        None => pattern::read(text).unwrap_or((Item::default(), "identifiers")),
    };
    if item.id.is_empty() {
        item.id = format!("ref-{}", index.saturating_add(1));
    }
    add(&mut item, &identifiers);
    let complete = item.title.is_some() && item.issued.is_some() && !item.author.is_empty();
    let mut issues: Vec<String> =
        identifiers.iter().filter_map(|found| Some(format!("{}: {}", found.text, found.fault.as_ref()?))).collect();
    issues.extend(contradictions(&item, &identifiers));
    if more > 0 {
        issues.push(format!("{more} more identifiers were not looked at; give references one by one"));
    }
    let named = identifiers.iter().any(|found| found.kind != Kind::Orcid);
    if !named && !complete {
        issues.push("no identifier, and author, year and title were not all found".to_owned());
    }
    Reference {
        index,
        text: text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect(),
        ok: issues.is_empty(),
        formatted: style.and_then(|style| format::write(&item, style)),
        csl: item,
        read_as,
        identifiers,
        issues,
    }
}

/// Puts valid identifiers into the item; the first of each kind counts.
fn add(item: &mut Item, identifiers: &[Identifier]) {
    let first = |kind: Kind| identifiers.iter().find(|found| found.kind == kind && found.valid);
    let normal = |kind: Kind| first(kind).map(|found| found.normalised.clone());
    item.doi = normal(Kind::Doi);
    item.isbn = first(Kind::Isbn).map(|found| found.printed.clone());
    item.issn = normal(Kind::Issn);
    item.pmid = normal(Kind::Pmid);
    item.pmcid = normal(Kind::Pmcid);
    let of_doi =
        || identifiers.iter().filter(|found| found.valid).find_map(kinds::arxiv_of).map(|id| format!("arXiv:{id}"));
    item.number = first(Kind::Arxiv).map(|found| found.printed.clone()).or_else(of_doi);
    item.url = first(Kind::Url).or_else(|| first(Kind::Arxiv)).and_then(|found| found.url.clone());
    if item.kind.is_empty() {
        let kind = match () {
            () if item.isbn.is_some() => "book",
            () if item.number.is_some() => "article",
            () if item.container.is_some() || item.pmid.is_some() || item.issn.is_some() => "article-journal",
            () if item.doi.is_none() && item.url.is_some() => "webpage",
            () => "document",
        };
        item.kind = kind.to_owned();
    }
}

fn contradictions(item: &Item, identifiers: &[Identifier]) -> Vec<String> {
    let mut issues = Vec::new();
    let arxiv = identifiers.iter().find(|found| found.kind == Kind::Arxiv && found.valid);
    let dated = arxiv.or_else(|| identifiers.iter().find(|found| found.valid && found.submitted.is_some()));
    if let (Some(found), Some(year)) = (dated, item.issued.as_ref().and_then(|date| date.year())) {
        let submitted =
            found.submitted.as_deref().and_then(|text| text.get(..4)).and_then(|text| text.parse::<u32>().ok());
        if submitted.is_some_and(|submitted| submitted > year.saturating_add(1)) {
            issues.push(format!("{} was submitted after the year {year} of the reference", found.printed));
        }
    }
    let of_doi = identifiers.iter().find(|found| found.kind == Kind::Doi).and_then(kinds::arxiv_of);
    if let (Some(arxiv), Some(doi), Some(other)) = (arxiv, &item.doi, of_doi)
        && other != arxiv.normalised
    {
        issues.push(format!("DOI {doi} and {} are different papers", arxiv.printed));
    }
    for kind in [Kind::Doi, Kind::Pmid] {
        let mut all: Vec<&str> =
            identifiers.iter().filter(|i| i.kind == kind && i.valid).map(|i| i.normalised.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        // The DOI that arXiv gives stands beside the publisher's.
        all.retain(|doi| !doi.starts_with("10.48550/"));
        if all.len() > 1 {
            issues.push(format!("more than one identifier of a kind: {}", all.join(", ")));
        }
    }
    if let Some((first, last)) = item.page.as_deref().and_then(|page| page.split_once('-')) {
        let (low, high) = (first.parse::<u64>().ok(), last.parse::<u64>().ok());
        // A shorter end is the usual short form: 284-7.
        if last.len() >= first.len() && matches!((low, high), (Some(low), Some(high)) if high < low) {
            issues.push(format!("pages {first}-{last} end before they begin"));
        }
    }
    issues
}
