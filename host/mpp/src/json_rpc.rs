//! MPP in JSON-RPC and the Model Context Protocol
//! (`draft-payment-transport-mcp-00`).

use serde_json::{Value, json};

use crate::challenge::{Challenge, ChallengeError};
use crate::credential::{CREDENTIAL_BYTES_MAX, Credential, CredentialError};
use crate::encoding::{canonical, read_value};
use crate::problem::{Problem, ProblemType};

/// Error code: a payment is required.
pub const CODE_REQUIRED: i64 = -32042;
/// Error code: a payment was sent but not accepted.
pub const CODE_VERIFICATION_FAILED: i64 = -32043;
/// Error code: the credential is malformed.
pub const CODE_MALFORMED: i64 = -32602;
/// Error code: the outcome of the payment is unknown.
pub const CODE_INTERNAL: i64 = -32603;
/// Member of `_meta` that holds a credential.
pub const META_CREDENTIAL: &str = "org.paymentauth/credential";
/// Member of `_meta` that holds a receipt.
pub const META_RECEIPT: &str = "org.paymentauth/receipt";

/// Returns the member `error` of a response that requests a payment; the client pays one
/// of the challenges.
///
/// # Errors
///
/// Fails if a parsed challenge does not contain valid JSON.
pub fn required_error(challenges: &[Challenge], problem: &Problem) -> Result<Value, ChallengeError> {
    let challenges = native(challenges)?;
    let data = json!({ "httpStatus": 402, "challenges": challenges, "problem": problem.to_json() });
    Ok(json!({ "code": CODE_REQUIRED, "message": ProblemType::PaymentRequired.title(), "data": data }))
}

/// Returns the member `error` of a response that refuses a payment. The error's reason is
/// the last segment of the problem's URI.
///
/// # Errors
///
/// Fails if a parsed challenge does not contain valid JSON.
pub fn verification_failed_error(challenges: &[Challenge], problem: &Problem) -> Result<Value, ChallengeError> {
    let challenges = native(challenges)?;
    let reason = problem.kind.uri().rsplit('/').next().unwrap_or_default();
    let failure = json!({ "reason": reason, "detail": problem.detail });
    let data = json!({ "httpStatus": 402, "challenges": challenges, "failure": failure, "problem": problem.to_json() });
    Ok(json!({ "code": CODE_VERIFICATION_FAILED, "message": ProblemType::VerificationFailed.title(), "data": data }))
}

fn native(challenges: &[Challenge]) -> Result<Vec<Value>, ChallengeError> {
    challenges.iter().map(Challenge::to_json).collect()
}

/// Finds the credential of a JSON-RPC message, in `params._meta` or in `_meta`.
///
/// # Errors
///
/// Fails if the credential cannot be read, or if there are two.
pub fn credential_of_message(message: &Value) -> Result<Option<Credential>, CredentialError> {
    let of = |holder: Option<&Value>| holder.and_then(|holder| holder.get("_meta")?.get(META_CREDENTIAL)).cloned();
    let credential = match (of(message.get("params")), of(Some(message))) {
        (Some(_), Some(_)) => return Err(CredentialError::Several),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return Ok(None),
    };
    let bytes = credential.to_string().len();
    if bytes > CREDENTIAL_BYTES_MAX {
        return Err(CredentialError::TooLong { bytes });
    }
    let mut credential = credential;
    if let Some(challenge) = credential.get_mut("challenge").and_then(Value::as_object_mut) {
        // JSON-RPC carries these members as plain JSON, HTTP headers as base64url.
        for member in ["request", "opaque"] {
            if let Some(native) = challenge.get_mut(member).filter(|native| native.is_object()) {
                *native = Value::String(canonical(native));
            }
        }
    }
    let credential: Credential = read_value(credential)?;
    credential.checked().map(Some)
}
