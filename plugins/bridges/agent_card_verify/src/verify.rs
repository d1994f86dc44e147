//! Signatures: flattened JWS (RFC 7515) with Ed25519 (RFC 8037) or ES256 (RFC 7518) keys of a given JWK set.

use p256::ecdsa::signature::Verifier;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::forms::Form;

/// What came of one signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It fits the card in one of the forms.
    Valid,
    /// It fits none: another card, another key or another form.
    Invalid,
    /// No key of the set has its id and kind.
    NoKey,
    /// Another algorithm than EdDSA and ES256.
    Unsupported,
    /// It does not read.
    Malformed,
}

/// One signature.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// Its place in `signatures`, from 0.
    pub index: usize,
    /// What came of it.
    pub status: Status,
    /// The form that it fits.
    pub form: Option<Form>,
    /// Its algorithm, as the header says.
    pub alg: Option<String>,
    /// Id of its key, as the header says.
    pub kid: Option<String>,
    /// Where the header says that keys are; not fetched.
    pub jku: Option<String>,
    /// In words.
    pub message: String,
}

/// Most keys that are tried for one signature: a header that names its key has one, and a verification is the dearest
/// thing here.
pub const KEYS_TRIED: usize = 4;

/// Payloads as signatures have them, so that they are made ready once for all.
pub fn ready(payloads: [(Form, String); 3]) -> [(Form, String); 3] {
    payloads.map(|(form, text)| (form, encoded(text.as_bytes())))
}

/// Checks one signature against the payloads that are ready.
pub fn check(index: usize, signature: &Value, keys: &[Value], payloads: &[(Form, String)]) -> Checked {
    let part = |name: &str| signature.get(name).and_then(Value::as_str);
    let header =
        part("protected").and_then(decoded).and_then(|b| serde_json::from_slice::<Map<String, Value>>(&b).ok());
    let member =
        |name: &str| header.as_ref()?.get(name)?.as_str().map(|text| text.chars().take(500).collect::<String>());
    let answer = |status, form, message: &str| Checked {
        index,
        status,
        form,
        alg: member("alg"),
        kid: member("kid"),
        jku: member("jku"),
        message: message.to_owned(),
    };
    let (Some(protected), Some(header), Some(bytes)) =
        (part("protected"), &header, part("signature").and_then(decoded))
    else {
        return answer(
            Status::Malformed,
            None,
            "`protected` and `signature` must be base64url without padding, the first of a JSON object",
        );
    };
    if header.contains_key("crit") {
        return answer(
            Status::Unsupported,
            None,
            "the header has critical extensions (`crit`), which are not known here",
        );
    }
    let alg = member("alg").unwrap_or_default();
    let (kind, curve) = match alg.as_str() {
        "EdDSA" | "Ed25519" => ("OKP", "Ed25519"),
        "ES256" => ("EC", "P-256"),
        _ => return answer(Status::Unsupported, None, "only EdDSA with Ed25519 and ES256 are verified"),
    };
    let kid = member("kid");
    let fits = |key: &&Value| {
        let is = |name: &str, value: &str| key.get(name).and_then(Value::as_str) == Some(value);
        let named = kid.as_deref().is_none_or(|kid| key.get("kid").is_none() || is("kid", kid));
        let signs = key.get("use").is_none() || is("use", "sig");
        is("kty", kind) && is("crv", curve) && named && signs
    };
    let candidates: Vec<&Value> = keys.iter().filter(fits).collect();
    if candidates.is_empty() {
        return answer(Status::NoKey, None, "no key of the set has this id, kind and use");
    }
    for (form, payload) in payloads {
        let signed = format!("{protected}.{payload}");
        if candidates.iter().take(KEYS_TRIED).any(|key| verified(key, kind, signed.as_bytes(), &bytes)) {
            return answer(Status::Valid, Some(*form), "the signature fits the card");
        }
    }
    let message = match candidates.len() {
        ..=KEYS_TRIED => "the signature fits the card in none of the three forms".to_owned(),
        fitting => format!(
            "the signature fits the card in none of the three forms under the first {KEYS_TRIED} of {fitting} keys; name the key with `kid`"
        ),
    };
    answer(Status::Invalid, None, &message)
}

fn verified(key: &Value, kind: &str, signed: &[u8], signature: &[u8]) -> bool {
    let part = |name: &str| key.get(name).and_then(Value::as_str).and_then(decoded);
    if kind == "OKP" {
        let public = part("x").and_then(|x| ed25519_dalek::VerifyingKey::try_from(x.as_slice()).ok());
        let signature = ed25519_dalek::Signature::from_slice(signature).ok();
        return public
            .zip(signature)
            .is_some_and(|(public, signature)| public.verify_strict(signed, &signature).is_ok());
    }
    let (Some(x), Some(y)) = (part("x"), part("y")) else { return false };
    if x.len() != 32 || y.len() != 32 {
        return false;
    }
    let point: Vec<u8> = std::iter::once(4).chain(x).chain(y).collect();
    let public = p256::ecdsa::VerifyingKey::from_sec1_bytes(&point).ok();
    let signature = p256::ecdsa::Signature::from_slice(signature).ok();
    public.zip(signature).is_some_and(|(public, signature)| public.verify(signed, &signature).is_ok())
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encoded(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().chain([&0, &0]).take(3).fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        for place in 0..=chunk.len() {
            let index = (word >> (18 - 6 * place)) & 63;
            out.extend(LETTERS.get(index as usize).map(|byte| char::from(*byte)));
        }
    }
    out
}

/// Base64url without padding; leftover bits must be 0.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut word, mut bits) = (0u32, 0u32);
    for byte in text.bytes() {
        let value = LETTERS.iter().position(|letter| *letter == byte)?;
        word = (word << 6 | u32::try_from(value).ok()?) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(word >> bits & 0xff).ok()?);
        }
    }
    (bits < 6 && word & ((1 << bits) - 1) == 0).then_some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base64url() {
        // RFC 4648, section 10, without padding.
        for (plain, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encoded(plain.as_bytes()), text);
            assert_eq!(decoded(text).as_deref(), Some(plain.as_bytes()));
        }
        for bad in ["Zg==", "Z", "Zh", "a+b/", "é"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(bytes: Vec<u8>) {
            prop_assert_eq!(decoded(&encoded(&bytes)), Some(bytes));
        }
    }
}
