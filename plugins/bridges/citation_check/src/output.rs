//! The answer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::csl::Item;

/// The answer of this bridge.
pub type Output = Report<Findings>;

/// Identifiers, parts and faults of the references.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Findings {
    /// One for each reference, in order.
    pub references: Vec<Reference>,
    /// References that share an identifier.
    pub duplicates: Vec<Duplicate>,
    /// Counts over all references.
    pub summary: Summary,
}

/// Counts over all references.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// References.
    pub references: usize,
    /// Identifiers found in them.
    pub identifiers: usize,
    /// Identifiers that are wrong in themselves.
    pub invalid: usize,
    /// References without any identifier.
    pub without_identifier: usize,
}

/// One reference.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reference {
    /// Its place in the input, from 0.
    pub index: usize,
    /// Its beginning, at most 120 characters.
    pub text: String,
    /// No identifier in it is wrong, no part contradicts another, and there is an identifier or author, year and title.
    pub ok: bool,
    /// Identifiers by place.
    pub identifiers: Vec<Identifier>,
    /// The parts that the text gives, as a CSL-JSON item.
    pub csl: Item,
    /// How the parts were read: `bibtex`, `apa` (author, year, title, source), `vancouver` (author, title, source, year) or `identifiers` (no known pattern).
    pub read_as: &'static str,
    /// The reference in the style asked for; none where author or year and title are missing.
    pub formatted: Option<String>,
    /// What is wrong or looks wrong.
    pub issues: Vec<String>,
}

/// One identifier.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Identifier {
    /// What it is.
    pub kind: Kind,
    /// As written.
    pub text: String,
    /// Place of its first character in the reference, from 0, in characters.
    pub start: usize,
    /// Form and check digit are right. It may still name nothing.
    pub valid: bool,
    /// The form to store and compare.
    pub normalised: String,
    /// The form to print: ISBN and ISSN with hyphens, `arXiv:…`, `PMID: …`.
    pub printed: String,
    /// Where it leads.
    pub url: Option<String>,
    /// ISBN: the 10-digit form, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isbn10: Option<String>,
    /// ISBN: language or country group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'static str>,
    /// arXiv: the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// arXiv: year and month of the number, `YYYY-MM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted: Option<String>,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A kind of identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Digital Object Identifier (ISO 26324).
    Doi,
    /// arXiv identifier, old or new scheme.
    Arxiv,
    /// PubMed.
    Pmid,
    /// PubMed Central.
    Pmcid,
    /// Open Researcher and Contributor ID.
    Orcid,
    /// International Standard Book Number, 10 or 13 digits.
    Isbn,
    /// International Standard Serial Number.
    Issn,
    /// A web address that is none of the above.
    Url,
}

/// References that share an identifier.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Duplicate {
    /// Its kind.
    pub kind: Kind,
    /// Its normal form.
    pub normalised: String,
    /// Places of the references, from 0.
    pub indexes: Vec<usize>,
}
