//! The publishers whose versions may serve.

use std::path::Path;

use tollbridge_registry::{Publishers, Revocation, Revocations};
use tollbridge_store::{Collection, Rows, Store};

use super::deployers::publishers;
use super::version_loader::Reason;

/// Trusted and revoked publishers, read once for all plugins in each pass over the
/// registry.
pub(super) struct Trust {
    pub(super) publishers: Publishers,
    pub(super) revoked: Revocations,
}

impl Trust {
    /// Reads the operator's file of publishers, and the rows of deployers and revocations.
    pub(super) fn read(publishers_file: &Path, store: &dyn Store) -> Result<Self, Reason> {
        let publishers = publishers(publishers_file, store)?;
        let mut revoked = Revocations::default();
        for row in Rows::of(store, Collection::Publishers) {
            let (_, row) = row.map_err(|error| error.to_string())?;
            revoked.insert(&Revocation::from_row(&row).map_err(|error| error.to_string())?);
        }
        Ok(Self { publishers, revoked })
    }
}
