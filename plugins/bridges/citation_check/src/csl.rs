//! An item of CSL-JSON, with the parts that are read here.

use schemars::JsonSchema;
use serde::Serialize;

/// A CSL-JSON item (citation-style-language.org); parts that the text does not give are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// The key of a BibTeX entry, else `ref-` and the place of the reference from 1.
    pub id: String,
    /// Type of the work, a CSL type such as `article-journal`, `book` or `webpage`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Authors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub author: Vec<Name>,
    /// Editors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub editor: Vec<Name>,
    /// When it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued: Option<Date>,
    /// Journal, book or proceedings that it stands in.
    #[serde(rename = "container-title", skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Volume, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Number within the volume, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Pages, with a plain hyphen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Publisher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// Where the publisher sits.
    #[serde(rename = "publisher-place", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Edition, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// DOI without an address before it.
    #[serde(rename = "DOI", skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// ISBN as it is printed, with hyphens.
    #[serde(rename = "ISBN", skip_serializing_if = "Option::is_none")]
    pub isbn: Option<String>,
    /// ISSN with its hyphen.
    #[serde(rename = "ISSN", skip_serializing_if = "Option::is_none")]
    pub issn: Option<String>,
    /// Number in PubMed.
    #[serde(rename = "PMID", skip_serializing_if = "Option::is_none")]
    pub pmid: Option<String>,
    /// Number in PubMed Central, with `PMC`.
    #[serde(rename = "PMCID", skip_serializing_if = "Option::is_none")]
    pub pmcid: Option<String>,
    /// For arXiv: `arXiv:…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Web address.
    #[serde(rename = "URL", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A person, or a body as `literal`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Name {
    /// Family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Given names or initials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// The whole name of a body, or of a person whose name could not be taken apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
}

impl Name {
    /// A person.
    pub fn person(family: &str, given: &str) -> Self {
        let given = Some(given.trim().to_owned()).filter(|given| !given.is_empty());
        Self { family: Some(family.trim().to_owned()), given, literal: None }
    }

    /// A body, or a name that does not come apart.
    pub fn literal(text: &str) -> Self {
        Self { literal: Some(text.trim().to_owned()), ..Self::default() }
    }
}

/// A day, month or year.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Date {
    /// One list of year, month and day, as far as known.
    #[serde(rename = "date-parts")]
    pub parts: [Vec<u32>; 1],
}

impl Date {
    /// A year with what follows it.
    pub fn new(year: u32, month: Option<u32>, day: Option<u32>) -> Self {
        let month = month.filter(|month| (1..=12).contains(month));
        let day = day.filter(|day| month.is_some() && (1..=31).contains(day));
        Self { parts: [[Some(year), month, day].into_iter().flatten().collect()] }
    }

    /// The year.
    pub fn year(&self) -> Option<u32> {
        let [parts] = &self.parts;
        parts.first().copied()
    }
}

/// The number of a month by its English name or its first three letters.
pub fn month(text: &str) -> Option<u32> {
    let start: String = text.trim().chars().take(3).flat_map(char::to_lowercase).collect();
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    names.iter().zip(1u32..).find(|(name, _)| **name == start).map(|(_, number)| number)
}

/// A year that a work can be of.
pub fn year(text: &str) -> Option<u32> {
    let digits: String = text.trim().chars().take(4).collect();
    digits.parse().ok().filter(|year| digits.len() == 4 && (1400..=2100).contains(year))
}
