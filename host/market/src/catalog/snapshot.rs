//! Every plugin at one moment, and the current one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::RwLock;
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::plugins::{Failure, Services};
use tollbridge_runtime::registry::PluginId;
use tollbridge_store::{Collection, Rows, Store, StoreError};

use super::offer::{self, Offer};
use super::public_versions::PublicVersion;

/// What is known of one plugin name.
#[derive(Clone)]
pub enum CatalogEntry {
    /// It serves.
    Live(Arc<Offer>),
    /// In the registry, but nothing of it can serve.
    Down {
        /// What it is for.
        purpose: String,
        /// Price of one call, if a version of it is known.
        price: Option<Millipence>,
        /// Why.
        reason: String,
        /// Switched off, as opposed to in trouble.
        disabled: bool,
    },
}

/// Why a version that is being loaded does not serve yet.
pub(super) const LOADING: &str = "it is being loaded";
/// The same for callers.
const LOADED_SOON: &str = "it is being loaded; try again in a moment";
/// Why it is down may name files and people; that is for the operator.
const NOT_SERVING: &str = "no version of it can serve; the operator knows why";

impl CatalogEntry {
    /// Why it does not serve at all, for everybody; none while it serves.
    pub const fn public_reason(&self) -> Option<&'static str> {
        match self {
            Self::Live(_) => None,
            Self::Down { disabled: true, .. } => Some("it is disabled"),
            Self::Down { disabled: false, .. } => Some(NOT_SERVING),
        }
    }
}

/// Every plugin at one moment.
#[derive(Default)]
pub struct Snapshot {
    bridges: BTreeMap<String, CatalogEntry>,
    agents: BTreeMap<String, CatalogEntry>,
}

/// The current snapshot.
#[derive(Default)]
pub struct Catalog {
    current: ArcSwap<Snapshot>,
    /// Versions of each plugin that everybody may see.
    versions: RwLock<BTreeMap<PluginId, Arc<[PublicVersion]>>>,
}

/// What the host itself needs to call a plugin without a price.
#[derive(Clone)]
pub struct PluginHost {
    /// Where the plugin is found.
    pub catalog: Arc<Catalog>,
    /// What the plugin may ask of the host.
    pub services: Services,
}

/// Why nothing is offered under a name.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum OfferError {
    #[error("there is no such plugin")]
    Unknown { suggestion: Option<String> },
    #[error("`{name}` is disabled")]
    Disabled { name: String },
    #[error("`{name}` is not available right now: {reason}")]
    NotLoaded { name: String, reason: String },
}

impl Catalog {
    /// The catalog as it is now; it never changes.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// The versions of a plugin that everybody may see, newest first.
    pub fn versions(&self, id: &PluginId) -> Arc<[PublicVersion]> {
        self.versions.read().get(id).cloned().unwrap_or_else(|| Arc::from([]))
    }

    /// Says what there is of a plugin.
    pub(super) fn list_versions(&self, id: &PluginId, versions: Vec<PublicVersion>) {
        match versions.is_empty() {
            true => drop(self.versions.write().remove(id)),
            false => drop(self.versions.write().insert(id.clone(), versions.into())),
        }
    }

    /// The offer of a plugin, as it is at this moment.
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

    /// The offer that a quote is bound to, as it is at this moment.
    pub fn offer_sold_as(&self, sold_as: &str) -> Result<Arc<Offer>, OfferError> {
        let (kind, name) = offer::of_sold_as(sold_as);
        self.offer(kind, name)
    }

    /// Refuses a call that cannot be answered now, before anything is quoted.
    pub fn ensure_answerable(&self, offer: &Offer, input: Option<&Value>) -> Result<(), Failure> {
        if offer.needs.is_empty() {
            return Ok(());
        }
        self.current.load().unmet_need_of_call(offer, input).map_or(Ok(()), |unmet| Err(unmet.into()))
    }

    /// Everything that ever served, by the name that quotes of it are bound to,
    /// and whether it serves now and can answer.
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

    /// Puts one entry in, or takes it out, leaving all others as they are.
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
    /// Entries in name order.
    pub fn entries(&self, kind: PluginKind) -> impl Iterator<Item = (&str, &CatalogEntry)> {
        self.of(kind).iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// Offers that serve, in name order.
    pub fn live(&self, kind: PluginKind) -> impl Iterator<Item = &Arc<Offer>> {
        self.entries(kind).filter_map(|(_, entry)| match entry {
            CatalogEntry::Live(offer) => Some(offer),
            CatalogEntry::Down { .. } => None,
        })
    }

    /// What stands under a name.
    pub fn entry(&self, kind: PluginKind, name: &str) -> Option<&CatalogEntry> {
        self.of(kind).get(name)
    }

    /// How many serve and how many do not.
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

    /// The name that was probably meant.
    fn nearest(&self, kind: PluginKind, name: &str) -> Option<String> {
        if name.len() > 64 {
            return None;
        }
        let distance = |other: &str| strsim::damerau_levenshtein(name, other);
        let best = self.of(kind).keys().min_by_key(|other| distance(other))?;
        (distance(best) <= 3).then(|| best.clone())
    }
}
