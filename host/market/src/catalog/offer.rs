//! One offer: all data about a plugin that a call of it uses.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use metrics::{Counter, counter};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{Models, Plugin};
use tollbridge_registry::{Candidate, Skill};
use tollbridge_store::Hash;
use tollbridge_x402::Bazaar;

use super::advert::advert;
use super::deployers::handle_of;
use super::needs::Needs;
use super::trial::Trial;

/// A serving plugin, with its price and the account that earns from it.
pub struct Offer {
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Name of the plugin.
    pub name: String,
    /// Purpose of the plugin, in one sentence.
    pub purpose: String,
    /// Skills that an agent declares in its manifest.
    pub skills: Vec<Skill>,
    /// Commands in words that an agent accepts, as Markdown.
    pub commands: Option<Arc<str>>,
    /// Publisher that signed the plugin.
    pub publisher: String,
    /// Account that earns from calls.
    pub owner: String,
    /// Price of one call.
    pub price: Millipence,
    /// Whether any version of the plugin ever had a price. If not, none of the plugin's
    /// free calls was ever sealed.
    pub was_sold: bool,
    /// Version that serves.
    pub version: semver::Version,
    /// Version as text.
    pub version_text: String,
    /// SHA-256 of the plugin's component.
    pub sha256: Hash,
    /// The compiled component.
    pub plugin: Arc<Plugin>,
    /// Description for x402 facilitators; `None` if it is too long for a header.
    pub advert: Option<Arc<Bazaar>>,
    /// Counters of the plugin's calls.
    pub meter: CallCounters,
    /// The canary, which some callers get instead of this version.
    pub(super) canary: ArcSwapOption<Canary>,
    /// Requirements of the offer.
    pub(super) needs: Needs,
    /// Models that the plugin may use.
    pub(super) models: Arc<dyn Models>,
}

/// A version on trial, which serves some callers.
pub struct Canary {
    /// Offer that the selected callers get.
    pub offer: Arc<Offer>,
    /// Decides which callers get this version, and compares its calls with those of the
    /// serving version.
    pub trial: Trial,
}

/// A version that has been loaded.
pub(super) struct LoadedVersion {
    pub(super) plugin: Arc<Plugin>,
    pub(super) needs: Needs,
    pub(super) models: Arc<dyn Models>,
}

impl Offer {
    /// Returns the key of the row with the operator's decisions.
    pub fn row_key(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    /// Creates the offer of a loaded version. `was_sold` is true if any version of the
    /// plugin ever had a price.
    pub(super) fn of(candidate: &Candidate, owner: String, loaded: LoadedVersion, was_sold: bool) -> Self {
        let manifest = &candidate.manifest;
        let (kind, name) = (manifest.id.kind, manifest.id.name.as_str());
        Self {
            kind,
            name: name.to_owned(),
            purpose: manifest.purpose.clone(),
            skills: manifest.skills.clone(),
            commands: manifest.commands.as_deref().map(Arc::from),
            publisher: manifest.publisher.to_string(),
            owner,
            price: manifest.price,
            was_sold,
            version_text: manifest.version.to_string(),
            version: manifest.version.clone(),
            sha256: candidate.component.sha256.bytes(),
            advert: advert(kind, loaded.plugin.description()).map(Arc::new),
            plugin: loaded.plugin,
            meter: CallCounters::of(kind, name),
            canary: ArcSwapOption::empty(),
            needs: loaded.needs,
            models: loaded.models,
        }
    }

    /// Returns the canary that some callers get instead of this version, if there is one.
    pub fn canary(&self) -> Option<Arc<Canary>> {
        self.canary.load_full()
    }

    /// Returns whether the plugin's calls are neither paid nor sealed. An agent's tasks
    /// are sealed even if they are free, because the record is their proof.
    pub fn is_free(&self) -> bool {
        self.price.is_zero() && self.kind == PluginKind::Bridge
    }

    /// Returns the name that the plugin's author chose: if an account deployed it,
    /// without the account's handle.
    pub fn display_name(&self) -> &str {
        let sent = self.name.strip_prefix(self.publisher.as_str()).and_then(|rest| rest.strip_prefix('-'));
        match sent {
            Some(sent) if self.publisher == handle_of(&self.owner) => sent,
            _ => &self.name,
        }
    }

    /// Returns the name to which quotes are bound. It includes the kind, because a bridge
    /// and an agent may share a name, and a payment intent for one must not pay for the
    /// other.
    pub fn sold_as(&self) -> String {
        sold_as(self.kind, &self.name)
    }
}

pub(super) fn sold_as(kind: PluginKind, name: &str) -> String {
    match kind {
        PluginKind::Bridge => name.to_owned(),
        PluginKind::Agent => format!("agents/{name}"),
    }
}

/// Splits a name returned by [`sold_as`] into kind and name.
pub(super) fn of_sold_as(sold_as: &str) -> (PluginKind, &str) {
    match sold_as.strip_prefix("agents/") {
        Some(name) => (PluginKind::Agent, name),
        None => (PluginKind::Bridge, sold_as),
    }
}

/// Metric counters of one plugin, created once when the plugin is loaded.
pub struct CallCounters {
    answered: Counter,
    failed: Counter,
    microseconds: Counter,
    revenue: Counter,
}

impl CallCounters {
    pub(super) fn of(kind: PluginKind, name: &str) -> Self {
        let labels = |outcome: &'static str| {
            [("kind", kind.as_str().to_owned()), ("plugin", name.to_owned()), ("outcome", outcome.to_owned())]
        };
        let plugin = [("kind", kind.as_str().to_owned()), ("plugin", name.to_owned())];
        Self {
            answered: counter!("tollbridge_calls_total", &labels("answered")),
            failed: counter!("tollbridge_calls_total", &labels("failed")),
            microseconds: counter!("tollbridge_call_microseconds_total", &plugin),
            revenue: counter!("tollbridge_revenue_millipence_total", &plugin),
        }
    }

    /// Adds the sealed revenue of a call.
    pub fn count_revenue(&self, amount: Millipence) {
        self.revenue.increment(u64::try_from(amount.get()).unwrap_or(0));
    }

    /// Counts a call that ran, with its duration and whether it was answered.
    pub fn count(&self, answered: bool, took: Duration) {
        if answered {
            self.answered.increment(1)
        } else {
            self.failed.increment(1)
        }
        self.microseconds.increment(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }
}
