//! The event with the split of a price. Every paid call has one, so writing it must cost
//! almost nothing.
//!
//! The record of a call contains all members of the call's event. So the outbox stores no
//! data for it, and the sender rebuilds the event from the record.

use serde::Serialize;
use tollbridge_core::money::{Millipence, Shares, whole_pence};
use tollbridge_store::{Hash, OutboxEvent, OutboxRow, Store, StoreError, hexed};

use super::names::{BILLING_SPLIT, OPERATOR};
use crate::bodies::RecordedShares;
use crate::entry::Entry;
use crate::nested::Nested;
use crate::record::Record;
use crate::route::Route;

/// The price of one call and the parts that it is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSplit {
    /// Price of the call; the sum of all parts below.
    pub gross: Millipence,
    /// Part that the plugin's owner keeps; negative if the calls that the plugin made
    /// cost more than the plugin's own price.
    pub agent: Millipence,
    /// The operator's share.
    pub platform: Millipence,
    /// The treasury's share.
    pub treasury: Millipence,
    /// Cost of the models that the plugin used.
    pub inference: Millipence,
    /// Cost of the calls to other owners' plugins.
    pub nested: Millipence,
}

impl CallSplit {
    fn new(
        (gross, inference): (Millipence, Option<Millipence>),
        shares: RecordedShares,
        below: impl Iterator<Item = Millipence>,
    ) -> Self {
        let inference = inference.unwrap_or_default();
        let nested = Millipence::new(below.fold(0, |sum, price| sum.saturating_add(price.get())));
        let RecordedShares { platform, treasury, .. } = shares;
        let others = [platform, treasury, inference, nested];
        let agent = others.iter().fold(gross.get(), |left, part| left.saturating_sub(part.get()));
        Self { gross, agent: Millipence::new(agent), platform, treasury, inference, nested }
    }

    /// Returns the split of the call in a record.
    pub fn of_call(route: &Route) -> Self {
        Self::new((route.gross, route.inference), route.shares, prices_below(&route.nested, 0))
    }

    /// Returns the split of a nested call, by its position in the list, counted from 0.
    pub fn of_nested(nested: &[Nested], place: usize) -> Option<Self> {
        let call = nested.get(place)?;
        let own_place = u64::try_from(place).ok()?.saturating_add(1);
        Some(Self::new((call.gross, call.inference), call.shares, prices_below(nested, own_place)))
    }
}

impl From<Shares> for CallSplit {
    fn from(shares: Shares) -> Self {
        Self::new((shares.gross, None), shares.into(), std::iter::empty())
    }
}

/// Returns the prices of the calls made by the call at a position; position 0 is the top
/// call.
fn prices_below(nested: &[Nested], place: u64) -> impl Iterator<Item = Millipence> {
    nested.iter().filter(move |below| below.parent == place).map(|below| below.gross)
}

/// Returns the recipients of the event about a split, each once: the owner, the caller,
/// and the operator.
pub fn split_parties<'a>(owner: &'a str, caller: Option<&'a str>) -> impl Iterator<Item = &'a str> {
    let caller = caller.filter(move |caller| *caller != owner);
    let operator = Some(OPERATOR).filter(move |operator| *operator != owner && caller != Some(*operator));
    std::iter::once(owner).chain(caller).chain(operator)
}

/// The members of the event `billing.split`.
#[derive(Serialize)]
struct BillingSplit<'a> {
    plugin: &'a str,
    gross_pence: i64,
    agent_pence: i64,
    platform_pence: i64,
    dt_pence: i64,
    inference_pence: i64,
    nested_pence: i64,
    gross_millipence: Millipence,
    agent_millipence: Millipence,
    platform_millipence: Millipence,
    dt_millipence: Millipence,
    inference_millipence: Millipence,
    nested_millipence: Millipence,
    #[serde(serialize_with = "hexed::serialize")]
    constitution: &'a Hash,
}

/// Builds the event for the split of a price. `to` is the recipient, `plugin` a name like
/// `bridge/name`, and `constitution` the seal of the policy record in force. Whole pence
/// are rounded by largest remainder, so that they sum to the gross; further members have
/// the exact millipence.
pub fn billing_split(to: &str, plugin: &str, split: &CallSplit, constitution: &Hash, time_ms: u64) -> OutboxEvent {
    let data = data(plugin, split, constitution);
    OutboxEvent { data, ..billing_split_of_call(to, time_ms) }
}

/// Builds the event without data, for a call whose record is in the same change.
pub fn billing_split_of_call(to: &str, time_ms: u64) -> OutboxEvent {
    OutboxEvent { account: to.to_owned(), event: BILLING_SPLIT, time_ms, data: Vec::new(), balance_of: None }
}

/// Returns an event with all its members, adding those that only the event's record has.
pub fn complete(store: &dyn Store, row: OutboxRow) -> Result<OutboxRow, StoreError> {
    if row.event != BILLING_SPLIT || !row.data.is_empty() {
        return Ok(row);
    }
    let record = store.record(row.place.seq)?.unwrap_or_default();
    let route = route(&record).map_err(|source| StoreError { doing: "reading the record of an event", source })?;
    let plugin = format!("{}/{}", route.plugin_kind.as_str(), route.plugin);
    let data = data(&plugin, &CallSplit::of_call(&route), &route.policy);
    Ok(OutboxRow { data, ..row })
}

