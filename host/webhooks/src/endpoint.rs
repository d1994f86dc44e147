//! A webhook endpoint: an account's URL, the events it subscribes to, and the signing
//! secrets.
//!
//! Invariant: only `endpoint_rows` writes secrets, and only encrypted.

use reqwest::Url;
use serde::{Deserialize, Serialize};
use tollbridge_core::egress::Egress;
use tollbridge_ledger::events;
use tollbridge_store::{Collection, Expect, OutboxPosition, Put, StoreError};

use super::error::WebhookError;
use super::secret;

/// Maximum length of an endpoint's URL: a length that browsers and servers agree on.
const WEBHOOK_URL_BYTES_MAX: usize = 2_048;

/// Prefix of every endpoint id.
const PREFIX: &str = "wh_";

/// A webhook endpoint of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookEndpoint {
    /// Id: `wh_` and random digits.
    pub id: String,
    /// Id of the account that owns the endpoint.
    pub account: String,
    /// URL that events are sent to.
    pub url: String,
    /// Names of the subscribed events; `*` subscribes to all.
    pub events: Vec<String>,
    /// Signing secrets, newest first. Older ones stay valid until their overlap ends.
    #[serde(skip)]
    pub secrets: Vec<Signing>,
    /// Time of registration, in Unix milliseconds.
    pub created_ms: u64,
    /// Only events after this position are sent.
    pub after: Option<OutboxPosition>,
    /// Reason for disabling the endpoint; `None` while it is enabled.
    pub disabled: Option<String>,
}

/// A signing secret, and the time at which it expires.
#[derive(Clone, PartialEq, Eq)]
pub struct Signing {
    /// The secret in plain text.
    pub secret: String,
    /// Time at which a previous secret expires, in Unix milliseconds; `None` for the
    /// current one.
    pub until_ms: Option<u64>,
}

impl std::fmt::Debug for Signing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signing").field("until_ms", &self.until_ms).finish_non_exhaustive()
    }
}

/// A request to register an endpoint.
#[derive(Clone, Debug)]
pub struct Registration {
    /// URL that events are sent to.
    pub url: String,
    /// Names of events, or `*` for all.
    pub events: Vec<String>,
    /// The signing secret; generated if absent.
    pub secret: Option<String>,
}

impl Registration {
    /// Checks the registration and returns an endpoint that receives only the events
    /// after position `after`.
    pub(super) fn endpoint(
        self,
        account: &str,
        egress: &Egress,
        after: Option<OutboxPosition>,
        now_ms: u64,
    ) -> Result<WebhookEndpoint, WebhookError> {
        let url = check_url(&self.url, egress)?;
        check_events(&self.events)?;
        let secret = match self.secret {
            Some(secret) => secret::check(secret)?,
            None => secret::new()?,
        };
        let mut random = [0_u8; 12];
        getrandom::fill(&mut random).map_err(|_| WebhookError::NoRandomness)?;
        let mut events = self.events;
        events.sort();
        events.dedup();
        Ok(WebhookEndpoint {
            id: format!("{PREFIX}{}", hex::encode(random)),
            account: account.to_owned(),
            url: url.into(),
            events,
            secrets: vec![Signing { secret, until_ms: None }],
            created_ms: now_ms,
            after,
            disabled: None,
        })
    }
}

/// Parses a URL and checks that deliveries may be sent to it, as far as this is possible
/// without DNS.
fn check_url(text: &str, egress: &Egress) -> Result<Url, WebhookError> {
    let bad = |why: &str| WebhookError::Url(why.to_owned());
    if text.len() > WEBHOOK_URL_BYTES_MAX {
        return Err(bad("too long; at most 2,048 bytes are allowed"));
    }
    let url: Url = text.parse().map_err(|_| bad("not an absolute URL like https://example.com/hook"))?;
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(bad("it must have no user name, password or fragment"));
    }
    let local = egress.is_allowed_private(&url) || url.host_str() == Some("localhost");
    match url.scheme() {
        "https" => {}
        "http" if local => {}
        _ => return Err(bad("it must begin with https://")),
    }
    egress.check_url(&url).map_err(|error| WebhookError::Url(error.to_string()))?;
    Ok(url)
}

fn check_events(names: &[String]) -> Result<(), WebhookError> {
    if names.is_empty() {
        return Err(WebhookError::NoEvents);
    }
    match names.iter().find(|name| *name != "*" && events::by_name(name).is_none()) {
        Some(unknown) => Err(WebhookError::UnknownEvent(unknown.chars().take(64).collect())),
        None => Ok(()),
    }
}

impl WebhookEndpoint {
    /// Returns whether the endpoint subscribes to an event. Test events go to every endpoint.
    pub fn wants(&self, event: &str) -> bool {
        self.disabled.is_none()
            && (event == events::WEBHOOK_TEST || self.events.iter().any(|name| name == "*" || name == event))
    }

    /// Returns the secrets that are valid for signing now, newest first.
    pub fn signing(&self, now_ms: u64) -> impl Iterator<Item = &str> {
        let live = self.secrets.iter().filter(move |one| one.until_ms.is_none_or(|until| until > now_ms));
        live.map(|one| one.secret.as_str())
    }

    pub(super) fn key(&self) -> String {
        format!("e/{}/{}", self.account, self.id)
    }
}

pub(super) fn row(key: String, value: Option<Vec<u8>>, expect: Expect) -> Put {
    Put { collection: Collection::Webhooks, key, value, expect }
}

pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| StoreError { doing: "writing a webhook", source: Box::new(error) })
}

pub(super) fn decode<T: serde::de::DeserializeOwned>(value: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(value).map_err(|error| StoreError { doing: "reading a webhook", source: Box::new(error) })
}
