//! One offer: everything a call needs to know of a plugin.

use std::sync::Arc;
use std::time::Duration;

use metrics::{Counter, counter};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::plugins::Plugin;
use tollbridge_runtime::registry::Skill;
use tollbridge_store::Hash;

/// A plugin that serves, with its price and whom it pays.
pub struct Offer {
    /// Bridge or agent.
    pub kind: PluginKind,
    /// Name of the plugin.
    pub name: String,
    /// What it is for, in a sentence.
    pub purpose: String,
    /// What an agent says that it is good at.
    pub skills: Vec<Skill>,
    /// Who signed it.
    pub publisher: String,
    /// Account that earns.
    pub owner: String,
    /// Price of one call.
    pub price: Millipence,
    /// Whether it ever had a price: else none of its free calls was ever sealed.
    pub was_sold: bool,
    /// The version that serves.
    pub version: semver::Version,
    /// The same as text.
    pub version_text: String,
    /// Digest of the component.
    pub sha256: Hash,
    /// The compiled component.
    pub plugin: Arc<Plugin>,
    /// Counts its calls.
    pub meter: CallCounters,
}

impl Offer {
    /// Whether its calls are neither paid nor sealed. Tasks are sealed even when
    /// they cost nothing: their proof is the record.
    pub fn is_free(&self) -> bool {
        self.price.is_zero() && self.kind == PluginKind::Bridge
    }

    /// What a quote for it is bound to. A bridge and an agent may share a name,
    /// and an intent for one must not pay for the other.
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

/// Counters of one plugin, looked up once, when it is loaded.
pub struct CallCounters {
    answered: Counter,
    failed: Counter,
    microseconds: Counter,
}

impl CallCounters {
    pub fn of(kind: PluginKind, name: &str) -> Self {
        let labels = |outcome: &'static str| {
            [("kind", kind.as_str().to_owned()), ("plugin", name.to_owned()), ("outcome", outcome.to_owned())]
        };
        let plugin = [("kind", kind.as_str().to_owned()), ("plugin", name.to_owned())];
        Self {
            answered: counter!("tollbridge_calls_total", &labels("answered")),
            failed: counter!("tollbridge_calls_total", &labels("failed")),
            microseconds: counter!("tollbridge_call_microseconds_total", &plugin),
        }
    }

    /// Counts a call that ran.
    pub fn count(&self, answered: bool, took: Duration) {
        if answered {
            self.answered.increment(1)
        } else {
            self.failed.increment(1)
        }
        self.microseconds.increment(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }
}
