//! `Checkout::run`: runs a call, from the check of its idempotency key to its sealed
//! answer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::time::Instant;
use tollbridge_core::finish::Finish;
use tollbridge_core::in_flight::InFlightGuard;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_payment::{PaymentAuthorization, PaymentDeclined};
use tollbridge_runtime::plugins::{CallContext, PluginOutput, Resource, Services};
use tollbridge_store::{Change, Hash};
use tracing::Instrument as _;

use super::answer::CallAnswer;
use super::call::{Call, PaymentSource};
use super::call_tree::CallTree;
use super::error::CheckoutError;
use super::idempotency::Idempotency;
use super::input::Input;
use super::resources::StoredResource;
use super::seal::CompletedCall;
use super::service::Checkout;
use super::trace;
use super::wallet::SalePayment;
use crate::catalog::Offer;

/// The state of a call before its plugin runs.
enum Prepared {
    /// The call repeats an earlier call; contains the stored answer.
    Replayed(CallAnswer),
    /// The call is free.
    Free { offer: Arc<Offer>, input: Input, resource: Option<StoredResource> },
    /// The call has a price, which is reserved or promised by a wallet.
    Paid(Box<PreparedSale>),
}

/// The data for running a paid call.
struct PreparedSale {
    offer: Arc<Offer>,
    input: Input,
    resource: Option<StoredResource>,
    identity: RequestIdentity,
    /// Makes concurrent repeats of the call be refused until it is dropped.
    in_flight: Option<InFlightGuard<Hash>>,
    payment: SalePayment,
}

impl Checkout {
    /// Runs one call and charges for it. Step 1, admission (key, tier, limits), was done
    /// by the middleware of the route; `call.account` is its result.
    pub async fn run(self: &Arc<Self>, call: Call) -> Result<CallAnswer, CheckoutError> {
        let span = trace::call_span(call.kind, &call.name);
        let outcome = self.sell(call).instrument(span.clone()).await;
        trace::ended(&span, &outcome);
        outcome
    }

    async fn sell(self: &Arc<Self>, call: Call) -> Result<CallAnswer, CheckoutError> {
        call.check_key()?;
        let prepared = match trace::step("check and hold", self.prepare(&call)).await {
            // The refusal may be outdated: steps 0 to 5 used only what this host has seen
            // of other hosts' writes. Look again and repeat the steps.
            Err(refusal) if refusal.may_be_outdated() && self.payments.shares.look_again().await? => {
                self.prepare(&call).await
            }
            prepared => prepared,
        };
        match prepared? {
            Prepared::Replayed(answer) => Ok(answer),
            Prepared::Free { offer, input, resource } => self.run_free(call, offer, input, resource).await,
            Prepared::Paid(prepared) => self.run_paid(call, *prepared).await,
        }
    }

    /// Runs steps 0 to 5 of a call: everything before the plugin runs. Writes nothing.
    async fn prepare(&self, call: &Call) -> Result<Prepared, CheckoutError> {
        // 2. offer: plugin, price, split and owner come from one snapshot.
        let offer = self.catalog.offer(call.kind, &call.name);
        // 0. idempotency: a repeat gets the stored answer, even if the plugin is no
        //    longer offered.
        let (identity, in_flight) = match self.begin(call, offer.as_deref().ok())? {
            Idempotency::Replayed(answer) => return Ok(Prepared::Replayed(answer)),
            Idempotency::New { identity, guard } => (identity, guard),
        };
        let offer = offer?;
        // 3. check: invalid input is refused before money is involved.
        let input = Input::read(call, &offer).await?;
        // A call that cannot be answered is refused before it is quoted.
        self.catalog.ensure_answerable(&offer, input.value())?;
        let resource = self.find_resource(call.account.as_deref(), &input, call.now_ms)?;
        if offer.is_free() {
            return Ok(Prepared::Free { offer, input, resource });
        }
        let identity = identity.map_or_else(|| call.identity(), Ok)?;
        // The caller may have paid at the processor without the payment being recorded
        // here yet.
        if let PaymentSource::Intent(id) = &call.source {
            self.payment_service.orders.check_intent(id, call.now_ms).await?;
        }
        // 4. quote and 5. hold: the price is reserved, or the call is refused with a
        //    quote.
        let payment = self.reserve(call, &offer, &input).await.map_err(|error| error.lacking(|| input.lacks()))?;
        input.require_complete()?;
        Ok(Prepared::Paid(Box::new(PreparedSale { offer, input, resource, identity, in_flight, payment })))
    }

