//! What a caller may send.

use bridge_common::text_input;
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

/// Bytes of a text.
const TEXT_MAX: usize = 32 << 10;
/// Terms in a glossary or list.
const TERMS_MAX: usize = 200;
/// Bytes of a term or name.
const TERM_MAX: usize = 200;

/// A text and the language to put it into. Give `text`, or `resource_id` of a stored text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | resource_id"))]
pub struct Input {
    /// Id of a stored resource (`res_…`) with UTF-8 text, at most 32 KiB. This bridge has no other natural key; alone it
    /// means: translate this text into English.
    pub resource_id: Option<String>,
    /// The text, at most 32 KiB. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 32_768))]
    pub text: Option<String>,
    /// Language of the translation: a code (`de`, `pt-BR`) or English name. Default: en.
    #[schemars(length(min = 2, max = 64))]
    pub target: Option<String>,
    /// Language of the text, likewise; the model tells by itself unless given.
    #[schemars(length(min = 2, max = 64))]
    pub source: Option<String>,
    /// Terms and what they must be in the translation, at most 200. Default: none.
    #[schemars(length(max = 200))]
    #[serde(default)]
    pub glossary: Vec<Term>,
    /// Names and terms that must stay as they are, at most 200. Default: none.
    #[schemars(length(max = 200))]
    #[serde(default)]
    pub keep: Vec<String>,
    /// A model's id; default `auto`, the host's choice.
    #[schemars(length(min = 1, max = 128))]
    pub model: Option<String>,
}

/// An entry of a glossary.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// As it stands in the text; case does not matter.
    pub term: String,
    /// What must stand in the translation.
    pub translation: String,
}

/// The input, read.
#[derive(Debug)]
pub struct Job {
    pub text: String,
    pub target: String,
    pub source: Option<String>,
}

impl Input {
    /// Checks all members.
    pub fn job(&self, call: &Call) -> Result<Job, Error> {
        let missing = "give a text in `text`, or a stored one in `resource_id`";
        let (text, field) =
            text_input::either(call, "/text", self.text.as_deref(), self.resource_id.as_deref(), missing)?;
        if text.trim().is_empty() || text.len() > TEXT_MAX {
            return Err(Error::invalid(field, format!("give a text of 1 to {TEXT_MAX} bytes")));
        }
        if self.glossary.len() > TERMS_MAX || self.keep.len() > TERMS_MAX {
            let field = if self.glossary.len() > TERMS_MAX { "/glossary" } else { "/keep" };
            return Err(Error::invalid(field, format!("at most {TERMS_MAX} terms")));
        }
        for (place, term) in self.glossary.iter().enumerate() {
            term_of(&format!("/glossary/{place}/term"), &term.term)?;
            term_of(&format!("/glossary/{place}/translation"), &term.translation)?;
        }
        for (place, term) in self.keep.iter().enumerate() {
            term_of(&format!("/keep/{place}"), term)?;
        }
        self.model.as_deref().map(|name| term_of("/model", name)).transpose()?;
        Ok(Job {
            text: text.to_owned(),
            target: language("/target", self.target.as_deref().unwrap_or("en"))?,
            source: self.source.as_deref().map(|name| language("/source", name)).transpose()?,
        })
    }
}

fn term_of(field: &str, term: &str) -> Result<(), Error> {
    if term.trim().is_empty() || term.chars().count() > TERM_MAX || term.contains(['\n', '\r']) {
        return Err(Error::invalid(field, format!("give 1 to {TERM_MAX} characters on one line")));
    }
    Ok(())
}

/// A code or name: letters, digits, hyphens, spaces and brackets, so that it is no instruction.
fn language(field: &str, name: &str) -> Result<String, Error> {
    let name = name.trim();
    let sound = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | ' ' | '(' | ')');
    if !(2..=64).contains(&name.len()) || !name.chars().all(sound) {
        return Err(Error::invalid(field, "give a language code such as de or pt-BR, or an English name"));
    }
    Ok(name.to_owned())
}
