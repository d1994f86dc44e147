//! Implements `wasi:keyvalue`: two buckets per plugin, `shared` and `caller`.
//!
//! Invariants:
//! 1. Nothing is written to the store during a call. Writes are buffered in the call, its own reads
//!    see them, and they are committed together with its seal or not at all.
//! 2. A plugin can use only its own buckets; `caller` is a separate bucket for each account.
//! 3. `increment` is exact: a call that changes a counter locks it until its writes are durable, so
//!    that no other call reads the old value.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_plugin::ServiceError;
use wasmtime::Result;
use wasmtime::component::Resource;

use super::buckets::{Bucket, Buckets};
use super::write_budget::BudgetUsedUp;
use crate::bindings::kv_atomics;
use crate::bindings::kv_store::{Error, Host, HostBucket, KeyResponse};
use crate::calls::state::State;
use crate::limits::{KV_KEYS_MAX, KV_VALUE_BYTES_MAX, KV_WRITES_MAX};

/// Maximum length of a key in a plugin's key-value bucket.
const KV_KEY_BYTES_MAX: usize = 256;
/// Maximum number of bytes that one call may write to key-value buckets. They stay in
/// memory until the call ends, and count towards the instance's memory.
const KV_WRITE_BYTES_PER_CALL_MAX: usize = 2 << 20;
/// Maximum time that a call waits for another call that changes the same counter.
const KV_LOCK_MS_MAX: u64 = 1_000;

/// The number of keys in one page of `list-keys`.
const PAGE: usize = 100;

const SHARED: u32 = 0;
const CALLER: u32 = 1;

impl State {
    /// Returns the store's name of the bucket behind a handle.
    fn bucket(&self, handle: &Resource<Bucket>) -> Result<String, Error> {
        let plugin = format!("{}/{}", self.plugin.facts.kind, self.plugin.facts.name);
        match (handle.rep(), &self.caller) {
            (SHARED, _) => Ok(format!("{plugin}/shared")),
            (CALLER, Some(caller)) => Ok(format!("{plugin}/caller/{caller}")),
            _ => Err(Error::NoSuchStore),
        }
    }

    fn buckets(&mut self) -> &mut Buckets {
        self.buckets.get_or_insert_default()
    }

