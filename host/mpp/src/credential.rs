//! `Credential`: a client's proof that it pays a challenge. A credential is as secret as
//! a password, and never appears in errors or debug output.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::challenge::Challenge;
use crate::encoding::{DecodeError, canonical, read};
use crate::problem::{Problem, ProblemType};

/// Maximum size of a credential that is parsed.
pub const CREDENTIAL_BYTES_MAX: usize = 32 << 10;

/// The request header in which a client sends its credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialHeader {
    /// `Authorization`, the default; challenges do not mention it.
    Authorization,
    /// `Payment-Authorization`, for requests whose `Authorization` carries an API key.
    PaymentAuthorization,
}

impl CredentialHeader {
    /// Returns the lower-case name of the header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authorization => "authorization",
            Self::PaymentAuthorization => "payment-authorization",
        }
    }

    /// Returns the header name to put into a challenge; `None` for the default.
    pub(crate) const fn advertised(self) -> Option<&'static str> {
        match self {
            Self::Authorization => None,
            Self::PaymentAuthorization => Some("Payment-Authorization"),
        }
    }
}

/// The challenge as echoed by the client, and the proof of payment.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    pub(crate) challenge: Challenge,
    pub(crate) payload: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
}

/// An error of reading a credential from a header.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum CredentialError {
    #[error("the credential has {bytes} bytes, more than {CREDENTIAL_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error("the credential cannot be read: {0}")]
    Malformed(String),
    #[error("the request has several credentials; send one")]
    Several,
}

impl CredentialError {
    /// Returns the problem details for the client. The draft defines no problem type for
    /// several credentials; see [`Self::status`].
    pub fn problem(&self) -> Problem {
        Problem::new(ProblemType::MalformedCredential, self.to_string())
    }

    /// Returns the status of the response: 400 for several credentials, otherwise 402.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Several => 400,
            _ => ProblemType::MalformedCredential.status(),
        }
    }
}

impl From<DecodeError> for CredentialError {
    fn from(error: DecodeError) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl Credential {
    /// Returns the challenge as echoed by the client. Untrusted until
    /// [`ChallengeSigner::verify`](crate::ChallengeSigner::verify) accepts it.
    pub const fn challenge(&self) -> &Challenge {
        &self.challenge
    }

    /// Returns the proof of payment in the format of its payment method.
    pub const fn payload(&self) -> &Map<String, Value> {
        &self.payload
    }

    /// Returns the payer named by the client, usually a DID. The name is not verified.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// Finds the credential in the `Authorization` and `Payment-Authorization` headers
    /// of a request. A header may hold several schemes separated by commas (`Bearer …,
    /// Payment …`); only `Payment` is read.
    ///
    /// # Errors
    ///
    /// Fails if the credential cannot be read, or if there are several.
    pub fn of_headers<'value>(values: impl IntoIterator<Item = &'value str>) -> Result<Option<Self>, CredentialError> {
        let mut found = values.into_iter().flat_map(|value| value.split(',')).filter_map(encoded);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(CredentialError::Several),
            (Some(one), None) => Self::decode(one).map(Some),
            (None, _) => Ok(None),
        }
    }

    /// Returns the header value that a client would send.
    pub fn to_header(&self) -> String {
        format!("Payment {}", canonical(self))
    }

    fn decode(text: &str) -> Result<Self, CredentialError> {
        if text.len() > CREDENTIAL_BYTES_MAX {
            return Err(CredentialError::TooLong { bytes: text.len() });
        }
        let credential: Self = read(text)?;
        credential.checked()
    }

    /// Checks that the echoed challenge has only values that a header may contain.
    pub(crate) fn checked(self) -> Result<Self, CredentialError> {
        self.challenge.check_text().map_err(|error| CredentialError::Malformed(error.to_string()))?;
        Ok(self)
    }
}

/// Returns the text after the scheme name, if the scheme is `Payment`.
fn encoded(value: &str) -> Option<&str> {
    let value = value.trim();
    let (scheme, rest) = value.split_once([' ', '\t']).unwrap_or((value, ""));
    scheme.eq_ignore_ascii_case("payment").then(|| rest.trim())
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("challenge", &self.challenge.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::base64url;

    /// The example of the draft.
    const EXAMPLE: &str = "eyJjaGFsbGVuZ2UiOnsiaWQiOiJ4N1RnMnBMcVI5bUt2TndZM2hCY1phIiwicmVhbG0iOiJhcGkuZXhhbXBsZS5jb20iLCJtZXRob2QiOiJleGFtcGxlIiwiaW50ZW50IjoiY2hhcmdlIiwicmVxdWVzdCI6ImV5SmhiVzkxYm5RaU9pSXhNREF3SWl3aVkzVnljbVZ1WTNraU9pSlZVMFFpTENKeVpXTnBjR2xsYm5RaU9pSmhZMk4wWHpFeU15SjkiLCJleHBpcmVzIjoiMjAyNS0wMS0xNVQxMjowNTowMFoifSwicGF5bG9hZCI6eyJwcm9vZiI6IjB4YWJjMTIzLi4uIn19";

    fn read(value: &str) -> Result<Option<Credential>, CredentialError> {
        Credential::of_headers([value])
    }

    #[test]
    fn the_example_of_the_draft_is_read() {
        for value in
            [format!("Payment {EXAMPLE}"), format!("payment   {EXAMPLE} "), format!("Bearer k, Payment {EXAMPLE}")]
        {
            let credential = read(&value).unwrap().unwrap();
            assert_eq!(credential.payload()["proof"], "0xabc123...");
            assert_eq!(credential.challenge().id(), "x7Tg2pLqR9mKvNwY3hBcZa");
            assert_eq!(read(&credential.to_header()), Ok(Some(credential.clone())));
            assert!(!format!("{credential:?}").contains("0xabc123"));
        }
    }

    #[test]
    fn other_schemes_are_ignored_and_bad_credentials_are_malformed() {
        for value in ["", "Bearer abc", "Basic Payment", "PaymentX abc"] {
            assert_eq!(read(value), Ok(None), "{value}");
        }
        let missing = |json: &str| format!("Payment {}", base64url(json.as_bytes()));
        for value in ["Payment", "Payment ", "Payment dGhpcyBpcyBnYXJiYWdl", "Payment e30=", "Payment é", "Payment a b"]
        {
            let error = read(value).unwrap_err();
            assert!(matches!(error, CredentialError::Malformed(_)), "{value}: {error}");
            assert_eq!(error.problem().kind.status(), 402);
        }
        let error = read(&missing("{\"payload\":{},\"challenge\":{\"id\":\"x\"}}")).unwrap_err();
        assert!(error.to_string().contains("challenge.realm"), "{error}");
        assert!(read(&missing("{\"payload\":{}}")).unwrap_err().to_string().contains("`challenge`"));
        assert_eq!(
            Credential::of_headers([format!("Payment {EXAMPLE}").as_str(), format!("Payment {EXAMPLE}").as_str()]),
            Err(CredentialError::Several)
        );
        assert_eq!(CredentialError::Several.status(), 400);
        assert!(matches!(read(&format!("Payment {}", "A".repeat(40_000))), Err(CredentialError::TooLong { .. })));
    }
}
