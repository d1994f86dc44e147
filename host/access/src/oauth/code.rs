//! Codes: what a consent gives, to be changed for tokens once and at once.
//!
//! They are rows for as long as they are good.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tollbridge_core::limits::CODE_MS_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Expect, Store};

use super::super::account::AccountError;
use super::super::short_lived;

/// What a person consented to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The row cannot be read or written.
    #[error(transparent)]
    Row(#[from] AccountError),
}

/// A code that is good when its change is durable.
pub struct IssuedCode {
    /// For the client, once.
    pub code: String,
    /// Writes its row.
    pub change: Change,
}

/// A code that is used up when its change is durable.
pub struct RedeemedCode {
    /// What it stands for, or what does not fit: then nobody tries again with it.
    pub outcome: Result<Consent, CodeExchangeError>,
    /// Marks it as used; refused when another exchange was faster.
    pub change: Change,
}

/// The row of a code.
#[derive(Serialize, Deserialize)]
struct CodeRow {
    consent: Consent,
    /// What it was changed for.
    #[serde(with = "hex::serde")]
    used: Vec<u8>,
}

/// A code for a consent.
///
/// # Errors
/// When there is no randomness.
pub fn issue_code(consent: Consent, now_ms: u64) -> Result<IssuedCode, AccountError> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random)?;
    let code = format!("tb_co_{}", URL_SAFE_NO_PAD.encode(random));
    let until_ms = now_ms.saturating_add(CODE_MS_MAX);
    let row = CodeRow { consent, used: Vec::new() };
    let put = short_lived::put(row_key(&code), until_ms, &row, Expect::Absent)?;
    Ok(IssuedCode { code, change: Change { puts: vec![put], ..Change::default() } })
}

/// What a code stands for; when the change is written it is used, for the grant
/// named. One that is used wrongly is used up too, so nobody tries verifiers.
///
/// # Errors
/// [`CodeExchangeError`] where nothing is to be written.
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

/// Whether an exchange fits what was consented to.
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

/// RFC 7636, 4.1.
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
        assert!(matches!(other, Err(CodeExchangeError::Unknown)), "another client does not even use it up");
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
