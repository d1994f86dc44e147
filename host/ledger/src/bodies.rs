//! The bodies of records: one struct per kind of record, with the members of its JSON.
//!
//! Invariants: texts are ids and names, which have no room for personal data; the
//! exceptions are the operator's own display name and the data of an `event`. Digests of
//! guessable input are salted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tollbridge_core::money::{Millipence, Shares, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_store::Hash;

use super::chart::LedgerAccount;
use super::entry_error::EntryError;
use super::names::party;

/// Whether a ledger is about test money or real money. Never changes after the first
/// record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Test money.
    Sandbox,
    /// Real money.
    Live,
}

/// The name, mode and split that apply from this record on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Test or real money.
    pub mode: Mode,
    /// Name of the operator as shown to payers.
    pub display_name: String,
    /// The split that applies to every price.
    #[serde(flatten)]
    pub split: SplitPolicy,
}

/// Test credit for an account; sandbox only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestCredit {
    /// Account id.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// The unspent remainder of a payment intent that became credit of its account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topup {
    /// Public handle of the payment intent.
    pub intent: String,
    /// Account id.
    pub account: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// A refund: money returned to the payer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refund {
    /// The account or intent whose payment is refunded.
    pub payer: Payer,
    /// Stage of the refund.
    pub stage: RefundStage,
    /// Reason for the refund: a short code, for example `bridge_gone`; not a sentence.
    pub reason: String,
    /// The processor's id of the refund.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// A stage of a refund. A refund has two records: it is owed, and then paid by the
/// processor. If the processor cannot pay, the money returns to its source, even if the
/// processor first reported the refund as paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStage {
    /// The host owes the money to the payer.
    Owed,
    /// The processor paid the money back.
    Paid,
    /// The processor reported the refund as paid, but the money came back; the refund is
    /// owed again.
    Returned,
    /// The refund could not be paid; the money is the payer's credit again.
    Failed,
}

/// The source of the money for a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Payer {
    /// The payment intent with this public handle.
    Intent(String),
    /// The credit of this account.
    Account(String),
    /// The amount held for a queued task of an account.
    Task {
        /// Account of the caller.
        account: String,
        /// Id of the task.
        task: String,
    },
}

/// Whether earnings can be withdrawn at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Earnings {
    /// The earnings can be withdrawn at once.
    Available,
    /// The earnings are on hold.
    Pending,
}

/// The three shares of a gross amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedShares {
    /// The owner's share.
    #[serde(rename = "developer_millipence")]
    pub developer: Millipence,
    /// The operator's share.
    #[serde(rename = "platform_millipence")]
    pub platform: Millipence,
    /// The treasury's share.
    #[serde(rename = "treasury_millipence")]
    pub treasury: Millipence,
}

/// An action on a plugin, by the operator, the plugin's publisher, or the account that
/// owns the plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginAct {
    /// The kind of action.
    pub act: PluginVerb,
    /// Name of the plugin.
    pub plugin: String,
    /// Whether the plugin is a bridge or an agent.
    pub plugin_kind: PluginKind,
    /// The version that the action concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256 of the version's component.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "hex_option")]
    pub component_sha256: Option<Hash>,
    /// Name of the publisher that signed the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The actor: `operator`, `publisher` or an account id.
    pub by: String,
}

/// A kind of action on a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginVerb {
    /// Makes a published version the active one.
    Activate,
    /// Approves a version for service.
    Approve,
    /// Pins the plugin to a version.
    Pin,
    /// Ends a pin.
    Unpin,
    /// Makes an earlier version active again.
    Rollback,
    /// Withdraws a version.
    Yank,
    /// Makes a withdrawn version available again.
    Unyank,
    /// Takes the plugin out of service.
    Disable,
    /// Puts the plugin back in service.
    Enable,
    /// Serves a version to some of the callers.
    Canary,
    /// Stops serving a version as a canary.
    EndCanary,
}

/// An action on a publisher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherAct {
    /// The kind of action.
    pub act: PublisherVerb,
    /// Name of the publisher.
    pub publisher: String,
    /// The publisher's Ed25519 public key.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "hex_option")]
    pub public_key: Option<Hash>,
    /// The actor that took the action.
    pub by: String,
}

/// A kind of action on a publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublisherVerb {
    /// The publisher's signatures are accepted from now on.
    Trust,
    /// The publisher's signatures are no longer accepted.
    Revoke,
}

/// An event that needs a seal, moves no money and fits no other kind of record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Name of the event.
    pub event: String,
    /// Members of the event, without personal data or plugin output.
    pub data: Map<String, Value>,
}

/// Returns the SHA-256 of a salt followed by bytes. Without the salt, short bytes could
/// be found by guessing.
pub fn salted(salt: &[u8; 16], bytes: &[u8]) -> Hash {
    Sha256::new().chain_update(salt).chain_update(bytes).finalize().into()
}

impl From<Shares> for RecordedShares {
    fn from(shares: Shares) -> Self {
        Self { developer: shares.developer, platform: shares.platform, treasury: shares.treasury }
    }
}

impl Payer {
    /// Returns the ledger account that pays.
    pub fn ledger_account(&self) -> LedgerAccount {
        match self {
            Self::Intent(handle) => LedgerAccount::Unearned(handle.clone()),
            Self::Account(account) => LedgerAccount::Credit(account.clone()),
            Self::Task { task, .. } => LedgerAccount::Held(task.clone()),
        }
    }

    /// Checks the payer's id, even if the payer pays nothing and therefore has no
    /// posting.
    pub(super) fn check(&self) -> Result<(), EntryError> {
        match self {
            Self::Intent(id) | Self::Account(id) => party(id),
            Self::Task { account, task } => party(account).and_then(|()| party(task)),
        }
    }
}

/// Serializes an optional digest as hex.
mod hex_option {
    use serde::{Deserialize, Deserializer, Serializer};

    use tollbridge_store::{Hash, hexed};

    pub(super) fn serialize<S: Serializer>(hash: &Option<Hash>, serializer: S) -> Result<S::Ok, S::Error> {
        match hash {
            Some(hash) => hexed::serialize(hash, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hash>, D::Error> {
        #[derive(Deserialize)]
        struct Hex(#[serde(with = "hex::serde")] Hash);
        Ok(Option::<Hex>::deserialize(deserializer)?.map(|Hex(hash)| hash))
    }
}
