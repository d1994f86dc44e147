//! `Challenge`: a request for payment in its wire format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::auth_params::{self, ParamsError, quoted};
use crate::encoding::{DecodeError, read};
use crate::name::{Intent, Method, NameError};

/// Header of a 402 response that contains one challenge; it is repeated for further
/// challenges.
pub const WWW_AUTHENTICATE: &str = "www-authenticate";
/// Maximum size of a challenge that is parsed. A server should keep its own challenges
/// below 8 KiB.
pub const CHALLENGE_BYTES_MAX: usize = 16 << 10;

/// A challenge. Challenges of this host are issued by
/// [`ChallengeSigner`](crate::ChallengeSigner); a parsed challenge is untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    pub(crate) id: String,
    pub(crate) realm: String,
    pub(crate) method: Method,
    pub(crate) intent: Intent,
    pub(crate) request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) opaque: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) header: Option<String>,
}

/// An error of parsing or creating a challenge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ChallengeError {
    #[error("the challenge has {bytes} bytes, more than {CHALLENGE_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error("not a challenge of the scheme `Payment`: {0}")]
    Syntax(String),
    #[error("the challenge's parameter `{0}` is missing or empty")]
    Missing(&'static str),
    #[error("the challenge's parameter `{member}` is invalid: {why}")]
    Wrong { member: &'static str, why: String },
}

impl From<NameError> for ChallengeError {
    fn from(error: NameError) -> Self {
        let member = match error {
            NameError::Method => "method",
            NameError::Intent => "intent",
        };
        Self::Wrong { member, why: error.to_string() }
    }
}

impl From<ParamsError> for ChallengeError {
    fn from(error: ParamsError) -> Self {
        Self::Syntax(error.to_string())
    }
}

impl Challenge {
    /// Returns the id: a MAC of the challenge's terms under its issuer's key.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the realm, which identifies the issuer.
    pub fn realm(&self) -> &str {
        &self.realm
    }

    /// Returns the payment method.
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// Returns the payment intent.
    pub const fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Returns the expiry as an RFC 3339 time.
    pub fn expires(&self) -> Option<&str> {
        self.expires.as_deref()
    }

    /// Returns the digest of the request body that the challenge is bound to.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Returns the description, which is for display only: the id does not cover it.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the header in which to send the credential, unless it is `Authorization`.
    pub fn credential_header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// Decodes the method-specific request.
    ///
    /// # Errors
    ///
    /// Fails if the request is not a JSON object in base64url.
    pub fn request(&self) -> Result<Map<String, Value>, ChallengeError> {
        read(&self.request).map_err(|error| wrong("request", &error))
    }

    /// Decodes the data that the client must return unchanged to the issuer.
    ///
    /// # Errors
    ///
    /// Fails if the data is not a JSON object of strings in base64url.
    pub fn opaque(&self) -> Result<BTreeMap<String, String>, ChallengeError> {
        self.opaque.as_deref().map_or(Ok(BTreeMap::new()), |text| read(text).map_err(|error| wrong("opaque", &error)))
    }

    /// Returns the value of one `WWW-Authenticate` header, in ASCII.
    pub fn to_header(&self) -> String {
        let mut text = String::from("Payment ");
        let required = [
            ("id", Some(self.id.as_str())),
            ("realm", Some(&self.realm)),
            ("method", Some(self.method.as_str())),
            ("intent", Some(self.intent.as_str())),
            ("request", Some(&self.request)),
        ];
        let optional = [
            ("expires", self.expires.as_deref()),
            ("digest", self.digest.as_deref()),
            ("description", self.description.as_deref()),
            ("opaque", self.opaque.as_deref()),
            ("header", self.header.as_deref()),
        ];
        for (name, value) in required.into_iter().chain(optional) {
            // Values with control characters have no quoted form; they are rejected
            // when a challenge is created or parsed.
            let Some(value) = value.and_then(quoted) else { continue };
            let comma = if text.ends_with(' ') { "" } else { ", " };
            text.extend([comma, name, "=", &value]);
        }
        text
    }

    /// Parses the value of a `WWW-Authenticate` header with one challenge.
    ///
    /// # Errors
    ///
    /// Fails if the value is too long, has another scheme, is malformed, or lacks a
    /// parameter.
    pub fn parse(header: &str) -> Result<Self, ChallengeError> {
        if header.len() > CHALLENGE_BYTES_MAX {
            return Err(ChallengeError::TooLong { bytes: header.len() });
        }
        let mut params = auth_params::read(header)?;
        let mut required = |name: &'static str| {
            params.remove(name).filter(|value| !value.is_empty()).ok_or(ChallengeError::Missing(name))
        };
        let (id, realm, request) = (required("id")?, required("realm")?, required("request")?);
        let (method, intent) = (required("method")?.parse()?, required("intent")?.parse()?);
        let mut optional = |name: &str| params.remove(name);
        let challenge = Self {
            id,
            realm,
            method,
            intent,
            request,
            expires: optional("expires"),
            digest: optional("digest"),
            description: optional("description"),
            opaque: optional("opaque"),
            header: optional("header"),
        };
        challenge.check_text()?;
        challenge.request()?;
        challenge.opaque()?;
        Ok(challenge)
    }

    /// Converts the challenge to its JSON-RPC form, in which JSON members are not encoded
    /// in base64url.
    ///
    /// # Errors
    ///
    /// Fails if `request` or `opaque` is not JSON in base64url, which cannot happen for
    /// challenges of this host.
    pub fn to_json(&self) -> Result<Value, ChallengeError> {
        let mut json = json!(self);
        let (request, opaque) = (self.request()?, self.opaque()?);
        if let Some(members) = json.as_object_mut() {
            members.insert("request".to_owned(), Value::Object(request));
            if self.opaque.is_some() {
                members.insert("opaque".to_owned(), json!(opaque));
            }
        }
        Ok(json)
    }

    /// Checks that no member contains a control character, which is not allowed in a
    /// header.
    pub(crate) fn check_text(&self) -> Result<(), ChallengeError> {
        let members = [
            ("id", Some(&self.id)),
            ("realm", Some(&self.realm)),
            ("expires", self.expires.as_ref()),
            ("digest", self.digest.as_ref()),
            ("description", self.description.as_ref()),
            ("header", self.header.as_ref()),
        ];
        let control = |text: &String| text.chars().any(|character| character.is_ascii_control());
        match members.into_iter().find(|(_, text)| text.is_some_and(control)) {
            Some((member, _)) => Err(ChallengeError::Wrong { member, why: "contains a control character".to_owned() }),
            None => Ok(()),
        }
    }

    /// Checks that the challenge is short enough to be parsed again.
    pub(crate) fn check_length(&self) -> Result<(), ChallengeError> {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let texts = [self.realm.len(), self.request.len(), length(&self.opaque), length(&self.description)];
        // Upper bound: an escaped character has up to six bytes, and 256 bytes are enough
        // for the other members.
        let most = texts.into_iter().fold(256, |sum: usize, bytes| sum.saturating_add(bytes.saturating_mul(6)));
        if most <= CHALLENGE_BYTES_MAX {
            return Ok(());
        }
        match self.to_header().len() {
            bytes if bytes > CHALLENGE_BYTES_MAX => Err(ChallengeError::TooLong { bytes }),
            _ => Ok(()),
        }
    }
}

