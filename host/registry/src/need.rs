//! A plugin's needs: dependencies without which the plugin cannot answer, declared as `[[needs]]`
//! in its manifest.
//!
//! Calls with an unavailable need are refused before they are quoted. The catalog determines which
//! needs are unavailable.

use std::collections::BTreeSet;

use serde::Serialize;
use tollbridge_core::config::Grant;

use super::fields::{FieldError, Fields, one_line};
use super::id::Name;
use crate::limits::{NEED_WHEN_BYTES_MAX, NEEDS_MAX};

pub(super) const NEED_FIELDS: [&str; 8] = ["grant", "models", "table", "config", "bridge", "agent", "when", "instead"];

/// A dependency without which a plugin cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// The kind and name of the dependency.
    #[serde(flatten)]
    pub what: NeededThing,
    /// The models that a need for the grant `inference` is about.
    #[serde(skip_serializing_if = "NeededModels::is_chat")]
    pub models: NeededModels,
    /// JSON Schema of the inputs that require the dependency; if absent, every input
    /// requires it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// An alternative that the refusal suggests to the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

/// The kinds of dependencies that a server may lack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NeededThing {
    /// A grant; always `inference`, the only grant that a server may be unable to provide.
    Grant(Grant),
    /// A table that the plugin does not ship, so the operator has to provide it.
    Table(Name),
    /// A configuration value or secret that the operator sets.
    Config(String),
    /// A bridge that the plugin calls.
    Bridge(Name),
    /// An agent that the plugin gives tasks to.
    Agent(Name),
}

/// The kind of models that a plugin needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NeededModels {
    /// Models that answer in a conversation.
    #[default]
    Chat,
    /// Models that convert texts to vectors.
    Embedding,
}

impl NeededModels {
    const fn is_chat(&self) -> bool {
        matches!(self, Self::Chat)
    }
}

/// The other parts of the manifest that a need must agree with.
pub(super) struct Declared<'m> {
    pub(super) grants: &'m BTreeSet<Grant>,
    pub(super) bridges: &'m BTreeSet<Name>,
    pub(super) agents: &'m BTreeSet<Name>,
}

/// Reads the `[[needs]]` tables of a manifest.
pub(super) fn read(top: &mut Fields, declared: &Declared<'_>) -> Result<Vec<Need>, FieldError> {
    let tables = top.tables("needs", NEEDS_MAX, &NEED_FIELDS)?;
    tables.into_iter().map(|mut table| read_need(&mut table, declared)).collect()
}

fn read_need(table: &mut Fields, declared: &Declared<'_>) -> Result<Need, FieldError> {
    let mut found: Vec<NeededThing> = Vec::new();
    for key in ["grant", "table", "config", "bridge", "agent"] {
        if let Some(text) = table.text(key, &format!("{key} = \"NAME\""))? {
            found.push(thing(key, &text, declared).map_err(|problem| table.error(key, problem))?);
        }
    }
    let models = match table.text("models", "models = \"embedding\"")?.as_deref() {
        None => NeededModels::default(),
        Some(_) if !matches!(found.as_slice(), [NeededThing::Grant(_)]) => {
            return Err(table.error("models", "belongs to `grant = \"inference\"`; leave it out"));
        }
        Some("chat") => NeededModels::Chat,
        Some("embedding") => NeededModels::Embedding,
        Some(_) => return Err(table.error("models", "must be \"chat\" or \"embedding\"")),
    };
    let when = table.text("when", "a JSON Schema as text, when = '{ \"required\": [\"model\"] }'")?;
    if when.as_ref().is_some_and(|schema| schema.len() > NEED_WHEN_BYTES_MAX) {
        return Err(table.error("when", format!("is longer than {NEED_WHEN_BYTES_MAX} bytes")));
    }
    let instead = table.text("instead", "what a caller can do instead, in one line")?;
    let instead = instead.map(|text| one_line(&text)).transpose().map_err(|problem| table.error("instead", problem))?;
    match (found.pop(), found.is_empty()) {
        (Some(what), true) => Ok(Need { what, models, when, instead }),
        _ => Err(table.error("grant", "name one thing: `grant`, `table`, `config`, `bridge` or `agent`")),
    }
}

fn thing(key: &str, text: &str, declared: &Declared<'_>) -> Result<NeededThing, String> {
    let name = |text: &str| text.parse::<Name>().map_err(|error| error.to_string());
    let callee = |text: &str, callees: &BTreeSet<Name>, list: &str| {
        let callee = name(text)?;
        if !callees.contains(&callee) {
            return Err(format!("`{callee}` is not among the `{list}` that the plugin may call; list it there"));
        }
        Ok(callee)
    };
    let granted = |grant: Grant| match declared.grants.contains(&grant) {
        true => Ok(()),
        false => Err(format!("the plugin lacks the {grant} grant; add \"{grant}\" to `grants`")),
    };
    match key {
        "grant" => {
            if text != Grant::Inference.to_string() {
                return Err(
                    "only \"inference\" can be missing on a server; the other grants are always available".to_owned()
                );
            }
            granted(Grant::Inference).map(|()| NeededThing::Grant(Grant::Inference))
        }
        "table" => granted(Grant::Tables).and_then(|()| name(text)).map(NeededThing::Table),
        "bridge" => callee(text, declared.bridges, "bridges").map(NeededThing::Bridge),
        "agent" => callee(text, declared.agents, "agents").map(NeededThing::Agent),
        _ => granted(Grant::Config).and_then(|()| one_line(text)).map(NeededThing::Config),
    }
}
