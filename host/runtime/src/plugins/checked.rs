//! A description on its way to be used: read and compiled off the threads that
//! serve calls, its examples checked once for all starts.

use std::sync::Arc;

use super::bindings::types;
use super::cache::CodeCache;
use super::describe::{self, Described, DescriptionError};
use super::runtime::Shared;
use super::spec::CallLimits;

/// Checks what a component says of itself, or recalls that this host did; none
/// if the process ends meanwhile.
pub(super) async fn checked(
    shared: &Arc<Shared>,
    component: [u8; 32],
    description: types::Description,
    limits: CallLimits,
) -> Option<Result<Described, DescriptionError>> {
    let shared = shared.clone();
    let check = move || -> Result<_, DescriptionError> {
        let digest = describe::digest(&description);
        let cache = shared.cache.as_ref().filter(|_| !description.examples.is_empty());
        let knows = |cache: &&CodeCache| cache.is_checked(&component, &digest);
        let is_known = cache.iter().copied().chain(&shared.installed).any(|cache| knows(&cache));
        let described = describe::check(&description, &limits, is_known)?;
        if let (Some(cache), false) = (cache, is_known) {
            cache.put_checked(&component, &digest);
        }
        Ok(described)
    };
    tokio::task::spawn_blocking(check).await.ok()
}
