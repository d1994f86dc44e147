//! The client of a facilitator: a service that settles payments on a chain on behalf of
//! sellers (section 7 of the specification).
//!
//! Invariants: redirects are not followed and requests are not repeated automatically;
//! every request has a deadline and a size limit for its response; only a facilitator's
//! explicit refusal counts as a refusal.

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollbridge_core::config::Secret;
use tollbridge_core::limits::EGRESS_IDLE_MS_MAX;

use crate::check::Authorized;
use crate::header::read_json;
use crate::settlement::{Attempt, Outcome, UnclearReason};
use crate::wire::{PaymentPayload, PaymentRequirements, SettlementResponse, Supported, V2, VerifyResponse};

/// Maximum size of a facilitator's response. The list of supported payment kinds is about
/// 20 KiB.
const RESPONSE_BYTES_MAX: usize = 256 << 10;

/// Time limits of requests to a facilitator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Time limit for connecting, including DNS and TLS.
    pub connect: Duration,
    /// Total time limit for `supported` and `verify`.
    pub lookup: Duration,
    /// Total time limit for `settle`, which waits for the chain.
    pub settle: Duration,
}

impl Default for Deadlines {
    /// Returns limits of 5 s to connect, 10 s for a look-up and 60 s for a settlement.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), lookup: Duration::from_secs(10), settle: Duration::from_secs(60) }
    }
}

/// A client of a facilitator over HTTP.
pub struct Facilitator {
    client: Client,
    base: String,
    bearer: Option<Secret>,
    deadlines: Deadlines,
}

/// An error of creating a facilitator client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum SetUpError {
    #[error("`{0}` is not the URL of a facilitator; write it like \"https://facilitator.example.com\"")]
    BadUrl(String),
    #[error("cannot create an HTTP client: {0}")]
    Client(String),
}

/// A failed look-up (`supported` or `verify`), with details for the log. The answer is
/// unknown, and the look-up changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the facilitator did not answer a look-up: {0}")]
pub struct LookupError(pub String);

/// The result of asking a facilitator to verify a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The payment could be settled now.
    Valid,
    /// The payment could not be settled now. If a settlement was requested before, this
    /// proves nothing: that settlement may have used the nonce.
    Invalid {
        /// The facilitator's code, at most 100 characters.
        reason: String,
    },
}

/// The body of requests to `/verify` and `/settle`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'payment> {
    #[serde(rename = "x402Version")]
    version: V2,
    payment_payload: &'payment PaymentPayload,
    payment_requirements: PaymentRequirements,
}

