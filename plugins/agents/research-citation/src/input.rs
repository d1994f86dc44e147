//! What callers give besides the task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::style::Style;
use crate::work::Work;

/// Claims and their sources, identifiers, references.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text whose sentences are the claims, at most 100 sentences.
    #[schemars(length(min = 1, max = 50_000))]
    pub text: Option<String>,
    /// The claims one by one instead, at most 100.
    #[schemars(length(max = 100), inner(length(min = 1, max = 4_000)))]
    pub claims: Option<Vec<String>>,
    /// The sources of the claims, at most 50.
    #[schemars(length(max = 50))]
    pub sources: Option<Vec<Source>>,
    /// Whether only the words of the claims are looked for: a claim is then supported if a source has them verbatim, and unsupported otherwise. Default: false.
    pub literal: Option<bool>,
    /// References as running text or BibTeX entries, to check and to format, at most 100.
    #[schemars(length(max = 100), inner(length(min = 1, max = 4_000)))]
    pub references: Option<Vec<String>>,
    /// Works by their parts, to format, at most 100.
    #[schemars(length(max = 100))]
    pub works: Option<Vec<Work>>,
    /// Identifiers to check, at most 100.
    #[schemars(length(max = 100))]
    pub identifiers: Option<Vec<Identifier>>,
    /// The form of the references. Default: apa.
    pub style: Option<Style>,
}

/// A source that claims are checked against.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Its text.
    #[schemars(length(min = 1, max = 200_000))]
    pub text: String,
}

/// An identifier.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Identifier {
    /// Its kind. Default: as its form shows.
    pub kind: Option<IdentifierKind>,
    /// The identifier.
    #[schemars(length(min = 1, max = 300))]
    pub value: String,
}

/// A kind of identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdentifierKind {
    /// A book.
    Isbn,
    /// A journal.
    Issn,
    /// A digital object identifier.
    Doi,
    /// A person.
    Orcid,
    /// A preprint.
    Arxiv,
    /// An entry of PubMed.
    Pmid,
}
