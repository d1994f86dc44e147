//! Authorization codes: issued after a consent, and exchanged once for tokens.
//!
//! A code is stored as a row until it expires, even after its use, so that a second use
//! is detected.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Expect, Store};

use super::super::account::AccountError;
use super::super::short_lived;

/// Time for exchanging an authorization code for tokens: enough for one redirect and one
/// request.
const CODE_MS_MAX: u64 = 60 * 1000;

/// A user's consent to a client's access to the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// The account id.
    pub account: String,
    /// The client id.
    pub client: String,
    /// The name of the client as shown on the consent page.
    pub client_name: String,
    /// The address to which the code is sent.
    pub redirect_uri: String,
    /// The PKCE challenge: SHA-256 of the verifier, in base64url.
    pub challenge: String,
    /// The resource for which the tokens are valid.
    pub resource: String,
    /// The spending limit of the tokens per day.
    pub max_spend_per_day: Option<Millipence>,
}

/// A client's request to exchange a code for its first tokens.
#[derive(Clone, Copy, Debug)]
pub struct CodeExchange<'a> {
    /// The authorization code.
    pub code: &'a str,
    /// The client id.
    pub client: &'a str,
    /// The redirect address; if sent, it must equal that of the consent.
    pub redirect_uri: Option<&'a str>,
    /// The PKCE verifier.
    pub verifier: &'a str,
    /// The resource; if sent, it must equal that of the consent.
    pub resource: Option<&'a str>,
}

/// The reason a code is refused.
#[derive(Debug, thiserror::Error)]
pub enum CodeExchangeError {
    /// The code does not exist, or belongs to another client.
    #[error("the code is unknown, expired or belongs to another client")]
    Unknown,
    /// The code was used before. Contains the account id and the grant id; the caller
    /// must revoke that grant.
    #[error("the code was used before; its grant is revoked")]
    Used {
        /// The account id.
        account: String,
        /// The grant id.
        grant: [u8; 16],
    },
    /// The redirect address differs from that of the consent.
    #[error("redirect_uri differs from that of the authorization request")]
    Redirect,
    /// The verifier does not match the challenge.
    #[error("code_verifier does not match the code_challenge")]
    Verifier,
    /// The resource differs from that of the consent.
    #[error("resource differs from that of the consent")]
    Resource,
    /// The row cannot be read or written.
    #[error(transparent)]
    Row(#[from] AccountError),
}

/// A new code; valid once its change is durable.
pub struct IssuedCode {
    /// The code, for the client only.
    pub code: String,
    /// The change that writes the code's row.
    pub change: Change,
}

/// A redeemed code; used up once its change is durable.
pub struct RedeemedCode {
    /// The consent, or the reason why the exchange does not match it. A failed exchange
    /// uses up the code too, so that it cannot be retried.
    pub outcome: Result<Consent, CodeExchangeError>,
    /// The change that marks the code as used; the store refuses it if the code was used
    /// meanwhile.
    pub change: Change,
}

/// The row of a code.
#[derive(Serialize, Deserialize)]
struct CodeRow {
    consent: Consent,
    /// The id of the grant for which the code was exchanged; empty until then.
    #[serde(with = "hex::serde")]
    used: Vec<u8>,
}

/// Issues a code for a consent.
///
/// # Errors
/// The operating system provides no randomness.
pub fn issue_code(consent: Consent, now_ms: u64) -> Result<IssuedCode, AccountError> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random)?;
    let code = format!("tb_co_{}", URL_SAFE_NO_PAD.encode(random));
    let until_ms = now_ms.saturating_add(CODE_MS_MAX);
    let row = CodeRow { consent, used: Vec::new() };
    let put = short_lived::put(row_key(&code), until_ms, &row, Expect::Absent)?;
    Ok(IssuedCode { code, change: Change { puts: vec![put], ..Change::default() } })
}

/// Redeems a code for the grant with this id; committing the change marks the code as
/// used. A failed exchange uses up the code too, so that verifiers cannot be guessed.
///
/// # Errors
/// [`CodeExchangeError`] if the code is unknown, belongs to another client or was used
/// before, or if the store fails. Any other mismatch is in [`RedeemedCode::outcome`],
/// because it uses up the code.
pub fn redeem_code(
    store: &dyn Store,
    exchange: CodeExchange<'_>,
    grant: [u8; 16],
    now_ms: u64,
) -> Result<RedeemedCode, CodeExchangeError> {
    let key = row_key(exchange.code);
    let found = short_lived::find::<CodeRow>(store, &key, now_ms)?.ok_or(CodeExchangeError::Unknown)?;
    let CodeRow { consent, used } = found.row;
    if consent.client != exchange.client {
        return Err(CodeExchangeError::Unknown);
    }
    if let Ok(grant) = used.try_into() {
        return Err(CodeExchangeError::Used { account: consent.account, grant });
    }
    let row = CodeRow { consent, used: grant.to_vec() };
    let put = short_lived::put(key, found.until_ms, &row, Expect::Exactly(found.bytes))?;
    let outcome = check(&row.consent, &exchange).map(|()| row.consent);
    Ok(RedeemedCode { outcome, change: Change { puts: vec![put], ..Change::default() } })
}

