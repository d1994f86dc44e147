//! A bridge that verifies that a record was sealed and is in the ledger.
//!
//! Invariants: `proven` is only what the host's verifier says of a document signed by a key that the host trusts; the
//! body of a record goes only to its parties, which the host decides.

mod digest;
mod input;
mod verify;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tollbridge_sdk::{Call, Error, bridge};

pub use crate::input::Input;

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// Whether the record is proven.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    /// The record is in the ledger under a signed checkpoint, all of `expect` holds, and `request` and `answer` are those of
    /// the record, if given.
    pub verified: bool,
    /// The inclusion is proven, whatever `expect` says.
    pub included: bool,
    /// Why it is not verified; null when it is.
    pub reason: Option<String>,
    /// Seal of the record: SHA-256 of its canonical text, hexadecimal.
    pub seal: Option<String>,
    /// Its place in the ledger, from 0.
    pub seq: Option<u64>,
    /// Records under the signed checkpoint.
    pub tree_size: Option<u64>,
    /// The ledger that signed.
    pub origin: Option<String>,
    /// The key that signed.
    pub key: Option<String>,
    /// Whether the proof was tied to the content of the record; without, it proves the seal only.
    pub record_checked: bool,
    /// The record; null when you are no party to it and did not give it.
    pub record: Option<Value>,
    /// The record in canonical JSON text, of which `seal` is the digest; null as above.
    pub record_text: Option<String>,
    /// The proof document: inclusion proof and signed checkpoint. Keep it: it can be verified without this server.
    pub proof: Option<Value>,
    /// Whether `request` is what the call was asked; null when it was not given or the record has no digest to compare.
    pub request_matches: Option<bool>,
    /// Whether `answer` is what the call answered; null likewise.
    pub answer_matches: Option<bool>,
    /// Each of `expect`, in order of the pointers.
    pub expectations: Vec<Expectation>,
}

/// What the record was to say.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Expectation {
    /// JSON pointer into the record.
    pub path: String,
    /// What was to stand there.
    pub expected: Value,
    /// What stands there; null when nothing does, or the record is not visible.
    pub found: Option<Value>,
    /// Whether both are the same JSON.
    pub holds: bool,
}

const METHOD: &str = "the ledger's record of this id, its Merkle inclusion proof (RFC 6962) and signed checkpoint, checked \
     by the host's verifier with its pinned keys; SHA-256 of the record compared with the seal where the record is visible; salted SHA-256 of request and \
     answer compared with those in the record, where given";

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let answer = verify::answer(input.read(call)?)?;
    let mut limitations = vec![
        "a proof shows that a record was sealed and not changed since; not that what it says is true or was done well",
        "the checkpoint is this ledger's own; whether it shows everybody the same tree is for witnesses to say",
    ];
    if answer.proof.is_some() && answer.tree_size.is_some() {
        limitations.push("the ledger grows: the same question later gives a proof under a newer checkpoint");
    }
    if answer.included && !answer.record_checked {
        limitations.push("the record was not visible: the seal is proven, its content is not known here");
    }
    Ok(Report::new(answer, METHOD, limitations))
}

bridge! { handle: handle, examples: ["../cases/changed_document.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
