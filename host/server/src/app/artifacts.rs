//! The follower that copies plugin artifacts from other registries, as configured.

use std::sync::Arc;

use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::config::Config;
use tollbridge_oci::{ArtifactFollower, ArtifactFollowerSettings};

/// Creates the follower that copies artifacts into the registry folder and records problems. Makes
/// no request yet.
pub fn artifact_follower(config: &Config, problems: Arc<ArtifactProblems>) -> Arc<ArtifactFollower> {
    let settings = ArtifactFollowerSettings {
        artifacts: config.registry.artifacts.clone(),
        registry: config.registry.dir.clone(),
        publishers_file: config.registry.publishers.clone(),
        max_component: config.plugins.max_component.as_usize() as u64,
    };
    ArtifactFollower::new(settings, problems)
}