fn route(record: &[u8]) -> Result<Route, Box<dyn std::error::Error + Send + Sync>> {
    let record = Record::parse(record)?;
    match Entry::read(&record.kind, &record.body)? {
        Entry::Route(route) => Ok(route),
        _ => Err(format!("record {} is not a call", record.seq).into()),
    }
}

fn data(plugin: &str, split: &CallSplit, constitution: &Hash) -> Vec<u8> {
    let CallSplit { gross, agent, platform, treasury, inference, nested } = *split;
    let [agent_pence, platform_pence, dt_pence, inference_pence, nested_pence] =
        whole_pence(gross, [agent, platform, treasury, inference, nested]);
    let billing_split = BillingSplit {
        plugin,
        gross_pence: gross.pence_floor(),
        agent_pence,
        platform_pence,
        dt_pence,
        inference_pence,
        nested_pence,
        gross_millipence: gross,
        agent_millipence: agent,
        platform_millipence: platform,
        dt_millipence: treasury,
        inference_millipence: inference,
        nested_millipence: nested,
        constitution,
    };
    serde_json::to_vec(&billing_split).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tollbridge_core::money::SplitPolicy;
    use tollbridge_core::plugin_kind::PluginKind;

    use super::*;

    fn shares(margin: i64) -> RecordedShares {
        SplitPolicy::new(800, 175, 25, 800).unwrap().split(Millipence::new(margin)).into()
    }

    fn shown(split: &CallSplit) -> Value {
        serde_json::from_slice(&data("agent/x", split, &[7; 32])).unwrap()
    }

    fn pence(shown: &Value) -> [i64; 6] {
        ["gross", "agent", "platform", "dt", "inference", "nested"]
            .map(|name| shown[format!("{name}_pence")].as_i64().unwrap())
    }

    fn below(owner: &str, parent: u64, gross: i64, margin: i64) -> Nested {
        Nested {
            component_sha256: [1; 32],
            failed: false,
            gross: Millipence::new(gross),
            inference: None,
            owner: owner.to_owned(),
            parent,
            plugin: owner.to_owned(),
            plugin_kind: PluginKind::Agent,
            shares: shares(margin),
            version: "1.0.0".to_owned(),
        }
    }

    /// Regression test: in the event of a call for £1.00 whose models cost a thousandth
    /// of a penny, the parts used to add up to only 99 pence.
    #[test]
    fn the_gross_is_what_the_call_cost() {
        let split =
            CallSplit::new((Millipence::new(100_000), Some(Millipence::new(1))), shares(99_999), std::iter::empty());
        let shown = shown(&split);
        assert_eq!(pence(&shown), [100, 80, 18, 2, 0, 0]);
        assert_eq!((&shown["gross_millipence"], &shown["inference_millipence"]), (&100_000.into(), &1.into()));
    }

    #[test]
    fn the_parts_sum_to_the_gross_for_every_callee() {
        // The price is 50 p. Models cost 7.5 p, and the nested call 12 p, of which it
        // pays 3 p for its nested call.
        let nested = [below("acct_b", 0, 12_000, 9_000), below("acct_c", 1, 3_000, 3_000)];
        let margin = 50_000 - 7_500 - 12_000;
        let top = CallSplit::new(
            (Millipence::new(50_000), Some(Millipence::new(7_500))),
            shares(margin),
            prices_below(&nested, 0),
        );
        let split = CallSplit::of_nested(&nested, 0).unwrap();
        assert_eq!((split.gross.get(), split.nested.get(), split.agent.get()), (12_000, 3_000, 7_200));
        // The agent's part is negative: its nested call cost more than its own price.
        let loss = [below("acct_b", 0, 1_000, 0), below("acct_c", 1, 3_000, 3_000)];
        let lost = CallSplit::of_nested(&loss, 0).unwrap();
        assert_eq!(lost.agent.get(), -2_000);
        assert_eq!(CallSplit::of_nested(&loss, 2), None);
        for split in [top, split, lost, CallSplit::of_nested(&nested, 1).unwrap()] {
            let [gross, parts @ ..] = pence(&shown(&split));
            assert_eq!(parts.iter().sum::<i64>(), gross, "{split:?}");
            let parts = [split.agent, split.platform, split.treasury, split.inference, split.nested];
            assert_eq!(parts.iter().map(|part| part.get()).sum::<i64>(), split.gross.get(), "{split:?}");
        }
    }

    #[test]
    fn each_party_is_notified_once() {
        let parties = |owner, caller| split_parties(owner, caller).collect::<Vec<_>>();
        assert_eq!(parties("acct_o", Some("acct_c")), ["acct_o", "acct_c", OPERATOR]);
        assert_eq!(parties("acct_o", Some("acct_o")), ["acct_o", OPERATOR]);
        assert_eq!(parties("acct_o", None), ["acct_o", OPERATOR]);
        assert_eq!(parties(OPERATOR, Some("acct_c")), [OPERATOR, "acct_c"]);
        assert_eq!(parties("acct_o", Some(OPERATOR)), ["acct_o", OPERATOR]);
    }
}
