//! Immutable snapshots of all plugins, and the catalog that holds the current snapshot.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::RwLock;
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{Failure, Services};
use tollbridge_registry::PluginId;
use tollbridge_store::{Collection, Rows, Store, StoreError};

use super::deployers::handle_of;
use super::offer::{self, Offer};
use super::public_versions::PublicVersion;

/// The catalog's entry for one plugin name.
#[derive(Clone)]
pub enum CatalogEntry {
    /// A version of the plugin serves.
    Live(Arc<Offer>),
    /// The plugin is in the registry, but no version of it can serve.
    Down {
        /// Purpose of the plugin.
        purpose: String,
        /// Price of one call, if any version is known.
        price: Option<Millipence>,
        /// Reason why no version serves, for the operator.
        reason: String,
        /// Whether the operator disabled the plugin; otherwise something failed.
        disabled: bool,
    },
}

/// Operator's reason for a plugin whose version is loading.
pub(super) const LOADING: &str = "it is being loaded";
/// Reason shown to callers while a version is loading.
const LOADED_SOON: &str = "it is being loaded; try again in a moment";
/// Reason shown to callers when no version serves. The operator's reason may name files
/// and people and is not shown to callers.
const NOT_SERVING: &str = "no version of it can serve; contact the operator";

impl CatalogEntry {
    /// Returns the reason, for callers, why the plugin does not serve; `None` if it
    /// serves.
    pub const fn public_reason(&self) -> Option<&'static str> {
        match self {
            Self::Live(_) => None,
            Self::Down { disabled: true, .. } => Some("it is disabled"),
            Self::Down { disabled: false, .. } => Some(NOT_SERVING),
        }
    }
}

/// An immutable list of all plugins at one time.
#[derive(Default)]
pub struct Snapshot {
    bridges: BTreeMap<String, CatalogEntry>,
    agents: BTreeMap<String, CatalogEntry>,
}

/// The catalog: the current snapshot, and the plugins' public versions.
#[derive(Default)]
pub struct Catalog {
    current: ArcSwap<Snapshot>,
    /// Public versions of each plugin.
    versions: RwLock<BTreeMap<PluginId, Arc<[PublicVersion]>>>,
}

/// The services that the host needs to call a plugin itself, free of charge.
#[derive(Clone)]
pub struct PluginHost {
    /// Catalog that contains the plugin.
    pub catalog: Arc<Catalog>,
    /// Services available to the plugin.
    pub services: Services,
}

/// The reason why a plugin name has no offer.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum OfferError {
    #[error("there is no such plugin")]
    Unknown { suggestion: Option<String> },
    #[error("`{name}` is disabled")]
    Disabled { name: String },
    #[error("`{name}` is not available right now: {reason}")]
    NotLoaded { name: String, reason: String },
}

impl Catalog {
    /// Returns the current snapshot; it never changes.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Returns the public versions of a plugin, newest first.
    pub fn versions(&self, id: &PluginId) -> Arc<[PublicVersion]> {
        self.versions.read().get(id).cloned().unwrap_or_else(|| Arc::from([]))
    }

    /// Replaces the public versions of a plugin.
    pub(super) fn list_versions(&self, id: &PluginId, versions: Vec<PublicVersion>) {
        match versions.is_empty() {
            true => drop(self.versions.write().remove(id)),
            false => drop(self.versions.write().insert(id.clone(), versions.into())),
        }
    }

    /// Returns the current offer of a plugin.
    pub fn offer(&self, kind: PluginKind, name: &str) -> Result<Arc<Offer>, OfferError> {
        let snapshot = self.current.load();
        match snapshot.entry(kind, name) {
            Some(CatalogEntry::Live(offer)) => Ok(offer.clone()),
            Some(CatalogEntry::Down { disabled: true, .. }) => Err(OfferError::Disabled { name: name.to_owned() }),
            Some(CatalogEntry::Down { reason, .. }) => {
                let reason = if reason == LOADING { LOADED_SOON } else { NOT_SERVING };
                Err(OfferError::NotLoaded { name: name.to_owned(), reason: reason.to_owned() })
            }
            None => Err(OfferError::Unknown { suggestion: snapshot.nearest(kind, name) }),
        }
    }

    /// Returns the current offer for the name that a quote is bound to.
    pub fn offer_sold_as(&self, sold_as: &str) -> Result<Arc<Offer>, OfferError> {
        let (kind, name) = offer::of_sold_as(sold_as);
        self.offer(kind, name)
    }

