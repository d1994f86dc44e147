//! Calls below a call: a plugin that calls bridges and agents by its grant.
//!
//! Invariants:
//! 1. A nested price is held against the credit of the calling plugin's owner
//!    before the callee runs, and the hold lasts until the record that pays it
//!    is durable; so whoever answered is paid, whatever becomes of the caller.
//! 2. Between plugins of one owner nothing moves.
//! 3. Depth, number and time are bounded for the whole tree.
//! 4. Only what was answered is in the tree that is sealed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::limits::{NESTED_CALLS_MAX, NESTED_DEPTH_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Nested, RecordedShares};
use tollbridge_payment::{Hold, PaymentDeclined};
use tollbridge_runtime::plugins::{CallContext, CalleeError, Failure, PluginCall, PluginCaller, Services};
use tollbridge_store::Change;

use super::call::Call;
use super::error::CheckoutError;
use super::inference_budget::InferenceBudget;
use super::input::Input;
use super::service::Checkout;
use crate::catalog::Offer;

/// All calls below one call.
pub(super) struct CallTree {
    checkout: Arc<Checkout>,
    request_id: String,
    account: Option<String>,
    share: FairShare,
    now_ms: u64,
    /// What models may take of the call at the top.
    purse: Arc<InferenceBudget>,
    tree: Mutex<Tree>,
}

#[derive(Default)]
struct Tree {
    /// Calls that were begun.
    begun: u32,
    /// In the order in which they were begun, so each after the one above it.
    calls: Vec<Node>,
}

/// A call to a plugin of another owner.
struct Node {
    offer: Arc<Offer>,
    /// Place of the one above in the record's way of counting: 0 is the top.
    parent: usize,
    purse: Arc<InferenceBudget>,
    /// There once it has answered.
    paid: Option<Hold>,
}

/// The answered calls of a tree, and what reserves their money.
#[derive(Default)]
pub(super) struct TreeCosts {
    /// What models took of the call at the top.
    pub(super) inference: Option<Millipence>,
    pub(super) nested: Vec<Nested>,
    _holds: Vec<Hold>,
}

/// Other plugins behind one plugin of the tree.
struct TreeServices {
    below: Arc<CallTree>,
    /// What models may take of the call.
    purse: Arc<InferenceBudget>,
    /// Owner of the plugin that calls from here.
    owner: String,
    /// Its place in the record's way of counting.
    place: usize,
    depth: u32,
}

impl CallTree {
    pub(super) fn new(checkout: &Arc<Checkout>, call: &Call, amount: Millipence) -> Arc<Self> {
        Arc::new(Self {
            checkout: checkout.clone(),
            request_id: call.request_id.clone(),
            account: call.account.clone(),
            share: call.share.clone(),
            now_ms: call.now_ms,
            purse: Arc::new(InferenceBudget::new(checkout.services.models.clone(), amount)),
            tree: Mutex::default(),
        })
    }

    /// The services for the plugin at the top.
    pub(super) fn services(self: &Arc<Self>, offer: &Offer) -> Services {
        self.floor(Caller { owner: offer.owner.clone(), purse: self.purse.clone(), place: 0, depth: 0 })
    }

    fn floor(self: &Arc<Self>, above: Caller) -> Services {
        let Caller { owner, purse, place, depth } = above;
        let models = purse.clone();
        let plugins = Arc::new(TreeServices { below: self.clone(), purse, owner, place, depth });
        Services { models, plugins, ..self.checkout.services.clone() }
    }

