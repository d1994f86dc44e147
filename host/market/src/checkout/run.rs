//! `Checkout::run`: a paid call from its idempotency key to its sealed answer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use tollbridge_core::finish::Finish;
use tollbridge_core::money::Millipence;
use tollbridge_payment::{PaymentAuthorization, PaymentDeclined};
use tollbridge_runtime::plugins::{CallContext, Output, Resource, Services};
use tollbridge_store::Change;

use super::answer::CallAnswer;
use super::call::{Call, PaymentSource};
use super::call_tree::CallTree;
use super::error::CheckoutError;
use super::idempotency::Idempotency;
use super::input::Input;
use super::resources::StoredResource;
use super::seal::CompletedCall;
use super::service::Checkout;
use crate::catalog::Offer;

impl Checkout {
    /// Sells one call. Step 1, admission (key, tier, limits), happened at the
    /// door for every route alike; `call.account` is its outcome.
    pub async fn run(self: &Arc<Self>, call: Call) -> Result<CallAnswer, CheckoutError> {
        call.check_key()?;
        // 2. offer: one snapshot of plugin, price, split and owner.
        let offer = self.catalog.offer(call.kind, &call.name);
        // 0. idempotency: a repeat gets the stored answer, even if the offer is gone.
        let (identity, in_flight) = match self.begin(&call, offer.as_deref().ok())? {
            Idempotency::Replayed(answer) => return Ok(answer),
            Idempotency::New { identity, guard } => (identity, guard),
        };
        let offer = offer?;
        // 3. check: what is there must be right before any money is spoken of.
        let input = Input::read(&call, &offer)?;
        input.check_cost(&offer)?;
        let resource = self.find_resource(call.account.as_deref(), &input, call.now_ms)?;
        if offer.is_free() {
            return self.run_free(call, offer, input, resource).await;
        }
        let identity = identity.map_or_else(|| call.identity(), Ok)?;
        // What was paid at a processor may not be in the books yet.
        if let PaymentSource::Intent(id) = &call.source {
            self.payment_service.orders.check_intent(id, call.now_ms).await?;
        }
        // 4. quote and 5. hold: the price is reserved, or the caller learns it.
        let mut draw = self.hold(&call, &offer)?;
        input.require_complete(&offer)?;
        let this = self.clone();
        let rest = async move {
            // 6. run: a failure drops the hold; the payment stays usable.
            let (below, began) = (CallTree::new(&this, &call, draw.amount), Instant::now());
            let output = this.call_plugin(&call, &offer, &input, resource, below.services(&offer)).await;
            let mut costs = below.costs();
            // 7. seal: one durable write of everything that this call changes.
            let (identity, took) = (&identity, began.elapsed());
            let sale = CompletedCall { call: &call, offer: &offer, identity, input: &input, draw: &draw, took };
            let unsealed = output.and_then(|output| this.draft(&sale, output, &mut costs));
            // It waits longest here: what it needs no more goes while it is at hand.
            drop((input, below));
            let sealed = match unsealed {
                Ok(unsealed) => this.seal(&call, &offer, &draw, unsealed).await,
                Err(error) => Err(error),
            };
            if sealed.is_err()
                && let Err(error) = this.pay_nested(&call, &offer, &mut costs).await
            {
                tracing::error!(%error, request = call.request_id, "calls that were answered below a failed one are not paid");
            }
            if let (Ok(_), Some(spend_reservation)) = (&sealed, &mut draw.spend_reservation) {
                spend_reservation.commit();
            }
            drop((draw, in_flight, costs));
            sealed
        };
        // 8. respond, when the seal is durable.
        Finish::new(AssertUnwindSafe(rest).catch_unwind()).await.map_err(|_| CheckoutError::Lost)?
    }

