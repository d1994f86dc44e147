//! Which version of a plugin all hosts of a ledger should serve.

use tollbridge_runtime::registry::PluginState;
use tollbridge_store::{Collection, Store};

use super::offer::Offer;

/// Whether an offer of this host is what the ledger says should serve: the pinned
/// version, or the highest that any host has activated. What cannot be read is not.
pub fn is_as_decided(store: &dyn Store, offer: &Offer) -> bool {
    let Ok(Some(row)) = store.get(Collection::Plugins, &offer.row_key()) else { return false };
    let Ok(state) = PluginState::from_row(&row) else { return false };
    !state.is_disabled() && state.pinned().or_else(|| state.floor()).is_none_or(|version| *version == offer.version)
}
