//! `Checkout::run`: runs a call, from the check of its idempotency key to its sealed
//! answer.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::Instant;
use tollbridge_core::finish::Finish;
use tollbridge_core::in_flight::InFlightGuard;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_payment::PaymentAuthorization;
use tollbridge_store::{Change, Hash};
use tracing::Instrument as _;

use super::answer::CallAnswer;
use super::call::Call;
use super::call_tree::CallTree;
use super::error::CheckoutError;
use super::input::Input;
use super::sale_payment::SalePayment;
use super::sealer::CompletedCall;
use super::service::Checkout;
use super::stored_answers::Idempotency;
use super::{resource, trace};
use crate::catalog::Offer;
use crate::resources::StoredResource;

/// The state of a call before its plugin runs.
enum Prepared {
    /// The call repeats an earlier call; contains the stored answer.
    Replayed(CallAnswer),
    /// The call is free.
    Free(CheckedCall),
    /// The call has a price, which is reserved or promised by a wallet.
    Paid(Box<PreparedSale>),
}

/// A call whose plugin is known and whose input is valid, except that required members
/// may be missing.
struct CheckedCall {
    offer: Arc<Offer>,
    input: Input,
    resource: Option<StoredResource>,
}

impl CheckedCall {
    /// Refuses an incomplete input. If `reserved` is an error, returns it first, with the
    /// missing part of the input added: the caller learns the price even with an
    /// incomplete input.
    fn complete<P>(&self, reserved: Result<P, CheckoutError>) -> Result<P, CheckoutError> {
        let payment = reserved.map_err(|error| error.lacking(|| self.input.lacks()))?;
        self.input.require_complete()?;
        Ok(payment)
    }
}

/// The data for running a paid call.
struct PreparedSale {
    checked: CheckedCall,
    identity: RequestIdentity,
    /// While this guard exists, concurrent repeats of the call are refused.
    in_flight: Option<InFlightGuard<Hash>>,
    payment: SalePayment,
}

