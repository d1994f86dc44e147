//! Operator commands that decide which versions of plugins serve.
//!
//! An action changes the plugin's row and is sealed in the same write. A running server is notified
//! at once, and the answer reports which version serves after it.

use std::path::PathBuf;
use std::sync::Arc;

use semver::Version;
use serde::{Deserialize, Serialize};
use tollbridge_core::time::{now_ms, rfc3339_millis};
use tollbridge_ledger::{Entry, Notary, PluginAct, PluginVerb};
use tollbridge_market::catalog::{CatalogReconciler, PluginReport, PluginUsage, publishers};
use tollbridge_plugin::LogLine;
use tollbridge_registry::{
    CANARY_SHARE_ALL, CanaryPlan, CanaryRules, Candidates, PluginId, PluginState, ScanTime, Scanner,
};
use tollbridge_store::{Collection, Expect, Put};

use super::answers::answers;
use super::error::OperatorError;
use super::plugin_names::PluginNames;

answers! {
    /// All plugins, and the files that do not belong in the registry folder.
    PluginsPage { plugins: Vec<PluginReport>, strays: Vec<(String, String)> }
    /// The last log lines of a plugin, oldest first.
    PluginLogPage { plugin: String, lines: Vec<LogLineView>, newest: Option<u64> }
    /// A log line in the answer of a command.
    LogLineView {
        number: u64, at: String, time_ms: Option<u64>, request_id: String, level: String, text: String,
        trace: Vec<String>,
    }
}

/// The report on a plugin, with its use of resources while it serves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PluginInspection {
    /// The report.
    #[serde(flatten)]
    pub report: PluginReport,
    /// The use of resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<PluginUsage>,
}

/// The outcome of an action: the plugin afterwards, or only the decision if no server runs.
#[expect(missing_docs, reason = "each field has the name of its JSON member")]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PluginDecision {
    Applied(Box<PluginInspection>),
    Stored { plugin: String, version: Option<String> },
}

/// An operator action on a plugin.
#[derive(Clone, Debug)]
pub(super) enum PluginAction {
    Approve(Option<String>),
    /// Pins a version; `None` removes the pin.
    Pin(Option<String>),
    Rollback(Option<String>),
    Yank {
        version: String,
    },
    Disable,
    Enable,
    Canary(CanaryOrder),
    EndCanary,
}

/// A canary: the version that some callers get.
#[derive(Clone, Debug)]
pub(super) struct CanaryOrder {
    pub(super) version: String,
    /// Percentage of callers, with at most two decimals.
    pub(super) share: String,
    pub(super) rules: CanaryRules,
}

/// The commands for plugins.
pub(super) struct PluginCommands {
    pub(super) names: PluginNames,
    pub(super) notary: Arc<Notary>,
    pub(super) publishers_file: PathBuf,
    pub(super) reconciler: Option<Arc<CatalogReconciler>>,
}

impl PluginCommands {
    pub(super) fn list(&self) -> Result<PluginsPage, OperatorError> {
        let reconciler = self.reconciler.as_ref().ok_or_else(not_serving)?;
        Ok(PluginsPage { plugins: reconciler.reports(), strays: reconciler.strays() })
    }

    pub(super) fn inspect(&self, plugin: &str) -> Result<PluginInspection, OperatorError> {
        let reconciler = self.reconciler.as_ref().ok_or_else(not_serving)?;
        let id = self.names.id(plugin)?;
        let name = format!("{}/{}", id.kind.folder(), id.name);
        let report = reconciler.reports().into_iter().find(|report| report.plugin == name);
        let report = report.ok_or_else(|| OperatorError::NotFound(format!("there is no plugin {plugin}")))?;
        let serving = reconciler.catalog.offer(id.kind, id.name.as_str()).ok();
        Ok(PluginInspection { report, usage: serving.map(|offer| PluginUsage::of(&offer.plugin)) })
    }

