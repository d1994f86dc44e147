//! Other plugins on the author's machine that a locally run plugin calls: they answer directly,
//! without a server and without money.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use tokio::time::Instant;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CalleeError, Failure, Plugin, PluginCall, PluginCaller, Services};

use super::failed_call;
use super::local::{self, Local, LocalCall, checked};
use super::local_services::no_services;
use super::options::Global;
use super::output::Output;
use super::plugin_build;

/// Locally loaded plugins, by kind and name. They can also call each other.
#[derive(Clone)]
pub(crate) struct LocalPlugins(Arc<Inner>);

struct Inner {
    plugins: BTreeMap<(PluginKind, String), (PathBuf, Arc<Plugin>)>,
    out: Output,
}

impl LocalPlugins {
    /// Builds and loads the plugins in these folders, or in folders below them.
    pub(crate) async fn load(paths: &[PathBuf], first: &Local, global: &Global, out: Output) -> anyhow::Result<Self> {
        let mut plugins = BTreeMap::new();
        if !paths.is_empty() {
            for built in plugin_build::build(&plugin_build::find(paths)?, &out)? {
                let other = first.beside(&built, global)?;
                let plugin = other.load(other.configured(), &BTreeMap::new()).await?;
                plugins.insert((plugin.kind(), plugin.name().to_owned()), (other.folder.clone(), plugin));
            }
        }
        Ok(Self(Arc::new(Inner { plugins, out })))
    }

    /// Returns host services that route calls of other plugins to these local plugins.
    pub(crate) fn services(&self) -> Services {
        Services { plugins: Arc::new(self.clone()), ..no_services() }
    }

    async fn answer(&self, call: PluginCall) -> Result<Vec<u8>, CalleeError> {
        let PluginCall { kind, name, task, input, deadline } = call;
        let shown = format!("{}/{name}", kind.folder());
        let Some((folder, plugin)) = self.0.plugins.get(&(kind, name)) else {
            let text = format!("{shown} is not loaded here; name its folder with --with");
            self.0.out.warning(&text);
            return Err(CalleeError::Unavailable(text));
        };
        let input = match input {
            Some(bytes) => Some(read(plugin, &bytes).await?),
            None => None,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let call = LocalCall {
            task: task.as_deref(),
            input,
            deadline: Some(left),
            services: self.services(),
            ..LocalCall::default()
        };
        match local::call(plugin, call).await {
            Ok(output) => {
                self.0.out.note(&format!("called {shown}, {:?}", output.usage.wall));
                Ok(output.body)
            }
            Err(failure) => {
                let explanation = failed_call::explained(&failure, folder);
                let lines = std::iter::once(format!("{shown}: {}", explanation.message)).chain(explanation.lines);
                self.0.out.warning(&lines.collect::<Vec<_>>().join("\n  "));
                Err(refused(failure))
            }
        }
    }
}

impl PluginCaller for LocalPlugins {
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        self.answer(call).boxed()
    }
}

/// Parses an input, checks it against the plugin's schema, and returns it as JSON text.
async fn read(plugin: &Plugin, bytes: &[u8]) -> Result<Vec<u8>, CalleeError> {
    let wrong = |message: String| CalleeError::InvalidInput { field: String::new(), message };
    let input: Value =
        serde_json::from_slice(bytes).map_err(|error| wrong(format!("the input is not JSON: {error}")))?;
    checked(plugin, input).await.map_err(|invalid| match invalid {
        Some(invalid) => CalleeError::InvalidInput { field: invalid.field, message: invalid.message },
        None => CalleeError::Unavailable("the check of the input took too long".to_owned()),
    })
}

/// Converts a callee's failure to the error that a server returns to the calling plugin.
fn refused(failure: Failure) -> CalleeError {
    match failure {
        Failure::InvalidInput { field, message, .. } => CalleeError::InvalidInput { field, message },
        Failure::NotFound(text) => CalleeError::NotFound(text),
        Failure::Unavailable(text) => CalleeError::Unavailable(text),
        Failure::NoProvider(text) => CalleeError::NoProvider(text),
        other => CalleeError::Failed(other.public_message()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calling_plugin_hears_what_a_server_would_say() {
        let internal = Failure::Internal(Box::default());
        assert_eq!(refused(internal), CalleeError::Failed("the plugin failed".to_owned()));
        let wrong = Failure::InvalidInput { field: "/a".to_owned(), message: "no".to_owned(), input: None };
        assert_eq!(refused(wrong), CalleeError::InvalidInput { field: "/a".to_owned(), message: "no".to_owned() });
    }
}
