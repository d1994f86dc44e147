//! An engine together with its models, for the supervisor of engines.

use std::sync::Arc;

use super::local_engine::{EnginePhase, LocalEngine};
use super::provider::ModelDeployment;
use super::router::ModelRouter;
use tokio::time::Instant;

/// An engine that this server has to start, and its models, which are paused while it is
/// not ready.
#[derive(Clone, Debug)]
pub struct EngineHandle {
    /// The engine.
    pub engine: Arc<LocalEngine>,
    models: Vec<Arc<ModelDeployment>>,
}

impl EngineHandle {
    /// Returns every engine that has models.
    pub fn all(router: &ModelRouter) -> Vec<Self> {
        let mut handles: Vec<Self> = Vec::new();
        for model in router.all() {
            let Some(engine) = &model.provider.engine else { continue };
            match handles.iter_mut().find(|one| Arc::ptr_eq(&one.engine, engine)) {
                Some(handle) => handle.models.push(model.clone()),
                None => handles.push(Self { engine: engine.clone(), models: vec![model.clone()] }),
            }
        }
        handles
    }

    /// Records that the engine is not ready, and pauses its models until `until`.
    pub fn hold(&self, phase: EnginePhase, until: Instant) {
        self.engine.set_phase(phase);
        self.models.iter().for_each(|model| model.health.hold(Instant::now(), until));
    }

    /// Records that the engine is ready, and ends the pause of its models.
    pub fn release(&self) {
        self.engine.set_phase(EnginePhase::Ready);
        self.models.iter().for_each(|model| model.health.release());
    }
}
