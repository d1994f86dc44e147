//! Implements `wasi:config`: the operator's configuration of the plugin.
//!
//! Invariant: a secret's value never enters the guest. The guest sees a placeholder, which the host
//! replaces in headers of requests to granted hosts.

use wasmtime::Result;

use super::secret::placeholder;
use crate::bindings::config_store::{Error, Host};
use crate::calls::state::State;

impl Host for State {
    fn get(&mut self, key: String) -> Result<Result<Option<String>, Error>> {
        self.limiter.count_host_call()?;
        let plugin = &self.plugin;
        let value = plugin.config.get(&key).cloned();
        Ok(Ok(value.or_else(|| plugin.secrets.contains_key(&key).then(|| placeholder(&key)))))
    }

    fn get_all(&mut self) -> Result<Result<Vec<(String, String)>, Error>> {
        self.limiter.count_host_call()?;
        let plugin = &self.plugin;
        let plain = plugin.config.iter().map(|(key, value)| (key.clone(), value.clone()));
        let hidden = plugin.secrets.keys().filter(|key| !plugin.config.contains_key(*key));
        Ok(Ok(plain.chain(hidden.map(|key| (key.clone(), placeholder(key)))).collect()))
    }
}
