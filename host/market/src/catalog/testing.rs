//! A catalog without a registry, for tests in other crates.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_plugin::{Plugin, Services};

use super::needs::Needs;
use super::offer::{CallCounters, Offer};
use super::snapshot::{Catalog, CatalogEntry};

/// Adds an unsigned plugin to the catalog.
pub fn offer(catalog: &Catalog, plugin: Arc<Plugin>, owner: &str, price: Millipence) {
    let (kind, name) = (plugin.kind(), plugin.name().to_owned());
    let offer = Offer {
        kind,
        purpose: String::new(),
        skills: Vec::new(),
        commands: None,
        publisher: "test".to_owned(),
        owner: owner.to_owned(),
        price,
        was_sold: !price.is_zero(),
        version: plugin.version().clone(),
        version_text: plugin.version().to_string(),
        sha256: Sha256::digest(&name).into(),
        advert: None,
        meter: CallCounters::of(kind, &name),
        plugin,
        name: name.clone(),
        canary: Default::default(),
        needs: Needs::default(),
        models: Services::none().models,
    };
    catalog.set(kind, &name, Some(CatalogEntry::Live(Arc::new(offer))));
}
