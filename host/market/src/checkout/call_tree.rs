//! Nested calls: a plugin calls bridges and agents that its grants permit.
//!
//! Invariants:
//! 1. The price of a nested call is reserved before the called plugin runs, and stays
//!    reserved until the record that pays the price is durable. It is paid from the
//!    remaining price of the calling plugin's own call, then from its owner's credit. A
//!    plugin that answered is therefore paid even if the calling plugin's call fails; in
//!    that case the caller of the failed call pays, up to the price of that call.
//! 2. No money moves between plugins of one owner.
//! 3. Depth, number and time of the calls are bounded for the whole tree.
//! 4. The record lists the calls that answered, and failed calls that owe money for their
//!    nested calls.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use tokio::time::Instant;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::limits::NESTED_CALLS_MAX;
use tollbridge_ledger::{Nested, RecordedShares};
use tollbridge_payment::{CallPayments, Hold, PaymentDeclined};
use tollbridge_plugin::{CallContext, CalleeError, PluginCall, PluginCaller, Services};
use tollbridge_store::{Change, Db};
use tracing::Instrument as _;

use super::call::Call;
use super::call_budget::CallBudget;
use super::callee_error::{failed, missing, refused};
use super::input::Input;
use super::owner_losses::{LossReservation, OwnerLosses};
use super::{resource, trace};
use crate::catalog::{Catalog, Offer};
use crate::limits::NESTED_DEPTH_MAX;
use crate::resources::Resources;

/// The services that nested calls use.
pub(super) struct NestedCalls {
    pub(super) catalog: Arc<Catalog>,
    pub(super) payments: Arc<CallPayments>,
    pub(super) db: Db,
    pub(super) services: Services,
    pub(super) resources: Arc<Resources>,
    pub(super) owner_losses: Arc<OwnerLosses>,
}

/// All calls nested below one top-level call.
pub(super) struct CallTree {
    nested: Arc<NestedCalls>,
    request_id: String,
    account: Option<String>,
    share: FairShare,
    now_ms: u64,
    /// Budget of the top-level call.
    budget: Arc<CallBudget>,
    tree: Mutex<Tree>,
}

#[derive(Default)]
struct Tree {
    /// Number of calls started.
    begun: u32,
    /// Calls in the order in which they started, so each call comes after its caller.
    calls: Vec<Node>,
}

/// A nested call of a plugin that belongs to another owner than the calling plugin.
struct Node {
    offer: Arc<Offer>,
    /// Number of the calling node, as counted in the record: 0 is the top-level call.
    parent: usize,
    budget: Arc<CallBudget>,
    answered: bool,
    funds: NestedFunds,
}

/// The reservation for the price of a nested call.
struct NestedFunds {
    /// Part covered by the remaining price of the calling plugin's call.
    covered: Millipence,
    /// Hold on the credit of the calling plugin's owner, for the part of the price that
    /// `covered` leaves.
    _hold: Option<Hold>,
    loss: Option<LossReservation>,
}

/// The costs of a tree of calls, and the reservations for them.
#[derive(Default)]
pub(super) struct TreeCosts {
    /// Cost of the models that the top-level call used.
    pub(super) inference: Option<Millipence>,
    pub(super) nested: Vec<Nested>,
    /// Amount that the top-level call owes for nested calls.
    pub(super) owed: Millipence,
    _funds: Vec<NestedFunds>,
}

/// The services that let one plugin of the tree call other plugins.
struct TreeServices {
    below: Arc<CallTree>,
    /// Money that the calling plugin may still spend.
    budget: Arc<CallBudget>,
    /// Owner of the calling plugin.
    owner: String,
    /// Number of the calling plugin's node, as counted in the record.
    place: usize,
    depth: u32,
}

impl CallTree {
    pub(super) fn new(nested: &Arc<NestedCalls>, call: &Call, offer: &Offer, amount: Millipence) -> Arc<Self> {
        Arc::new(Self {
            nested: nested.clone(),
            request_id: call.request_id.clone(),
            account: call.account.clone(),
            share: call.share.clone(),
            now_ms: call.now_ms,
            budget: Arc::new(CallBudget::new(nested.services.models.clone(), amount).of(offer)),
            tree: Mutex::default(),
        })
    }

    /// Returns the services for the top-level plugin.
    pub(super) fn services(self: &Arc<Self>, offer: &Offer) -> Services {
        self.floor(Caller { owner: offer.owner.clone(), budget: self.budget.clone(), place: 0, depth: 0 })
    }