    /// A call that costs nothing: no payment and no seal, but all the limits.
    async fn run_free(
        self: &Arc<Self>,
        call: Call,
        offer: Arc<Offer>,
        input: Input,
        resource: Option<StoredResource>,
    ) -> Result<CallAnswer, CheckoutError> {
        input.require_complete(&offer)?;
        // There is nothing to pay models from, so only free ones answer.
        let below = CallTree::new(self, &call, offer.price);
        let output = self.call_plugin(&call, &offer, &input, resource, below.services(&offer)).await;
        // Nothing comes in, so the owner pays for what was called, before the answer leaves.
        self.pay_nested(&call, &offer, &mut below.costs()).await?;
        let output = output?;
        if !output.kv.is_empty() {
            self.db.submit(Change { kv: output.kv.clone(), ..Change::default() }).await?;
        }
        Ok(CallAnswer::Free(output.body.into()))
    }

    fn hold(&self, call: &Call, offer: &Offer) -> Result<PaymentAuthorization, CheckoutError> {
        let account = call.account.as_deref();
        if let Some(most) = call.max_cost.filter(|most| offer.price > *most) {
            let price = offer.price;
            return Err(self.refuse(call, offer, Some(PaymentDeclined::MaxCostExceeded { price, max_cost: most })));
        }
        let drawn = match &call.source {
            PaymentSource::Nothing => None,
            PaymentSource::Intent(id) => {
                Some(self.payments.authorize_intent(id, &offer.sold_as(), account, offer.price, call.now_ms))
            }
            PaymentSource::Held { task, amount } => {
                let account = account.ok_or(CheckoutError::CreditNeedsKey)?;
                Some(self.payments.authorize_task(account, task, *amount))
            }
            PaymentSource::Credit => {
                let account = account.ok_or(CheckoutError::CreditNeedsKey)?;
                Some(self.payments.authorize_credit_within(account, offer.price, call.spend.as_ref(), call.now_ms))
            }
        };
        match drawn {
            Some(Ok(draw)) => Ok(draw),
            Some(Err(problem)) => Err(self.refuse(call, offer, Some(problem))),
            None => Err(self.refuse(call, offer, None)),
        }
    }

    /// What a task would cost, reserved on what its caller pays with, after all
    /// checks that can be made before it runs.
    pub async fn accept(&self, call: &Call) -> Result<(Millipence, PaymentAuthorization), CheckoutError> {
        let offer = self.catalog.offer(call.kind, &call.name)?;
        call.check_key()?;
        let input = Input::read(call, &offer)?;
        input.check_cost(&offer)?;
        self.find_resource(call.account.as_deref(), &input, call.now_ms)?;
        if let PaymentSource::Intent(id) = &call.source {
            self.payment_service.orders.check_intent(id, call.now_ms).await?;
        }
        let draw = self.hold(call, &offer)?;
        input.require_complete(&offer)?;
        Ok((offer.price, draw))
    }

    /// The stored resource that the input names. That of another account is as
    /// if it were not there.
    pub(super) fn find_resource(
        &self,
        account: Option<&str>,
        input: &Input,
        now_ms: u64,
    ) -> Result<Option<StoredResource>, CheckoutError> {
        let Some(id) = input.stored_resource() else { return Ok(None) };
        let kept = match account {
            Some(account) => self.resources.find(account, id, now_ms)?,
            None => None,
        };
        kept.map(Some).ok_or_else(|| CheckoutError::NoResource { id: id.to_owned(), keyed: account.is_some() })
    }

    /// Its bytes; it may have been deleted since it was found.
    pub(super) fn load_resource(&self, kept: StoredResource) -> Result<Resource, CheckoutError> {
        self.resources.load(&kept)?.ok_or(CheckoutError::NoResource { id: kept.id, keyed: true })
    }

    async fn call_plugin(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        resource: Option<StoredResource>,
        services: Services,
    ) -> Result<Output, CheckoutError> {
        let resource = resource.map(|kept| self.load_resource(kept)).transpose()?;
        let context = CallContext {
            request_id: call.request_id.clone(),
            caller: call.account.clone(),
            now_ms: call.now_ms,
            resource,
            deadline: None,
            services,
        };
        let began = Instant::now();
        let outcome = offer.plugin.call(context, input.for_plugin()).await;
        offer.meter.count(outcome.is_ok(), began.elapsed());
        Ok(outcome?)
    }
}