    fn read(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, Error> {
        let written = self.buckets.as_ref().and_then(|all| all.written.get(&(bucket.to_owned(), key.to_owned())));
        match written {
            Some(value) => Ok(value.clone()),
            None => self.services.key_value.get(bucket, key).map_err(|error| self.broken(&error)),
        }
    }

    /// Logs a failure of the store with its details, which the returned error hides from the guest.
    fn broken(&self, error: &ServiceError) -> Error {
        tracing::error!(plugin = self.plugin.facts.name, request = self.request_id, %error, "key-value store failed");
        Error::Other("the key-value store cannot be read now".to_owned())
    }

    fn write(&mut self, bucket: String, key: String, value: Option<Vec<u8>>) -> Result<(), Error> {
        check_key(&key)?;
        if value.as_ref().is_some_and(|value| value.len() > KV_VALUE_BYTES_MAX) {
            return Err(Error::Other(format!("a value may have at most {KV_VALUE_BYTES_MAX} bytes")));
        }
        let before = self.read(&bucket, &key)?.map(|value| value.len().saturating_add(key.len()));
        let after = value.as_ref().map(|value| value.len().saturating_add(key.len()));
        let (bytes, keys) = self.used(&bucket)?;
        let bytes = bytes.saturating_sub(before.unwrap_or(0)).saturating_add(after.unwrap_or(0));
        let keys = keys.saturating_sub(before.iter().len()).saturating_add(after.iter().len());
        let quota = self.plugin.kv_bytes;
        if after > before && bytes > quota {
            return Err(Error::Other(format!("the bucket is full: its quota is {quota} bytes")));
        }
        if before.is_none() && keys > KV_KEYS_MAX {
            return Err(Error::Other(format!("the bucket is full: it may have at most {KV_KEYS_MAX} keys")));
        }
        let entry = (bucket.clone(), key);
        let written = &self.buckets().written;
        if written.len() >= KV_WRITES_MAX && !written.contains_key(&entry) {
            return Err(Error::Other(format!("one call may write at most {KV_WRITES_MAX} keys")));
        }
        self.pay_for_write(after.unwrap_or(entry.1.len()))?;
        let buckets = self.buckets();
        buckets.used.insert(bucket, (bytes, keys));
        buckets.written.insert(entry, value);
        Ok(())
    }

    /// Deducts a write from every budget: of the call, of the instance's memory, of the caller and
    /// of the plugin's owner.
    fn pay_for_write(&mut self, bytes: usize) -> Result<(), Error> {
        let written = self.buckets().bytes.saturating_add(bytes);
        if written > KV_WRITE_BYTES_PER_CALL_MAX {
            return Err(Error::Other(format!("one call may write at most {KV_WRITE_BYTES_PER_CALL_MAX} bytes")));
        }
        let now = Instant::now();
        for tenant in self.tenant.iter().chain(&self.plugin.facts.owner) {
            self.plugin.write_budget.take(tenant, bytes, now).map_err(|BudgetUsedUp(wait)| {
                Error::Other(format!("the write budget is used up; try again in {} s", wait.as_secs()))
            })?;
        }
        if !self.limiter.keep_in_host(bytes) {
            return Err(Error::Other("the call's memory and its writes exceed its memory limit".to_owned()));
        }
        self.buckets().bytes = written;
        Ok(())
    }

    /// Returns the size in bytes and the number of keys of a bucket; reads the store only once per
    /// call.
    fn used(&self, bucket: &str) -> Result<(usize, usize), Error> {
        if let Some(used) = self.buckets.as_ref().and_then(|all| all.used.get(bucket)) {
            return Ok(*used);
        }
        let rows = self.services.key_value.list(bucket, "", KV_KEYS_MAX).map_err(|error| self.broken(&error))?;
        let bytes = rows.iter().map(|(key, size)| key.len().saturating_add(*size)).fold(0, usize::saturating_add);
        Ok((bytes, rows.len()))
    }

    fn keys(&self, bucket: &str) -> Result<BTreeSet<String>, Error> {
        let rows = self.services.key_value.list(bucket, "", KV_KEYS_MAX).map_err(|error| self.broken(&error))?;
        let mut keys: BTreeSet<String> = rows.into_iter().map(|(key, _)| key).collect();
        let written = self.buckets.iter().flat_map(|all| &all.written).filter(|((of, _), _)| of == bucket);
        for ((_, key), value) in written {
            if value.is_some() {
                keys.insert(key.clone())
            } else {
                keys.remove(key)
            };
        }
        Ok(keys)
    }

    async fn add(&mut self, bucket: String, key: String, delta: u64) -> Result<u64, Error> {
        check_key(&key)?;
        self.hold(&bucket, &key).await?;
        let before = match self.read(&bucket, &key)? {
            None => 0,
            Some(text) => std::str::from_utf8(&text)
                .ok()
                .and_then(|text| text.parse::<u64>().ok())
                .ok_or_else(|| Error::Other(format!("the value of {key} is not a number in decimal digits")))?,
        };
        let after = before.checked_add(delta).ok_or_else(|| Error::Other(format!("the counter {key} overflows")))?;
        self.write(bucket, key, Some(after.to_string().into_bytes()))?;
        Ok(after)
    }

    /// Locks a counter against other calls until this call's writes are durable.
    async fn hold(&mut self, bucket: &str, key: &str) -> Result<(), Error> {
        let name = (bucket.to_owned(), key.to_owned());
        if self.buckets().held.iter().any(|held| held.is_of(&name)) {
            return Ok(());
        }
        let counter_locks = self.plugin.counter_locks.clone();
        // If two calls wait for each other's counter, both time out here.
        let held = tokio::time::timeout(Duration::from_millis(KV_LOCK_MS_MAX), counter_locks.hold(name)).await;
        let held = held.map_err(|_| Error::Other(format!("another call is changing {key}; try again")))?;
        self.buckets().held.push(held);
        Ok(())
    }
}

fn check_key(key: &str) -> Result<(), Error> {
    if key.is_empty() || key.len() > KV_KEY_BYTES_MAX {
        return Err(Error::Other(format!("a key must have 1 to {KV_KEY_BYTES_MAX} bytes")));
    }
    Ok(())
}

impl Host for State {
    fn open(&mut self, identifier: String) -> Result<Result<Resource<Bucket>, Error>> {
        self.limiter.count_host_call()?;
        Ok(match (identifier.as_str(), &self.caller) {
            ("shared", _) => Ok(Resource::new_own(SHARED)),
            ("caller", Some(_)) => Ok(Resource::new_own(CALLER)),
            ("caller", None) => Err(Error::AccessDenied),
            _ => Err(Error::NoSuchStore),
        })
    }
}

impl HostBucket for State {
    fn get(&mut self, bucket: Resource<Bucket>, key: String) -> Result<Result<Option<Vec<u8>>, Error>> {
        self.limiter.count_host_call()?;
        Ok(self.bucket(&bucket).and_then(|bucket| self.read(&bucket, &key)))
    }

    fn set(&mut self, bucket: Resource<Bucket>, key: String, value: Vec<u8>) -> Result<Result<(), Error>> {
        self.limiter.count_host_call()?;
        Ok(self.bucket(&bucket).and_then(|bucket| self.write(bucket, key, Some(value))))
    }

    fn delete(&mut self, bucket: Resource<Bucket>, key: String) -> Result<Result<(), Error>> {
        self.limiter.count_host_call()?;
        Ok(self.bucket(&bucket).and_then(|bucket| self.write(bucket, key, None)))
    }

    fn exists(&mut self, bucket: Resource<Bucket>, key: String) -> Result<Result<bool, Error>> {
        self.limiter.count_host_call()?;
        Ok(self.bucket(&bucket).and_then(|bucket| self.read(&bucket, &key)).map(|value| value.is_some()))
    }

    fn list_keys(&mut self, bucket: Resource<Bucket>, cursor: Option<u64>) -> Result<Result<KeyResponse, Error>> {
        self.limiter.count_host_call()?;
        let start = cursor.and_then(|cursor| usize::try_from(cursor).ok()).unwrap_or(0);
        Ok(self.bucket(&bucket).and_then(|bucket| self.keys(&bucket)).map(|keys| {
            let next = start.saturating_add(PAGE);
            let cursor = (next < keys.len()).then_some(next as u64);
            KeyResponse { keys: keys.into_iter().skip(start).take(PAGE).collect(), cursor }
        }))
    }

    fn drop(&mut self, _bucket: Resource<Bucket>) -> Result<()> {
        Ok(())
    }
}

impl kv_atomics::Host for State {
    async fn increment(&mut self, bucket: Resource<Bucket>, key: String, delta: u64) -> Result<Result<u64, Error>> {
        self.limiter.count_host_call()?;
        Ok(match self.bucket(&bucket) {
            Ok(bucket) => self.add(bucket, key, delta).await,
            Err(error) => Err(error),
        })
    }
}
