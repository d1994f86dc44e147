//! Members common to all lists of plugins: the price, and whether the plugin can be called.

use serde_json::Value;
use tollbridge_core::money::Millipence;

/// Adds the price of one call, if there is one.
pub(crate) fn add_price(view: &mut Value, price: Option<Millipence>) {
    if let (Some(price), Some(members)) = (price, view.as_object_mut()) {
        members.insert("price_gbp".to_owned(), price.pounds().into());
        members.insert("price_pence".to_owned(), price.pence_floor().into());
    }
}

/// Adds `status`: `here`, or `away` if there is a `reason`.
pub(crate) fn add_standing(view: &mut Value, here: &str, away: &str, reason: Option<String>) {
    let Some(members) = view.as_object_mut() else { return };
    members.insert("status".to_owned(), if reason.is_some() { away } else { here }.into());
    members.extend(reason.map(|reason| ("reason".to_owned(), reason.into())));
}