impl Checkout {
    /// Runs one call and charges for it. Step 1, admission (key, tier, limits), was done
    /// by the middleware of the route; `call.account` is its result. Boxed, so that
    /// dependent crates do not compile the whole future again.
    pub fn run(self: &Arc<Self>, call: Call) -> BoxFuture<'static, Result<CallAnswer, CheckoutError>> {
        let checkout = self.clone();
        async move {
            let span = trace::call_span(call.kind, &call.name);
            let outcome = checkout.sell(call).instrument(span.clone()).await;
            trace::ended(&span, &outcome);
            outcome
        }
        .boxed()
    }

    async fn sell(self: &Arc<Self>, call: Call) -> Result<CallAnswer, CheckoutError> {
        call.check_key()?;
        let prepared = match trace::step("check and hold", self.prepare(&call)).await {
            // The refusal may be outdated: steps 0 to 5 used only the writes of other
            // hosts that this host has seen. If there are newer ones, read them and
            // repeat the steps once.
            Err(refusal) if refusal.may_be_outdated() && self.payments.shares.look_again().await? => {
                self.prepare(&call).await
            }
            prepared => prepared,
        };
        match prepared? {
            Prepared::Replayed(answer) => Ok(answer),
            Prepared::Free(checked) => self.run_free(call, checked).await,
            Prepared::Paid(prepared) => self.run_paid(call, *prepared).await,
        }
    }

    /// Runs steps 0 to 5 of a call: everything before the plugin runs. Writes nothing.
    async fn prepare(&self, call: &Call) -> Result<Prepared, CheckoutError> {
        // 0. idempotency: a repeat gets the stored answer, even if the plugin is no
        //    longer offered.
        let offer = self.catalog.offer(call.kind, &call.name);
        let (identity, in_flight) = match self.answers.begin(call, offer.as_deref().ok())? {
            Idempotency::Replayed(answer) => return Ok(Prepared::Replayed(answer)),
            Idempotency::New { identity, guard } => (identity, guard),
        };
        // 2. offer: plugin, price, split and owner come from one snapshot.
        // 3. check: invalid input is refused before money is involved.
        let checked = self.check(call, offer?).await?;
        let CheckedCall { offer, input, .. } = &checked;
        if offer.is_free() {
            return Ok(Prepared::Free(checked));
        }
        let identity = identity.map_or_else(|| call.identity(), Ok)?;
        // 4. quote and 5. hold: the price is reserved, or the call is refused with a
        //    quote.
        let payment = checked.complete(self.checkout_payments.reserve(call, offer, input).await)?;
        Ok(Prepared::Paid(Box::new(PreparedSale { checked, identity, in_flight, payment })))
    }

    /// Runs step 3 of a call. A call that cannot be answered is refused before it is
    /// quoted.
    async fn check(&self, call: &Call, offer: Arc<Offer>) -> Result<CheckedCall, CheckoutError> {
        let input = Input::read(call, &offer).await?;
        self.catalog.ensure_answerable(&offer, input.value())?;
        let resource = resource::find(&self.resources, call.account.as_deref(), &input, call.now_ms)?;
        Ok(CheckedCall { offer, input, resource })
    }

    /// Runs steps 2 to 5 for an agent's task that will be queued. The payment of a wallet is
    /// always collected now, because the task runs later.
    pub async fn accept(&self, call: &Call) -> Result<(Millipence, PaymentAuthorization), CheckoutError> {
        let offer = self.catalog.offer(call.kind, &call.name)?;
        call.check_key()?;
        let checked = self.check(call, offer).await?;
        let CheckedCall { offer, input, .. } = &checked;
        let payment = checked.complete(self.checkout_payments.hold(call, offer, input).await)?;
        Ok((offer.price, payment))
    }

    /// Runs steps 6 to 8 of a paid call: the plugin, the seal and the answer.
    async fn run_paid(self: &Arc<Self>, call: Call, prepared: PreparedSale) -> Result<CallAnswer, CheckoutError> {
        let PreparedSale { checked: CheckedCall { offer, input, resource }, identity, in_flight, payment } = prepared;
        let (checkout, span) = (self.clone(), tollbridge_telemetry::current());
        let within = span.clone();
        let finish = async move {
            // 6. run: if the plugin fails, the hold on the price is released and the
            //    payment stays usable.
            let (call_tree, started) =
                (CallTree::new(&checkout.nested_calls, &call, &offer, payment.amount()), Instant::now());
            let services = call_tree.services(&offer);
            let (offer, output) = checkout.version_runner.run(&call, &offer, &input, resource, services).await;
            let mut costs = call_tree.costs();
            let (mut payment, output) = match checkout.checkout_payments.collect(&call, &offer, payment, output).await {
                Ok(collected) => collected,
                Err(error) => {
                    checkout.nested_charges.charge_owner(&call, &offer, &mut costs).await?;
                    return Err(error);
                }
            };
            // 7. seal: one durable write of everything that this call changes.
            let (identity, elapsed) = (&identity, started.elapsed());
            let completed =
                CompletedCall { call: &call, offer: &offer, identity, input: &input, payment: &payment, elapsed };
            let pending = output.and_then(|output| checkout.sealer.draft(&completed, output, &mut costs));
            let to_keep = checkout.version_runner.input_to_keep(&offer, &input);
            // Free memory that is no longer needed before waiting for the disk, which
            // takes longest.
            drop((input, call_tree));
            let mut sealed = match pending {
                Ok(pending) => trace::step("seal", checkout.sealer.seal(&call, &offer, &payment, pending)).await,
                Err(error) => Err(error),
            };
            // Nested calls that answered are paid even if this call fails.
            if let Err(error) = sealed {
                let charged = checkout.nested_charges.charge_failed(&call, &offer, &mut payment, &mut costs).await;
                sealed = Err(error.after_charge(charged, &call.request_id));
            }
            if sealed.is_ok() {
                trace::paid(&span, payment.amount);
                payment.spend_reservation.iter_mut().for_each(|spend_reservation| spend_reservation.commit());
                checkout.version_runner.keep(to_keep);
            }
            drop((payment, in_flight, costs));
            match sealed {
                // Another host sealed the same call while it ran here; return that host's
                // answer.
                Err(CheckoutError::AlreadySealed { .. }) => checkout.answers.replay(identity)?.map_or(sealed, Ok),
                sealed => sealed,
            }
        };
        // 8. respond, once the seal is durable.
        let finish = AssertUnwindSafe(finish.instrument(within)).catch_unwind();
        Finish::new(finish).await.map_err(|_| CheckoutError::Lost)?
    }

    /// Runs a free call: no payment and no record, but all limits apply.
    async fn run_free(self: &Arc<Self>, call: Call, checked: CheckedCall) -> Result<CallAnswer, CheckoutError> {
        let CheckedCall { offer, input, resource } = checked;
        input.require_complete()?;
        // The budget for models is the price, zero, so only models without cost can be
        // used.
        let call_tree = CallTree::new(&self.nested_calls, &call, &offer, offer.price);
        let services = call_tree.services(&offer);
        let (offer, output) = self.version_runner.run(&call, &offer, &input, resource, services).await;
        // The plugin's owner pays for nested calls before the answer is sent.
        self.nested_charges.charge_owner(&call, &offer, &mut call_tree.costs()).await?;
        let output = output?;
        if !output.kv.is_empty() {
            self.db.submit(Change { kv: output.kv.clone(), ..Change::default() }).await?;
        }
        self.version_runner.keep(self.version_runner.input_to_keep(&offer, &input));
        Ok(CallAnswer::Free(output.body.into()))
    }
}