    /// Refuses a call that cannot be answered now because of an unmet need; checked
    /// before the call is quoted.
    pub fn ensure_answerable(&self, offer: &Offer, input: Option<&Value>) -> Result<(), Failure> {
        if offer.needs.is_empty() {
            return Ok(());
        }
        self.current.load().unmet_need_of_call(offer, input).map_or(Ok(()), |unmet| Err(unmet.into()))
    }

    /// Returns all plugins that ever served, each with the name that its quotes are bound
    /// to and whether it can answer calls now.
    pub fn sold(&self, store: &dyn Store) -> Result<Vec<(String, bool)>, StoreError> {
        let snapshot = self.current.load();
        let mut sold = Vec::new();
        for row in Rows::of(store, Collection::Plugins) {
            let Ok(id) = row?.0.parse::<PluginId>() else { continue };
            let live = match snapshot.entry(id.kind, id.name.as_str()) {
                Some(CatalogEntry::Live(offer)) => snapshot.unmet_need(offer).is_none(),
                _ => false,
            };
            sold.push((offer::sold_as(id.kind, id.name.as_str()), live));
        }
        Ok(sold)
    }

    /// Adds, replaces or removes the entry of one plugin.
    pub(super) fn set(&self, kind: PluginKind, name: &str, entry: Option<CatalogEntry>) {
        self.current.rcu(|old| {
            let mut next = Snapshot { bridges: old.bridges.clone(), agents: old.agents.clone() };
            let entries = match kind {
                PluginKind::Bridge => &mut next.bridges,
                PluginKind::Agent => &mut next.agents,
            };
            match &entry {
                Some(entry) => entries.insert(name.to_owned(), entry.clone()),
                None => entries.remove(name),
            };
            next
        });
    }
}

impl Snapshot {
    /// Returns the entries in name order.
    pub fn entries(&self, kind: PluginKind) -> impl Iterator<Item = (&str, &CatalogEntry)> {
        self.of(kind).iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// Returns the serving offers in name order.
    pub fn live(&self, kind: PluginKind) -> impl Iterator<Item = &Arc<Offer>> {
        self.entries(kind).filter_map(|(_, entry)| match entry {
            CatalogEntry::Live(offer) => Some(offer),
            CatalogEntry::Down { .. } => None,
        })
    }

    /// Returns the cheapest agent with a skill, among the agents signed by the operator's
    /// own publishers. Agents that accounts deployed are excluded, because the operator
    /// has not approved them.
    pub fn cheapest_with_skill(&self, skill: &str) -> Option<String> {
        let skilled = self.live(PluginKind::Agent).filter(|offer| offer.skills.iter().any(|other| other.id == skill));
        let approved = skilled.filter(|offer| offer.publisher != handle_of(&offer.owner));
        // Prefer agents without an unmet need. If every agent has one, the call to the
        // chosen agent reports it.
        let ranked = approved.map(|offer| ((self.unmet_need(offer).is_some(), offer.price, &offer.name), offer));
        ranked.min_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, offer)| offer.name.clone())
    }

    /// Returns the entry of a plugin name.
    pub fn entry(&self, kind: PluginKind, name: &str) -> Option<&CatalogEntry> {
        self.of(kind).get(name)
    }

    /// Returns the number of entries that serve, and the number of those that do not.
    pub fn counts(&self) -> (usize, usize) {
        let all = self.bridges.values().chain(self.agents.values());
        let (live, down): (Vec<_>, Vec<_>) = all.partition(|entry| matches!(entry, CatalogEntry::Live(_)));
        (live.len(), down.len())
    }

    fn of(&self, kind: PluginKind) -> &BTreeMap<String, CatalogEntry> {
        match kind {
            PluginKind::Bridge => &self.bridges,
            PluginKind::Agent => &self.agents,
        }
    }

    /// Returns the known name most similar to `name`, as a suggestion.
    fn nearest(&self, kind: PluginKind, name: &str) -> Option<String> {
        if name.len() > 64 {
            return None;
        }
        let distance = |other: &str| strsim::damerau_levenshtein(name, other);
        let best = self.of(kind).keys().min_by_key(|other| distance(other))?;
        (distance(best) <= 3).then(|| best.clone())
    }
}