impl Facilitator {
    /// Creates a client; sends no request. `base` is the URL up to, not including,
    /// `/supported`; `bearer`, if given, is sent with every request.
    ///
    /// # Errors
    ///
    /// Fails if `base` is not a URL, or has a user, a query or a fragment, or if the
    /// client cannot be created.
    pub fn new(base: &str, bearer: Option<Secret>, deadlines: Deadlines) -> Result<Self, SetUpError> {
        let bad = || SetUpError::BadUrl(tollbridge_core::excerpt::excerpt(base, 200));
        let url: Url = base.parse().map_err(|_| bad())?;
        let plain = url.username().is_empty() && url.password().is_none();
        if !matches!(url.scheme(), "http" | "https") || !plain || url.query().is_some() || url.fragment().is_some() {
            return Err(bad());
        }
        tollbridge_core::tls_provider::install();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .connect_timeout(deadlines.connect)
            .pool_idle_timeout(Duration::from_millis(EGRESS_IDLE_MS_MAX))
            .user_agent(concat!("tollbridge/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| SetUpError::Client(root_cause(&error)))?;
        Ok(Self { client, base: url.as_str().trim_end_matches('/').to_owned(), bearer, deadlines })
    }

    /// Returns the payment kinds that the facilitator can settle.
    ///
    /// # Errors
    ///
    /// Returns [`LookupError`].
    pub async fn supported(&self) -> Result<Supported, LookupError> {
        let request = self.client.get(self.url("supported")).timeout(self.deadlines.lookup);
        let (status, body) = self.send(request).await.map_err(|failed| LookupError(failed.detail))?;
        match status {
            StatusCode::OK => read(status, &body).map_err(LookupError),
            _ => Err(LookupError(format!("HTTP {}", status.as_u16()))),
        }
    }

    /// Checks whether a payment could be settled now: the payer has the money, and the
    /// nonce is unused. Moves no money.
    ///
    /// Call this before the first [`Self::settle`]: the official facilitator settles
    /// without checking, and if the chain then refuses the payment, the outcome is
    /// unclear.
    ///
    /// # Errors
    ///
    /// Returns [`LookupError`].
    pub async fn verify(&self, payment: &Authorized) -> Result<Verified, LookupError> {
        let request = self.post("verify", payment).timeout(self.deadlines.lookup);
        let (status, body) = self.send(request).await.map_err(|failed| LookupError(failed.detail))?;
        let answer: VerifyResponse = read(status, &body).map_err(LookupError)?;
        if !answer.is_valid {
            let reason = answer.invalid_reason.unwrap_or_default();
            return Ok(Verified::Invalid { reason: reason.chars().filter(|c| !c.is_control()).take(100).collect() });
        }
        if status != StatusCode::OK {
            return Err(LookupError(format!("valid, with HTTP {}", status.as_u16())));
        }
        match answer.payer.is_none_or(|payer| payer.parse() == Ok(payment.payer())) {
            true => Ok(Verified::Valid),
            false => Err(LookupError("the payment is valid, but the response names another payer".to_owned())),
        }
    }

    /// Settles a payment. The caller must store the attempt durably before the call: even
    /// if the returned future is dropped, the request may have been sent.
    pub async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        let request = self.post("settle", payment).timeout(self.deadlines.settle);
        let (status, body) = match self.send(request).await {
            Ok(answer) => answer,
            Err(failed) => return Outcome::unclear(failed.why, &failed.detail, None),
        };
        let answer: SettlementResponse = match read(status, &body) {
            Ok(answer) => answer,
            Err(detail) => return Outcome::unclear(UnclearReason::Nonsense, &detail, None),
        };
        if answer.success && status != StatusCode::OK {
            let transaction = answer.transaction.parse().ok();
            return Outcome::unclear(
                UnclearReason::Nonsense,
                &format!("settled, with HTTP {}", status.as_u16()),
                transaction,
            );
        }
        Outcome::of(&answer, payment, attempt)
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    fn post(&self, path: &str, payment: &Authorized) -> RequestBuilder {
        let payment_requirements = payment.asked();
        self.client.post(self.url(path)).json(&Body {
            version: V2,
            payment_payload: payment.payment(),
            payment_requirements,
        })
    }

    async fn send(&self, request: RequestBuilder) -> Result<(StatusCode, Vec<u8>), Failed> {
        let request = match &self.bearer {
            Some(secret) => request.bearer_auth(secret.expose()),
            None => request,
        };
        let mut response = request.send().await.map_err(|error| Failed::of(&error))?;
        let status = response.status();
        let mut body = Vec::new();
        // The headers of the response arrived, so the request was sent; later failures
        // must not be reported as `NotSent`.
        while let Some(chunk) = response.chunk().await.map_err(|error| Failed::of(&error))? {
            if body.len().saturating_add(chunk.len()) > RESPONSE_BYTES_MAX {
                return Err(Failed { why: UnclearReason::Nonsense, detail: "the answer is too large".to_owned() });
            }
            body.extend_from_slice(&chunk);
        }
        Ok((status, body))
    }
}

/// The reason why a request got no response.
struct Failed {
    why: UnclearReason,
    detail: String,
}

impl Failed {
    fn of(error: &reqwest::Error) -> Self {
        let why = match error {
            error if error.is_connect() || error.is_builder() => UnclearReason::NotSent,
            error if error.is_timeout() => UnclearReason::TimedOut,
            _ => UnclearReason::Broken,
        };
        let detail = if error.is_timeout() { "no answer in time".to_owned() } else { root_cause(error) };
        Self { why, detail }
    }
}

/// Parses a response with a status that a facilitator itself sends: 200, or a status for
/// an invalid request. Other statuses may come from a gateway in front of the facilitator
/// (access denied, too many requests, unavailable) and prove nothing about the payment.
fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, String> {
    match status.as_u16() {
        200 | 400 | 402 | 412 | 422 => read_json(body).map_err(|error| format!("HTTP {}: {error}", status.as_u16())),
        other => Err(format!("HTTP {other}")),
    }
}

/// Returns the innermost cause of an error; the outer ones repeat the whole URL.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
