//! Checks a plugin's description: compiles its schemas off the threads that serve calls, and
//! records that its examples fit, so that later starts need not check them again.

use std::sync::Arc;

use tollbridge_plugin::{CallLimits, Described, DescriptionError, DescriptionText};

use crate::code::cache::CodeCache;
use crate::runtime::Shared;

/// Checks a component's description; skips its examples if this host has checked them before.
/// Returns `None` if the process shuts down meanwhile.
pub(crate) async fn checked(
    shared: &Arc<Shared>,
    component: [u8; 32],
    description: DescriptionText,
    limits: CallLimits,
) -> Option<Result<Described, DescriptionError>> {
    let shared = shared.clone();
    let check = move || -> Result<_, DescriptionError> {
        let digest = description.digest();
        let cache = shared.cache.as_ref().filter(|_| !description.examples.is_empty());
        let knows = |cache: &&CodeCache| cache.is_checked(&component, &digest);
        let is_known = cache.iter().copied().chain(&shared.installed).any(|cache| knows(&cache));
        let described = description.check(&limits, is_known)?;
        if let (Some(cache), false) = (cache, is_known) {
            cache.put_checked(&component, &digest);
        }
        Ok(described)
    };
    tokio::task::spawn_blocking(check).await.ok()
}
