//! A log of the commits of the engine: the epoch of the disk in which each began, the
//! epoch in which it was acknowledged, and the state of a simple model after it.

use std::sync::Mutex;

use tollbridge_ledger::Chain;
use tollbridge_store::testing::model::Model;
use tollbridge_store::testing::watched::{Committed, Watch};
use tollbridge_store::{Change, RedbStore, Sealer, Store};

use super::disk::Disk;

/// One durable write.
#[derive(Clone)]
pub(crate) struct Batch {
    /// Epoch of the disk in which the write began.
    pub(crate) began: usize,
    /// Epoch in which the write was acknowledged; `None` if it failed.
    pub(crate) acknowledged: Option<usize>,
    pub(crate) changes: usize,
    /// The model after the write.
    pub(crate) after: Model,
}

/// A model that the engine must match.
pub(crate) struct Story {
    disk: Disk,
    state: Mutex<(Model, Chain, Vec<Batch>)>,
}

impl Story {
    pub(crate) fn new(disk: Disk) -> Self {
        Self { disk, state: Mutex::new((Model::default(), Chain::new(), Vec::new())) }
    }

    pub(crate) fn batches(&self) -> Vec<Batch> {
        self.state.lock().unwrap().2.clone()
    }
}

impl Watch for Story {
    fn commit(&self, engine: &RedbStore, changes: &[Change], sealer: &mut dyn Sealer) -> Committed {
        let began = self.disk.epoch();
        let outcome = engine.commit(changes, sealer);
        let acknowledged = self.disk.epoch();
        let (model, chain, batches) = &mut *self.state.lock().unwrap();
        let expected: Vec<_> = changes.iter().map(|change| model.apply(change, chain)).collect();
        if let Ok(found) = &outcome {
            assert_eq!(found, &expected, "the engine and the model disagree");
        }
        batches.push(Batch {
            began,
            acknowledged: outcome.is_ok().then_some(acknowledged),
            changes: changes.len(),
            after: model.clone(),
        });
        outcome
    }
}
