//! MPP over HTTP: the challenges in a 402 response, the credential that pays one, and
//! the receipt.
//!
//! Source: `draft-httpauth-payment-00`.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_market::checkout::{PaymentRequired, PaymentSource};
use tollbridge_mpp::{
    Credential, CredentialError, CredentialHeader, Method, PAYMENT_RECEIPT, Problem, ProblemType, Receipt,
};
use tollbridge_payment::{CredentialPayment, PaidByToken, PaymentDeclined, TokenPayment};

use crate::Paywall;
use crate::call_headers::{INTENT, PAYMENT_REMAINING, header_value};

const RECEIPT: HeaderName = HeaderName::from_static(PAYMENT_RECEIPT);
const INTENT_ID: HeaderName = HeaderName::from_static(INTENT);
const SCHEME: &str = "payment";
/// Problem detail for a request without a payment.
const UNPAID: &str = "payment is required; pay one of the challenges in WWW-Authenticate";

/// Returns whether a request has a payment credential, valid or not.
pub fn has_credential(headers: &HeaderMap) -> bool {
    values(headers).iter().any(|value| value.split(',').any(is_payment))
}

/// Returns the value of `Authorization` without payment credentials; `None` if nothing is
/// left.
pub fn without_credential(authorization: &str) -> Option<String> {
    if !authorization.split(',').any(is_payment) {
        return Some(authorization.to_owned());
    }
    let left: Vec<&str> = authorization.split(',').filter(|part| !is_payment(part)).map(str::trim).collect();
    Some(left.join(", ")).filter(|left| !left.is_empty())
}

