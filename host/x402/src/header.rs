//! The HTTP headers of x402, which contain JSON in base64 (`transports-v2/http.md`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::code::Code;
use crate::wire::{PaymentPayload, PaymentRequired, PaymentRequirements, ResourceInfo, SettlementResponse, V2};

/// Header of a 402 response that lists the accepted payments.
pub const PAYMENT_REQUIRED: &str = "payment-required";
/// Header of a request that contains the proof of payment.
pub const PAYMENT_SIGNATURE: &str = "payment-signature";
/// Header of a response that contains the result of the settlement.
pub const PAYMENT_RESPONSE: &str = "payment-response";
/// Response headers that web pages of other origins must be allowed to read (CORS).
pub const EXPOSED_HEADERS: [&str; 2] = [PAYMENT_REQUIRED, PAYMENT_RESPONSE];
/// Maximum length of a header that is parsed. Payments have about 1,200 bytes; payments
/// that echo extensions with schemas are several times longer.
pub const HEADER_BYTES_MAX: usize = 16 << 10;

/// An error of parsing an x402 header. The server should respond with 400.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum HeaderError {
    #[error("the header has {bytes} bytes, more than {HEADER_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error("the header is not base64 in the standard alphabet with padding")]
    NotBase64,
    #[error("the base64 in the header does not contain valid JSON: {0}")]
    NotJson(String),
    #[error("`{field}` in the header is invalid: {why}")]
    Field { field: String, why: String },
}

impl HeaderError {
    /// Returns the x402 error code.
    pub fn code(&self) -> Code {
        match self {
            Self::Field { field, .. } if field == "x402Version" => Code::InvalidX402Version,
            Self::Field { field, .. } if field.starts_with("accepted") => Code::InvalidPaymentRequirements,
            _ => Code::InvalidPayload,
        }
    }
}

/// Implements encoding and decoding of a message as a header value.
macro_rules! header_of {
    ($name:ident, $header:literal) => {
        impl $name {
            #[doc = concat!("Returns the value of the header `", $header, "`, as base64 in ASCII.")]
            pub fn encode(&self) -> String {
                encode(self)
            }

            #[doc = concat!("Reads the value of the header `", $header, "`.")]
            ///
            /// # Errors
            ///
            /// Fails if the value is too long, not base64, not JSON, or a member is
            /// invalid; the error names the member.
            pub fn decode(value: &[u8]) -> Result<Self, HeaderError> {
                decode(value)
            }
        }
    };
}

header_of!(PaymentRequired, "PAYMENT-REQUIRED");
header_of!(PaymentPayload, "PAYMENT-SIGNATURE");
header_of!(SettlementResponse, "PAYMENT-RESPONSE");

/// [`PaymentRequired`] whose extensions are already serialized.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WithExtensions<'a> {
    #[serde(rename = "x402Version")]
    version: V2,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    resource: &'a ResourceInfo,
    accepts: &'a [PaymentRequirements],
    extensions: &'a RawValue,
}

impl PaymentRequired {
    /// Encodes the message like [`Self::encode`], but with `extensions` instead of its
    /// own.
    pub fn encode_with(&self, extensions: &RawValue) -> String {
        let Self { version, error, resource, accepts, .. } = self;
        encode(&WithExtensions { version: *version, error: error.as_deref(), resource, accepts, extensions })
    }
}

fn encode<T: Serialize>(message: &T) -> String {
    // Strings, numbers and maps with string keys always serialize without an error.
    STANDARD.encode(serde_json::to_vec(message).unwrap_or_default())
}

fn decode<T: DeserializeOwned>(value: &[u8]) -> Result<T, HeaderError> {
    if value.len() > HEADER_BYTES_MAX {
        return Err(HeaderError::TooLong { bytes: value.len() });
    }
    let json = STANDARD.decode(value).map_err(|_| HeaderError::NotBase64)?;
    read_json(&json)
}

/// Parses one JSON text; an error names the invalid member.
pub(crate) fn read_json<T: DeserializeOwned>(json: &[u8]) -> Result<T, HeaderError> {
    let reader = &mut serde_json::Deserializer::from_slice(json);
    let message = serde_path_to_error::deserialize(&mut *reader).map_err(|error| field_error(&error))?;
    reader.end().map_err(|error| HeaderError::NotJson(error.to_string()))?;
    Ok(message)
}

/// Deserializes a message from parsed JSON; an error names the invalid member.
pub(crate) fn read_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, HeaderError> {
    serde_path_to_error::deserialize(value).map_err(|error| field_error(&error))
}

fn field_error(error: &serde_path_to_error::Error<serde_json::Error>) -> HeaderError {
    let inner = error.inner();
    if inner.is_syntax() || inner.is_eof() {
        return HeaderError::NotJson(inner.to_string());
    }
    let (path, why) = (error.path().to_string(), inner.to_string());
    // If a member is missing, `path` is the path of the enclosing object, and only the
    // message contains the member's name.
    let missing = why.strip_prefix("missing field `").and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
    let field = match (path.as_str(), missing) {
        (".", Some(name)) => name.to_owned(),
        (outer, Some(name)) => format!("{outer}.{name}"),
        (outer, None) => outer.to_owned(),
    };
    HeaderError::Field { field: shown(&field), why: shown(&why) }
}

