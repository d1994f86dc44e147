//! Webhook receivers, which lose, delay or refuse deliveries, or never answer them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use tollbridge_core::egress::{EgressError, EgressPeer, Request, Response};
use tollbridge_webhooks::verifies;

use crate::chance::Chance;
use crate::event_log::EventLog;
use crate::network::{ExchangeOutcome, exchange_outcome, latency};

/// The header with the delivery's signature.
pub(crate) const SIGNATURE: &str = "X-Service-Signature";

/// The events that one receiver accepted, by id.
pub(crate) type Taken = BTreeMap<String, Value>;

/// All webhook receivers.
pub(crate) struct Receivers {
    chance: Arc<Chance>,
    log: Arc<EventLog>,
    troubles: AtomicU64,
    /// Accepted events by the receiver's host name.
    taken: Mutex<BTreeMap<String, Taken>>,
    secrets: Mutex<BTreeMap<String, String>>,
    /// Received events that had no valid signature.
    pub(crate) forged: Mutex<Vec<String>>,
}

impl Receivers {
    pub(crate) fn new(chance: Arc<Chance>, log: Arc<EventLog>) -> Arc<Self> {
        Arc::new(Self {
            chance,
            log,
            troubles: AtomicU64::new(0),
            taken: Mutex::default(),
            secrets: Mutex::default(),
            forged: Mutex::default(),
        })
    }

    pub(crate) fn set_troubles(&self, percent: u64) {
        self.troubles.store(percent, Ordering::Relaxed);
    }

    pub(crate) fn know(&self, host: &str, secret: String) {
        self.secrets.lock().unwrap().insert(host.to_owned(), secret);
    }

    pub(crate) fn taken(&self, host: &str) -> Taken {
        self.taken.lock().unwrap().get(host).cloned().unwrap_or_default()
    }

    fn take(&self, host: &str, request: &Request) {
        let text = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let id = text("webhook-id").to_owned();
        self.log.note(format!("{host} takes {id}"));
        let secret = self.secrets.lock().unwrap().get(host).cloned().unwrap_or_default();
        if !verifies(&secret, &request.body, text(SIGNATURE)) {
            self.forged.lock().unwrap().push(id.clone());
        }
        let body = serde_json::from_slice(&request.body).unwrap_or_default();
        self.taken.lock().unwrap().entry(host.to_owned()).or_default().insert(id, body);
    }
}

/// The host's connection to the receivers.
pub(crate) struct ReceiverLine(pub(crate) Arc<Receivers>);

impl EgressPeer for ReceiverLine {
    fn exchange(&self, request: Request) -> BoxFuture<'_, Result<Response, EgressError>> {
        deliver(self.0.clone(), request).boxed()
    }
}

async fn deliver(receivers: Arc<Receivers>, request: Request) -> Result<Response, EgressError> {
    let host = request.url.host_str().unwrap_or_default().to_owned();
    let outcome = exchange_outcome(&receivers.chance, receivers.troubles.load(Ordering::Relaxed));
    tokio::time::sleep(latency(&receivers.chance)).await;
    let broken = || EgressError::Broken { host: host.clone(), why: "reset".to_owned() };
    let status = match outcome {
        ExchangeOutcome::Lost => return Err(broken()),
        ExchangeOutcome::Silence | ExchangeOutcome::Late => std::future::pending().await,
        ExchangeOutcome::AnswerLost => {
            receivers.take(&host, &request);
            return Err(broken());
        }
        ExchangeOutcome::Refused(status) => status,
        ExchangeOutcome::Arrives | ExchangeOutcome::Twice => {
            receivers.take(&host, &request);
            204
        }
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Ok(Response { status, headers: HeaderMap::new(), body: Bytes::new() })
}
