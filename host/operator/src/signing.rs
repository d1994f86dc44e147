//! Rotation of signing keys, on a running or a stopped server.

use std::sync::Arc;

use serde_json::Map;
use tollbridge_core::signing::{Keyring, ROTATED};
use tollbridge_core::time::now_ms;
use tollbridge_ledger::{Entry, Event, Notary};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// A retired key and its successor.
    RotatedKey { purpose: String, retired_key_id: String, key_id: Option<String> }
}

/// The command for signing keys.
pub(super) struct SigningCommands {
    pub(super) keys: Arc<Keyring>,
    pub(super) notary: Arc<Notary>,
}

impl SigningCommands {
    /// Retires a key. Its signatures stay verifiable: its public half stays in the key set, and the
    /// change is sealed.
    pub(super) async fn rotate(&self, purpose: &str) -> Result<RotatedKey, OperatorError> {
        let now_ms = now_ms();
        let old = self.keys.rotate(purpose, now_ms).map_err(|error| OperatorError::Failed(error.to_string()))?;
        let known =
            || OperatorError::Refused(format!("there is no key {purpose}; the keys are {}", ROTATED.join(", ")));
        let old = old.ok_or_else(known)?;
        let mut event_data = Map::new();
        event_data.insert("purpose".to_owned(), purpose.into());
        event_data.insert("retired_key_id".to_owned(), old.kid.clone().into());
        let entry = Entry::Event(Event { event: "signing.rotated".to_owned(), data: event_data });
        self.notary.note(&entry, Vec::new(), now_ms).await?;
        let new = self.keys.public().into_iter().find(|key| key.purpose == purpose).map(|key| key.kid);
        Ok(RotatedKey { purpose: purpose.to_owned(), retired_key_id: old.kid, key_id: new })
    }
}
