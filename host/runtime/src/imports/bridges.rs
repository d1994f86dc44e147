//! Implements the `bridges` interface: calls of other plugins on this host.
//!
//! Invariants:
//! 1. Only plugins that the manifest names are called.
//! 2. A callee has no more time than its caller has left.
//! 3. If a callee fails because no model provider could answer, the call records this, as
//!    for `inference`.

use tollbridge_core::limits::BODY_BYTES_MAX;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CalleeError, PluginCall};
use wasmtime::Result;

use crate::bindings::bridges::{Error, Host};
use crate::bindings::types::Invalid;
use crate::calls::state::State;

impl State {
    async fn send(&mut self, kind: PluginKind, name: String, task: Option<String>, input: Option<String>) -> Answer {
        if !self.plugin.facts.callees.contains(&(kind, name.clone())) {
            return Err(undeclared(kind, &name));
        }
        let size = task.as_ref().map_or(0, String::len).saturating_add(input.as_ref().map_or(0, String::len));
        if size > BODY_BYTES_MAX {
            let message = format!("the input has {size} bytes; at most {BODY_BYTES_MAX} are accepted");
            return Err(Error::InvalidInput(Invalid { field: String::new(), message }));
        }
        let input = input.map(|text| text.into_bytes().into());
        let call = PluginCall { kind, name, task, input, deadline: self.deadline };
        let plugins = self.services.plugins.clone();
        let answer = plugins.call(call).await.map_err(|error| self.callee_failed(error))?;
        String::from_utf8(answer).map_err(|_| Error::Failed("the answer is not UTF-8".to_owned()))
    }

    fn callee_failed(&mut self, error: CalleeError) -> Error {
        match error {
            CalleeError::InvalidInput { field, message } => Error::InvalidInput(Invalid { field, message }),
            CalleeError::NotFound(text) => Error::NotFound(text),
            CalleeError::Unavailable(text) => Error::Unavailable(text),
            CalleeError::Refused(text) => Error::Refused(text),
            CalleeError::Failed(text) => Error::Failed(text),
            CalleeError::NoProvider(text) => {
                self.no_provider = Some(text.clone());
                Error::NoProvider(text)
            }
        }
    }
}

type Answer = Result<String, Error>;

impl Host for State {
    async fn call(&mut self, bridge: String, input: String) -> Result<Answer> {
        self.limiter.count_host_call()?;
        Ok(self.send(PluginKind::Bridge, bridge, None, Some(input)).await)
    }

    async fn run(&mut self, agent: String, task: String, input: Option<String>) -> Result<Answer> {
        self.limiter.count_host_call()?;
        Ok(self.send(PluginKind::Agent, agent, Some(task), input).await)
    }
}

/// Builds the error for a plugin that the manifest does not name. The name comes from the guest and
/// is shown to callers, so it is sanitized.
fn undeclared(kind: PluginKind, name: &str) -> Error {
    let name: String = name.chars().filter(|c| c.is_ascii_graphic()).take(64).collect();
    Error::Unavailable(format!(
        "the {kind} `{name}`, which this plugin does not declare: add \"{name}\" to `{}` in plugin.toml",
        kind.folder()
    ))
}
