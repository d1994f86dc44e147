//! A bridge that verifies the signatures of an A2A agent card and checks the card against A2A 0.3.0.
//!
//! Keys come from the input; nothing is fetched. A card that does not verify is an answer.

mod forms;
mod jcs;
mod shape;
mod verify;

use bridge_common::{Report, depth};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollbridge_sdk::{Call, Error, bridge};

use crate::{
    shape::Fault,
    verify::{Checked, Status},
};

/// Most signatures and keys that are tried.
const MOST: usize = 16;

/// An agent card and the keys of its signer.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("card | resource_id"))]
pub struct Input {
    /// Id of a stored agent card (`res_…`, JSON). Alone it is checked against the shape of A2A 0.3.0, and its signatures are read but have no key.
    pub resource_id: Option<String>,
    /// The agent card as it is published. Give this or `resource_id`.
    pub card: Option<Map<String, Value>>,
    /// The signer's JWK set (RFC 7517), for example from the address in `jku`: Ed25519 and P-256 keys, at most 16. A signature is tried with the first four that may have made it. Default: no keys, so no signature is verified.
    pub jwks: Option<Jwks>,
}

/// A JWK set.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Jwks {
    /// The keys.
    #[schemars(length(max = 16))]
    pub keys: Vec<Value>,
}

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// What the card's signatures and shape show. The shapes are those of the types of a2a-sdk 0.3.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// At least one signature is valid with the given keys, as SDKs ask for.
    pub verified: bool,
    /// Each signature, at most 16.
    pub signatures: Vec<Checked>,
    /// The card has the shape of A2A 0.3.0.
    pub shape_ok: bool,
    /// Where it has not, at most 100.
    pub faults: Vec<Fault>,
    /// What is allowed but unwise, at most 100.
    pub warnings: Vec<Fault>,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let (card, field) = match (input.card, &input.resource_id) {
        (Some(card), None) => (card, "/card"),
        (None, Some(_)) => {
            let card = serde_json::from_str(call.stored()?.text()?).map_err(|error| {
                Error::invalid("/resource_id", format!("the stored card is no JSON object: {error}"))
            })?;
            (card, "/resource_id")
        }
        (Some(_), Some(_)) => return Err(Error::invalid("/card", "give `card` or `resource_id`, not both")),
        (None, None) => return Err(Error::invalid("/card", "give `card`, or `resource_id` of a stored one")),
    };
    let keys = input.jwks.map(|set| set.keys).unwrap_or_default();
    if keys.len() > MOST {
        return Err(Error::invalid("/jwks/keys", format!("at most {MOST} keys")));
    }
    let card = Value::Object(card);
    if !depth::is_shallow(&card, jcs::DEPTH_MAX) {
        return Err(Error::invalid(field, format!("nested more than {} levels deep", jcs::DEPTH_MAX)));
    }
    let Value::Object(card) = card else { return Err(Error::internal("the card is an object")) };
    let signatures = card.get("signatures").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if signatures.len() > MOST {
        return Err(Error::invalid(format!("{field}/signatures"), format!("at most {MOST} signatures")));
    }
    let payloads = verify::ready(forms::payloads(&card));
    let checked: Vec<Checked> =
        signatures.iter().enumerate().map(|(place, one)| verify::check(place, one, &keys, &payloads)).collect();
    let shape = shape::check(&card);
    let answer = Answer {
        verified: checked.iter().any(|one| one.status == Status::Valid),
        signatures: checked,
        shape_ok: shape.faults.is_empty(),
        faults: shape.faults,
        warnings: shape.warnings,
    };
    Ok(Report::new(answer, METHOD, LIMITATIONS))
}

const METHOD: &str = "JWS signing input over three canonical forms (RFC 8785; a2a-sdk 0.3; a2a-sdk 1.x), Ed25519 and ES256 verification; members against the types of A2A 0.3.0";
const LIMITATIONS: [&str; 3] = [
    "Keys are those given; `jku` was not fetched, and whose the keys are is for you to know.",
    "Extensions' params and OAuth flows are not looked into; numbers beyond 2^53 are not normalised.",
    "A valid signature says who published the card, not what the agent does.",
];

bridge! { handle: handle, examples: ["../cases/jcs_ed25519.json", "../cases/tampered.json"] }

#[cfg(test)]
mod tests;
