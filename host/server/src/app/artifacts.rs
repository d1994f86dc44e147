//! Artifacts of other registries, as the configuration names them.

use std::sync::Arc;

use tollbridge_core::config::Config;
use tollbridge_oci::{ArtifactFollower, ArtifactFollowerSettings};

/// What takes them into the registry folder. Asks for nothing yet.
pub fn artifact_follower(config: &Config) -> Arc<ArtifactFollower> {
    ArtifactFollower::new(ArtifactFollowerSettings {
        artifacts: config.registry.artifacts.clone(),
        registry: config.registry.dir.clone(),
        publishers_file: config.registry.publishers.clone(),
        max_component: config.plugins.max_component.as_usize() as u64,
    })
}
