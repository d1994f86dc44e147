//! Requirements of an offer, and the check whether they are met.
//!
//! Invariants:
//! 1. A need that stays unmet (a missing table, a value that the operator has not set) is
//!    found when a version is loaded; needs that may change (models, other plugins) are
//!    checked each time.
//! 2. A need that depends on the input is never a reason to list an offer as unavailable,
//!    and is not evaluated for inputs for which that would take long.

use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{Failure, PluginSpec, Schema, SizeLimit};
use tollbridge_registry::{Manifest, Need, NeededModels, NeededThing};

/// The requirements of an offer; most offers have none.
#[derive(Default)]
pub(super) struct Needs(Vec<LoadedNeed>);

/// One requirement.
pub(super) struct LoadedNeed {
    pub(super) what: Needed,
    /// Schema of the inputs that have this need; `None` means all inputs.
    when: Option<Schema>,
    /// Advice to the caller: an alternative that works without the unmet need.
    instead: Option<String>,
}

/// A thing that an offer requires and that may be unavailable.
pub(super) enum Needed {
    /// A provider of models of this kind that responds.
    Models(NeededModels),
    /// Another plugin that the offer calls.
    Callee(PluginKind, String),
    /// A table or value that is missing for as long as this version is loaded; contains
    /// the explanation.
    Missing(String),
}

/// An unmet requirement of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetNeed {
    /// The reason as a short sentence, for lists.
    pub reason: String,
    /// The reason and a remedy, for a refused caller.
    pub explanation: String,
    /// Whether the unmet requirement is a model provider.
    pub is_inference: bool,
}

impl Needs {
    /// Determines the needs of a version from its manifest and the operator's
    /// configuration of the plugin.
    pub(super) fn of(manifest: &Manifest, spec: &PluginSpec) -> Result<Self, String> {
        let size = SizeLimit { name: "limits.input_bytes", bytes: spec.limits.input_bytes };
        let mut needs = Vec::new();
        for (number, need) in manifest.needs.iter().enumerate() {
            let Some(what) = needed(need, spec) else { continue };
            let when = need.when.as_deref().map(|when| Schema::parse(when, size)).transpose();
            let when = when.map_err(|error| format!("needs[{number}].when cannot be used: {error}"))?;
            needs.push(LoadedNeed { what, when, instead: need.instead.clone() });
        }
        needs.extend(implied(manifest, spec).map(|what| LoadedNeed { what, when: None, instead: None }));
        Ok(Self(needs))
    }

    /// Returns whether calls of the version have no needs to check.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the needs that every call has and, if an input is given, the needs of that
    /// input.
    pub(super) fn of_input<'n>(&'n self, input: Option<&'n Value>) -> impl Iterator<Item = &'n LoadedNeed> {
        self.0.iter().filter(move |need| match &need.when {
            None => true,
            Some(when) => input.is_some_and(|input| when.accepts_at_once(input)),
        })
    }
}

impl LoadedNeed {
    /// Adds the caller's alternative, if there is one, to the explanation of an unmet
    /// need.
    pub(super) fn unmet(&self, mut unmet: UnmetNeed) -> UnmetNeed {
        if let Some(instead) = &self.instead {
            unmet.explanation = format!("{}; or {instead}", unmet.explanation);
        }
        unmet
    }
}

impl UnmetNeed {
    /// Creates an unmet need that does not concern models; `text` is both reason and
    /// explanation.
    pub(super) fn of_data(text: String) -> Self {
        Self { reason: text.clone(), explanation: text, is_inference: false }
    }
}

impl From<UnmetNeed> for Failure {
    fn from(unmet: UnmetNeed) -> Self {
        match unmet.is_inference {
            true => Self::NoProvider(unmet.explanation),
            false => Self::Unavailable(unmet.explanation),
        }
    }
}

/// Returns the need to check; `None` if it is certain to be met while this version is
/// loaded.
fn needed(need: &Need, spec: &PluginSpec) -> Option<Needed> {
    match &need.what {
        NeededThing::Grant(_) => Some(Needed::Models(need.models)),
        NeededThing::Bridge(name) => Some(Needed::Callee(PluginKind::Bridge, name.to_string())),
        NeededThing::Agent(name) => Some(Needed::Callee(PluginKind::Agent, name.to_string())),
        NeededThing::Table(name) => missing_table(name.as_str(), spec),
        NeededThing::Config(key) => {
            let is_set = spec.config.contains_key(key) || spec.secrets.contains_key(key);
            let name = &spec.name;
            (!is_set).then(|| {
                Needed::Missing(format!(
                    "the value `{key}`; the operator sets it in plugins.{name}.config or plugins.{name}.secrets"
                ))
            })
        }
    }
}

fn missing_table(table: &str, spec: &PluginSpec) -> Option<Needed> {
    let name = &spec.name;
    (!spec.tables.contains_key(table)).then(|| {
        Needed::Missing(format!(
            "the table `{table}`; the operator supplies it with plugins.{name}.tables = {{ {table} = \"FILE.tsv\" }}"
        ))
    })
}

/// Returns needs that a manifest implies without stating them: models for a declared
/// agent, whose instructions are useless without a model; and the tables that a version
/// ships, because the operator may have replaced a table with a file that no longer
/// exists.
fn implied(manifest: &Manifest, spec: &PluginSpec) -> impl Iterator<Item = Needed> {
    let names_models = manifest.needs.iter().any(|need| matches!(need.what, NeededThing::Grant(_)));
    let models = (manifest.declaration.is_some() && !names_models).then_some(Needed::Models(NeededModels::Chat));
    let tables: Vec<Needed> = manifest.tables.keys().filter_map(|table| missing_table(table.as_str(), spec)).collect();
    models.into_iter().chain(tables)
}

#[cfg(test)]
#[path = "needs_tests.rs"]
mod tests;
