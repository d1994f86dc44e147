//! The live catalog: plugin, price, split and owner of every offer.
//!
//! Invariants:
//! 1. A snapshot of the catalog never changes. A call uses one snapshot from start to
//!    end.
//! 2. The code and the price of a plugin always belong together: they are parts of one
//!    `Offer`.
//! 3. An offer's unmet requirements are known before a call is quoted; a list shows them
//!    as the reason why the offer is unavailable.
//! 4. A new version is added only after it was verified, compiled, instantiated and asked
//!    to describe itself. Until then the old version serves, and other plugins' updates
//!    do not wait.

mod advert;
mod aside;
mod availability;
mod bridge_view;
mod canaries;
mod decided;
mod deployers;
mod load_order;
mod loads;
mod logs;
mod needs;
mod offer;
mod outline;
mod public_versions;
mod reconciler;
mod report;
mod snapshot;
mod spec;
mod sweep;
#[cfg(feature = "testing")]
pub mod testing;
mod trial;
mod trial_load;
mod trust;
mod usage;
mod version_loader;

pub use advert::advert_in_full;
pub use aside::{AsideError, AsideLoader, AsideVersion};
pub use bridge_view::{BridgeView, CallPrice};
pub use decided::is_as_decided;
pub use deployers::{Deployer, handle_of, publishers};
pub use logs::PluginLogs;
pub use needs::UnmetNeed;
pub use offer::{Canary, Offer};
pub use outline::outline;
pub use public_versions::{PublicVersion, VersionState};
pub use reconciler::{CatalogReconciler, CatalogReconcilerSettings};
pub use report::{HeldVersion, PluginReport, TableReport};
pub use snapshot::{Catalog, CatalogEntry, OfferError, PluginHost, Snapshot};
pub use trial::{CanaryReport, Tried};
pub use trial_load::{TrialError, TrialLoad};
pub use usage::PluginUsage;
