//! Replays: stored inputs are run through a version that does not serve and through the
//! serving one, and the answers are compared.
//!
//! Invariants:
//! 1. Inputs run as [`crate::dry_run`] describes.
//! 2. Without the operator's permission there are no external effects. Plugins that call
//!    other plugins are not replayed, because those calls would not be paid.
//! 3. Callers keep their call slots: only one replay runs at a time, with a few
//!    concurrent inputs and with a time limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tollbridge_core::excerpt::excerpt;
use tollbridge_plugin::Failure;
use tollbridge_registry::PluginId;

use super::answer_difference::AnswerDifference;
use super::report::{Outcome, ReplayReport, ReplayTally, ReplayedInput};
use crate::catalog::{AsideError, AsideLoader, AsideVersion, Offer};
use crate::checkout::{Checkout, CheckoutError};
use crate::dry_run::DryRun;
use crate::kept_inputs::KeptInputs;

/// Maximum time of a whole replay, including loading; less than the time-out of the CLI.
const REPLAY_MS_MAX: u64 = 90_000;
/// Maximum number of inputs that a replay runs at once: few, because callers are served
/// at the same time.
const REPLAYS_AT_ONCE: usize = 2;

/// Maximum length of a displayed failure reason, in characters.
const WHY_CHARS: usize = 200;

/// The service that replays stored inputs.
pub struct Replays {
    checkout: Arc<Checkout>,
    aside: Arc<AsideLoader>,
    kept_inputs: Arc<KeptInputs>,
    turn: tokio::sync::Mutex<()>,
}

/// A request for a replay.
#[derive(Clone, Debug)]
pub struct ReplayOrder {
    /// Plugin whose inputs are replayed.
    pub plugin: PluginId,
    /// Number of inputs to replay, newest first.
    pub last: usize,
    /// Version under test; by default the canary, or the newest version that does not serve.
    pub version: Option<semver::Version>,
    /// Baseline version to compare with; by default the serving version.
    pub against: Option<semver::Version>,
    /// Whether the versions may use models and access other hosts.
    pub allow_outside: bool,
    /// Whether the report includes the replayed inputs.
    pub show_inputs: bool,
}

impl Replays {
    /// Creates the service; versions are found in the registry.
    pub fn new(checkout: Arc<Checkout>, aside: Arc<AsideLoader>, kept_inputs: Arc<KeptInputs>) -> Self {
        Self { checkout, aside, kept_inputs, turn: tokio::sync::Mutex::default() }
    }

    /// Replays inputs of a plugin and reports the differences.
    pub async fn run(&self, order: ReplayOrder, now_ms: u64) -> Result<ReplayReport, AsideError> {
        let refused = |text: &str| AsideError::Refused(text.to_owned());
        let _turn =
            self.turn.try_lock().map_err(|_| refused("another replay is running; wait until it has finished"))?;
        let now = Instant::now();
        let deadline = now.checked_add(Duration::from_millis(REPLAY_MS_MAX)).unwrap_or(now);
        let found = timeout_at(deadline, self.versions(&order)).await;
        let slow = "the version takes too long to compile; compiled code is kept, so try again in a minute";
        let (version, against) = found.map_err(|_| refused(slow))??;
        let (inputs, unreadable) = self.inputs(&order, now_ms).await?;
        let report = ReplayReport {
            plugin: format!("{}/{}", order.plugin.kind.folder(), order.plugin.name),
            version: version.version_text.clone(),
            against: against.version_text.clone(),
            inputs: inputs.len(),
            unreadable,
            ..ReplayReport::default()
        };
        let mut tally = ReplayTally::new(report, order.show_inputs);
        let dry_run = DryRun::new(self.checkout.clone(), now_ms);
        let pair = Arc::new(Pair { dry_run, version, against });
        let inputs = futures_util::stream::iter(inputs.into_iter().enumerate());
        let replayed = inputs.map(|(number, input)| pair.clone().replay(number, input)).buffered(REPLAYS_AT_ONCE);
        tokio::pin!(replayed);
        while let Ok(Some(one)) = timeout_at(deadline, replayed.next()).await {
            tally.add(one);
        }
        Ok(tally.end())
    }

    /// Finds the version under test and the baseline version.
    async fn versions(&self, order: &ReplayOrder) -> Result<(Arc<Offer>, Arc<Offer>), AsideError> {
        let plugin = &order.plugin;
        let serving = self.checkout.catalog.offer(plugin.kind, plugin.name.as_str()).ok();
        let canary = serving.as_ref().and_then(|offer| offer.canary()).map(|canary| canary.offer.clone());
        let loaded: Vec<Arc<Offer>> = serving.iter().chain(&canary).cloned().collect();
        let of = |version: semver::Version| {
            let known = loaded.iter().find(|offer| offer.version == version).cloned();
            async move {
                match known {
                    Some(offer) => Ok(offer),
                    None => self.aside.load(plugin, &AsideVersion::Named(version)).await,
                }
            }
        };
        let against = match (order.against.clone(), serving) {
            (Some(version), _) => of(version).await?,
            (None, Some(serving)) => serving,
            (None, None) => {
                let text = format!("no version of {} is serving; name one with --against", plugin.name);
                return Err(AsideError::NotFound(text));
            }
        };
        may_replay(&against, order.allow_outside)?;
        let version = match (order.version.clone(), canary) {
            (Some(version), _) => of(version).await?,
            (None, Some(canary)) if canary.version != against.version => canary,
            (None, _) => {
                let newest = AsideVersion::NewestBut(against.version.clone());
                self.aside.load(plugin, &newest).await?
            }
        };
        may_replay(&version, order.allow_outside)?;
        if version.version == against.version {
            let text = format!("{} would be compared with itself; name another version", version.version_text);
            return Err(AsideError::Refused(text));
        }
        Ok((version, against))
    }

