//! The client of a facilitator: who settles payments on a chain for others
//! (section 7 of the specification).
//!
//! Invariants: nothing is followed and nothing is repeated by itself; every
//! request has a deadline and a bound on its answer; only an answer that says so
//! in a facilitator's own words is a refusal.

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
use crate::settlement::{Attempt, Outcome, Why};
use crate::wire::{PaymentPayload, PaymentRequirements, SettlementResponse, Supported, V2, VerifyResponse};

/// An answer of a facilitator. A list of everything that one supports has some
/// 20 KiB.
const RESPONSE_BYTES_MAX: usize = 256 << 10;

/// How long a facilitator may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// To be connected to, names and TLS included.
    pub connect: Duration,
    /// For `supported` and `verify`, all in all.
    pub lookup: Duration,
    /// For `settle`, all in all: it waits for the chain.
    pub settle: Duration,
}

impl Default for Deadlines {
    /// 5 s to connect, 10 s for a look-up, 60 s for a settlement.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), lookup: Duration::from_secs(10), settle: Duration::from_secs(60) }
    }
}

/// A facilitator behind HTTP.
pub struct Facilitator {
    client: Client,
    base: String,
    bearer: Option<Secret>,
    deadlines: Deadlines,
}

/// Why a facilitator cannot be used at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum SetUpError {
    #[error("`{0}` is not the address of a facilitator; write it like \"https://facilitator.example.com\"")]
    BadUrl(String),
    #[error("no HTTP client can be set up: {0}")]
    Client(String),
}

/// Why a look-up told nothing; what was seen, for the log. Nothing is known, and
/// nothing happened by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the facilitator did not answer a look-up: {0}")]
pub struct LookupError(pub String);

/// What a facilitator thinks of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// It could be settled now.
    Valid,
    /// It could not; `reason` is the facilitator's code, at most 100 characters.
    /// After a settlement was asked for it says nothing of that one: its nonce may
    /// be used because it was carried out.
    Invalid {
        /// The facilitator's code.
        reason: String,
    },
}

/// What is sent to `/verify` and `/settle`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'payment> {
    #[serde(rename = "x402Version")]
    version: V2,
    payment_payload: &'payment PaymentPayload,
    payment_requirements: PaymentRequirements,
}

impl Facilitator {
    /// Sets up a client and sends nothing. `base` is what comes before
    /// `/supported`; `bearer` is sent with every request, if there is one.
    ///
    /// # Errors
    /// `base` is no address, or has a user, a query or a fragment; or no client
    /// can be set up.
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

    /// What it can settle.
    ///
    /// # Errors
    /// [`LookupError`].
    pub async fn supported(&self) -> Result<Supported, LookupError> {
        let request = self.client.get(self.url("supported")).timeout(self.deadlines.lookup);
        let (status, body) = self.send(request).await.map_err(|failed| LookupError(failed.detail))?;
        match status {
            StatusCode::OK => read(status, &body).map_err(LookupError),
            _ => Err(LookupError(format!("HTTP {}", status.as_u16()))),
        }
    }

    /// Whether a payment could be settled now: that the payer has the money, and
    /// that the nonce is unused. Moves nothing.
    ///
    /// Ask before the first [`Self::settle`]: the official facilitator settles
    /// without looking, and what the chain then refuses is unclear.
    ///
    /// # Errors
    /// [`LookupError`].
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
            false => Err(LookupError("valid, of another payer".to_owned())),
        }
    }

    /// Has a payment settled. Write down that it is asked for before; whatever
    /// becomes of the future, the request may have been sent.
    pub async fn settle(&self, payment: &Authorized, attempt: Attempt) -> Outcome {
        let request = self.post("settle", payment).timeout(self.deadlines.settle);
        let (status, body) = match self.send(request).await {
            Ok(answer) => answer,
            Err(failed) => return Outcome::unclear(failed.why, &failed.detail, None),
        };
        let answer: SettlementResponse = match read(status, &body) {
            Ok(answer) => answer,
            Err(detail) => return Outcome::unclear(Why::Nonsense, &detail, None),
        };
        if answer.success && status != StatusCode::OK {
            let transaction = answer.transaction.parse().ok();
            return Outcome::unclear(Why::Nonsense, &format!("settled, with HTTP {}", status.as_u16()), transaction);
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
        // Headers came, so the request was sent: what goes wrong now is not `NotSent`.
        while let Some(chunk) = response.chunk().await.map_err(|error| Failed::of(&error))? {
            if body.len().saturating_add(chunk.len()) > RESPONSE_BYTES_MAX {
                return Err(Failed { why: Why::Nonsense, detail: "the answer is too large".to_owned() });
            }
            body.extend_from_slice(&chunk);
        }
        Ok((status, body))
    }
}

/// Why there is no answer.
struct Failed {
    why: Why,
    detail: String,
}

impl Failed {
    fn of(error: &reqwest::Error) -> Self {
        let why = match error {
            error if error.is_connect() || error.is_builder() => Why::NotSent,
            error if error.is_timeout() => Why::TimedOut,
            _ => Why::Broken,
        };
        let detail = if error.is_timeout() { "no answer in time".to_owned() } else { root_cause(error) };
        Self { why, detail }
    }
}

/// Reads an answer if its status lets it be one: 200, or one that says what is
/// wrong with the request. What a gate in front of the facilitator answers (no
/// access, too many requests, not now) says nothing of the payment.
fn read<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, String> {
    match status.as_u16() {
        200 | 400 | 402 | 412 | 422 => read_json(body).map_err(|error| format!("HTTP {}: {error}", status.as_u16())),
        other => Err(format!("HTTP {other}")),
    }
}

/// The innermost cause; the outer ones repeat the whole URL.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