/// Checks that an exchange matches the consent.
fn check(consent: &Consent, exchange: &CodeExchange<'_>) -> Result<(), CodeExchangeError> {
    if exchange.redirect_uri.is_some_and(|address| address != consent.redirect_uri) {
        return Err(CodeExchangeError::Redirect);
    }
    if exchange.resource.is_some_and(|resource| resource != consent.resource) {
        return Err(CodeExchangeError::Resource);
    }
    let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(exchange.verifier));
    if !is_verifier(exchange.verifier) || !bool::from(proof.as_bytes().ct_eq(consent.challenge.as_bytes())) {
        return Err(CodeExchangeError::Verifier);
    }
    Ok(())
}

/// Returns whether the text is a valid verifier (RFC 7636, 4.1).
fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

fn row_key(code: &str) -> String {
    format!("code/{}", hex::encode(Sha256::digest(code)))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{MemoryStore, TestStore};
    use super::*;

    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

    fn consent() -> Consent {
        Consent {
            account: "acct_0123456789abcdef".to_owned(),
            client: "client_1".to_owned(),
            client_name: "one".to_owned(),
            redirect_uri: "https://app.example/cb".to_owned(),
            // The example challenge and verifier of RFC 7636, appendix B.
            challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".to_owned(),
            resource: "https://here.example/mcp".to_owned(),
            max_spend_per_day: None,
        }
    }

    fn sent<'a>(code: &'a str, verifier: &'a str) -> CodeExchange<'a> {
        let redirect_uri = Some("https://app.example/cb");
        CodeExchange { code, client: "client_1", redirect_uri, verifier, resource: None }
    }

    fn issued(store: &MemoryStore) -> String {
        let issued = issue_code(consent(), 0).unwrap();
        store.apply(issued.change).unwrap();
        issued.code
    }

    fn redeem(store: &MemoryStore, exchange: CodeExchange<'_>, now: u64) -> Result<Consent, CodeExchangeError> {
        let redeemed = redeem_code(store, exchange, [1; 16], now)?;
        store.apply(redeemed.change).unwrap();
        redeemed.outcome
    }

    fn take(store: &MemoryStore, code: &str, verifier: &str, now: u64) -> Result<Consent, CodeExchangeError> {
        redeem(store, sent(code, verifier), now)
    }

    #[test]
    fn of_two_exchanges_at_once_one_is_refused() {
        let store = MemoryStore::default();
        let code = issued(&store);
        let both = [1, 2].map(|grant| redeem_code(&store, sent(&code, VERIFIER), [grant; 16], 1).unwrap());
        let [first, second] = both.map(|redeemed| store.apply(redeemed.change).is_ok());
        assert!(first && !second);
    }

    #[test]
    fn a_code_is_good_once() {
        let codes = MemoryStore::default();
        let code = issued(&codes);
        assert_eq!(take(&codes, &code, VERIFIER, 1).unwrap(), consent());
        assert!(
            matches!(take(&codes, &code, VERIFIER, 2), Err(CodeExchangeError::Used { grant, .. }) if grant == [1; 16])
        );
        assert!(matches!(take(&codes, "tb_co_x", VERIFIER, 2), Err(CodeExchangeError::Unknown)));
    }

    #[test]
    fn a_code_ends_and_is_bound() {
        let codes = MemoryStore::default();
        let code = issued(&codes);
        assert!(matches!(take(&codes, &code, VERIFIER, CODE_MS_MAX), Err(CodeExchangeError::Unknown)));
        let other = redeem(&codes, CodeExchange { client: "client_2", ..sent(&code, VERIFIER) }, 1);
        assert!(
            matches!(other, Err(CodeExchangeError::Unknown)),
            "a request by another client does not use up the code"
        );
        let wrong = VERIFIER.replace('d', "e");
        assert!(matches!(take(&codes, &code, &wrong, 1), Err(CodeExchangeError::Verifier)));
        assert!(matches!(take(&codes, &code, VERIFIER, 2), Err(CodeExchangeError::Used { .. })), "no second try");
        let code = issued(&codes);
        let moved =
            redeem(&codes, CodeExchange { redirect_uri: Some("https://app.example/"), ..sent(&code, VERIFIER) }, 1);
        assert!(matches!(moved, Err(CodeExchangeError::Redirect)));
        let code = issued(&codes);
        let away =
            redeem(&codes, CodeExchange { resource: Some("https://there.example/mcp"), ..sent(&code, VERIFIER) }, 1);
        assert!(matches!(away, Err(CodeExchangeError::Resource)));
        for short in ["", "a", &"é".repeat(30)] {
            let code = issued(&codes);
            assert!(matches!(take(&codes, &code, short, 1), Err(CodeExchangeError::Verifier)));
        }
    }
}