    /// What is to be sealed, with the holds that must last until then.
    pub(super) fn costs(&self) -> TreeCosts {
        let calls = std::mem::take(&mut self.tree.lock().calls);
        let shape: Vec<(usize, bool)> = calls.iter().map(|node| (node.parent, node.paid.is_some())).collect();
        let is_answered = answered_below(&shape);
        let mut costs = TreeCosts { inference: taken(&self.purse), ..TreeCosts::default() };
        // Places in the list, by places in the tree.
        let mut places = vec![0_u64];
        for (node, is_answered) in calls.into_iter().zip(is_answered) {
            let parent = places.get(node.parent).copied().unwrap_or(0);
            if !is_answered {
                places.push(parent);
                continue;
            }
            let gross = node.paid.as_ref().map_or(Millipence::ZERO, Hold::amount);
            let inference = node.paid.as_ref().and_then(|_| taken(&node.purse));
            costs.nested.push(listed(&node.offer, parent, gross, inference));
            costs._holds.extend(node.paid);
            places.push(u64::try_from(costs.nested.len()).unwrap_or(u64::MAX));
        }
        costs
    }

    async fn call(self: Arc<Self>, floor: Caller, request: PluginCall) -> Result<Vec<u8>, CalleeError> {
        let checkout = self.checkout.clone();
        let offer = checkout.catalog.offer(request.kind, &request.name).map_err(|_| missing(&request))?;
        if offer.price.is_negative() {
            return Err(CalleeError::Unavailable(format!("`{}` has no price", offer.name)));
        }
        let input = Input::of_plugin_call(&request, &offer).map_err(refused)?;
        checkout.catalog.ensure_answerable(&offer, input.value()).map_err(|failure| failed(&offer, failure))?;
        let stored = checkout.find_resource(self.account.as_deref(), &input, self.now_ms).map_err(refused)?;
        let resource = stored.map(|written| checkout.load_resource(written)).transpose().map_err(refused)?;
        self.count(floor.depth)?;
        let owed = offer.owner != floor.owner && !offer.price.is_zero();
        let hold = match owed {
            true => Some(checkout.payments.hold_credit(&floor.owner, offer.price).map_err(|why| unpaid(&offer, why))?),
            false => None,
        };
        // Models are paid by who is paid for the call.
        let purse = match offer.owner == floor.owner {
            true => floor.purse,
            false => Arc::new(InferenceBudget::new(checkout.services.models.clone(), offer.price)),
        };
        let place = if owed { self.begin(&offer, floor.place, &purse) } else { floor.place };
        let owner = if owed { offer.owner.clone() } else { floor.owner };
        let context = CallContext {
            request_id: self.request_id.clone(),
            caller: self.account.clone(),
            share: self.share.clone(),
            is_nested: true,
            now_ms: self.now_ms,
            resource,
            deadline: Some(left(request.deadline)),
            services: self.floor(Caller { owner, purse, place, depth: floor.depth.saturating_add(1) }),
        };
        let began = Instant::now();
        let outcome = offer.plugin.call(context, input.for_plugin()).await;
        offer.meter.count(outcome.is_ok(), began.elapsed());
        let output = outcome.map_err(|failure| failed(&offer, failure))?;
        if !output.kv.is_empty() {
            // Paid for from here on, so it may count at once.
            let change = Change { kv: output.kv.clone(), ..Change::default() };
            let written = checkout.db.submit(change).await;
            written
                .map_err(|error| CalleeError::Failed(format!("`{}` could not keep its values: {error}", offer.name)))?;
        }
        if let Some(hold) = hold {
            self.answered(place, hold);
        }
        Ok(output.body)
    }

    fn count(&self, depth: u32) -> Result<(), CalleeError> {
        if depth >= NESTED_DEPTH_MAX {
            return Err(CalleeError::Refused(format!("calls may be nested {NESTED_DEPTH_MAX} deep, no deeper")));
        }
        let mut tree = self.tree.lock();
        if tree.begun >= NESTED_CALLS_MAX {
            return Err(CalleeError::Refused(format!("one call may cause {NESTED_CALLS_MAX} others, no more")));
        }
        tree.begun = tree.begun.saturating_add(1);
        Ok(())
    }

    fn begin(&self, offer: &Arc<Offer>, parent: usize, purse: &Arc<InferenceBudget>) -> usize {
        let mut tree = self.tree.lock();
        tree.calls.push(Node { offer: offer.clone(), parent, purse: purse.clone(), paid: None });
        tree.calls.len()
    }