fn wrong(member: &'static str, error: &DecodeError) -> ChallengeError {
    ChallengeError::Wrong { member, why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the draft, on one line.
    const EXAMPLE: &str = "Payment id=\"x7Tg2pLqR9mKvNwY3hBcZa\", realm=\"api.example.com\", method=\"example\", \
        intent=\"charge\", expires=\"2025-01-15T12:05:00Z\", \
        request=\"eyJhbW91bnQiOiIxMDAwIiwiY3VycmVuY3kiOiJVU0QiLCJyZWNpcGllbnQiOiJhY2N0XzEyMyJ9\", later=\"x\"";

    #[test]
    fn the_example_of_the_draft_is_read() {
        let challenge = Challenge::parse(EXAMPLE).unwrap();
        assert_eq!(challenge.request().unwrap()["recipient"], "acct_123");
        assert_eq!(challenge.expires(), Some("2025-01-15T12:05:00Z"));
        assert_eq!(Challenge::parse(&challenge.to_header()), Ok(challenge.clone()));
        assert_eq!(challenge.to_json().unwrap()["request"]["amount"], "1000");
    }

    #[test]
    fn errors_name_the_missing_or_invalid_parameter() {
        for (change, to, expected) in [
            ("id=\"x7Tg2pLqR9mKvNwY3hBcZa\"", "id=\"\"", ChallengeError::Missing("id")),
            ("realm=", "x=", ChallengeError::Missing("realm")),
            ("intent=\"charge\", ", "", ChallengeError::Missing("intent")),
            ("method=\"example\"", "method=\"EX\"", NameError::Method.into()),
            ("eyJhb", "eyJh!", wrong("request", &DecodeError::NotBase64)),
            ("eyJhb", "fyJhb", wrong("request", &DecodeError::NotJson)),
            (
                "eyJhbW91bnQiOiIxMDAwIiwiY3VycmVuY3kiOiJVU0QiLCJyZWNpcGllbnQiOiJhY2N0XzEyMyJ9",
                "W10",
                wrong("request", &DecodeError::Member(".".to_owned())),
            ),
        ] {
            assert_eq!(Challenge::parse(&EXAMPLE.replacen(change, to, 1)), Err(expected), "{change}");
        }
        assert!(matches!(Challenge::parse(&"a".repeat(17_000)), Err(ChallengeError::TooLong { .. })));
    }
}
