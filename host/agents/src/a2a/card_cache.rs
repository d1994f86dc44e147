//! The cards as they are served: made anew when the key that signs them changes.

use std::sync::Arc;

use arc_swap::ArcSwap;
use tollbridge_core::signing::Keyring;

use super::canonical::CanonicalFormError;
use super::card::{CardIdentity, Cards};

/// The cards of now.
pub struct CardCache {
    identity: CardIdentity,
    keys: Arc<Keyring>,
    made: ArcSwap<Made>,
}

struct Made {
    /// The key that signed them.
    kid: String,
    cards: Arc<Cards>,
}

impl CardCache {
    /// Builds and signs the cards.
    pub fn new(identity: CardIdentity, keys: Arc<Keyring>) -> Result<Self, CanonicalFormError> {
        let made = ArcSwap::from_pointee(make(&identity, &keys)?);
        Ok(Self { identity, keys, made })
    }

    /// The cards, signed with the current key.
    pub fn cards(&self) -> Result<Arc<Cards>, CanonicalFormError> {
        let made = self.made.load();
        if made.kid == self.keys.cards().public().kid {
            return Ok(made.cards.clone());
        }
        let new = make(&self.identity, &self.keys)?;
        let cards = new.cards.clone();
        self.made.store(Arc::new(new));
        Ok(cards)
    }
}

fn make(identity: &CardIdentity, keys: &Keyring) -> Result<Made, CanonicalFormError> {
    let signer = keys.cards();
    Ok(Made { kid: signer.public().kid.clone(), cards: Arc::new(Cards::build(identity, &signer)?) })
}