    fn answered(&self, place: usize, hold: Hold) {
        let mut tree = self.tree.lock();
        if let Some(node) = place.checked_sub(1).and_then(|index| tree.calls.get_mut(index)) {
            node.paid = Some(hold);
        }
    }
}

/// Who asks, from where in the tree.
struct Caller {
    owner: String,
    purse: Arc<InferenceBudget>,
    place: usize,
    depth: u32,
}

impl TreeServices {
    fn above(&self) -> Caller {
        Caller { owner: self.owner.clone(), purse: self.purse.clone(), place: self.place, depth: self.depth }
    }
}

impl PluginCaller for TreeServices {
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        self.below.clone().call(self.above(), call).boxed()
    }
}

/// Which calls have answered, or have such below them; of each, the place of
/// the one above, which stands before it, and whether it answered.
fn answered_below(calls: &[(usize, bool)]) -> Vec<bool> {
    let mut is_answered: Vec<bool> = calls.iter().map(|(_, answered)| *answered).collect();
    for (index, (parent, _)) in calls.iter().enumerate().rev() {
        if is_answered.get(index) == Some(&true)
            && let Some(slot) = parent.checked_sub(1).and_then(|above| is_answered.get_mut(above))
        {
            *slot = true;
        }
    }
    is_answered
}

/// A call as the record lists it; its shares are filled in with the whole tree.
fn listed(offer: &Offer, parent: u64, gross: Millipence, inference: Option<Millipence>) -> Nested {
    let zero = Millipence::ZERO;
    Nested {
        component_sha256: offer.sha256,
        gross,
        inference,
        owner: offer.owner.clone(),
        parent,
        plugin: offer.name.clone(),
        plugin_kind: offer.kind,
        shares: RecordedShares { developer: zero, platform: zero, treasury: zero },
        version: offer.version_text.clone(),
    }
}

/// What models took, if they took anything.
fn taken(purse: &InferenceBudget) -> Option<Millipence> {
    let spent = purse.spent();
    (!spent.is_zero()).then_some(spent)
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

fn missing(request: &PluginCall) -> CalleeError {
    CalleeError::Unavailable(format!("the {} `{}` is not available on this server", request.kind, request.name))
}

fn unpaid(offer: &Offer, problem: PaymentDeclined) -> CalleeError {
    match problem {
        PaymentDeclined::Store(error) => {
            tracing::error!(%error, "a nested price could not be held");
            CalleeError::Failed("the price could not be held".to_owned())
        }
        _ => CalleeError::Refused(format!(
            "`{}` costs £{}, which the credit of this plugin's owner does not cover",
            offer.name,
            offer.price.pounds()
        )),
    }
}

/// What is wrong with what was sent.
fn refused(error: CheckoutError) -> CalleeError {
    match error {
        CheckoutError::Invalid { field, message } => CalleeError::InvalidInput { field, message },
        CheckoutError::NoResource { .. } => CalleeError::NotFound(error.to_string()),
        CheckoutError::PlatformRules { .. } => {
            CalleeError::InvalidInput { field: String::new(), message: error.to_string() }
        }
        other => {
            tracing::error!(error = %other, "a nested call could not begin");
            CalleeError::Failed("the host could not begin the call".to_owned())
        }
    }
}

fn failed(offer: &Offer, failure: Failure) -> CalleeError {
    let message = failure.public_message();
    match failure {
        Failure::InvalidInput { field, .. } => CalleeError::InvalidInput { field, message },
        Failure::NotFound(_) => CalleeError::NotFound(message),
        Failure::Unavailable(_) | Failure::Overloaded { .. } => {
            CalleeError::Unavailable(format!("`{}`: {message}", offer.name))
        }
        Failure::NoProvider(_) => CalleeError::NoProvider(message),
        _ => CalleeError::Failed(format!("`{}`: {message}", offer.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_is_listed_only_for_those_below_it() {
        assert_eq!(answered_below(&[(0, false), (1, true), (0, false)]), [true, true, false]);
        assert_eq!(answered_below(&[(0, true), (1, false), (2, false)]), [true, false, false]);
    }
}
