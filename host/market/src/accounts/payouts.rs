//! Payout accounts: the destinations of withdrawals, as agreed between the account owner
//! and the payment processor.
//!
//! Invariants: a connect link works once and for a limited time; a payout account that
//! replaced another one cannot receive money for the first day.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tollbridge_core::planted::Defect;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::is_party;
use tollbridge_payment::{PaymentProcessor, ProcessorError};
use tollbridge_store::{Change, Collection, Db, Expect, Put, Refusal, StoreError, SubmitError};

/// Time before a payout account that replaces another one can receive money, so that the
/// owner has time to notice a change that someone else made.
const PAYOUT_CHANGE_WAIT_MS: u64 = DAY_MS;
/// Maximum time for connecting a payout account.
const CONNECT_STATE_MS: u64 = 30 * 60 * 1000;

/// The service that connects payout accounts.
pub struct Payouts {
    /// Handle on the data folder.
    pub db: Db,
    /// The payment processor that pays out earnings.
    pub processor: Arc<dyn PaymentProcessor>,
    /// Public base URL of this server, without a trailing slash; the processor redirects
    /// users back to it.
    pub base_url: String,
}

/// Connected payout account; a row of `Collection::Payouts` under `account/<id>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutAccount {
    /// The processor's id of the payout account.
    pub destination: String,
    /// Time at which the payout account was connected, Unix milliseconds.
    pub connected_ms: u64,
    /// Time from which money may be sent to the payout account, Unix milliseconds.
    pub usable_ms: u64,
}

/// Issued connect link; a row of `Collection::Payouts` under `state/<id>`.
#[derive(Serialize, Deserialize)]
struct Invitation {
    #[serde(with = "hex::serde")]
    nonce_sha256: [u8; 32],
    expires_ms: u64,
}

/// The reason a payout account could not be connected.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ConnectError {
    #[error("this link was used before, has expired, or belongs to another server; start again at /account/connect")]
    Stale,
    #[error("no account was connected: {0}")]
    Declined(String),
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    #[error("no randomness is available")]
    NoRandomness,
    #[error(transparent)]
    Write(SubmitError),
    #[error("a row cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Path to which the processor redirects users after they agreed to be paid.
pub const CONNECT_CALLBACK: &str = "/account/connect/callback";

impl Payouts {
    /// Returns the payout account of an account.
    pub fn of(&self, account: &str) -> Result<Option<PayoutAccount>, ConnectError> {
        let row = self.db.get(Collection::Payouts, &key("account", account))?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    /// Creates a link to the processor, where the account owner agrees to be paid. The
    /// link replaces any earlier one.
    pub async fn invite(&self, account: &str, now_ms: u64) -> Result<String, ConnectError> {
        self.processor.ensure_configured()?;
        let mut nonce = [0_u8; 16];
        getrandom::fill(&mut nonce).map_err(|_| ConnectError::NoRandomness)?;
        let nonce = hex::encode(nonce);
        let state = format!("{account}.{nonce}");
        let url = self.processor.connect_url(&state, &self.callback(), &self.base_url)?;
        let row = Invitation {
            nonce_sha256: Sha256::digest(&nonce).into(),
            expires_ms: now_ms.saturating_add(CONNECT_STATE_MS),
        };
        let put = put(key("state", account), Some(serde_json::to_vec(&row)?), Expect::Any);
        self.submit(vec![put]).await?;
        Ok(url)
    }

    /// Connects a payout account when the processor redirects the user back; `code`
    /// identifies the payout account at the processor.
    pub async fn accept(&self, state: &str, code: &str, now_ms: u64) -> Result<PayoutAccount, ConnectError> {
        let (account, used) = self.open_invitation(state, now_ms)?;
        let destination = self.processor.connect(code).await.map_err(|error| match error {
            ProcessorError::Rejected { message, .. } => ConnectError::Declined(message),
            other => other.into(),
        })?;
        let before = self.db.get(Collection::Payouts, &key("account", &account))?;
        let known: Option<PayoutAccount> = before.as_deref().map(serde_json::from_slice).transpose()?;
        let usable_ms = match &known {
            Some(known) if known.destination == destination => known.usable_ms,
            Some(_) => now_ms.saturating_add(PAYOUT_CHANGE_WAIT_MS),
            None => now_ms,
        };
        let payout = PayoutAccount { destination, connected_ms: now_ms, usable_ms };
        let row = put(
            key("account", &account),
            Some(serde_json::to_vec(&payout)?),
            before.map_or(Expect::Absent, Expect::Exactly),
        );
        let ended = put(key("state", &account), None, Expect::Exactly(used));
        self.submit(vec![row, ended]).await?;
        tracing::info!(account, destination = payout.destination, "a payout account was connected");
        Ok(payout)
    }

    /// Returns the account for which an unused connect link was issued, and the bytes of
    /// the link's row.
    fn open_invitation(&self, state: &str, now_ms: u64) -> Result<(String, Vec<u8>), ConnectError> {
        let (account, nonce) = state.split_once('.').ok_or(ConnectError::Stale)?;
        if !is_party(account) {
            return Err(ConnectError::Stale);
        }
        let bytes = self.db.get(Collection::Payouts, &key("state", account))?.ok_or(ConnectError::Stale)?;
        let row: Invitation = serde_json::from_slice(&bytes)?;
        let given: [u8; 32] = Sha256::digest(nonce).into();
        let known = bool::from(given.ct_eq(&row.nonce_sha256)) || Defect::NonceNotChecked.is_planted();
        let good = known && now_ms <= row.expires_ms;
        if good { Ok((account.to_owned(), bytes)) } else { Err(ConnectError::Stale) }
    }

    fn callback(&self) -> String {
        format!("{}{CONNECT_CALLBACK}", self.base_url)
    }

    async fn submit(&self, puts: Vec<Put>) -> Result<(), ConnectError> {
        match self.db.submit(Change { puts, ..Change::default() }).await {
            Ok(_) => Ok(()),
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Err(ConnectError::Stale),
            Err(error) => Err(ConnectError::Write(error)),
        }
    }
}

fn key(kind: &str, account: &str) -> String {
    format!("{kind}/{account}")
}

const fn put(key: String, value: Option<Vec<u8>>, expect: Expect) -> Put {
    Put { collection: Collection::Payouts, key, value, expect }
}
