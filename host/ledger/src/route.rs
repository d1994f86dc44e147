//! `Route`: a paid call.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_store::{Hash, hexed};

use super::bodies::{Earnings, Payer, RecordedShares};
use super::nested::Nested;

/// A paid call. Its members are declared in canonical order, so that serializing it
/// yields canonical JSON; a test checks the order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// SHA-256 of salt and answer.
    #[serde(with = "hexed")]
    pub answer_sha256: Hash,
    /// SHA-256 of the component that ran.
    #[serde(with = "hexed")]
    pub component_sha256: Hash,
    /// Whether the earnings are on hold or can be withdrawn.
    pub earnings: Earnings,
    /// Price of the call.
    #[serde(rename = "gross_millipence")]
    pub gross: Millipence,
    /// Cost of the models that the plugin used; the shares split the remainder of the
    /// price.
    #[serde(rename = "inference_millipence", skip_serializing_if = "Option::is_none", default)]
    pub inference: Option<Millipence>,
    /// Paid calls that the plugin made, directly or through plugins it called.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nested: Vec<Nested>,
    /// Account that earns the developer's share.
    pub owner: String,
    /// The account, intent or task that pays.
    pub payer: Payer,
    /// Name of the plugin.
    pub plugin: String,
    /// Whether the plugin is a bridge or an agent.
    pub plugin_kind: PluginKind,
    /// Seal of the policy record in force when the call was made.
    #[serde(with = "hexed")]
    pub policy: Hash,
    /// Id of the HTTP request.
    pub request_id: String,
    /// SHA-256 of salt and request body.
    #[serde(with = "hexed")]
    pub request_sha256: Hash,
    /// Random salt, without which the digests could be guessed.
    #[serde(with = "hexed")]
    pub salt: [u8; 16],
    /// Shares of the margin: the price less the cost of nested calls.
    pub shares: RecordedShares,
    /// Facts for the proof of an agent's task, if the call is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<TaskFacts>,
    /// Version of the plugin.
    pub version: String,
}

/// Sealed facts about an agent's task, in addition to those of the call. Members are in
/// canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFacts {
    /// End of the task, Unix time in milliseconds.
    pub finished_ms: u64,
    /// Unsalted digest of `{"input":…,"task":…}` in canonical form: anyone who has the
    /// input and the task can check it.
    #[serde(with = "hex::serde")]
    pub input_sha256: Hash,
    /// Unsalted digest of the output in canonical form.
    #[serde(with = "hex::serde")]
    pub output_sha256: Hash,
    /// Start of the task, Unix time in milliseconds.
    pub started_ms: u64,
}
