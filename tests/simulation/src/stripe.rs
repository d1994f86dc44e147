//! The simulated Stripe, as the host's Stripe client sees it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tollbridge_payment::limits::PROCESSOR_TIME_MS_MAX;
use tollbridge_payment::{StripeRequest, StripeTransport};

use crate::chance::Chance;
use crate::clock::now_ms;
use crate::event_log::EventLog;
use crate::network::{ExchangeOutcome, exchange_outcome, latency};
use crate::stripe_books::{Answer, Books, Fields};

/// The simulated Stripe: its network and its books.
pub(crate) struct Stripe {
    pub(crate) books: Mutex<Books>,
    chance: Arc<Chance>,
    log: Arc<EventLog>,
    /// Percentage of requests with a network fault.
    troubles: AtomicU64,
    /// Requests that will still arrive, with their times of arrival, although their
    /// clients have given up: a crash of the host does not remove messages from the
    /// network.
    late: Mutex<Vec<(u64, IncomingRequest)>>,
    /// Number of requests whose clients are still waiting.
    under_way: AtomicU64,
}

impl Stripe {
    pub(crate) fn new(chance: Arc<Chance>, log: Arc<EventLog>) -> Arc<Self> {
        let books = Mutex::new(Books::new());
        Arc::new(Self {
            books,
            chance,
            log,
            troubles: AtomicU64::new(0),
            late: Mutex::default(),
            under_way: AtomicU64::new(0),
        })
    }

    pub(crate) fn set_troubles(&self, percent: u64) {
        self.troubles.store(percent, Ordering::Relaxed);
    }

    /// Returns whether no message is in transit.
    pub(crate) fn is_quiet(&self) -> bool {
        self.late.lock().unwrap().is_empty() && self.under_way.load(Ordering::Relaxed) == 0
    }

    fn delay(&self, request: IncomingRequest) {
        let delay = PROCESSOR_TIME_MS_MAX + self.chance.below(90_000);
        self.late.lock().unwrap().push((now_ms() + delay, request));
    }

    /// Executes late requests that are due; no client waits for their answers.
    pub(crate) fn take_late(&self) {
        let now = now_ms();
        let due: Vec<_> = self.late.lock().unwrap().extract_if(.., |(at, _)| *at <= now).collect();
        due.iter().for_each(|(_, request)| drop(self.act(request)));
        self.books.lock().unwrap().settle_charges();
    }

    fn act(&self, request: &IncomingRequest) -> Answer {
        let mut books = self.books.lock().unwrap();
        let refuses = self.troubles.load(Ordering::Relaxed) > 0 && self.chance.percent(10);
        let answer = books.answer(request.method, &request.path, &request.fields, request.key.as_deref(), refuses);
        self.log.note(format!("stripe {} {} {:?} -> {}", request.method, request.path, request.fields, answer.0));
        answer
    }
}

#[derive(Clone)]
struct IncomingRequest {
    method: &'static str,
    path: String,
    fields: Fields,
    key: Option<String>,
}

/// The host's connection to the simulated Stripe.
pub(crate) struct StripeLine(pub(crate) Arc<Stripe>);

#[async_trait]
impl StripeTransport for StripeLine {
    async fn exchange(&self, request: StripeRequest) -> Result<(u16, Vec<u8>), String> {
        let path = request.url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        let arriving = IncomingRequest {
            method: request.method,
            path: format!("/{}", path.map(|(_, path)| path).unwrap_or_default()),
            fields: request.fields.into_iter().collect(),
            key: request.idempotency_key,
        };
        exchange(self.0.clone(), arriving).await
    }
}

/// Counts a request as in transit until it is dropped, which happens when it is answered
/// or its client gives up.
struct InTransit<'s>(&'s Stripe);

impl<'s> InTransit<'s> {
    fn to(stripe: &'s Stripe) -> Self {
        stripe.under_way.fetch_add(1, Ordering::Relaxed);
        Self(stripe)
    }
}

impl Drop for InTransit<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn exchange(stripe: Arc<Stripe>, request: IncomingRequest) -> Result<(u16, Vec<u8>), String> {
    let outcome = exchange_outcome(&stripe.chance, stripe.troubles.load(Ordering::Relaxed));
    if outcome != ExchangeOutcome::Arrives {
        stripe.log.note(format!("stripe {} {}: {outcome:?}", request.method, request.path));
    }
    let under_way = InTransit::to(&stripe);
    tokio::time::sleep(latency(&stripe.chance)).await;
    drop(under_way);
    match outcome {
        ExchangeOutcome::Lost => Err("the connection was reset".to_owned()),
        ExchangeOutcome::Silence => std::future::pending().await,
        // Only Stripe itself may refuse a request that moves money, so a 404 from an
        // intermediary is replaced by a reset.
        ExchangeOutcome::Refused(404) if request.method == "POST" => Err("the connection was reset".to_owned()),
        ExchangeOutcome::Refused(status) => Ok((status, error(status))),
        ExchangeOutcome::Late => {
            stripe.delay(request);
            std::future::pending().await
        }
        ExchangeOutcome::AnswerLost => {
            stripe.act(&request);
            Err("the answer broke off".to_owned())
        }
        ExchangeOutcome::Arrives | ExchangeOutcome::Twice => {
            if outcome == ExchangeOutcome::Twice {
                stripe.act(&request);
            }
            let (status, body) = stripe.act(&request);
            tokio::time::sleep(latency(&stripe.chance)).await;
            Ok((status, body.to_string().into_bytes()))
        }
    }
}

/// Returns the error body of a proxy, of a rate limit, or of a key without the
/// permission.
fn error(status: u16) -> Vec<u8> {
    let code = match status {
        404 => "resource_missing",
        429 => "rate_limit",
        409 => "idempotency_key_in_use",
        401 => "api_key_expired",
        _ => "",
    };
    let kind = if status >= 500 { "api_error" } else { "invalid_request_error" };
    serde_json::json!({ "error": { "type": kind, "code": code, "message": "trouble" } }).to_string().into_bytes()
}
