//! `/v1/memory`: values that accounts store in the memories of agents, for a price that
//! the agent's owner earns.
//!
//! Invariants: an account sees only items that it stored itself; the number of items per
//! account and agent is bounded; an expired item is invisible immediately.
//!
//! Rows of `Collection::Memory`, key `{agent}/{account}/{key}`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Notary, Purpose, random_tx};
use tollbridge_payment::DailySpendLimit;
use tollbridge_store::{Change, Collection, Expect, Put, Store, Writer};

use super::error::{EarningError, invalid};
use super::replay::{EarningReceipt, find_replay, identity, stored_answer};
use super::task::bad_row;
use super::transfer::{TransferRequest, Transfers};
use crate::limits::MEMORY_KEPT_S_MAX;

/// Maximum number of items of one account in the memory of one agent.
const MEMORY_ITEMS_MAX: usize = 1_000;
/// Maximum length of the key of a memory item.
const MEMORY_KEY_BYTES_MAX: usize = 128;
/// Maximum size of the value of a memory item, as JSON.
const MEMORY_VALUE_BYTES_MAX: usize = 64 << 10;
/// Retention of a memory item unless the client sets another: 30 days.
const MEMORY_KEPT_S_DEFAULT: u64 = 30 * 24 * 60 * 60;

const ROUTE: &str = "POST /v1/memory/store";

/// The receipt for a stored item.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryReceipt {
    #[schemars(extend("const" = "stored"))]
    status: &'static str,
    agent: String,
    key: String,
    price_gbp: String,
    /// Expiry time, Unix milliseconds.
    expires_ms: u64,
    /// The sealed record; null for a free item.
    record_id: Option<String>,
}

/// An item in an agent's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryItem {
    /// Stored value.
    pub value: Value,
    /// Time at which the item was stored, Unix milliseconds.
    pub stored_ms: u64,
    /// Expiry time, Unix milliseconds.
    pub expires_ms: u64,
}

/// A request to store an item in an agent's memory.
#[derive(Clone, Debug)]
pub struct NewMemoryItem<'a> {
    /// Account id.
    pub account: &'a str,
    /// Name of the agent.
    pub agent: &'a str,
    /// Key of the item.
    pub key: &'a str,
    /// Value to store.
    pub value: &'a Value,
    /// Time to live, seconds.
    pub ttl_s: Option<u64>,
    /// Daily spending limit of the API key that pays.
    pub spend: Option<&'a DailySpendLimit>,
    /// `Idempotency-Key` of the request.
    pub idempotency_key: Option<&'a str>,
    /// The body of the request.
    pub body: &'a [u8],
    /// Unix time, milliseconds.
    pub now_ms: u64,
}

/// The memories of agents.
pub struct Memories {
    pub(super) store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    pub(super) transfers: Arc<Transfers>,
    /// Price of storing an item.
    pub(super) price: Millipence,
    /// Locked while an item is added.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Memories {
    /// Stores an item in an agent's memory, replacing any item with the same key.
    pub async fn set(&self, writer: &Writer, new: NewMemoryItem<'_>) -> Result<EarningReceipt, EarningError> {
        let identity = identity(new.account, ROUTE, None, new.idempotency_key, new.body)?;
        if let Some(done) = find_replay(self.store.as_ref(), &self.notary, &identity)? {
            return Ok(done);
        }
        let expires_ms = check(&new)?;
        let agent = self.transfers.agent(new.agent)?;
        let prefix = format!("{}/{}/", agent.name, new.account);
        let _turn = self.turn.lock().await;
        self.make_room(writer, &prefix, new.key, new.now_ms).await?;
        let item = MemoryItem { value: new.value.clone(), stored_ms: new.now_ms, expires_ms };
        let row = serde_json::to_vec(&item).map_err(bad_row)?;
        let puts = vec![put(format!("{prefix}{}", new.key), Some(row))];
        let price = self.price;
        let receipt = MemoryReceipt {
            status: "stored",
            agent: agent.name.clone(),
            key: new.key.to_owned(),
            price_gbp: price.display_gbp(),
            expires_ms,
            record_id: (!price.is_zero()).then(|| format!("tx_{}", hex::encode(identity.tx))),
        };
        let answer = stored_answer(&identity, serde_json::to_vec(&receipt).map_err(bad_row)?, new.now_ms);
        if price.is_zero() {
            // If no money moves, no record is sealed.
            let receipt = writer.submit(Change { puts, ..Change::default() }).await?;
            debug_assert!(receipt.sealed.is_none());
            return Ok(EarningReceipt { body: answer.body, tx: random_tx()?, seal: [0; 32], replayed: false });
        }
        let deal = TransferRequest {
            purpose: Purpose::Memory,
            payer: new.account,
            from_agent: None,
            agent: &agent,
            gross: price,
            spend: new.spend,
            tx: identity.tx,
            request: new.body,
            now_ms: new.now_ms,
        };
        Ok(self.transfers.make(deal, puts, answer).await?.into())
    }