    fn floor(self: &Arc<Self>, above: Caller) -> Services {
        let Caller { owner, budget, place, depth } = above;
        let models = budget.clone();
        let plugins = Arc::new(TreeServices { below: self.clone(), budget, owner, place, depth });
        Services { models, plugins, ..self.nested.services.clone() }
    }

    /// Returns the costs to seal, with the reservations, which the caller must hold until
    /// the costs are sealed.
    pub(super) fn costs(&self) -> TreeCosts {
        let calls = std::mem::take(&mut self.tree.lock().calls);
        let (owed, grosses) = grosses(&calls);
        let mut costs = TreeCosts { inference: taken(&self.budget), owed, ..TreeCosts::default() };
        // Maps each node of the tree to its place in the record's list, which omits some
        // nodes.
        let mut places = vec![0_u64];
        for (node, gross) in calls.into_iter().zip(grosses) {
            let parent = places.get(node.parent).copied().unwrap_or(0);
            // The record omits calls that cost nothing; their nested calls are listed
            // under the parent.
            if gross.is_zero() {
                places.push(parent);
                continue;
            }
            costs.nested.push(listed(&node, parent, gross));
            places.push(u64::try_from(costs.nested.len()).unwrap_or(u64::MAX));
            let NestedFunds { covered, _hold, loss } = node.funds;
            loss.into_iter().for_each(LossReservation::commit);
            costs._funds.push(NestedFunds { covered, _hold, loss: None });
        }
        costs
    }

    async fn call(self: Arc<Self>, floor: Caller, request: PluginCall) -> Result<Vec<u8>, CalleeError> {
        let span = trace::call_span(request.kind, &request.name);
        let outcome = self.run(floor, request).instrument(span.clone()).await;
        if let Err(error) = &outcome {
            trace::callee_failed(&span, error);
        }
        outcome
    }

    async fn run(self: Arc<Self>, floor: Caller, request: PluginCall) -> Result<Vec<u8>, CalleeError> {
        let nested = &self.nested;
        let offer = nested.catalog.offer(request.kind, &request.name).map_err(|_| missing(&request))?;
        if offer.price.is_negative() {
            return Err(CalleeError::Unavailable(format!("`{}` has no price", offer.name)));
        }
        let input = Input::of_plugin_call(&request, &offer).await.map_err(refused)?;
        nested.catalog.ensure_answerable(&offer, input.value()).map_err(|failure| failed(&offer, failure))?;
        let stored =
            resource::find(&nested.resources, self.account.as_deref(), &input, self.now_ms).map_err(refused)?;
        let resource = stored.map(|written| resource::load(&nested.resources, written)).transpose().map_err(refused)?;
        self.count(floor.depth)?;
        let owed = offer.owner != floor.owner && !offer.price.is_zero();
        let funds = if owed { Some(self.reserve(&floor, &offer).await?) } else { None };
        // The plugin that earns the price of a call also pays for the models used in it.
        let budget = match offer.owner == floor.owner {
            true => floor.budget.clone(),
            false => Arc::new(CallBudget::new(nested.services.models.clone(), offer.price).of(&offer)),
        };
        // A call that owes nothing gets no node: its nested calls count as calls of the
        // calling plugin.
        let place = funds.map_or(floor.place, |funds| self.begin(&offer, floor.place, &budget, funds));
        // The nested calls of a free plugin are charged to the owner of the plugin that called
        // it.
        let owner = if owed { offer.owner.clone() } else { floor.owner.clone() };
        let context = CallContext {
            request_id: self.request_id.clone(),
            caller: self.account.clone(),
            share: self.share.clone(),
            is_nested: true,
            now_ms: self.now_ms,
            resource,
            deadline: Some(left(request.deadline)),
            services: self.floor(Caller { owner, budget, place, depth: floor.depth.saturating_add(1) }),
        };
        let span = tollbridge_telemetry::current();
        trace::version(&span, &offer.version_text);
        let began = Instant::now();
        let outcome = offer.plugin.call(context, input.for_plugin()).await;
        offer.meter.count(outcome.is_ok(), began.elapsed());
        let output = match outcome {
            Ok(output) => output,
            Err(failure) => {
                if owed {
                    trace::paid(&span, self.failed(&floor, place));
                }
                return Err(failed(&offer, failure));
            }
        };
        if !output.kv.is_empty() {
            // From here on the call is certain to be paid, so the values that the plugin
            // stored may be written immediately.
            let change = Change { kv: output.kv.clone(), ..Change::default() };
            let written = nested.db.submit(change).await;
            written
                .map_err(|error| CalleeError::Failed(format!("`{}` could not save its values: {error}", offer.name)))?;
        }
        if owed {
            self.answered(place);
            trace::paid(&span, offer.price);
        }
        Ok(output.body)
    }