    /// Runs steps 6 to 8 of a paid call: the plugin, the seal and the answer.
    async fn run_paid(self: &Arc<Self>, call: Call, prepared: PreparedSale) -> Result<CallAnswer, CheckoutError> {
        let PreparedSale { offer, input, resource, identity, in_flight, payment } = prepared;
        let (checkout, span) = (self.clone(), tollbridge_telemetry::current());
        let within = span.clone();
        let finish = async move {
            // 6. run: if the plugin fails, the hold on the price is released and the
            //    payment stays usable.
            let (call_tree, started) = (CallTree::new(&checkout, &call, payment.amount()), Instant::now());
            let services = call_tree.services(&offer);
            let (offer, output) = checkout.call_version(&call, &offer, &input, resource, services).await;
            let mut costs = call_tree.costs();
            let (mut payment, output) = match checkout.collect(&call, &offer, payment, output).await {
                Ok(collected) => collected,
                Err(error) => {
                    checkout.pay_nested(&call, &offer, &mut costs).await?;
                    return Err(error);
                }
            };
            // 7. seal: one durable write of everything that this call changes.
            let (identity, elapsed) = (&identity, started.elapsed());
            let completed =
                CompletedCall { call: &call, offer: &offer, identity, input: &input, payment: &payment, elapsed };
            let pending = output.and_then(|output| checkout.draft(&completed, output, &mut costs));
            let to_keep = checkout.input_to_keep(&offer, &input);
            // Free memory that is no longer needed before waiting for the disk, which
            // takes longest.
            drop((input, call_tree));
            let mut sealed = match pending {
                Ok(pending) => trace::step("seal", checkout.seal(&call, &offer, &payment, pending)).await,
                Err(error) => Err(error),
            };
            // Nested calls that answered are paid even if this call fails.
            if let Err(error) = sealed {
                let charged = checkout.charge_failed(&call, &offer, &mut payment, &mut costs).await;
                sealed = Err(error.after_charge(charged, &call.request_id));
            }
            if sealed.is_ok() {
                trace::paid(&span, payment.amount);
                payment.spend_reservation.iter_mut().for_each(|spend_reservation| spend_reservation.commit());
                checkout.keep_input(to_keep);
            }
            drop((payment, in_flight, costs));
            match sealed {
                // Another host sealed the same call while it ran here; return that host's
                // answer.
                Err(CheckoutError::AlreadySealed { .. }) => checkout.replay(identity)?.map_or(sealed, Ok),
                sealed => sealed,
            }
        };
        // 8. respond, once the seal is durable.
        let finish = AssertUnwindSafe(finish.instrument(within)).catch_unwind();
        Finish::new(finish).await.map_err(|_| CheckoutError::Lost)?
    }

    /// Runs a free call: no payment and no record, but all limits apply.
    async fn run_free(
        self: &Arc<Self>,
        call: Call,
        offer: Arc<Offer>,
        input: Input,
        resource: Option<StoredResource>,
    ) -> Result<CallAnswer, CheckoutError> {
        input.require_complete()?;
        // The budget for models is the price, zero, so only models without cost can be
        // used.
        let call_tree = CallTree::new(self, &call, offer.price);
        let services = call_tree.services(&offer);
        let (offer, output) = self.call_version(&call, &offer, &input, resource, services).await;
        // The plugin's owner pays for nested calls before the answer is sent.
        self.pay_nested(&call, &offer, &mut call_tree.costs()).await?;
        let output = output?;
        if !output.kv.is_empty() {
            self.db.submit(Change { kv: output.kv.clone(), ..Change::default() }).await?;
        }
        self.keep_input(self.input_to_keep(&offer, &input));
        Ok(CallAnswer::Free(output.body.into()))
    }

    /// Reserves the price of a call, or verifies a wallet's payment that will be
    /// collected later.
    async fn reserve(&self, call: &Call, offer: &Offer, input: &Input) -> Result<SalePayment, CheckoutError> {
        match &call.source {
            PaymentSource::Wallet(payment) if self.may_promise(offer, payment)? => {
                self.promise(call, offer, input, payment).await.map(SalePayment::Promised)
            }
            _ => self.hold(call, offer, input).await.map(SalePayment::Held),
        }
    }

