//! Codes: what a consent gives, to be changed for tokens once and at once.
//!
//! They live in memory: after a restart a person consents again.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tollbridge_core::limits::{CODE_MS_MAX, CODES_MAX};
use tollbridge_core::money::Millipence;

use super::super::bounded::GenerationalMap;

/// What a person consented to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// Account id.
    pub account: String,
    /// Client id.
    pub client: String,
    /// What the client called itself on the consent page.
    pub client_name: String,
    /// Where the code is sent.
    pub redirect_uri: String,
    /// SHA-256 of the verifier, in base64 for URLs.
    pub challenge: String,
    /// What the tokens are for.
    pub resource: String,
    /// Most that the tokens may spend on one day.
    pub max_spend_per_day: Option<Millipence>,
}

/// What a client sends for its first tokens.
#[derive(Clone, Copy, Debug)]
pub struct CodeExchange<'a> {
    /// The authorization code.
    pub code: &'a str,
    /// Client id.
    pub client: &'a str,
    /// Must be the one of the consent.
    pub redirect_uri: Option<&'a str>,
    /// The PKCE verifier.
    pub verifier: &'a str,
    /// Must be the one of the consent.
    pub resource: Option<&'a str>,
}

/// Why a code gives nothing.
#[derive(Debug, thiserror::Error)]
pub enum CodeExchangeError {
    /// No such code, or not this client's.
    #[error("the code is unknown, too old or of another client")]
    Unknown,
    /// Names the account and the grant that it gave before, to end it.
    #[error("the code was used before; what it gave is ended")]
    Used {
        /// Account id.
        account: String,
        /// Grant id.
        grant: [u8; 16],
    },
    /// Another redirect address.
    #[error("redirect_uri is not the one that the code was asked with")]
    Redirect,
    /// The verifier does not fit the challenge.
    #[error("code_verifier does not fit the code_challenge")]
    Verifier,
    /// Another resource.
    #[error("resource is not the one that was consented to")]
    Resource,
}

/// The codes that were given in the last minute.
pub struct AuthorizationCodes {
    pending: Mutex<GenerationalMap<[u8; 32], PendingCode>>,
}

struct PendingCode {
    consent: Consent,
    expires_ms: u64,
    /// What it was changed for.
    used: Option<[u8; 16]>,
}

impl Default for AuthorizationCodes {
    fn default() -> Self {
        Self { pending: Mutex::new(GenerationalMap::new(CODES_MAX)) }
    }
}

impl AuthorizationCodes {
    /// A code for a consent.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn issue(&self, consent: Consent, now_ms: u64) -> Result<String, getrandom::Error> {
        let mut random = [0_u8; 32];
        getrandom::fill(&mut random)?;
        let code = format!("tb_co_{}", URL_SAFE_NO_PAD.encode(random));
        let pending = PendingCode { consent, expires_ms: now_ms.saturating_add(CODE_MS_MAX), used: None };
        self.pending.lock().entry(digest(&code), || pending);
        Ok(code)
    }

    /// What a code stands for; from now on it is used, for the grant named.
    /// One that is used wrongly is used up too, so nobody tries verifiers.
    ///
    /// # Errors
    /// [`CodeExchangeError`] says what does not fit.
    pub fn redeem(
        &self,
        exchange: CodeExchange<'_>,
        grant: [u8; 16],
        now_ms: u64,
    ) -> Result<Consent, CodeExchangeError> {
        let CodeExchange { code, client, redirect_uri, verifier, resource } = exchange;
        let mut all = self.pending.lock();
        let pending =
            all.get(&digest(code)).filter(|pending| now_ms < pending.expires_ms).ok_or(CodeExchangeError::Unknown)?;
        if pending.consent.client != client {
            return Err(CodeExchangeError::Unknown);
        }
        if let Some(grant) = pending.used {
            return Err(CodeExchangeError::Used { account: pending.consent.account.clone(), grant });
        }
        pending.used = Some(grant);
        let consent = pending.consent.clone();
        drop(all);
        if redirect_uri.is_some_and(|address| address != consent.redirect_uri) {
            return Err(CodeExchangeError::Redirect);
        }
        if resource.is_some_and(|resource| resource != consent.resource) {
            return Err(CodeExchangeError::Resource);
        }
        let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
        if !is_verifier(verifier) || !bool::from(proof.as_bytes().ct_eq(consent.challenge.as_bytes())) {
            return Err(CodeExchangeError::Verifier);
        }
        Ok(consent)
    }
}

