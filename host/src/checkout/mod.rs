//! The path of a call: the only room that sees both plugins and money.
//!
//! `Checkout::run` is the whole story. Its invariants:
//! 1. Every return before `seal` leaves no charge behind.
//! 2. No answer leaves before its seal is durable.
//! 3. Once the plugin runs, a client that hangs up changes nothing: a task of
//!    its own then finishes the rest.
//! 4. A reload during the call changes nothing for it: plugin, price, split and
//!    owner come from one snapshot.

mod answer;
mod call;
mod error;
mod finish;
mod input;
mod purse;
mod resources;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use futures_util::FutureExt;

use crate::catalog::{Catalog, Offer, kind_of};
use crate::events;
use crate::ledger::{Earnings, Entry, Notary, Payer, Route, salted};
use crate::money::Millipence;
use crate::money::Shares;
use crate::payment::{Draw, Payments};
use crate::plugins::{CallContext, Output, Services};
use crate::store::{Change, Outgoing, Store, Writer};

pub use answer::{Answer, Recovered};
pub use call::{Call, Source};
pub use error::{Error, PaymentRequired};
use finish::Finish;
use input::Input;
pub use input::refuse_platform_rules;
use purse::Purse;
pub use resources::{Kept, ResourceError, Resources};

/// The rooms a call passes through.
pub struct Checkout {
    pub catalog: Arc<Catalog>,
    pub payments: Arc<Payments>,
    pub store: Arc<dyn Store>,
    pub notary: Arc<Notary>,
    pub writer: Arc<Writer>,
    pub services: Arc<dyn Services>,
    pub resources: Resources,
    /// Days for which earnings stay pending.
    pub hold_days: u32,
    in_progress: answer::InProgress,
}

impl Checkout {
    pub fn new(
        catalog: Arc<Catalog>,
        payments: Arc<Payments>,
        store: Arc<dyn Store>,
        notary: Arc<Notary>,
        writer: Arc<Writer>,
        services: Arc<dyn Services>,
        hold_days: u32,
    ) -> Self {
        let resources = Resources::new(store.clone(), writer.clone());
        Self {
            catalog,
            payments,
            resources,
            store,
            notary,
            writer,
            services,
            hold_days,
            in_progress: answer::InProgress::default(),
        }
    }

    /// Sells one call. Step 1, admission (key, tier, limits), happened at the
    /// door for every route alike; `call.account` is its outcome.
    pub async fn run(self: &Arc<Self>, call: Call) -> Result<Answer, Error> {
        // 2. offer: one snapshot of plugin, price, split and owner.
        let offer = self.catalog.offer(call.kind, &call.name)?;
        // 3. check: what is there must be right before any money is spoken of.
        call.check_key()?;
        let input = Input::read(&call, &offer)?;
        let resource = self.find_resource(&call, &input)?;
        if offer.price.is_zero() {
            return self.run_free(call, offer, input, resource).await;
        }
        // A repeat of a sealed call gets the same answer and costs nothing.
        let identity = call.identity()?;
        let turn = self.in_progress.enter(&identity)?;
        if let Some(answer) = self.replay(&identity)? {
            return Ok(answer);
        }
        // 4. quote and 5. hold: the price is reserved, or the caller learns it.
        let draw = self.hold(&call, &offer)?;
        input.require_complete(&offer)?;
        let (this, coming) = (self.clone(), self.writer.expect());
        let rest = async move {
            // 6. run: a failure drops the hold; the payment stays usable.
            let purse = Arc::new(Purse::new(this.services.clone(), draw.amount));
            let output = this.call_plugin(&call, &offer, &input, (resource, purse.clone())).await?;
            // 7. seal: one durable write of everything that this call changes.
            drop(coming);
            let sealed = this.seal(&call, &offer, &identity, (&draw, purse.spent()), output).await;
            drop((draw, turn));
            sealed
        };
        // 8. respond, when the seal is durable.
        Finish::new(AssertUnwindSafe(rest).catch_unwind()).await.map_err(|_| Error::Lost)?
    }

    /// A call that costs nothing: no payment and no seal, but all the limits.
    async fn run_free(
        self: &Arc<Self>,
        call: Call,
        offer: Arc<Offer>,
        input: Input,
        resource: Option<Kept>,
    ) -> Result<Answer, Error> {
        input.require_complete(&offer)?;
        // There is nothing to pay models from, so only free ones answer.
        let purse = Arc::new(Purse::new(self.services.clone(), offer.price));
        let output = self.call_plugin(&call, &offer, &input, (resource, purse)).await?;
        if !output.kv.is_empty() {
            self.writer.submit(Change { kv: output.kv.clone(), ..Change::default() }).await?;
        }
        Ok(Answer::Free(output.body.into()))
    }

