//! Artifacts of other registries, as the configuration names them.

use std::sync::Arc;

use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::config::Config;
use tollbridge_oci::{ArtifactFollower, ArtifactFollowerSettings};

/// What takes them into the registry folder, and notes what goes wrong. Asks for
/// nothing yet.
pub fn artifact_follower(config: &Config, problems: Arc<ArtifactProblems>) -> Arc<ArtifactFollower> {
    let settings = ArtifactFollowerSettings {
        artifacts: config.registry.artifacts.clone(),
        registry: config.registry.dir.clone(),
        publishers_file: config.registry.publishers.clone(),
        max_component: config.plugins.max_component.as_usize() as u64,
    };
    ArtifactFollower::new(settings, problems)
}
