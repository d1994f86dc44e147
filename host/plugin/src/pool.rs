//! The slots and the secret that all loaded plugins share.

use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::checks::places::CheckPlaces;
use crate::facts::PluginFacts;
use crate::places::CallPlaces;
use crate::runtime_limits::RuntimeLimits;

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
        let limits = limits.clone().bounded();
        // HMAC pads a short key with zeros to the block size of its hash.
        let mut block = Zeroizing::new([0; 64]);
        block.iter_mut().zip(secret.iter()).for_each(|(padded, byte)| *padded = *byte);
        Arc::new(Self {
            places: CallPlaces::new(&limits),
            check_places: CheckPlaces::new(),
            queue_wait: limits.queue_wait,
            pseudonyms: Hmac::new((&*block).into()),
        })
    }

    /// Returns the number of instances that can start now.
    pub fn free(&self) -> usize {
        self.places.free()
    }

    /// Returns the HMAC for callers' pseudonyms, initialized with a plugin's kind and name.
    pub(crate) fn pseudonyms_of(&self, facts: &PluginFacts) -> Hmac<Sha256> {
        let mut pseudonyms = self.pseudonyms.clone();
        for part in [facts.kind.as_str(), facts.name.as_str()] {
            pseudonyms.update(part.as_bytes());
            pseudonyms.update(&[0]);
        }
        pseudonyms
    }
}