fn is_payment(part: &str) -> bool {
    part.trim().split([' ', '\t']).next().is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

fn values(headers: &HeaderMap) -> Vec<String> {
    let names = [CredentialHeader::Authorization, CredentialHeader::PaymentAuthorization].map(CredentialHeader::name);
    let all = names.into_iter().flat_map(|name| headers.get_all(name));
    all.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
}

/// Returns the payment source of a request's credential. An unusable credential yields
/// `UnusableCredential`, so that the response has fresh challenges and the reason.
pub fn source_of_credential(paywall: &Paywall, headers: &HeaderMap, body: &[u8]) -> Result<PaymentSource, ApiError> {
    let values = values(headers);
    let credential = match Credential::of_headers(values.iter().map(String::as_str)) {
        Ok(Some(credential)) => credential,
        Ok(None) => return Ok(PaymentSource::Nothing),
        Err(error @ CredentialError::Several) => return Err(ApiError::invalid("", error.to_string())),
        Err(error) => return Ok(PaymentSource::UnusableCredential(error.into())),
    };
    let read = paywall.payments.credentials.read(credential, body, now_ms()).map_err(|error| internal(&error))?;
    Ok(match read {
        Ok(CredentialPayment::Token(payment)) => PaymentSource::Token(Arc::from(payment)),
        Ok(CredentialPayment::Wallet(payment)) => PaymentSource::Wallet(Arc::from(payment)),
        Err(declined) => PaymentSource::UnusableCredential(declined),
    })
}

/// Adds challenges and problem details to a 402 response.
pub fn add_challenges(error: ApiError, required: &PaymentRequired) -> ApiError {
    let challenges =
        required.challenges.iter().filter_map(|challenge| HeaderValue::try_from(challenge.to_header()).ok());
    let error = challenges.fold(error, |error, challenge| error.one_more(header::WWW_AUTHENTICATE, challenge));
    match problem(required).to_json() {
        serde_json::Value::Object(members) => {
            members.into_iter().fold(error, |error, (name, value)| error.with(&name, value))
        }
        _ => error,
    }
}

fn problem(required: &PaymentRequired) -> Problem {
    let Some(problem) = &required.problem else { return Problem::new(ProblemType::PaymentRequired, UNPAID) };
    let kind = match problem {
        PaymentDeclined::Credential(declined) => return declined.problem(),
        PaymentDeclined::QuoteExpired => ProblemType::PaymentExpired,
        PaymentDeclined::InsufficientIntent(_) | PaymentDeclined::InsufficientCredit(_) => {
            ProblemType::PaymentInsufficient
        }
        PaymentDeclined::MaxCostExceeded { .. } | PaymentDeclined::Unpaid(_) => ProblemType::PaymentRequired,
        _ => ProblemType::VerificationFailed,
    };
    Problem::new(kind, problem.to_string())
}

/// Returns the payment token that pays for a call, if any.
pub fn token_of(source: &PaymentSource) -> Option<Arc<TokenPayment>> {
    match source {
        PaymentSource::Token(payment) => Some(payment.clone()),
        _ => None,
    }
}

/// Adds the receipt of a charged payment token and the remaining amount to a response.
pub fn add_receipt(paywall: &Paywall, response: &mut Response, payment: Option<&TokenPayment>) -> Result<(), ApiError> {
    let Some(paid) = paid(paywall, payment)? else { return Ok(()) };
    let headers = response.headers_mut();
    put_receipt(headers, &paid.receipt)?;
    if !paid.remaining.is_zero() {
        headers.insert(INTENT_ID, header_value(&paid.intent_id)?);
    }
    headers.insert(PAYMENT_REMAINING, header_value(&paid.remaining.pounds())?);
    Ok(())
}

/// Adds the id of the payment intent to the error of a call whose payment token was
/// charged, so that the client can spend the rest. Errors carry no receipt.
pub fn keep_paid(paywall: &Paywall, error: ApiError, payment: Option<&TokenPayment>) -> ApiError {
    let Ok(Some(PaidByToken { intent_id, remaining, .. })) = paid(paywall, payment) else { return error };
    let (Ok(id), Ok(left)) = (header_value(&intent_id), header_value(&remaining.pounds())) else { return error };
    if remaining.is_zero() {
        return error;
    }
    error.header(INTENT_ID, id).header(PAYMENT_REMAINING, left)
}

fn paid(paywall: &Paywall, payment: Option<&TokenPayment>) -> Result<Option<PaidByToken>, ApiError> {
    let Some(payment) = payment else { return Ok(None) };
    paywall.payments.credentials.paid_by_token(payment).map_err(|error| internal(&error))
}

/// Adds the receipt of a wallet payment that was made for a challenge.
pub fn add_wallet_receipt(
    response: &mut Response,
    (challenge_id, transaction): (&str, &str),
    paid_ms: u64,
) -> Result<(), ApiError> {
    let receipt = Receipt::new(Method::EVM, transaction, challenge_id, paid_ms / 1000);
    put_receipt(response.headers_mut(), &receipt)
}

fn put_receipt(headers: &mut HeaderMap, receipt: &Receipt) -> Result<(), ApiError> {
    headers.insert(RECEIPT, header_value(&receipt.to_header())?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(())
}

/// Returns the error for a payment credential sent to a path that does not accept one.
pub fn not_here() -> ApiError {
    let message = "`Authorization: Payment` is not accepted here; it pays for POST /v1/oracle/{bridge} and POST \
                   /v1/paid/agents/{slug}";
    ApiError::invalid("", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_credential_is_no_key() {
        for (authorization, left) in [
            ("Bearer tb_live_1", Some("Bearer tb_live_1")),
            ("Basic a,b", Some("Basic a,b")),
            ("Payment e30", None),
            ("payment", None),
            ("  PAYMENT\te30 ", None),
            ("Bearer k, Payment e30", Some("Bearer k")),
            ("Payment e30, Bearer k", Some("Bearer k")),
            ("PaymentX e30", Some("PaymentX e30")),
        ] {
            assert_eq!(without_credential(authorization).as_deref(), left, "{authorization}");
            let found = has_credential(&headers(&[("authorization", authorization)]));
            assert_eq!(found, left != Some(authorization), "{authorization}");
        }
        assert!(has_credential(&headers(&[("authorization", "Bearer k"), ("payment-authorization", "Payment e30")])));
        assert!(!has_credential(&headers(&[("payment-authorization", "Bearer k")])));
    }
}