/// RFC 7636, 4.1.
fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

fn digest(code: &str) -> [u8; 32] {
    Sha256::digest(code).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

    fn consent() -> Consent {
        Consent {
            account: "acct_0123456789abcdef".to_owned(),
            client: "client_1".to_owned(),
            client_name: "one".to_owned(),
            redirect_uri: "https://app.example/cb".to_owned(),
            // The pair of RFC 7636, appendix B.
            challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".to_owned(),
            resource: "https://here.example/mcp".to_owned(),
            max_spend_per_day: None,
        }
    }

    fn sent<'a>(code: &'a str, verifier: &'a str) -> CodeExchange<'a> {
        let redirect_uri = Some("https://app.example/cb");
        CodeExchange { code, client: "client_1", redirect_uri, verifier, resource: None }
    }

    fn take(codes: &AuthorizationCodes, code: &str, verifier: &str, now: u64) -> Result<Consent, CodeExchangeError> {
        codes.redeem(sent(code, verifier), [1; 16], now)
    }

    #[test]
    fn a_code_is_good_once() {
        let codes = AuthorizationCodes::default();
        let code = codes.issue(consent(), 0).unwrap();
        assert_eq!(take(&codes, &code, VERIFIER, 1).unwrap(), consent());
        assert!(
            matches!(take(&codes, &code, VERIFIER, 2), Err(CodeExchangeError::Used { grant, .. }) if grant == [1; 16])
        );
        assert!(matches!(take(&codes, "tb_co_x", VERIFIER, 2), Err(CodeExchangeError::Unknown)));
    }

    #[test]
    fn a_code_ends_and_is_bound() {
        let codes = AuthorizationCodes::default();
        let code = codes.issue(consent(), 0).unwrap();
        assert!(matches!(take(&codes, &code, VERIFIER, CODE_MS_MAX), Err(CodeExchangeError::Unknown)));
        let other = codes.redeem(CodeExchange { client: "client_2", ..sent(&code, VERIFIER) }, [1; 16], 1);
        assert!(matches!(other, Err(CodeExchangeError::Unknown)), "another client does not even use it up");
        let wrong = VERIFIER.replace('d', "e");
        assert!(matches!(take(&codes, &code, &wrong, 1), Err(CodeExchangeError::Verifier)));
        assert!(matches!(take(&codes, &code, VERIFIER, 2), Err(CodeExchangeError::Used { .. })), "no second try");
        let code = codes.issue(consent(), 0).unwrap();
        let moved = codes.redeem(
            CodeExchange { redirect_uri: Some("https://app.example/"), ..sent(&code, VERIFIER) },
            [1; 16],
            1,
        );
        assert!(matches!(moved, Err(CodeExchangeError::Redirect)));
        let code = codes.issue(consent(), 0).unwrap();
        let away = codes.redeem(
            CodeExchange { resource: Some("https://there.example/mcp"), ..sent(&code, VERIFIER) },
            [1; 16],
            1,
        );
        assert!(matches!(away, Err(CodeExchangeError::Resource)));
        for short in ["", "a", &"é".repeat(30)] {
            let code = codes.issue(consent(), 0).unwrap();
            assert!(matches!(take(&codes, &code, short, 1), Err(CodeExchangeError::Verifier)));
        }
    }
}
