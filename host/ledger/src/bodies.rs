//! The bodies of records: one struct per kind, in the shape of its JSON.
//!
//! Invariants: texts are ids and names, which have no room for personal data; the exceptions are
//! the operator's own display name and the data of an `event`. Digests of guessable input are
//! salted.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tollbridge_core::money::{Millipence, Shares, SplitPolicy};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_store::{Hash, hexed};

use super::chart::LedgerAccount;
use super::entry_error::EntryError;
use super::names::party;
use super::nested::Nested;
use super::token_paid::TokenPaid;

/// Whether the money of a ledger is real. Never changes after the first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Test money.
    Sandbox,
    /// Real money.
    Live,
}

/// The rules in force from this record on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Test or real money.
    pub mode: Mode,
    /// Name that payers see.
    pub display_name: String,
    /// The split of every price.
    #[serde(flatten)]
    pub split: SplitPolicy,
}

/// Money received for an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// Public handle of the intent, never its id.
    pub intent: String,
    /// Name of the purchased bridge, agent or product.
    pub bridge: String,
    /// Account that owns the intent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// `sandbox`, `stripe`, `x402`, …
    pub processor: String,
    /// The processor's own name for the payment; for a token, the hash of its transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The token payment, if it was not paid in pounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenPaid>,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
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

/// The unspent rest of an intent becomes credit of its account.
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

/// Money returned to the payer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refund {
    /// The account or intent that pays.
    pub payer: Payer,
    /// Stage of the refund.
    pub stage: RefundStage,
    /// A short code, for example `bridge_gone`; not a sentence.
    pub reason: String,
    /// The processor's reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

/// A refund is first owed, then paid by the processor: two records. If the processor cannot pay,
/// the money returns to its source, even if the failure is reported after the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStage {
    /// The host owes the money to the payer.
    Owed,
    /// The processor paid it back.
    Paid,
    /// The paid refund came back to the processor and is owed again.
    Returned,
    /// The refund could not be paid; the payer has the money as credit again.
    Failed,
}

/// The source of the money for a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Payer {
    /// Public handle of an intent.
    Intent(String),
    /// Account whose credit pays.
    Account(String),
    /// The hold of an account for a queued task.
    Task {
        /// The caller.
        account: String,
        /// Id of the task.
        task: String,
    },
}

/// A paid call. Its members are declared in canonical order, so that it is serialized as it is; a
/// test checks the order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// SHA-256 of salt and answer.
    #[serde(with = "hexed")]
    pub answer_sha256: Hash,
    /// SHA-256 of the component that ran.
    #[serde(with = "hexed")]
    pub component_sha256: Hash,
    /// Whether the earnings are on hold.
    pub earnings: Earnings,
    /// Price of the call.
    #[serde(rename = "gross_millipence")]
    pub gross: Millipence,
    /// Cost of the models that the plugin used; the shares split the rest.
    #[serde(rename = "inference_millipence", skip_serializing_if = "Option::is_none", default)]
    pub inference: Option<Millipence>,
    /// Paid calls that the plugin made, including calls made by those.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nested: Vec<Nested>,
    /// Account that earns the developer's share.
    pub owner: String,
    /// The account, intent or task that pays.
    pub payer: Payer,
    /// Name of the plugin.
    pub plugin: String,
    /// Bridge or agent.
    pub plugin_kind: PluginKind,
    /// Seal of the policy record in force.
    #[serde(with = "hexed")]
    pub policy: Hash,
    /// Id of the HTTP request.
    pub request_id: String,
    /// SHA-256 of salt and request body.
    #[serde(with = "hexed")]
    pub request_sha256: Hash,
    /// Random; keeps the digests from being guessed.
    #[serde(with = "hexed")]
    pub salt: [u8; 16],
    /// Shares of the margin: the gross less the cost of nested calls.
    pub shares: RecordedShares,
    /// Facts from which the proof of an agent's task is made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<TaskFacts>,
    /// Version of the plugin.
    pub version: String,
}

/// Sealed facts of an agent's task beside the call. Members in canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFacts {
    /// Unix time in milliseconds.
    pub finished_ms: u64,
    /// Digest of `{"input":…,"task":…}` in canonical form, without a salt: anyone who has both can
    /// check it.
    #[serde(with = "hex::serde")]
    pub input_sha256: Hash,
    /// Digest of the output in canonical form.
    #[serde(with = "hex::serde")]
    pub output_sha256: Hash,
    /// Unix time in milliseconds.
    pub started_ms: u64,
}

/// Whether earnings can be withdrawn at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Earnings {
    /// Free to withdraw.
    Available,
    /// On hold.
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

/// A decision about a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginAct {
    /// The action.
    pub act: PluginVerb,
    /// Name of the plugin.
    pub plugin: String,
    /// Bridge or agent.
    pub plugin_kind: PluginKind,
    /// The version it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256 of its component.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "hex_option")]
    pub component_sha256: Option<Hash>,
    /// Name of the publisher that signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// `operator`, `publisher` or an account id.
    pub by: String,
}

/// An action on a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PluginVerb {
    /// A published version became the active one.
    Activate,
    /// Allowed to serve.
    Approve,
    /// Held at a version.
    Pin,
    /// No longer held.
    Unpin,
    /// Back to an earlier version.
    Rollback,
    /// Withdrawn.
    Yank,
    /// No longer withdrawn.
    Unyank,
    /// Taken out of service.
    Disable,
    /// Back in service.
    Enable,
    /// Served to some callers.
    Canary,
    /// No longer served as a canary.
    EndCanary,
}

/// A decision about a publisher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherAct {
    /// The action.
    pub act: PublisherVerb,
    /// Name of the publisher.
    pub publisher: String,
    /// Its ed25519 public key.
    #[serde(skip_serializing_if = "Option::is_none", default, with = "hex_option")]
    pub public_key: Option<Hash>,
    /// The actor.
    pub by: String,
}

/// An action on a publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublisherVerb {
    /// Its signatures count from now on.
    Trust,
    /// Its signatures no longer count.
    Revoke,
}

/// Any other event that needs a seal and moves no money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Name of the event.
    pub event: String,
    /// No personal data and no plugin output.
    pub data: Map<String, Value>,
}

/// SHA-256 of a salt followed by bytes. Without the salt the digest of a short text cannot be found
/// by guessing.
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

    /// Refuses a payer with an invalid id, even if nothing is taken from it and no posting would
    /// show it.
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