    /// Loads the newest inputs; also returns the number of inputs that cannot be
    /// decrypted.
    async fn inputs(&self, order: &ReplayOrder, now_ms: u64) -> Result<(Vec<String>, usize), AsideError> {
        let (key, name) = (order.plugin.row_key(), order.plugin.name.as_str());
        if !self.kept_inputs.keeps(name) {
            let text = format!(
                "no inputs of {name} are kept; set plugins.{name}.keep_inputs in the configuration, then wait for calls"
            );
            return Err(AsideError::Refused(text));
        }
        let loaded = self.kept_inputs.load((&key, name), order.last, now_ms).await;
        let loaded = loaded.map_err(|error| AsideError::Failed(error.to_string()))?;
        if loaded.inputs.is_empty() {
            let text = match loaded.unreadable {
                0 => format!("no inputs of {name} are kept yet; they are kept for calls answered from now on"),
                number => format!("all {number} kept inputs of {name} were written by another host"),
            };
            return Err(AsideError::Refused(text));
        }
        Ok((loaded.inputs, loaded.unreadable))
    }
}

/// Checks whether a version may be replayed at all.
fn may_replay(offer: &Offer, allow_outside: bool) -> Result<(), AsideError> {
    let (plugin, name, version) = (&offer.plugin, &offer.name, &offer.version_text);
    let refused = |text: String| Err(AsideError::Refused(text));
    if plugin.is_deployed() {
        return refused(format!(
            "an account deployed {name}: inputs are not kept without its owner's knowledge and cannot be replayed"
        ));
    }
    if plugin.uses_others() {
        return refused(format!(
            "{name} {version} calls other plugins, which would not be paid; it cannot be replayed"
        ));
    }
    if !allow_outside && (plugin.spends() || plugin.reaches_out()) {
        return refused(format!(
            "{name} {version} uses models or other hosts, which costs money and has external effects; --allow-outside permits it"
        ));
    }
    Ok(())
}

/// Two versions that run the same inputs.
struct Pair {
    dry_run: DryRun,
    version: Arc<Offer>,
    against: Arc<Offer>,
}

/// The result of running one version on an input.
enum VersionAnswer {
    Answered(Value, Duration),
    Failed(String),
    NoPlace,
}

impl Pair {
    async fn replay(self: Arc<Self>, number: usize, input: String) -> ReplayedInput {
        let body = Bytes::copy_from_slice(input.as_bytes());
        // Alternate the order, so that neither version always benefits from warm caches.
        let (version, against) = if number.is_multiple_of(2) {
            let version = self.run_version(&self.version, &body).await;
            (version, self.run_version(&self.against, &body).await)
        } else {
            let against = self.run_version(&self.against, &body).await;
            (self.run_version(&self.version, &body).await, against)
        };
        let took = |answer: &VersionAnswer| match answer {
            VersionAnswer::Answered(_, took) => Some(*took),
            VersionAnswer::Failed(_) | VersionAnswer::NoPlace => None,
        };
        let (took, against_took) = (took(&version), took(&against));
        let outcome = match (version, against) {
            (VersionAnswer::NoPlace, _) | (_, VersionAnswer::NoPlace) => Outcome::NotRun,
            (VersionAnswer::Answered(new, _), VersionAnswer::Answered(old, _)) if new == old => Outcome::Same,
            (VersionAnswer::Answered(new, _), VersionAnswer::Answered(old, _)) => self.changed(&body, &old, &new).await,
            (VersionAnswer::Failed(why), VersionAnswer::Answered(..)) => Outcome::NewlyFailed(why),
            (VersionAnswer::Answered(..), VersionAnswer::Failed(why)) => Outcome::NewlyAnswered(why),
            (VersionAnswer::Failed(_), VersionAnswer::Failed(_)) => Outcome::FailedInBoth,
        };
        ReplayedInput { outcome, took, against_took, input }
    }

    /// Classifies two differing answers. They count as unsteady instead of changed if the
    /// baseline version gives yet another answer when it runs again.
    async fn changed(&self, body: &Bytes, old: &Value, new: &Value) -> Outcome {
        match self.run_version(&self.against, body).await {
            VersionAnswer::Answered(again, _) if again != *old => Outcome::Unsteady,
            _ => Outcome::Changed(AnswerDifference::of(old, new)),
        }
    }

    async fn run_version(&self, offer: &Offer, body: &Bytes) -> VersionAnswer {
        let dry_run = self.dry_run.answer(offer, body).await;
        match dry_run.answer {
            Ok(answer) => VersionAnswer::Answered(answer, dry_run.wall),
            Err(CheckoutError::Plugin(Failure::Overloaded { .. })) => VersionAnswer::NoPlace,
            Err(error) => VersionAnswer::Failed(excerpt(&why(&error), WHY_CHARS)),
        }
    }
}

/// Returns the reason a version failed, for the operator.
fn why(error: &CheckoutError) -> String {
    match error {
        CheckoutError::Invalid { field, message } => format!("invalid_input {field}: {message}"),
        CheckoutError::Plugin(failure) => {
            let text = failure.report().map_or_else(
                || failure.public_message(),
                |report| report.panic.clone().unwrap_or_else(|| report.reason.clone()),
            );
            format!("{}: {text}", failure.kind())
        }
        other => other.to_string(),
    }
}