    fn count(&self, depth: u32) -> Result<(), CalleeError> {
        if depth >= NESTED_DEPTH_MAX {
            return Err(CalleeError::Refused(format!("calls may be nested at most {NESTED_DEPTH_MAX} deep")));
        }
        let mut tree = self.tree.lock();
        if tree.begun >= NESTED_CALLS_MAX {
            return Err(CalleeError::Refused(format!("one call may make at most {NESTED_CALLS_MAX} nested calls")));
        }
        tree.begun = tree.begun.saturating_add(1);
        Ok(())
    }

    /// Reserves the price of a nested call: from the remaining price of the calling
    /// plugin's call, then from its owner's credit.
    async fn reserve(&self, above: &Caller, offer: &Offer) -> Result<NestedFunds, CalleeError> {
        let covered = above.budget.cover(offer.price);
        let rest = offer.price.checked_sub(covered).unwrap_or(offer.price);
        if rest.is_zero() {
            return Ok(NestedFunds { covered, _hold: None, loss: None });
        }
        let held = self.hold_of_owner(&above.owner, offer, rest).await;
        held.map(|(hold, loss)| NestedFunds { covered, _hold: Some(hold), loss })
            .inspect_err(|_| above.budget.give_back(covered))
    }

    async fn hold_of_owner(
        &self,
        owner: &str,
        offer: &Offer,
        rest: Millipence,
    ) -> Result<(Hold, Option<LossReservation>), CalleeError> {
        // The limit protects owners from their callers, so it does not apply to an owner's own
        // calls.
        let loss = match self.account.as_deref() == Some(owner) {
            true => None,
            false => {
                let losses = &self.nested.owner_losses;
                let loss = losses.reserve(owner, &self.share.tenant, rest, self.now_ms);
                Some(loss.ok_or_else(|| over_budget(offer))?)
            }
        };
        let payments = &self.nested.payments;
        let hold = payments
            .shares
            .reserve(|| payments.authorizer.hold_credit(owner, rest))
            .await
            .map_err(|why| unpaid(offer, why))?;
        Ok((hold, loss))
    }

    fn begin(&self, offer: &Arc<Offer>, parent: usize, budget: &Arc<CallBudget>, funds: NestedFunds) -> usize {
        let mut tree = self.tree.lock();
        tree.calls.push(Node { offer: offer.clone(), parent, budget: budget.clone(), answered: false, funds });
        // Nodes count from 1, because 0 is the top-level call.
        tree.calls.len()
    }

    fn answered(&self, place: usize) {
        let mut tree = self.tree.lock();
        if let Some(node) = place.checked_sub(1).and_then(|index| tree.calls.get_mut(index)) {
            node.answered = true;
        }
    }

    /// Returns the amount that a failed nested call owes for models and for its own
    /// nested calls; the rest of its reservation returns to the calling plugin's budget.
    fn failed(&self, above: &Caller, place: usize) -> Millipence {
        let mut tree = self.tree.lock();
        let (_, grosses) = grosses(&tree.calls);
        let Some(index) = place.checked_sub(1) else { return Millipence::ZERO };
        let (Some(node), Some(gross)) = (tree.calls.get_mut(index), grosses.get(index)) else {
            return Millipence::ZERO;
        };
        let unused = node.funds.covered.checked_sub(*gross).filter(|unused| !unused.is_negative());
        if let Some(unused) = unused {
            node.funds.covered = *gross;
            above.budget.give_back(unused);
        }
        *gross
    }
}

/// The calling plugin and its position in the tree.
struct Caller {
    owner: String,
    budget: Arc<CallBudget>,
    place: usize,
    depth: u32,
}

impl TreeServices {
    fn above(&self) -> Caller {
        Caller { owner: self.owner.clone(), budget: self.budget.clone(), place: self.place, depth: self.depth }
    }
}

impl PluginCaller for TreeServices {
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        self.below.clone().call(self.above(), call).boxed()
    }
}

/// Returns the amount that the top-level call owes, and the amount that each nested call
/// is paid: its price if it answered, otherwise its own debts up to its price.
fn grosses(calls: &[Node]) -> (Millipence, Vec<Millipence>) {
    let facts: Vec<CallFacts> = calls.iter().map(Node::facts).collect();
    owed(&facts)
}