    /// Reserves the price of a call.
    async fn hold(&self, call: &Call, offer: &Offer, input: &Input) -> Result<PaymentAuthorization, CheckoutError> {
        let (account, payments, price) = (call.account.as_deref(), &self.payments, offer.price);
        self.check_max_cost(call, offer, input)?;
        let authorized = match &call.source {
            PaymentSource::Nothing => return Err(self.refuse(call, offer, None)),
            PaymentSource::UnusableWallet(why) => return Err(self.refuse(call, offer, Some(why.clone().into()))),
            PaymentSource::UnusableCredential(why) => return Err(self.refuse(call, offer, Some(why.clone().into()))),
            PaymentSource::Token(payment) => return self.charge_token(call, offer, input, payment).await,
            PaymentSource::Wallet(payment) => {
                self.promise(call, offer, input, payment).await?;
                return self.take(call, offer, payment).await;
            }
            PaymentSource::Intent(id) => {
                let sold_as = offer.sold_as();
                payments
                    .shares
                    .reserve(|| payments.authorizer.authorize_intent(id, &sold_as, account, price, call.now_ms))
                    .await
            }
            PaymentSource::Held { task, amount } => {
                let account = account.ok_or(CheckoutError::CreditNeedsKey)?;
                payments.shares.reserve(|| payments.authorizer.authorize_task(account, task, *amount)).await
            }
            PaymentSource::Credit => {
                let (account, spend) = (account.ok_or(CheckoutError::CreditNeedsKey)?, call.spend.as_ref());
                payments
                    .shares
                    .reserve(|| payments.authorizer.authorize_credit_within(account, price, spend, call.now_ms))
                    .await
            }
        };
        authorized.map_err(|problem| self.refuse(call, offer, Some(problem)))
    }

    /// Refuses a price above the maximum in the header or in the body.
    pub(super) fn check_max_cost(&self, call: &Call, offer: &Offer, input: &Input) -> Result<(), CheckoutError> {
        let price = offer.price;
        let max_cost = call.max_cost.into_iter().chain(input.max_cost()).min();
        match max_cost.filter(|max_cost| price > *max_cost) {
            Some(max_cost) => Err(self.refuse(call, offer, Some(PaymentDeclined::MaxCostExceeded { price, max_cost }))),
            None => Ok(()),
        }
    }

    /// Checks an agent's task before it is queued, and reserves its price.
    pub async fn accept(&self, call: &Call) -> Result<(Millipence, PaymentAuthorization), CheckoutError> {
        let offer = self.catalog.offer(call.kind, &call.name)?;
        call.check_key()?;
        let input = Input::read(call, &offer).await?;
        self.catalog.ensure_answerable(&offer, input.value())?;
        self.find_resource(call.account.as_deref(), &input, call.now_ms)?;
        if let PaymentSource::Intent(id) = &call.source {
            self.payment_service.orders.check_intent(id, call.now_ms).await?;
        }
        let payment = self.hold(call, &offer, &input).await?;
        input.require_complete()?;
        Ok((offer.price, payment))
    }

    /// Returns the stored resource to which the input refers. A resource of another
    /// account is treated as if it did not exist.
    pub(super) fn find_resource(
        &self,
        account: Option<&str>,
        input: &Input,
        now_ms: u64,
    ) -> Result<Option<StoredResource>, CheckoutError> {
        let Some(id) = input.stored_resource() else { return Ok(None) };
        let stored = match account {
            Some(account) => self.resources.find(account, id, now_ms)?,
            None => None,
        };
        stored.map(Some).ok_or_else(|| CheckoutError::NoResource { id: id.to_owned(), keyed: account.is_some() })
    }

    /// Loads a resource's bytes; fails if the resource was deleted since it was found.
    pub(super) fn load_resource(&self, stored: StoredResource) -> Result<Resource, CheckoutError> {
        self.resources.load(&stored)?.ok_or(CheckoutError::NoResource { id: stored.id, keyed: true })
    }

    pub(super) async fn call_plugin(
        &self,
        call: &Call,
        offer: &Offer,
        input: &Input,
        resource: Option<StoredResource>,
        services: Services,
    ) -> Result<PluginOutput, CheckoutError> {
        let resource = resource.map(|stored| self.load_resource(stored)).transpose()?;
        let context = CallContext {
            request_id: call.request_id.clone(),
            caller: call.account.clone(),
            share: call.share.clone(),
            is_nested: false,
            now_ms: call.now_ms,
            resource,
            deadline: None,
            services,
        };
        trace::version(&tollbridge_telemetry::current(), &offer.version_text);
        let started = Instant::now();
        let outcome = trace::step("run", offer.plugin.call(context, input.for_plugin())).await;
        offer.meter.count(outcome.is_ok(), started.elapsed());
        if let Err(failure) = &outcome {
            self.keep_failed(call, offer, input, failure);
        }
        Ok(outcome?)
    }
}