    /// Removes the account's expired items; fails if there is still no room for another
    /// item.
    async fn make_room(&self, writer: &Writer, prefix: &str, key: &str, now_ms: u64) -> Result<(), EarningError> {
        let rows = self.store.list(Collection::Memory, prefix, MEMORY_ITEMS_MAX.saturating_add(1))?;
        let (mut live_items, mut puts) = (0_usize, Vec::new());
        for (place, row) in rows.iter().take_while(|(place, _)| place.starts_with(prefix)) {
            let item: MemoryItem = serde_json::from_slice(row).map_err(bad_row)?;
            if item.expires_ms <= now_ms {
                puts.push(put(place.clone(), None));
            // The item with the same key is replaced, so it needs no room.
            } else if place.strip_prefix(prefix) != Some(key) {
                live_items += 1;
            }
        }
        if live_items >= MEMORY_ITEMS_MAX {
            return Err(EarningError::MemoryFull);
        }
        if !puts.is_empty() {
            writer.submit(Change { puts, ..Change::default() }).await?;
        }
        Ok(())
    }

    /// Returns an item that this account stored.
    pub fn read(&self, account: &str, agent: &str, key: &str, now_ms: u64) -> Result<MemoryItem, EarningError> {
        let missing = || EarningError::NoItem(agent.chars().take(64).collect());
        if !is_key(agent) || !is_key(key) {
            return Err(missing());
        }
        let row = self.store.get(Collection::Memory, &format!("{agent}/{account}/{key}"))?.ok_or_else(missing)?;
        let item: MemoryItem = serde_json::from_slice(&row).map_err(bad_row)?;
        if item.expires_ms > now_ms { Ok(item) } else { Err(missing()) }
    }

    /// Deletes an item.
    pub async fn delete(
        &self,
        writer: &Writer,
        account: &str,
        agent: &str,
        key: &str,
        now_ms: u64,
    ) -> Result<(), EarningError> {
        self.read(account, agent, key, now_ms)?;
        let puts = vec![put(format!("{agent}/{account}/{key}"), None)];
        writer.submit(Change { puts, ..Change::default() }).await?;
        Ok(())
    }
}

/// Checks an item to store and returns its expiry time.
fn check(new: &NewMemoryItem<'_>) -> Result<u64, EarningError> {
    if !is_key(new.key) {
        return Err(invalid("/key", "a key has 1 to 128 of A-Z a-z 0-9 _ . : -"));
    }
    if new.value.to_string().len() > MEMORY_VALUE_BYTES_MAX {
        return Err(invalid("/value", "a value may have at most 65,536 bytes as JSON"));
    }
    let ttl = new.ttl_s.unwrap_or(MEMORY_KEPT_S_DEFAULT);
    if ttl == 0 || ttl > MEMORY_KEPT_S_MAX {
        return Err(invalid("/ttl_seconds", "the time to live must be 1 second to 365 days"));
    }
    Ok(new.now_ms.saturating_add(ttl.saturating_mul(1_000)))
}

/// Returns whether a text may be used as a part of a row's key.
fn is_key(text: &str) -> bool {
    (1..=MEMORY_KEY_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'))
}

fn put(key: String, value: Option<Vec<u8>>) -> Put {
    Put { collection: Collection::Memory, key, value, expect: Expect::Any }
}
