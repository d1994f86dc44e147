//! A server that behaves like Stripe where Tollbridge touches it, and that goes
//! wrong on purpose.
//!
//! Strict: an unknown parameter, a missing version or a POST without an
//! idempotency key is an error, and is remembered in `complaints`. Idempotency
//! is Stripe's own: the first status and body of a key are kept and given
//! again, 500s included; another body under the same key is refused; what fails
//! validation or meets a request in flight is not kept.

mod fault;
mod objects;
mod routes;
mod tokens;
mod world;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use hmac::{Hmac, KeyInit, Mac};
use lock::Shared;
use serde_json::{Value, json};
use sha2::Sha256;

pub use fault::{Fault, Gate};
use world::World;

/// The secret key that the fake takes.
pub const SECRET_KEY: &str = "sk_test_fake";
/// The secret that it signs events with.
pub const EVENT_SECRET: &str = "whsec_fake";
/// The client id of the platform.
pub const CLIENT_ID: &str = "ca_fake";

/// A mutex that a panic in a test does not poison for the others.
mod lock {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    #[derive(Default)]
    pub struct Shared<T>(Mutex<T>);

    impl<T> Shared<T> {
        pub fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }
}

type State = Arc<Shared<World>>;

/// The fake, serving until it is dropped.
pub struct Stripe {
    state: State,
    pub address: SocketAddr,
    server: tokio::task::JoinHandle<()>,
}

impl Drop for Stripe {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Stripe {
    pub async fn start() -> Result<Self> {
        let state = State::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = routes::router(state.clone());
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { state, address, server })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The configuration of a server that uses this Stripe.
    pub fn config(&self) -> String {
        format!(
            "[payments]\nprocessor = \"stripe\"\nhold_days = 0\nfollow_every = \"200ms\"\n\
             [payments.stripe]\nsecret_key = \"{SECRET_KEY}\"\nwebhook_secret = \"{EVENT_SECRET}\"\n\
             client_id = \"{CLIENT_ID}\"\napi_base = \"{url}\"\nconnect_base = \"{url}\"\n",
            url = self.url()
        )
    }

    /// The next requests whose path begins so go wrong, one after the other.
    pub fn fail(&self, method: &str, path: &str, faults: &[Fault]) {
        self.state.lock().faults.add(method, path, faults);
    }

    /// Forgets the faults that are still to come.
    pub fn heal(&self) {
        std::mem::take(&mut self.state.lock().faults);
    }

    /// Rules of Stripe that were broken.
    pub fn complaints(&self) -> Vec<String> {
        self.state.lock().complaints.clone()
    }

    /// How often a path was asked for.
    pub fn asked(&self, method: &str, path: &str) -> usize {
        self.state.lock().asked.iter().filter(|(one, at)| one == method && at.starts_with(path)).count()
    }

    /// Everything of a kind: `sessions`, `transfers`, `refunds`, `disputes`,
    /// `balance_transactions`.
    pub fn all(&self, kind: &str) -> Vec<Value> {
        self.state.lock().table(kind).values().cloned().collect()
    }

    /// What the platform has, in pence.
    pub fn balance(&self) -> i64 {
        self.state.lock().balance()
    }

    /// The platform's own money, so that transfers do not run dry.
    pub fn deposit(&self, pence: i64) {
        self.line("topup", pence, 0);
    }

    /// Any line in the books.
    pub fn line(&self, kind: &str, pence: i64, fee: i64) {
        self.state.lock().movement(kind, "tu_1", pence, fee);
    }

    /// A buyer pays a session with a card.
    pub fn pay(&self, session: &str) -> Result<Value> {
        self.state.lock().pay(session)
    }

    /// A payer grants a token of so many pence on one of Stripe's test cards.
    pub fn grant(&self, card: &str, pence: i64) -> Result<String> {
        let fields = [
            ("payment_method", card.to_owned()),
            ("usage_limits[currency]", "gbp".to_owned()),
            ("usage_limits[max_amount]", pence.to_string()),
        ];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let granted = self.state.lock().grant_token(&fields);
        let (_, token) = granted.map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?;
        Ok(token["id"].as_str().context("no id")?.to_owned())
    }

    /// What was being processed is paid.
    pub fn finish_payment(&self, id: &str) {
        self.state.lock().finish_payment(id);
    }

    /// A session that nobody paid in time.
    pub fn expire(&self, session: &str) -> Result<Value> {
        self.state.lock().expire(session)
    }

    /// A buyer takes a payment back; later calls move it on to another status.
    pub fn dispute(&self, payment_intent: &str, status: &str) -> Result<Value> {
        self.state.lock().dispute(payment_intent, status)
    }

    /// The platform takes so many pence of a transfer back.
    pub fn reverse(&self, transfer: &str, pence: i64) -> Result<Value> {
        self.state.lock().reverse(transfer, pence)
    }

    /// Whether new refunds wait for the bank.
    pub fn slow_refunds(&self, slow: bool) {
        self.state.lock().slow_refunds = slow;
    }

    /// The bank cannot pay a refund, whether it was waiting or had succeeded.
    pub fn fail_refund(&self, refund: &str, reason: &str) -> Result<Value> {
        self.state.lock().fail_refund(refund, reason)
    }

    /// Idempotency keys are forgotten, as Stripe does after a day.
    pub fn forget_keys(&self) {
        self.state.lock().keys.clear();
    }

    /// The session that was opened for an address.
    pub fn session_at(&self, url: &str) -> Result<String> {
        let all = self.all("sessions");
        let found = all.iter().find(|session| session["url"] == url).with_context(|| format!("no session at {url}"))?;
        Ok(found["id"].as_str().context("no id")?.to_owned())
    }

    /// Sends a signed event, as Stripe would; the status of the answer.
    pub async fn tell(&self, server: &str, kind: &str, object: &Value) -> Result<u16> {
        let body = event(kind, object);
        self.tell_signed(server, &body, &signature(EVENT_SECRET, &body, now_s())).await
    }

    /// Sends bytes under a signature of the test's choice.
    pub async fn tell_signed(&self, server: &str, body: &str, signature: &str) -> Result<u16> {
        let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(30)).build()?;
        let request = http.post(format!("{server}/v1/payments/stripe/events"));
        let request = request.header("stripe-signature", signature).header("content-type", "application/json");
        Ok(request.body(body.to_owned()).send().await?.status().as_u16())
    }

    /// Every rule of Stripe was kept.
    pub fn must_be_content(&self) -> Result<()> {
        let complaints = self.complaints();
        ensure!(complaints.is_empty(), "the client broke rules of Stripe: {complaints:#?}");
        Ok(())
    }
}

/// An event about an object, as text.
pub fn event(kind: &str, object: &Value) -> String {
    let id = format!("evt_{}", world::random_name());
    json!({
        "id": id, "object": "event", "api_version": world::VERSION, "created": now_s(), "livemode": false,
        "type": kind, "data": { "object": object },
    })
    .to_string()
}

/// The header `Stripe-Signature`.
pub fn signature(secret: &str, body: &str, at_s: u64) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map(|mac| mac.chain_update(format!("{at_s}.{body}")));
    let digits = mac.map(|mac| hex::encode(mac.finalize().into_bytes())).unwrap_or_default();
    format!("t={at_s},v1={digits}")
}

pub fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