    /// Returns the last log lines of a plugin, oldest first; only those after line number `after`,
    /// for a client that follows the log.
    pub(super) fn logs(&self, plugin: &str, after: Option<u64>) -> Result<PluginLogPage, OperatorError> {
        let reconciler = self.reconciler.as_ref().ok_or_else(not_serving)?;
        let id = self.names.id(plugin)?;
        let lines = reconciler.logs.lines(&id).ok_or_else(|| {
            let why = format!("no version of {plugin} has served since the server started, so nothing was logged");
            OperatorError::NotFound(why)
        })?;
        let newest = lines.last().map(|line| line.number).or(after);
        let view = |line: LogLine| LogLineView {
            number: line.number,
            at: rfc3339_millis(line.time_ms),
            time_ms: Some(line.time_ms),
            request_id: line.request_id,
            level: line.level.as_str().to_lowercase(),
            text: line.text,
            trace: line.trace,
        };
        let new = lines.into_iter().filter(|line| after.is_none_or(|after| line.number > after));
        Ok(PluginLogPage { plugin: plugin.to_owned(), lines: new.map(view).collect(), newest })
    }

    pub(super) async fn act(&self, plugin: &str, act: PluginAction) -> Result<PluginDecision, OperatorError> {
        let id = self.names.id(plugin)?;
        let candidates = self.candidates(&id)?;
        let row = self.names.db.get(Collection::Plugins, &id.row_key())?;
        let damaged = |error: serde_json::Error| OperatorError::Failed(format!("its row cannot be read: {error}"));
        let mut state = match &row {
            Some(bytes) => PluginState::from_row(bytes).map_err(damaged)?,
            None => PluginState::default(),
        };
        if row.is_none() && candidates.is_empty() {
            return Err(OperatorError::NotFound(format!("there is no plugin {plugin}")));
        }
        state.learn(&candidates);
        let (verb, version) = apply(&mut state, &candidates, &act, now_ms())?;
        let entry = PluginAct {
            act: verb,
            plugin: id.name.to_string(),
            plugin_kind: id.kind,
            version: version.as_ref().map(Version::to_string),
            component_sha256: None,
            publisher: None,
            by: "operator".to_owned(),
        };
        let put = Put {
            collection: Collection::Plugins,
            key: id.row_key(),
            value: Some(state.to_row().map_err(damaged)?),
            expect: row.map_or(Expect::Absent, Expect::Exactly),
        };
        self.notary.note(&Entry::Plugin(entry), vec![put], now_ms()).await?;
        match &self.reconciler {
            // Wait until the running server has applied the decision, and report the
            // resulting state.
            Some(reconciler) => {
                reconciler.refresh().await;
                Ok(PluginDecision::Applied(Box::new(self.inspect(plugin)?)))
            }
            None => {
                let version = version.map(|one| one.to_string());
                Ok(PluginDecision::Stored { plugin: plugin.to_owned(), version })
            }
        }
    }

    fn candidates(&self, id: &PluginId) -> Result<Candidates, OperatorError> {
        let publishers = publishers(&self.publishers_file, self.names.db.store()).map_err(OperatorError::Refused)?;
        let mut scan = Scanner::new(self.names.registry.clone()).scan(&publishers, ScanTime::now());
        Ok(scan.plugins.remove(id).map(|versions| versions.candidates).unwrap_or_default())
    }
}

