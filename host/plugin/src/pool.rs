//! The slots and the secret that all loaded plugins share.

use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::checks::places::CheckPlaces;
use crate::checks::schemas::PluginSchemas;
use crate::describe::Described;
use crate::facts::PluginFacts;
use crate::places::CallPlaces;
use crate::plugin::Plugin;
use crate::program::Program;
use crate::recent_usage::RecentUsage;
use crate::runtime_limits::RuntimeLimits;
use crate::spec::CallLimits;

/// The call slots, the slots for long schema checks, and the secret behind callers' pseudonyms.
pub struct PluginPool {
    pub(crate) places: CallPlaces,
    pub(crate) check_places: CheckPlaces,
    /// Longest time that a call waits for a free instance.
    pub(crate) queue_wait: Duration,
    pseudonyms: Hmac<Sha256>,
}

impl PluginPool {
    /// Creates the slots. `secret` derives the pseudonyms by which plugins see callers.
    pub fn new(limits: &RuntimeLimits, secret: &Zeroizing<[u8; 32]>) -> Arc<Self> {
        // HMAC pads a short key with zeros to the block size of its hash.
        let mut block = Zeroizing::new([0; 64]);
        block.iter_mut().zip(secret.iter()).for_each(|(padded, byte)| *padded = *byte);
        Arc::new(Self {
            places: CallPlaces::new(limits),
            check_places: CheckPlaces::new(),
            queue_wait: limits.queue_wait,
            pseudonyms: Hmac::new((&*block).into()),
        })
    }

    /// Returns the number of instances that can start now.
    pub fn free(&self) -> usize {
        self.places.free()
    }

    /// Creates a plugin that runs a program.
    pub fn plugin(
        self: &Arc<Self>,
        facts: Arc<PluginFacts>,
        limits: CallLimits,
        described: Described,
        program: Box<dyn Program>,
    ) -> Arc<Plugin> {
        let Described { description, input, output } = described;
        let owner = facts.owner.as_deref();
        let mut pseudonyms = self.pseudonyms.clone();
        for part in [facts.kind.as_str(), facts.name.as_str()] {
            pseudonyms.update(part.as_bytes());
            pseudonyms.update(&[0]);
        }
        Arc::new(Plugin {
            places: self.places.of_plugin(owner, limits.concurrency),
            schemas: PluginSchemas::new(input, output, self.check_places.turns(owner)),
            pool: self.clone(),
            usage: RecentUsage::default(),
            pseudonyms,
            facts,
            limits,
            description,
            program,
        })
    }
}
