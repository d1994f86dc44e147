//! Key-value storage that outlives a call: the grant `keyvalue`.
//!
//! There are two kinds of bucket: [`Bucket::shared`] is shared by all callers, and
//! [`Bucket::caller`] is separate for each account. Writes of a paid call are committed
//! together with its ledger record, so nothing is written if the call fails. The host
//! limits the size of each bucket.

use serde::{Serialize, de::DeserializeOwned};

use crate::{error::Error, host};

/// An open key-value bucket.
#[derive(Debug)]
pub struct Bucket(host::Bucket);

impl Bucket {
    /// Opens the bucket that all callers of this plugin share.
    pub fn shared() -> Result<Self, Error> {
        Self::open("shared")
    }

    /// Opens the bucket of the calling account. Fails if the call was made without an API
    /// key, because it then has no account.
    pub fn caller() -> Result<Self, Error> {
        Self::open("caller")
    }

    /// Opens the bucket `name`: `shared` or `caller`.
    pub fn open(name: &str) -> Result<Self, Error> {
        host::Bucket::open(name).map(Self)
    }

    /// Returns the bytes stored under `key`, if any.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        self.0.get(key)
    }

    /// Stores `value` under `key`.
    pub fn set(&self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.0.set(key, value)
    }

    /// Removes `key`; a missing key is not an error.
    pub fn delete(&self, key: &str) -> Result<(), Error> {
        self.0.delete(key)
    }

    /// Returns whether there is a value under `key`.
    pub fn exists(&self, key: &str) -> Result<bool, Error> {
        self.0.exists(key)
    }

    /// Returns all keys, fetched page by page.
    pub fn keys(&self) -> Result<Vec<String>, Error> {
        self.0.keys()
    }

    /// Atomically adds `delta` to the number stored under `key`; returns the sum. A
    /// missing key counts as 0.
    pub fn increment(&self, key: &str, delta: u64) -> Result<u64, Error> {
        self.0.increment(key, delta)
    }

    /// Returns the value under `key`, parsed as JSON.
    pub fn get_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Error> {
        let wrong = |error| Error::internal(format!("the value under `{key}` is not the expected JSON: {error}"));
        self.get(key)?.map(|bytes| serde_json::from_slice(&bytes).map_err(wrong)).transpose()
    }

    /// Stores `value` under `key` as JSON.
    pub fn set_json<T: Serialize>(&self, key: &str, value: &T) -> Result<(), Error> {
        let wrong = |error| Error::internal(format!("the value for `{key}` cannot be serialised: {error}"));
        self.set(key, &serde_json::to_vec(value).map_err(wrong)?)
    }
}
