//! Writes an item as a reference in a style.
//!
//! Invariant: only parts that the item has are written; nothing is made up for those that are missing.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::csl::{Item, Name};

/// A style of references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// American Psychological Association, 7th edition, plain text.
    Apa,
    /// ICMJE and National Library of Medicine.
    Vancouver,
    /// A BibTeX entry.
    Bibtex,
}

/// The reference, if the item has a title and an author or year.
pub fn write(item: &Item, style: Style) -> Option<String> {
    let title = item.title.as_deref()?;
    if item.author.is_empty() && item.issued.is_none() {
        return None;
    }
    Some(match style {
        Style::Apa => apa(item, title),
        Style::Vancouver => vancouver(item, title),
        Style::Bibtex => bibtex(item, title),
    })
}

fn initials(given: &str, stop: &str, gap: &str) -> String {
    let first =
        |word: &str| word.chars().next().filter(|c| c.is_alphabetic()).map(|c| format!("{}{stop}", c.to_uppercase()));
    let words = given.split([' ', '.']).filter(|word| !word.is_empty());
    words.filter_map(first).collect::<Vec<_>>().join(gap)
}

fn written(name: &Name, stop: &str, between: &str, gap: &str) -> String {
    match (&name.family, &name.given) {
        (Some(family), Some(given)) => format!("{family}{between}{}", initials(given, stop, gap)),
        (Some(family), None) => family.clone(),
        _ => name.literal.clone().unwrap_or_default(),
    }
}

/// One or no full stop after a text.
fn ended(text: &str) -> String {
    if text.ends_with(['.', '?', '!']) { format!("{text} ") } else { format!("{text}. ") }
}

fn link(item: &Item) -> Option<String> {
    let doi = item.doi.as_ref().map(|doi| format!("https://doi.org/{doi}"));
    doi.or_else(|| item.url.clone())
}

fn apa(item: &Item, title: &str) -> String {
    let names: Vec<String> = item.author.iter().map(|name| written(name, ".", ", ", " ")).collect();
    let authors = match names.split_last() {
        Some((last, rest)) if rest.len() > 19 => {
            format!("{}, . . . {last}", rest.iter().take(19).cloned().collect::<Vec<_>>().join(", "))
        }
        Some((last, rest)) if !rest.is_empty() => format!("{}, & {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    };
    let year = item.issued.as_ref().and_then(|date| date.year()).map_or("n.d.".to_owned(), |year| year.to_string());
    let mut out = if authors.is_empty() {
        format!("{}({year}). ", ended(title))
    } else {
        format!("{authors} ({year}). {}", ended(title))
    };
    let mut source: Vec<String> = item.container.iter().cloned().collect();
    if let Some(volume) = &item.volume {
        source.push(item.issue.as_ref().map_or(volume.clone(), |issue| format!("{volume}({issue})")));
    }
    source.extend(item.page.iter().map(|page| page.replace('-', "–")));
    if source.is_empty() {
        source.extend(item.publisher.clone());
    }
    if !source.is_empty() {
        out.push_str(&ended(&source.join(", ")));
    }
    out.push_str(&link(item).unwrap_or_default());
    out.trim_end().to_owned()
}

fn vancouver(item: &Item, title: &str) -> String {
    let mut names: Vec<String> = item.author.iter().take(6).map(|name| written(name, "", " ", "")).collect();
    if item.author.len() > 6 {
        names.push("et al".to_owned());
    }
    let mut out = if names.is_empty() { String::new() } else { ended(&names.join(", ")) };
    out.push_str(&ended(title));
    if let Some(container) = item.container.as_ref().or(item.publisher.as_ref()) {
        out.push_str(&ended(container));
    }
    if let Some(year) = item.issued.as_ref().and_then(|date| date.year()) {
        out.push_str(&year.to_string());
        let issue = item.issue.as_ref().map_or(String::new(), |issue| format!("({issue})"));
        if let Some(volume) = &item.volume {
            out.push_str(&format!(";{volume}{issue}"));
        }
        if let Some(page) = &item.page {
            out.push_str(&format!(":{page}"));
        }
        out.push_str(". ");
    }
    if let Some(doi) = &item.doi {
        out.push_str(&format!("doi:{doi} "));
    }
    if let Some(pmid) = &item.pmid {
        out.push_str(&format!("PMID: {pmid}."));
    }
    out.trim_end().to_owned()
}

fn bibtex(item: &Item, title: &str) -> String {
    let kind = match item.kind.as_str() {
        "article-journal" => "article",
        "book" => "book",
        "paper-conference" => "inproceedings",
        "chapter" => "incollection",
        "thesis" => "phdthesis",
        "report" => "techreport",
        _ => "misc",
    };
    let name = |name: &Name| match (&name.family, &name.given) {
        (Some(family), Some(given)) => format!("{family}, {given}"),
        (Some(family), None) => family.clone(),
        _ => format!("{{{}}}", name.literal.as_deref().unwrap_or_default()),
    };
    let people =
        |names: &[Name]| Some(names.iter().map(name).collect::<Vec<_>>().join(" and ")).filter(|t| !t.is_empty());
    let container = if kind == "article" { "journal" } else { "booktitle" };
    let fields = [
        ("author", people(&item.author)),
        ("editor", people(&item.editor)),
        ("title", Some(title.to_owned())),
        (container, item.container.clone()),
        ("year", item.issued.as_ref().and_then(|date| date.year()).map(|year| year.to_string())),
        ("volume", item.volume.clone()),
        ("number", item.issue.clone()),
        ("pages", item.page.as_ref().map(|page| page.replace('-', "--"))),
        ("publisher", item.publisher.clone()),
        ("doi", item.doi.clone()),
        ("isbn", item.isbn.clone()),
        ("issn", item.issn.clone()),
        ("url", item.url.clone()),
    ];
    // Braces that do not pair would break the entry.
    let clean = |value: String| value.replace(['{', '}', '\\'], "");
    let keep = |key: &str, value: String| if key == "author" || key == "editor" { value } else { clean(value) };
    let lines = fields.into_iter().filter_map(|(key, value)| Some(format!(",\n  {key} = {{{}}}", keep(key, value?))));
    format!("@{kind}{{{}{}\n}}", item.id, lines.collect::<String>())
}
