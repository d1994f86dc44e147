//! Errors of requests about webhooks.

use tollbridge_core::egress::EgressError;
use tollbridge_core::encryption::EncryptionError;
use tollbridge_core::vault::VaultError;
use tollbridge_ledger::events::AnnounceError;
use tollbridge_store::{StoreError, SubmitError};

use crate::limits::{WEBHOOK_OVERLAP_MS_MAX, WEBHOOK_REPLAY_MAX, WEBHOOKS_PER_ACCOUNT_MAX};

/// The reason why a request about webhooks is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum WebhookError {
    #[error("the URL is refused: {0}")]
    Url(String),
    #[error("name at least one event, or \"*\" for all")]
    NoEvents,
    #[error("there is no event `{0}`")]
    UnknownEvent(String),
    #[error("the secret is refused: {0}")]
    Secret(String),
    #[error("an account has at most {WEBHOOKS_PER_ACCOUNT_MAX} webhooks; delete one first")]
    TooMany,
    #[error("there is no webhook {0}")]
    NoWebhook(String),
    #[error("this account has no webhook yet; POST /v1/webhooks registers one")]
    NoneRegistered,
    #[error("a rolled secret can keep signing for at most {} hours", WEBHOOK_OVERLAP_MS_MAX / 3_600_000)]
    Overlap,
    #[error("event {0} is no longer available")]
    NoEvent(String),
    #[error("at most {WEBHOOK_REPLAY_MAX} deliveries can be replayed in one request")]
    ReplayTooMany,
    #[error("no randomness is available")]
    NoRandomness,
    #[error(
        "the secret of webhook {id} cannot be decrypted with keys/webhooks.key of the data folder: {source}; restore \
         that file from the same backup as the database"
    )]
    Locked { id: String, source: EncryptionError },
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error(transparent)]
    Egress(#[from] EgressError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error(transparent)]
    Announce(#[from] AnnounceError),
}
