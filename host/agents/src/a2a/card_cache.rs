//! A cache of the agent cards, which are rebuilt when the signing key changes.

use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value;
use tollbridge_core::signing::Keyring;

use super::canonical::CanonicalFormError;
use super::card::{CardIdentity, Cards, extended};
use super::skills::OpenSkill;

/// The current agent cards.
pub struct CardCache {
    identity: CardIdentity,
    keys: Arc<Keyring>,
    made: ArcSwap<SignedCards>,
}

struct SignedCards {
    /// The id of the key that signed the cards.
    kid: String,
    cards: Arc<Cards>,
}

impl CardCache {
    /// Builds and signs the cards.
    pub fn new(identity: CardIdentity, keys: Arc<Keyring>, now_ms: u64) -> Result<Self, CanonicalFormError> {
        let made = ArcSwap::from_pointee(make(&identity, &keys, now_ms)?);
        Ok(Self { identity, keys, made })
    }

    /// Returns the cards, signed with the current key.
    pub fn cards(&self, now_ms: u64) -> Result<Arc<Cards>, CanonicalFormError> {
        let made = self.made.load();
        if made.kid == self.keys.cards().public().kid {
            return Ok(made.cards.clone());
        }
        let new = make(&self.identity, &self.keys, now_ms)?;
        let cards = new.cards.clone();
        self.made.store(Arc::new(new));
        Ok(cards)
    }

    /// Returns the card for authenticated clients, which has the available skills and
    /// their prices. Returns `None` if no skill has an available agent.
    pub(super) fn extended(&self, skills: &[OpenSkill]) -> Result<Option<Value>, CanonicalFormError> {
        if skills.is_empty() {
            return Ok(None);
        }
        extended(&self.identity, &self.keys.cards(), skills).map(Some)
    }
}

fn make(identity: &CardIdentity, keys: &Keyring, now_ms: u64) -> Result<SignedCards, CanonicalFormError> {
    let signer = keys.cards();
    let kid = signer.public().kid.clone();
    Ok(SignedCards { kid, cards: Arc::new(Cards::build(identity, &signer, now_ms)?) })
}
