//! Step 7 of a call: the one durable write of everything that the call changes.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::events;
use tollbridge_ledger::idempotency::RequestIdentity;
use tollbridge_ledger::{Earnings, Entry, Notary, Payer, Route, TaskFacts, salted, split_tree, task_id};
use tollbridge_payment::{PaymentAuthorization, PaymentDeclined};
use tollbridge_plugin::PluginOutput;
use tollbridge_store::{Change, Db, Hash, OutboxEvent, Refusal, SubmitError};

use super::answer::CallAnswer;
use super::call::Call;
use super::call_tree::TreeCosts;
use super::error::CheckoutError;
use super::input::Input;
use super::refusals::Refusals;
use super::task::canonical_sha256;
use crate::catalog::Offer;

/// Credit below which an account is notified: £1.00, the price of about ten bridge calls.
const CREDIT_LOW_MILLIPENCE: i64 = 100_000;

/// A call whose plugin has answered and that is about to be sealed.
pub(super) struct CompletedCall<'a> {
    pub(super) call: &'a Call,
    pub(super) offer: &'a Offer,
    pub(super) identity: &'a RequestIdentity,
    pub(super) input: &'a Input,
    pub(super) payment: &'a PaymentAuthorization,
    /// Duration of the plugin's run.
    pub(super) elapsed: Duration,
}

/// If a call reduces an account's credit below this amount, the account is notified.
const CREDIT_LOW: Millipence = Millipence::new(CREDIT_LOW_MILLIPENCE);

/// Route on which the caller names a capability and the host selects the agent. On this
/// route only, the agent's owner also receives the event `earn.completed`.
const EARNING_ROUTE: &str = "POST /v1/route";

/// A change to seal, and the answer to send afterwards.
pub(super) struct PendingSeal {
    change: Change,
    body: Bytes,
    /// Content of the record, if the call was an agent's task.
    task: Option<Box<Route>>,
    /// Holds the locks of the plugin's counters until the change is durable, so that no
    /// other call reads a value that may be lost.
    _output: PluginOutput,
}

/// The service that seals answered calls.
pub(super) struct Sealer {
    pub(super) db: Db,
    pub(super) notary: Arc<Notary>,
    pub(super) refusals: Arc<Refusals>,
    pub(super) earnings: Earnings,
}

impl Sealer {
    /// Builds the change of a call: payment, record, stored answer and events.
    pub(super) fn draft(
        &self,
        sale: &CompletedCall<'_>,
        mut output: PluginOutput,
        costs: &mut TreeCosts,
    ) -> Result<PendingSeal, CheckoutError> {
        let CompletedCall { call, identity, payment, .. } = *sale;
        let route = self.route(sale, &output, costs)?;
        let mut outbox = self.events(sale, &route);
        if let Payer::Account(account) = &payment.payer
            && let Some(left) = payment.hold.fell_below(CREDIT_LOW)
        {
            outbox.push(events::credit_low(account, left, CREDIT_LOW, call.now_ms));
        }
        let entry = Entry::Route(route);
        let record = entry.draft(identity.tx, call.now_ms)?;
        let task = match entry {
            Entry::Route(route) if route.task.is_some() => Some(Box::new(route)),
            _ => None,
        };
        let body = Bytes::from(std::mem::take(&mut output.body));
        let intent = payment.intent().map(str::to_owned);
        let stored_answer = identity.stored_answer(intent, "application/json", body.clone(), call.now_ms);
        let mut puts = call.queued.as_ref().map(|queued| queued.puts.clone()).unwrap_or_default();
        puts.extend(payment.spend_reservation.iter().map(|spend_reservation| spend_reservation.row(&identity.tx)));
        puts.extend(call.token_use(&identity.tx));
        let kv = std::mem::take(&mut output.kv);
        let change =
            Change { puts, record: Some(record), answer: Some(stored_answer), kv, outbox, ..Change::default() };
        Ok(PendingSeal { change, body, task, _output: output })
    }

    /// Makes the change durable, completely or not at all.
    pub(super) async fn seal(
        &self,
        call: &Call,
        offer: &Offer,
        payment: &PaymentAuthorization,
        unsealed: PendingSeal,
    ) -> Result<CallAnswer, CheckoutError> {
        let PendingSeal { change, body, task, _output } = unsealed;
        let sealed = self.notary.seal(change, body).await.map_err(|error| self.refused(call, offer, payment, error))?;
        offer.meter.count_revenue(payment.amount);
        let remaining = match &payment.payer {
            Payer::Intent(_) => Some(self.notary.balance(&payment.payer.ledger_account())?),
            Payer::Account(_) | Payer::Task { .. } => None,
        };
        Ok(CallAnswer::Paid { sealed, remaining, task })
    }

