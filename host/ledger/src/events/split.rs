//! How the price of a call was shared out: the event that goes with every paid
//! call, and so the one that must cost next to nothing to note.
//!
//! The record of a call says all that its own event says. So the outbox keeps no
//! data for it, and whoever sends it has it made from the record.

use serde::Serialize;
use tollbridge_core::money::{Millipence, Shares};
use tollbridge_store::{Hash, OutboxEvent, OutboxRow, Store, StoreError, hexed};

use super::names::BILLING_SPLIT;
use crate::bodies::Route;
use crate::entry::Entry;
use crate::record::Record;

/// Members of the event.
#[derive(Serialize)]
struct BillingSplit<'a> {
    plugin: &'a str,
    gross_pence: i64,
    agent_pence: i64,
    platform_pence: i64,
    dt_pence: i64,
    gross_millipence: Millipence,
    agent_millipence: Millipence,
    platform_millipence: Millipence,
    dt_millipence: Millipence,
    #[serde(serialize_with = "hexed::serialize")]
    constitution: &'a Hash,
}

/// How a price was shared out. `plugin` is `bridge/name` or the like;
/// `constitution` the seal of the policy record in force. Whole pence by
/// largest remainder, so that they sum to the gross; exact millipence beside.
pub fn billing_split(owner: &str, plugin: &str, shares: &Shares, constitution: &Hash, time_ms: u64) -> OutboxEvent {
    let data = data(plugin, shares, constitution);
    OutboxEvent { data, ..billing_split_of_call(owner, time_ms) }
}

/// The same of a call whose record it is written with.
pub fn billing_split_of_call(owner: &str, time_ms: u64) -> OutboxEvent {
    OutboxEvent { account: owner.to_owned(), event: BILLING_SPLIT, time_ms, data: Vec::new(), balance_of: None }
}

/// An event with all its members, also those that only its record has.
pub fn complete(store: &dyn Store, row: OutboxRow) -> Result<OutboxRow, StoreError> {
    if row.event != BILLING_SPLIT || !row.data.is_empty() {
        return Ok(row);
    }
    let record = store.record(row.place.seq)?.unwrap_or_default();
    let route = route(&record).map_err(|source| StoreError { doing: "reading what an event tells of", source })?;
    let plugin = format!("{}/{}", route.plugin_kind.as_str(), route.plugin);
    let data = data(&plugin, &route.shares.whole(), &route.policy);
    Ok(OutboxRow { data, ..row })
}

fn route(record: &[u8]) -> Result<Route, Box<dyn std::error::Error + Send + Sync>> {
    let record = Record::parse(record)?;
    match Entry::read(&record.kind, &record.body)? {
        Entry::Route(route) => Ok(route),
        _ => Err(format!("record {} is no call", record.seq).into()),
    }
}

fn data(plugin: &str, shares: &Shares, constitution: &Hash) -> Vec<u8> {
    let [agent_pence, platform_pence, dt_pence] = shares.whole_pence();
    let billing_split = BillingSplit {
        plugin,
        gross_pence: shares.gross.pence_floor(),
        agent_pence,
        platform_pence,
        dt_pence,
        gross_millipence: shares.gross,
        agent_millipence: shares.developer,
        platform_millipence: shares.platform,
        dt_millipence: shares.treasury,
        constitution,
    };
    serde_json::to_vec(&billing_split).unwrap_or_default()
}