/// Shortens untrusted text for an error message.
fn shown(text: &str) -> String {
    tollbridge_core::excerpt::excerpt(text, 200)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{PAYMENT, vectors};

    fn header(change: impl FnOnce(&mut Value)) -> String {
        let mut value: Value = serde_json::from_str(PAYMENT).unwrap();
        change(&mut value);
        STANDARD.encode(value.to_string())
    }

    #[test]
    fn the_examples_of_the_specification_are_read() {
        let read = vectors("spec_headers.json");
        let text = |name: &str| read[name].as_str().unwrap().as_bytes().to_vec();
        let required = PaymentRequired::decode(&text("PAYMENT-REQUIRED")).unwrap();
        let payment = PaymentPayload::decode(&text("PAYMENT-SIGNATURE")).unwrap();
        assert_eq!(required.accepts.first(), Some(&payment.accepted));
        assert_eq!(Some(&required.resource), payment.resource.as_ref());
        assert!(SettlementResponse::decode(&text("PAYMENT-RESPONSE success")).unwrap().success);
        let failed = SettlementResponse::decode(&text("PAYMENT-RESPONSE failure")).unwrap();
        assert_eq!(failed.error_reason.as_deref(), Some(Code::InsufficientFunds.as_str()));
        assert_eq!(PaymentPayload::decode(payment.encode().as_bytes()), Ok(payment));
        assert_eq!(PaymentRequired::decode(required.encode().as_bytes()), Ok(required));
    }

    /// Checks that the stored file `ours.json` matches the headers that this crate writes;
    /// `tests/clients/payment_formats.py` makes the official library read it and pay.
    #[test]
    fn the_vectors_file_is_up_to_date() {
        let vector = crate::testing::signed().remove(0);
        let resource = crate::wire::ResourceInfo { url: "http://127.0.0.1/x".to_owned(), ..Default::default() };
        let why = "PAYMENT-SIGNATURE header is required";
        let required = PaymentRequired::new(resource, vec![vector.requirement.to_wire()], why);
        let settled = crate::settlement::Settled {
            transaction: crate::bytes32::TransactionHash::new([1; 32]),
            payer: vector.payer,
            network: vector.requirement.token().chain.network(),
            amount: vector.requirement.amount(),
        };
        let response = SettlementResponse::from(&settled);
        let made = json!({ "PAYMENT-REQUIRED": required.encode(), "PAYMENT-RESPONSE": response.encode() });
        if std::env::var("RENEW_VECTORS").is_ok_and(|value| value == "1") {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/ours.json");
            std::fs::write(path, format!("{made:#}\n")).unwrap();
        }
        assert_eq!(vectors("ours.json"), made, "run with RENEW_VECTORS=1 to rewrite the file");
    }

    #[test]
    fn an_error_names_the_member() {
        for (pointer, wrong, field, code) in [
            ("/x402Version", json!(1), "x402Version", Code::InvalidX402Version),
            ("/accepted/amount", json!("1.5"), "accepted.amount", Code::InvalidPaymentRequirements),
            ("/accepted/amount", json!(10000), "accepted.amount", Code::InvalidPaymentRequirements),
            ("/accepted/network", json!("base"), "accepted.network", Code::InvalidPaymentRequirements),
            ("/payload", json!("0x"), "payload", Code::InvalidPayload),
        ] {
            let value = header(|json| *json.pointer_mut(pointer).unwrap() = wrong);
            let error = PaymentPayload::decode(value.as_bytes()).unwrap_err();
            assert!(matches!(&error, HeaderError::Field { field: named, .. } if named == field), "{error}");
            assert_eq!(error.code(), code, "{error}");
        }
    }

    #[test]
    fn a_missing_member_is_named() {
        for (parent, member, field) in
            [("", "x402Version", "x402Version"), ("/accepted", "payTo", "accepted.payTo"), ("", "payload", "payload")]
        {
            let value = header(|json| drop(json.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(member)));
            let error = PaymentPayload::decode(value.as_bytes()).unwrap_err();
            assert!(matches!(&error, HeaderError::Field { field: named, .. } if named == field), "{error}");
        }
    }

    #[test]
    fn a_malformed_message_is_refused() {
        let long = "A".repeat(HEADER_BYTES_MAX + 4);
        assert!(matches!(PaymentPayload::decode(long.as_bytes()), Err(HeaderError::TooLong { .. })));
        for text in ["e30", "e30==", "{}", "_-8=", "e3 0="] {
            assert_eq!(PaymentPayload::decode(text.as_bytes()), Err(HeaderError::NotBase64), "{text}");
        }
        for json in ["", "{", "{} {}", "nul"] {
            let header = STANDARD.encode(json);
            assert!(
                matches!(
                    PaymentPayload::decode(header.as_bytes()),
                    Err(HeaderError::NotJson(_) | HeaderError::Field { .. })
                ),
                "{json}"
            );
        }
        let deep = STANDARD.encode(format!("{{\"extensions\":{}", "[".repeat(4_000)));
        assert!(PaymentPayload::decode(deep.as_bytes()).is_err());
    }

    #[test]
    fn unknown_members_and_nulls_are_tolerated_and_handed_on() {
        let value = header(|json| {
            json["later"] = json!([1]);
            json["accepted"]["later"] = json!({ "a": 1 });
            json["extensions"] = Value::Null;
            json["resource"]["serviceName"] = json!("Tollbridge");
        });
        let payment = PaymentPayload::decode(value.as_bytes()).unwrap();
        assert_eq!(payment.accepted.other["later"], json!({ "a": 1 }));
        let again = PaymentPayload::decode(payment.encode().as_bytes()).unwrap();
        assert_eq!(again.resource.unwrap().other["serviceName"], json!("Tollbridge"));
    }
}
