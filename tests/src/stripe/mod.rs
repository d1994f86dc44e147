//! A fake Stripe for the endpoints that Tollbridge uses, with faults on demand.
//!
//! The fake is strict: an unknown parameter, a missing version or a POST without an
//! idempotency key is an error and is recorded in `complaints`. Idempotency works as at
//! Stripe: the status and body of the first answer under a key, including 500s, are
//! stored and returned again; a different body under the same key is refused. A request
//! that fails validation, or that arrives while another with the same key is in flight,
//! is not stored.

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

/// The secret key that the fake accepts.
pub const SECRET_KEY: &str = "sk_test_fake";
/// The secret that signs events.
pub const EVENT_SECRET: &str = "whsec_fake";
/// The client id of the platform.
pub const CLIENT_ID: &str = "ca_fake";

/// A mutex that stays usable after a panic in a test.
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

    /// Returns the configuration of a server that uses this Stripe.
    pub fn config(&self) -> String {
        format!(
            "[payments]\nprocessor = \"stripe\"\nhold_days = 0\nfollow_every = \"200ms\"\n\
             [payments.stripe]\nsecret_key = \"{SECRET_KEY}\"\nwebhook_secret = \"{EVENT_SECRET}\"\n\
             client_id = \"{CLIENT_ID}\"\napi_base = \"{url}\"\nconnect_base = \"{url}\"\n",
            url = self.url()
        )
    }

    /// Queues faults for the next requests with this method and path prefix.
    pub fn fail(&self, method: &str, path: &str, faults: &[Fault]) {
        self.state.lock().faults.add(method, path, faults);
    }

    /// Removes all queued faults.
    pub fn clear_faults(&self) {
        std::mem::take(&mut self.state.lock().faults);
    }

    /// Returns the violations of Stripe's rules.
    pub fn complaints(&self) -> Vec<String> {
        self.state.lock().complaints.clone()
    }

    /// Returns the number of requests to a path.
    pub fn asked(&self, method: &str, path: &str) -> usize {
        self.state.lock().asked.iter().filter(|(one, at)| one == method && at.starts_with(path)).count()
    }

    /// Returns all objects of a kind: `sessions`, `transfers`, `refunds`,
    /// `disputes`, `balance_transactions`.
    pub fn all(&self, kind: &str) -> Vec<Value> {
        self.state.lock().table(kind).values().cloned().collect()
    }

    /// Returns the platform's balance in pence.
    pub fn balance(&self) -> i64 {
        self.state.lock().balance()
    }

    /// Adds the platform's own money to its balance, so that the balance covers all
    /// transfers.
    pub fn deposit(&self, pence: i64) {
        self.line("topup", pence, 0);
    }

    /// Adds a balance transaction of the given type.
    pub fn line(&self, kind: &str, pence: i64, fee: i64) {
        self.state.lock().movement(kind, "tu_1", pence, fee);
    }

    /// Pays a session with a buyer's card.
    pub fn pay(&self, session: &str) -> Result<Value> {
        self.state.lock().pay(session)
    }

    /// Grants a token for at most this number of pence on one of Stripe's test cards.
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

    /// Completes a payment that is processing.
    pub fn finish_payment(&self, id: &str) {
        self.state.lock().finish_payment(id);
    }

    /// Expires an unpaid session.
    pub fn expire(&self, session: &str) -> Result<Value> {
        self.state.lock().expire(session)
    }

    /// Opens a dispute about a payment; later calls for the same payment change the
    /// dispute's status.
    pub fn dispute(&self, payment_intent: &str, status: &str) -> Result<Value> {
        self.state.lock().dispute(payment_intent, status)
    }

    /// Reverses a number of pence of a transfer.
    pub fn reverse(&self, transfer: &str, pence: i64) -> Result<Value> {
        self.state.lock().reverse(transfer, pence)
    }

    /// Sets whether new refunds stay pending at the bank.
    pub fn slow_refunds(&self, slow: bool) {
        self.state.lock().slow_refunds = slow;
    }

    /// Fails a refund, whether it was pending or had succeeded.
    pub fn fail_refund(&self, refund: &str, reason: &str) -> Result<Value> {
        self.state.lock().fail_refund(refund, reason)
    }

    /// Forgets all idempotency keys, as Stripe does after a day.
    pub fn forget_keys(&self) {
        self.state.lock().keys.clear();
    }

    /// Returns the id of the session with a URL.
    pub fn session_at(&self, url: &str) -> Result<String> {
        let all = self.all("sessions");
        let found = all.iter().find(|session| session["url"] == url).with_context(|| format!("no session at {url}"))?;
        Ok(found["id"].as_str().context("no id")?.to_owned())
    }

    /// Sends a signed event to the server, as Stripe would; returns the status of the
    /// server's answer.
    pub async fn send_event(&self, server: &str, kind: &str, object: &Value) -> Result<u16> {
        let body = event(kind, object);
        self.send_signed_event(server, &body, &signature(EVENT_SECRET, &body, now_s())).await
    }

    /// Sends a body with a given signature.
    pub async fn send_signed_event(&self, server: &str, body: &str, signature: &str) -> Result<u16> {
        let http = crate::http().timeout(Duration::from_secs(30)).build()?;
        let request = http.post(format!("{server}/v1/payments/stripe/events"));
        let request = request.header("stripe-signature", signature).header("content-type", "application/json");
        Ok(request.body(body.to_owned()).send().await?.status().as_u16())
    }

    /// Checks that no rule of Stripe was broken.
    pub fn must_have_no_violations(&self) -> Result<()> {
        let complaints = self.complaints();
        ensure!(complaints.is_empty(), "the client broke rules of Stripe: {complaints:#?}");
        Ok(())
    }
}

/// Returns an event about an object, as text.
pub fn event(kind: &str, object: &Value) -> String {
    let id = format!("evt_{}", world::random_name());
    json!({
        "id": id, "object": "event", "api_version": world::VERSION, "created": now_s(), "livemode": false,
        "type": kind, "data": { "object": object },
    })
    .to_string()
}

/// Returns the header `Stripe-Signature`.
pub fn signature(secret: &str, body: &str, at_s: u64) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map(|mac| mac.chain_update(format!("{at_s}.{body}")));
    let digits = mac.map(|mac| hex::encode(mac.finalize().into_bytes())).unwrap_or_default();
    format!("t={at_s},v1={digits}")
}

pub fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
