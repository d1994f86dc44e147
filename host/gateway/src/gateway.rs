//! The gateway: providers, their health, and the path of a request.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use futures_util::stream::{BoxStream, StreamExt};
use tokio::sync::Semaphore;

use super::attempts::{Got, Retries, Won};
use super::error::{Attempt, Error};
use super::meter::Meter;
use super::plan::{Candidate, Models, Priority};
use super::presets::PRESETS;
use super::price::Usage;
use super::provider::{Deployment, Surveyed, deployments};
use super::request::{Kind, Request};
use super::serving::{Bill, Serving};
use super::tab::{Cashier, Identity, Replay, Settled, Who};
use super::upstream::Upstream;
use tollbridge_core::config::{Billing, Inference, Millionths};
use tollbridge_core::finish::Finish;
use tollbridge_core::limits::INFERENCE_OPEN_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Notary;
use tollbridge_payment::PaymentAuthorizer;
use tollbridge_store::{Store, Writer};

/// How long a repeat of a client library waits for the first to be settled.
const REPEAT_WAITS: u32 = 100;
const REPEAT_WAIT: Duration = Duration::from_millis(20);

/// Everything behind the inference routes and the plugins' import.
pub struct Gateway {
    pub(super) models: Models,
    pub(super) upstream: Upstream,
    pub(super) settings: Inference,
    pub(super) retries: Retries,
    pub(super) meter: Arc<Meter>,
    cashier: Arc<Cashier>,
    survey: Vec<Surveyed>,
    open: Arc<Semaphore>,
}

/// The rooms that the gateway works with.
pub struct Rooms {
    pub payments: Arc<PaymentAuthorizer>,
    pub notary: Arc<Notary>,
    pub store: Arc<dyn Store>,
    pub writer: Arc<Writer>,
}

/// A request by a key.
#[derive(Clone, Debug)]
pub struct Ask {
    pub who: Who,
    pub request_id: String,
    pub now_ms: u64,
    pub kind: Kind,
    pub body: Bytes,
    pub priority: Priority,
    pub idempotency_key: Option<String>,
    /// Whether a client library says that it repeats itself.
    pub repeat: bool,
}

/// Who answered, and what came before.
#[derive(Clone, Debug)]
pub struct Served {
    pub provider: String,
    /// The provider's own name of the model.
    pub model: String,
    /// Providers that were asked before it.
    pub failed: Vec<Attempt>,
    pub usage: Option<Usage>,
}