    /// Returns the reason a call was not sealed. A dispute can take reserved money; the
    /// answer is then unpaid and is not sent.
    fn refused(&self, call: &Call, offer: &Offer, payment: &PaymentAuthorization, error: SubmitError) -> CheckoutError {
        match error {
            SubmitError::Refused(Refusal::Insufficient { account })
                if account == payment.payer.ledger_account().to_string() =>
            {
                self.refusals.refuse(call, offer, Some(PaymentDeclined::Disputed))
            }
            SubmitError::Refused(Refusal::Unexpected { ref key, .. }) => match call.token_declined(key) {
                Some(declined) => self.refusals.refuse(call, offer, Some(declined)),
                None => error.into(),
            },
            error => error.into(),
        }
    }

    fn route(
        &self,
        sale: &CompletedCall<'_>,
        output: &PluginOutput,
        costs: &mut TreeCosts,
    ) -> Result<Route, CheckoutError> {
        let CompletedCall { call, offer, input, payment, elapsed, .. } = *sale;
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(|_| CheckoutError::NoRandomness)?;
        let shares = split_tree(self.notary.policy(), (payment.amount, costs.inference), &mut costs.nested)?;
        let task = match input.task_sha256() {
            None => None,
            Some(input_sha256) => Some(TaskFacts {
                finished_ms: call.now_ms.saturating_add(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
                input_sha256: input_sha256?,
                output_sha256: output_sha256(&output.body)?,
                started_ms: call.now_ms,
            }),
        };
        Ok(Route {
            plugin: offer.name.clone(),
            plugin_kind: offer.kind,
            version: offer.version_text.clone(),
            component_sha256: offer.sha256,
            payer: payment.payer.clone(),
            nested: costs.nested.clone(),
            owner: offer.owner.clone(),
            earnings: self.earnings,
            gross: payment.amount,
            inference: costs.inference,
            shares,
            task,
            policy: *self.notary.policy_seal(),
            request_id: call.request_id.clone(),
            request_sha256: salted(&salt, &call.body),
            answer_sha256: salted(&salt, &output.body),
            salt,
        })
    }

    /// Builds the events about the split of each price, and about a completed task of an
    /// agent.
    fn events(&self, sale: &CompletedCall<'_>, route: &Route) -> Vec<OutboxEvent> {
        let CompletedCall { call, offer, identity, elapsed, .. } = *sale;
        let mut outgoing_events = Vec::new();
        let hears = |to: &&str| self.db.writer().has_listener(to, events::BILLING_SPLIT);
        for to in events::split_parties(&route.owner, call.account.as_deref()).filter(hears) {
            outgoing_events.push(events::billing_split_of_call(to, call.now_ms));
        }
        for (place, below) in route.nested.iter().enumerate() {
            // The caller of a nested call is the plugin above it in the tree.
            let above = below.parent.checked_sub(1).and_then(|above| route.nested.get(usize::try_from(above).ok()?));
            let caller = above.map_or(route.owner.as_str(), |above| above.owner.as_str());
            for to in events::split_parties(&below.owner, Some(caller)).filter(hears) {
                let plugin = format!("{}/{}", below.plugin_kind.as_str(), below.plugin);
                let split = events::CallSplit::of_nested(&route.nested, place);
                let event = split
                    .map(|split| events::billing_split(to, &plugin, &split, self.notary.policy_seal(), call.now_ms));
                outgoing_events.extend(event);
            }
        }
        if offer.kind == PluginKind::Agent {
            let (id, ms) = (task_id(&identity.tx), u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
            let caller = call.account.as_deref().filter(|caller| *caller != offer.owner);
            let parties = std::iter::once(offer.owner.as_str()).chain(caller);
            for to in parties.filter(|to| self.db.writer().has_listener(to, events::AGENT_COMPLETED)) {
                outgoing_events.push(events::agent_completed(to, &id, &offer.name, ms, call.now_ms));
            }
            if call.route.starts_with(EARNING_ROUTE)
                && self.db.writer().has_listener(&route.owner, events::EARN_COMPLETED)
            {
                outgoing_events.push(events::earn_completed(&route.owner, &id, route.shares.developer, call.now_ms));
            }
        }
        outgoing_events
    }
}

fn output_sha256(body: &[u8]) -> Result<Hash, CheckoutError> {
    let value: Value = serde_json::from_slice(body).map_err(|error| CheckoutError::Invalid {
        field: String::new(),
        message: format!("the answer is not JSON: {error}"),
    })?;
    canonical_sha256(&value)
}
