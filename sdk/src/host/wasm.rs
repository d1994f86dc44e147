//! The functions of the host in a component; the component's imports implement them.

use crate::{
    bindings::bridge::{
        tollbridge::plugin::panic,
        wasi::{
            config::store as config,
            keyvalue::{atomics, store},
            logging::logging,
        },
    },
    error::Error,
    log::level::Level,
};

pub(crate) use super::wasm_http::send;

pub(crate) fn report_panic(message: &str) {
    panic::report(message);
}

pub(crate) fn log(level: Level, message: &str) {
    let level = match level {
        Level::Debug => logging::Level::Debug,
        Level::Info => logging::Level::Info,
        Level::Warn => logging::Level::Warn,
        Level::Error => logging::Level::Error,
    };
    logging::log(level, "", message);
}

pub(crate) fn config_get(key: &str) -> Result<Option<String>, Error> {
    config::get(key).map_err(config_error)
}

pub(crate) fn config_all() -> Result<Vec<(String, String)>, Error> {
    config::get_all().map_err(config_error)
}

/// A key-value bucket of the host.
#[derive(Debug)]
pub(crate) struct Bucket(store::Bucket);

impl Bucket {
    pub(crate) fn open(name: &str) -> Result<Self, Error> {
        store::open(name).map(Self).map_err(kv_error)
    }

    pub(crate) fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        self.0.get(key).map_err(kv_error)
    }

    pub(crate) fn set(&self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.0.set(key, value).map_err(kv_error)
    }

    pub(crate) fn delete(&self, key: &str) -> Result<(), Error> {
        self.0.delete(key).map_err(kv_error)
    }

    pub(crate) fn exists(&self, key: &str) -> Result<bool, Error> {
        self.0.exists(key).map_err(kv_error)
    }

    pub(crate) fn keys(&self) -> Result<Vec<String>, Error> {
        let mut keys = Vec::new();
        let mut cursor = None;
        loop {
            let page = self.0.list_keys(cursor).map_err(kv_error)?;
            keys.extend(page.keys);
            match page.cursor {
                Some(next) => cursor = Some(next),
                None => return Ok(keys),
            }
        }
    }

    pub(crate) fn increment(&self, key: &str, delta: u64) -> Result<u64, Error> {
        atomics::increment(&self.0, key, delta).map_err(kv_error)
    }
}

fn config_error(error: config::Error) -> Error {
    match error {
        config::Error::Upstream(text) | config::Error::Io(text) => Error::unavailable(format!("configuration: {text}")),
    }
}

fn kv_error(error: store::Error) -> Error {
    match error {
        store::Error::NoSuchStore => Error::unavailable("key-value store: there is no such bucket"),
        store::Error::AccessDenied => Error::unavailable("key-value store: the host denied access to this bucket"),
        store::Error::Other(text) => Error::unavailable(format!("key-value store: {text}")),
    }
}
