//! The operator's report on plugins: the serving version of each, and the reasons why
//! other versions do not serve.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_registry::{Action, Candidate, Decision, Digest, PluginId, PluginState, PluginVersions, Table};

use super::needs::UnmetNeed;
use super::trial::CanaryReport;

/// The reports that the last pass produced.
#[derive(Default)]
pub(super) struct Reports {
    pub(super) plugins: BTreeMap<PluginId, PluginReport>,
    pub(super) strays: Vec<(String, String)>,
}

/// The report on one plugin, as shown by `plugin list` and `plugin inspect`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PluginReport {
    /// Id of the plugin: `bridges/NAME` or `agents/NAME`.
    pub plugin: String,
    /// Status: `live`, `waiting` (for approval; an older version may serve meanwhile),
    /// `loading`, `unavailable` (because of an unmet need), `failed` or `stopped`.
    pub status: String,
    /// Highest version that waits for approval.
    pub waiting: Option<String>,
    /// Version that serves.
    pub serving: Option<String>,
    /// Publisher of the serving version.
    pub publisher: Option<String>,
    /// Price of one call in pounds.
    pub price_gbp: Option<String>,
    /// Grants of the serving version.
    pub grants: Vec<String>,
    /// Version to which the operator pinned the plugin.
    pub pinned: Option<String>,
    /// Report on the current or last canary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<CanaryReport>,
    /// Whether the operator disabled the plugin.
    pub disabled: bool,
    /// Tables of the serving version.
    pub tables: Vec<TableReport>,
    /// Reason why no version serves, or the requirement that the serving version does not
    /// meet.
    pub cause: Option<String>,
    /// Versions that do not run, with reasons.
    pub held: Vec<HeldVersion>,
}

/// A table that a plugin has loaded into memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableReport {
    /// Name of the table.
    pub name: String,
    /// Version of the table.
    pub version: String,
    /// Date as of which the table's data is current.
    pub as_of: String,
    /// Licence of the table's data.
    pub licence: String,
    /// Number of rows.
    pub rows: usize,
    /// Memory that the table uses, shared by all plugins with the same table.
    pub bytes: usize,
}

impl TableReport {
    pub(super) fn new(name: &str, table: &Table) -> Self {
        let about = table.about();
        Self {
            name: name.to_owned(),
            version: about.version.clone(),
            as_of: about.as_of.clone(),
            licence: about.licence.clone(),
            rows: table.rows(),
            bytes: table.bytes(),
        }
    }
}

/// A version that does not run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeldVersion {
    /// The version.
    pub version: String,
    /// Reason why the version does not run.
    pub reason: String,
}

impl PluginReport {
    /// Records an unmet need of the serving version.
    pub(super) fn lack(&mut self, unmet: &UnmetNeed) {
        if self.status == "live" {
            self.status = "unavailable".to_owned();
        }
        self.cause.get_or_insert_with(|| unmet.explanation.clone());
    }

    pub(super) fn new(
        id: &PluginId,
        versions: &PluginVersions,
        state: &PluginState,
        decision: &Decision,
        serving: Option<&Candidate>,
        failures: &[(Digest, String)],
    ) -> Self {
        // The version to activate was not activated in this pass, so it is still loading.
        let loading = matches!(decision.action, Action::Activate(_));
        let why_failed = |candidate: &Candidate| {
            failures.iter().find(|(digest, _)| *digest == candidate.digest).map(|(_, reason)| reason.clone())
        };
        let mut held: Vec<HeldVersion> = Vec::new();
        for (version, candidate) in &versions.candidates {
            let obstacle = decision.held.iter().find(|(held, _)| held == version).map(|(_, why)| why.to_string());
            if let Some(reason) = why_failed(candidate).or(obstacle) {
                held.push(HeldVersion { version: version.to_string(), reason });
            } else if state.is_yanked(version) {
                held.push(HeldVersion { version: version.to_string(), reason: "yanked".to_owned() });
            } else if let Some(pinned) = state.pinned().filter(|pinned| version > *pinned) {
                let reason = format!("{pinned} is pinned; `tollbridge plugin unpin` lets the newest serve");
                held.push(HeldVersion { version: version.to_string(), reason });
            }
        }
        held.extend(
            versions.rejected.iter().map(|(version, rejection)| HeldVersion {
                version: version.to_string(),
                reason: rejection.to_string(),
            }),
        );
        let cause = match &decision.action {
            Action::Stop(cause) => Some(cause.to_string()),
            _ => None,
        };
        let status = match (serving.is_some(), decision.waiting().is_some()) {
            (_, true) => "waiting",
            (true, false) => "live",
            (false, false) if loading => "loading",
            (false, false) if failures.is_empty() => "stopped",
            (false, false) => "failed",
        };
        let manifest = serving.map(|candidate| &candidate.manifest);
        Self {
            plugin: format!("{}/{}", id.kind.folder(), id.name),
            status: status.to_owned(),
            waiting: decision.waiting().map(|(version, _)| version.to_string()),
            serving: serving.map(|candidate| candidate.version().to_string()),
            publisher: manifest.map(|manifest| manifest.publisher.to_string()),
            price_gbp: manifest.map(|manifest| manifest.price.pounds()),
            grants: manifest.iter().flat_map(|manifest| &manifest.grants).map(ToString::to_string).collect(),
            pinned: state.pinned().map(ToString::to_string),
            canary: state.canary().map(CanaryReport::of),
            disabled: state.is_disabled(),
            tables: Vec::new(),
            cause,
            held,
        }
    }
}