    fn hold(&self, call: &Call, offer: &Offer) -> Result<Draw, Error> {
        let account = call.account.as_deref();
        let drawn = match &call.source {
            Source::Nothing => None,
            Source::Intent(id) => Some(self.payments.draw_intent(id, &offer.name, account, offer.price, call.now_ms)),
            Source::Credit => {
                let account = account.ok_or(Error::CreditNeedsKey)?;
                Some(self.payments.draw_credit(account, offer.price))
            }
        };
        match drawn {
            Some(Ok(draw)) => Ok(draw),
            Some(Err(problem)) => Err(self.refuse(call, offer, Some(problem))),
            None => Err(self.refuse(call, offer, None)),
        }
    }

    /// The stored resource that the input names. That of another account is as
    /// if it were not there.
    fn find_resource(&self, call: &Call, input: &Input) -> Result<Option<Kept>, Error> {
        let Some(id) = input.stored_resource() else { return Ok(None) };
        let kept = match &call.account {
            Some(account) => self.resources.find(account, id, call.now_ms)?,
            None => None,
        };
        kept.map(Some).ok_or_else(|| Error::NoResource { id: id.to_owned(), keyed: call.account.is_some() })
    }

    async fn call_plugin(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        (resource, purse): (Option<Kept>, Arc<Purse>),
    ) -> Result<Output, Error> {
        let resource = match resource {
            // Deleted since it was found.
            Some(kept) => Some(self.resources.load(&kept)?.ok_or(Error::NoResource { id: kept.id, keyed: true })?),
            None => None,
        };
        let context = CallContext {
            request_id: call.request_id.clone(),
            caller: call.account.clone(),
            now_ms: call.now_ms,
            resource,
            deadline: None,
            services: purse,
        };
        let began = Instant::now();
        let outcome = offer.plugin.call(context, input.for_plugin()).await;
        offer.meter.count(outcome.is_ok(), began.elapsed());
        Ok(outcome?)
    }

    /// What the owner is told of a sale, if it listens.
    fn told(&self, offer: &Offer, shares: &Shares, now_ms: u64) -> Vec<Outgoing> {
        if !self.writer.hears(&offer.owner, events::BILLING_SPLIT) {
            return Vec::new();
        }
        let plugin = format!("{}/{}", offer.kind.as_str(), offer.name);
        vec![events::billing_split(&offer.owner, &plugin, shares, self.notary.policy_seal(), now_ms)]
    }

    async fn seal(
        &self,
        call: &Call,
        offer: &Offer,
        identity: &call::Identity,
        (draw, inference): (&Draw, Millipence),
        output: Output,
    ) -> Result<Answer, Error> {
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|_| Error::NoRandomness)?;
        // The purse gave out no more than there was.
        let margin = draw.amount.checked_sub(inference).unwrap_or(Millipence::ZERO);
        let shares = self.notary.policy().split(margin);
        let route = Route {
            plugin: offer.name.clone(),
            plugin_kind: kind_of(offer.kind),
            version: offer.version_text.clone(),
            component_sha256: offer.sha256,
            payer: draw.payer.clone(),
            nested: Vec::new(),
            task: None,
            owner: offer.owner.clone(),
            earnings: if self.hold_days > 0 { Earnings::Pending } else { Earnings::Available },
            gross: draw.amount,
            inference: (!inference.is_zero()).then_some(inference),
            shares: shares.into(),
            policy: *self.notary.policy_seal(),
            request_id: call.request_id.clone(),
            request_sha256: salted(&salt, &call.body),
            answer_sha256: salted(&salt, &output.body),
            salt,
        };
        let record = Entry::Route(route).draft(identity.tx, call.now_ms)?;
        let body = Bytes::from(output.body);
        let kept = answer::keep(call, identity, draw, &body);
        let (record, answer, outbox) = (Some(record), Some(kept), self.told(offer, &shares, call.now_ms));
        let change = Change { record, answer, kv: output.kv, outbox, ..Change::default() };
        let sealed = self.notary.seal(change, body).await?;
        let remaining = match &draw.payer {
            Payer::Intent(_) => Some(self.notary.balance(&draw.payer.ledger_account())?),
            Payer::Account(_) | Payer::Task { .. } => None,
        };
        Ok(Answer::Paid { sealed, remaining })
    }
}