/// The facts about one call that determine its payment.
#[derive(Clone, Copy)]
struct CallFacts {
    parent: usize,
    price: Millipence,
    /// Cost of models that the call must pay for.
    models: Millipence,
    answered: bool,
}

fn owed(calls: &[CallFacts]) -> (Millipence, Vec<Millipence>) {
    let sum = |one: Millipence, other: Millipence| one.checked_add(other).unwrap_or(one);
    let mut owed = vec![Millipence::ZERO; calls.len().saturating_add(1)];
    let mut grosses = vec![Millipence::ZERO; calls.len()];
    // Go backwards: every call comes after its caller, so a call's debts are complete
    // when the loop reaches it.
    for (index, call) in calls.iter().enumerate().rev() {
        let own = owed.get(index.saturating_add(1)).copied().unwrap_or_default();
        let gross = if call.answered { call.price } else { call.price.min(sum(own, call.models)) };
        if let (Some(slot), Some(above)) = (grosses.get_mut(index), owed.get_mut(call.parent)) {
            *slot = gross;
            *above = sum(*above, gross);
        }
    }
    (owed.first().copied().unwrap_or_default(), grosses)
}

impl Node {
    fn facts(&self) -> CallFacts {
        let models = self.models().unwrap_or_default();
        CallFacts { parent: self.parent, price: self.offer.price, models, answered: self.answered }
    }

    /// Returns the cost of models that this call must pay for. If the call failed and the
    /// operator owns the plugin, the operator pays instead.
    fn models(&self) -> Option<Millipence> {
        taken(&self.budget).filter(|_| self.answered || self.offer.plugin.is_deployed())
    }
}

/// Builds the record's entry for a nested call; its shares are filled in later, when the
/// whole tree is split.
fn listed(node: &Node, parent: u64, gross: Millipence) -> Nested {
    let (offer, zero) = (&node.offer, Millipence::ZERO);
    Nested {
        component_sha256: offer.sha256,
        failed: !node.answered,
        gross,
        inference: node.models(),
        owner: offer.owner.clone(),
        parent,
        plugin: offer.name.clone(),
        plugin_kind: offer.kind,
        shares: RecordedShares { developer: zero, platform: zero, treasury: zero },
        version: offer.version_text.clone(),
    }
}

/// Returns the cost of the models that a budget has paid for; `None` if it is zero.
fn taken(budget: &CallBudget) -> Option<Millipence> {
    let spent = budget.spent();
    (!spent.is_zero()).then_some(spent)
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn unpaid(offer: &Offer, problem: PaymentDeclined) -> CalleeError {
    match problem {
        PaymentDeclined::Store(error) => {
            tracing::error!(%error, "could not hold the price of a nested call");
            CalleeError::Failed("reserving the price failed".to_owned())
        }
        _ => CalleeError::Refused(format!(
            "`{}` costs £{}, which the credit of this plugin's owner does not cover",
            offer.name,
            offer.price.pounds()
        )),
    }
}

fn over_budget(offer: &Offer) -> CalleeError {
    CalleeError::Refused(format!(
        "`{}` costs £{}, more than is left of this call's price and of its owner's daily limit for one caller",
        offer.name,
        offer.price.pounds()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(parent: usize, price: i64, answered: bool) -> CallFacts {
        CallFacts { parent, price: Millipence::new(price), models: Millipence::ZERO, answered }
    }

    fn check(calls: &[CallFacts], top: i64, each: &[i64]) {
        let (owes, grosses) = owed(calls);
        let grosses: Vec<i64> = grosses.into_iter().map(Millipence::get).collect();
        assert_eq!((owes.get(), &grosses[..]), (top, each));
    }

    #[test]
    fn a_failed_call_is_paid_what_it_owes_up_to_its_price() {
        check(&[call(0, 30, false), call(1, 20, true), call(0, 5, false)], 20, &[20, 20, 0]);
        check(&[call(0, 10, false), call(1, 20, true)], 10, &[10, 20]);
        check(&[call(0, 30, true), call(1, 20, false), call(2, 5, false)], 30, &[30, 0, 0]);
        check(&[call(0, 30, false), call(1, 20, false), call(2, 5, true)], 5, &[5, 5, 5]);
    }

    #[test]
    fn model_costs_of_a_failed_call_are_owed() {
        let models = CallFacts { models: Millipence::new(7), ..call(0, 10, false) };
        check(&[models, call(1, 5, true)], 10, &[10, 5]);
        check(&[models], 7, &[7]);
    }
}
