//! The cards as they are served: made anew when the key that signs them changes.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::card::{Cards, Identity};
use super::form::FormError;
use tollbridge_core::signing::Keyring;

/// The cards of now.
pub struct Rack {
    identity: Identity,
    keys: Arc<Keyring>,
    made: ArcSwap<Made>,
}

struct Made {
    /// The key that signed them.
    kid: String,
    cards: Arc<Cards>,
}

impl Rack {
    pub fn new(identity: Identity, keys: Arc<Keyring>) -> Result<Self, FormError> {
        let made = ArcSwap::from_pointee(make(&identity, &keys)?);
        Ok(Self { identity, keys, made })
    }

    pub fn cards(&self) -> Result<Arc<Cards>, FormError> {
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

fn make(identity: &Identity, keys: &Keyring) -> Result<Made, FormError> {
    let signer = keys.cards();
    Ok(Made { kid: signer.public().kid.clone(), cards: Arc::new(Cards::build(identity, &signer)?) })
}
