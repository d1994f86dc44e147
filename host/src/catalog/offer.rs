//! One offer: everything a call needs to know of a plugin.

use std::sync::Arc;

use crate::money::Millipence;
use crate::plugins::Plugin;
use crate::registry::Kind;
use crate::store::Hash;

/// A plugin that serves, with its price and whom it pays.
pub struct Offer {
    pub kind: Kind,
    pub name: String,
    pub purpose: String,
    pub publisher: String,
    /// Account that earns.
    pub owner: String,
    pub price: Millipence,
    pub version: semver::Version,
    pub version_text: String,
    /// Digest of the component.
    pub sha256: Hash,
    pub plugin: Arc<Plugin>,
}
