//! Whether a host serves the version of a plugin that all hosts of a ledger should serve.

use tollbridge_registry::PluginState;
use tollbridge_store::{Collection, Store};

use super::offer::Offer;

/// Returns whether an offer of this host is the version decided in the ledger: the pinned
/// version, or the highest that any host has activated. Returns false if the row cannot
/// be read.
pub fn is_as_decided(store: &dyn Store, offer: &Offer) -> bool {
    let Ok(Some(row)) = store.get(Collection::Plugins, &offer.row_key()) else { return false };
    let Ok(state) = PluginState::from_row(&row) else { return false };
    !state.is_disabled() && state.pinned().or_else(|| state.floor()).is_none_or(|version| *version == offer.version)
}