/// The answer to a request.
pub enum Answer {
    Whole { settled: Settled, served: Served },
    Stream { bytes: BoxStream<'static, Bytes>, served: Served },
    Replayed(Replay),
}

impl Gateway {
    /// `environment` gives the value of a variable.
    pub fn new(
        settings: Inference,
        rooms: Rooms,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, reqwest::Error> {
        let (found, survey) = deployments(&settings, environment);
        let meter = Arc::new(Meter::new(rooms.store.clone(), rooms.writer));
        let cashier =
            Cashier::new(rooms.payments, rooms.notary, rooms.store, meter.clone(), settings.billing, settings.usd_gbp);
        Ok(Self {
            models: Models::new(found),
            upstream: Upstream::new()?,
            settings,
            retries: Retries::new(),
            meter,
            cashier: Arc::new(cashier),
            survey,
            open: Arc::new(Semaphore::new(INFERENCE_OPEN_MAX)),
        })
    }

    pub const fn models(&self) -> &Models {
        &self.models
    }

    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    pub fn survey(&self) -> &[Surveyed] {
        &self.survey
    }

    pub const fn usd_gbp(&self) -> Millionths {
        self.settings.usd_gbp
    }

    pub fn billed(&self) -> bool {
        self.settings.billing == Billing::Credit
    }

    /// Answers a request of a client.
    pub async fn ask(&self, ask: Ask) -> Result<Answer, Error> {
        let request = match ask.kind {
            Kind::Chat => Request::chat(&ask.body)?,
            Kind::Embeddings => Request::embeddings(&ask.body)?,
        };
        let route = if ask.kind == Kind::Chat { "POST /v1/chat/completions" } else { "POST /v1/embeddings" };
        let identity = Identity::new(&ask.who.account, route, &ask.body, ask.idempotency_key.as_deref())?;
        if ask.repeat {
            self.wait_for_the_first(&identity).await;
        }
        if let Some(replay) = self.cashier.replay(&identity, ask.repeat, ask.now_ms)? {
            return Ok(Answer::Replayed(replay));
        }
        let turn = self.cashier.enter(&identity)?;
        let place = self.open.clone().try_acquire_owned().map_err(|_| Error::Busy)?;
        let mut plan = self.plan(&request, ask.priority, request.max_cost)?;
        let caller = (ask.who, ask.request_id, ask.now_ms);
        let tab = self.cashier.open(caller, identity, (turn, place), &mut plan)?;
        let deadline = self.deadline(None);
        let won = self.try_each(&request, &plan, deadline, ask.now_ms).await?;
        let (deployment, mut served) = (won.deployment.clone(), served(&won));
        match won.got {
            Got::Stream(live, first) => {
                let bill = Bill { tab, deployment, input_guess: request.input_guess() };
                let transcript = self.billed().then(BytesMut::new);
                let serving =
                    Serving { live, first: Some(first), bill: Some(bill), deadline, transcript, ended: false };
                Ok(Answer::Stream { bytes: serving.into_stream().boxed(), served })
            }
            Got::Whole(whole) => {
                let usage = whole.usage.unwrap_or_else(|| guess(&request, &whole.body));
                served.usage = Some(usage);
                let kept = self.billed().then(|| ("application/json", whole.body.clone()));
                // A client that leaves now changes nothing.
                let settling = AssertUnwindSafe(tab.settle(deployment, usage, whole.body, kept)).catch_unwind();
                let settled = Finish::new(settling).await.map_err(|_| Error::Lost)??;
                Ok(Answer::Whole { settled, served })
            }
        }
    }

    /// Who would be asked, in order, within what the request may cost.
    pub fn plan(
        &self,
        request: &Request,
        priority: Priority,
        limit: Option<Millipence>,
    ) -> Result<Vec<Candidate>, Error> {
        if self.models.all().is_empty() {
            return Err(Error::NoProvider(self.no_provider()));
        }
        let mut plan = self.models.plan(request, priority, self.settings.usd_gbp, Instant::now())?;
        if let Some(limit) = limit {
            let needed = plan.iter().map(|one| one.worst).min().unwrap_or_default();
            plan.retain(|one| one.worst <= limit);
            if plan.is_empty() {
                return Err(Error::TooDear { limit, needed });
            }
        }
        Ok(plan)
    }

    /// When a request must be over: its own wish, within the operator's.
    pub(super) fn deadline(&self, wish: Option<Instant>) -> Instant {
        let now = Instant::now();
        let own = now.checked_add(self.settings.timeout).unwrap_or(now);
        wish.map_or(own, |wish| wish.min(own))
    }

    /// What to tell when nobody is configured.
    pub fn no_provider(&self) -> String {
        let variables: Vec<&str> = PRESETS.iter().map(|preset| preset.api_key_env).collect();
        let configured: Vec<String> = self
            .survey
            .iter()
            .filter(|one| self.settings.providers.contains_key(&one.name))
            .filter_map(|one| Some(format!("{}: {}", one.name, one.state.as_ref().err()?)))
            .collect();
        let first = if configured.is_empty() {
            "no inference provider is configured on this server".to_owned()
        } else {
            format!("no configured inference provider can be used ({})", configured.join("; "))
        };
        format!(
            "{first}; the operator sets the key of a built-in one in the environment ({}), or adds one as \
             [inference.providers.NAME] with base_url and models (`tollbridge config check` tells which are live)",
            variables.join(", ")
        )
    }

    async fn wait_for_the_first(&self, identity: &Identity) {
        for _ in 0..REPEAT_WAITS {
            if !self.cashier.is_under_way(identity) {
                return;
            }
            tokio::time::sleep(REPEAT_WAIT).await;
        }
    }
}

pub(super) fn served(won: &Won) -> Served {
    Served {
        provider: won.deployment.provider.name.clone(),
        model: won.deployment.upstream.clone(),
        failed: won.failed.clone(),
        usage: None,
    }
}

/// Tokens as they may have been, for a provider that does not say.
pub(super) fn guess(request: &Request, body: &[u8]) -> Usage {
    let output = if request.kind == Kind::Chat { text_bytes(body).div_ceil(4) } else { 0 };
    Usage {
        input: request.input_guess(),
        output: u64::try_from(output).unwrap_or(u64::MAX),
        estimated: true,
        ..Usage::default()
    }
}

/// Bytes that the model wrote in a whole answer.
fn text_bytes(body: &[u8]) -> usize {
    let answer: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let choices = answer.get("choices").and_then(serde_json::Value::as_array).into_iter().flatten();
    let message = choices.filter_map(|choice| choice.get("message"));
    message.map(super::count::length_of_texts).sum()
}

impl Deployment {
    /// Whether it can be asked now.
    pub fn is_up(&self) -> bool {
        self.health.closed_until(Instant::now()).is_none()
    }
}
