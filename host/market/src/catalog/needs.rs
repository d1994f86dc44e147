//! What an offer cannot do without, and whether it is there.
//!
//! Invariants:
//! 1. What a version of a plugin lacks for good (a table, a value of the
//!    operator) is found when it is loaded; what comes and goes (models, other
//!    plugins) is asked for each time.
//! 2. A need that depends on the input is never a reason to list an offer as
//!    unavailable, and is not looked for in an input for which that takes long.

use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::plugins::{Failure, PluginSpec, Schema, SizeLimit};
use tollbridge_runtime::registry::{Manifest, NeededThing};

/// What an offer cannot do without; empty for most.
#[derive(Default)]
pub(super) struct Needs(Vec<LoadedNeed>);

/// One of them.
pub(super) struct LoadedNeed {
    pub(super) what: Needed,
    /// The inputs that need it; none: all of them.
    when: Option<Schema>,
    /// What a caller can do instead.
    instead: Option<String>,
}

/// What may be lacking.
pub(super) enum Needed {
    /// A model that answers.
    Models,
    /// Another plugin.
    Callee(PluginKind, String),
    /// Something that is not there as long as this version is loaded.
    Missing(String),
}

/// Something that an offer cannot do without and that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmetNeed {
    /// A short sentence for lists.
    pub reason: String,
    /// For a refused caller: the same, with the fix.
    pub explanation: String,
    /// Whether it is models that are lacking.
    pub is_inference: bool,
}

impl Needs {
    /// The needs of a version with what it was given here.
    pub(super) fn of(manifest: &Manifest, spec: &PluginSpec) -> Result<Self, String> {
        let size = SizeLimit { name: "limits.input_bytes", bytes: spec.limits.input_bytes };
        let mut needs = Vec::new();
        for (number, need) in manifest.needs.iter().enumerate() {
            let Some(what) = needed(&need.what, spec) else { continue };
            let when = need.when.as_deref().map(|when| Schema::parse(when, size)).transpose();
            let when = when.map_err(|error| format!("needs[{number}].when cannot be used: {error}"))?;
            needs.push(LoadedNeed { what, when, instead: need.instead.clone() });
        }
        needs.extend(implied(manifest, spec).map(|what| LoadedNeed { what, when: None, instead: None }));
        Ok(Self(needs))
    }

    /// Whether there is nothing to look at.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that every input has; with an input, also those that this one has.
    pub(super) fn of_input<'n>(&'n self, input: Option<&'n Value>) -> impl Iterator<Item = &'n LoadedNeed> {
        self.0.iter().filter(move |need| match &need.when {
            None => true,
            Some(when) => input.is_some_and(|input| when.accepts_at_once(input)),
        })
    }
}

impl LoadedNeed {
    /// Adds what a caller can do instead.
    pub(super) fn unmet(&self, mut unmet: UnmetNeed) -> UnmetNeed {
        if let Some(instead) = &self.instead {
            unmet.explanation = format!("{}; or {instead}", unmet.explanation);
        }
        unmet
    }
}

impl UnmetNeed {
    /// Something other than models, in one text.
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

/// What is needed, unless it is there for as long as this version is loaded.
fn needed(what: &NeededThing, spec: &PluginSpec) -> Option<Needed> {
    match what {
        NeededThing::Grant(_) => Some(Needed::Models),
        NeededThing::Bridge(name) => Some(Needed::Callee(PluginKind::Bridge, name.to_string())),
        NeededThing::Agent(name) => Some(Needed::Callee(PluginKind::Agent, name.to_string())),
        NeededThing::Table(name) => missing_table(name.as_str(), spec),
        NeededThing::Config(key) => {
            let is_set = spec.config.contains_key(key) || spec.secrets.contains_key(key);
            let name = &spec.name;
            (!is_set).then(|| {
                Needed::Missing(format!(
                    "the value `{key}`; the operator sets it by plugins.{name}.config or plugins.{name}.secrets"
                ))
            })
        }
    }
}

fn missing_table(table: &str, spec: &PluginSpec) -> Option<Needed> {
    let name = &spec.name;
    (!spec.tables.contains_key(table)).then(|| {
        Needed::Missing(format!(
            "the table `{table}`; the operator supplies it by plugins.{name}.tables = {{ {table} = \"FILE.tsv\" }}"
        ))
    })
}

/// What a manifest need not say: the models of an agent that is declared, whose
/// instructions are of no use without, and the tables that a version ships, in
/// whose place the operator may have named a file that is gone.
fn implied(manifest: &Manifest, spec: &PluginSpec) -> impl Iterator<Item = Needed> {
    let names_models = manifest.needs.iter().any(|need| matches!(need.what, NeededThing::Grant(_)));
    let models = (manifest.declaration.is_some() && !names_models).then_some(Needed::Models);
    let tables: Vec<Needed> = manifest.tables.keys().filter_map(|table| missing_table(table.as_str(), spec)).collect();
    models.into_iter().chain(tables)
}

#[cfg(test)]
#[path = "needs_tests.rs"]
mod tests;