fn apply(
    state: &mut PluginState,
    candidates: &Candidates,
    act: &PluginAction,
    now_ms: u64,
) -> Result<(PluginVerb, Option<Version>), OperatorError> {
    let refused = |error: tollbridge_registry::OperatorActionError| OperatorError::Refused(error.to_string());
    match act {
        PluginAction::Approve(version) => {
            let version = requested_version(version.as_deref(), candidates)?;
            state.approve(candidate(candidates, &version)?).map_err(refused)?;
            Ok((PluginVerb::Approve, Some(version)))
        }
        PluginAction::Pin(Some(version)) => {
            let version = parse(version)?;
            state.pin(candidate(candidates, &version)?).map_err(refused)?;
            Ok((PluginVerb::Pin, Some(version)))
        }
        PluginAction::Pin(None) => {
            if !state.unpin() {
                return Err(OperatorError::Refused("the plugin is not pinned; name a version to pin".to_owned()));
            }
            Ok((PluginVerb::Unpin, None))
        }
        PluginAction::Rollback(version) => {
            let target = version.as_deref().map(parse).transpose()?;
            let target = state.rollback(target.as_ref(), candidates).map_err(refused)?;
            // A rollback to the newest version only removes the pin: the reason for the
            // pin no longer exists.
            let verb = if state.pinned().is_some() { PluginVerb::Rollback } else { PluginVerb::Unpin };
            Ok((verb, Some(target)))
        }
        PluginAction::Yank { version } => {
            let version = parse(version)?;
            state.yank(&version, candidates).map_err(refused)?;
            Ok((PluginVerb::Yank, Some(version)))
        }
        PluginAction::Canary(order) => {
            let version = parse(&order.version)?;
            let digest = candidate(candidates, &version)?.digest;
            let (share, rules) = (share(&order.share)?, order.rules);
            let plan = CanaryPlan { version: version.clone(), digest, share, rules, began_ms: now_ms, ended: None };
            state.begin_canary(plan, candidates).map_err(refused)?;
            Ok((PluginVerb::Canary, Some(version)))
        }
        PluginAction::EndCanary => {
            let version = state.end_canary("the operator ended it").map_err(refused)?;
            Ok((PluginVerb::EndCanary, Some(version)))
        }
        PluginAction::Disable | PluginAction::Enable => {
            let disable = matches!(act, PluginAction::Disable);
            if !state.set_disabled(disable) {
                return Err(OperatorError::Refused(format!(
                    "the plugin is already {}",
                    if disable { "disabled" } else { "enabled" }
                )));
            }
            Ok((if disable { PluginVerb::Disable } else { PluginVerb::Enable }, None))
        }
    }
}

/// Returns the requested version, or the highest one if none was requested.
fn requested_version(version: Option<&str>, candidates: &Candidates) -> Result<Version, OperatorError> {
    match version {
        Some(text) => parse(text),
        None => {
            let highest = candidates.keys().rev().find(|version| version.pre.is_empty());
            highest.cloned().ok_or_else(|| OperatorError::NotFound("no version is in the registry".to_owned()))
        }
    }
}

fn candidate<'c>(
    candidates: &'c Candidates,
    version: &Version,
) -> Result<&'c tollbridge_registry::Candidate, OperatorError> {
    let candidate = candidates.get(version).map(AsRef::as_ref);
    candidate
        .ok_or_else(|| OperatorError::NotFound(format!("version {version} is not in the registry, or was rejected")))
}

/// Parses a percentage of callers into parts of 10,000. Zero and 100 % are rejected.
fn share(text: &str) -> Result<u32, OperatorError> {
    let (whole, part) = text.trim_end_matches('%').split_once('.').unwrap_or((text.trim_end_matches('%'), "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = (digits(whole) && digits(part) && (1..=2).contains(&part.len())).then(|| {
        let (whole, part) = (whole.parse::<u32>().ok()?, format!("{part:0<2}").parse::<u32>().ok()?);
        whole.checked_mul(100)?.checked_add(part)
    });
    let share = parsed.flatten().filter(|share| (1..CANARY_SHARE_ALL).contains(share));
    share.ok_or_else(|| OperatorError::Refused(format!("share: {text} is not from 0.01% to 99.99%, such as 5%")))
}

pub(super) fn parse(version: &str) -> Result<Version, OperatorError> {
    tollbridge_registry::parse_version(version).map_err(|error| OperatorError::Refused(error.to_string()))
}

fn not_serving() -> OperatorError {
    OperatorError::Refused("this needs a running server; start it with `tollbridge serve`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage_with_two_decimals() {
        for (text, expect) in [("5%", 500), ("5", 500), ("0.01%", 1), ("99.99", 9_999), ("12.5%", 1_250)] {
            assert_eq!(share(text).unwrap(), expect, "{text}");
        }
        for text in ["0", "0.00%", "100%", "5.123%", "-1", "+5", "", "%", ".5", "5.", "1e1", "99999999999%"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
