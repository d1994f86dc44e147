//! The command `tollbridge plugin reproduce`: takes a call that failed on this machine's
//! server, and repeats it with the plugin built from the author's folder.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_operator::{FailedInputShown, command};
use tollbridge_registry::Manifest;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;
use tollbridge_tools::plugin_call::{self, CallHere};

use super::target;

#[derive(Args, Debug)]
pub(super) struct ReproduceArgs {
    /// Id of the failed request, from the header X-Request-Id or the plugin's log
    request: String,
    /// The plugin's folder
    #[arg(default_value = ".")]
    path: PathBuf,
    /// NAME, bridges/NAME or agents/NAME on the server [default: the folder's plugin]
    #[arg(long, value_name = "NAME")]
    plugin: Option<String>,
    /// Folders of the plugins that the plugin calls, or folders that contain them
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
    /// Also save the call as a case: cases/NAME.json
    #[arg(long, value_name = "NAME")]
    save: Option<String>,
    #[command(flatten)]
    data: DataArgs,
}

pub(super) async fn run(args: ReproduceArgs, global: &Global, out: Output) -> Result<()> {
    let ReproduceArgs { request, path, plugin, with, save, data } = args;
    let named = std::fs::read_to_string(path.join("plugin.toml"));
    let manifest = Manifest::parse(&named.map_err(|error| {
        anyhow::anyhow!(error).context(format!("cannot read {}", path.join("plugin.toml").display()))
    })?)?;
    let plugin = plugin.unwrap_or_else(|| format!("{}/{}", manifest.id.kind.folder(), manifest.id.name));
    let server = target::running(global, &data).await?;
    let failed = server.ask(command::PluginFailedInput { plugin, request: request.clone() }).await?;
    let FailedInputShown { plugin, version, at, why, .. } = &failed;
    out.note(&format!("{plugin} {version} failed at {at}: {why}"));
    let about = format!("call {request} failed: {why}; add the expected answer");
    let call = of_failed(failed, manifest.id.kind, (path, with));
    if let Some(name) = save {
        let written = plugin_call::save_case(&call.path, &name, &about, &call)?;
        out.note(&format!("wrote    {}", written.display()));
    }
    plugin_call::call(call, global, out).await
}

/// Reconstructs the call; the body of an agent's call contains the task and the input.
fn of_failed(failed: FailedInputShown, kind: PluginKind, (path, with): (PathBuf, Vec<PathBuf>)) -> CallHere {
    let FailedInputShown { input: body, now_ms, .. } = failed;
    let (input, task) = match kind {
        PluginKind::Bridge => (Some(body), None),
        PluginKind::Agent => {
            let task = body.get("task").and_then(Value::as_str).map(str::to_owned);
            (body.get("input").filter(|input| input.is_object()).cloned(), task)
        }
    };
    CallHere { path, input, task, with, now_ms }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(kind: PluginKind, body: Value, input: Option<Value>, task: Option<&str>) {
        let failed = FailedInputShown { input: body, now_ms: Some(7), ..FailedInputShown::default() };
        let call = of_failed(failed, kind, (PathBuf::new(), Vec::new()));
        assert_eq!((call.input, call.task.as_deref(), call.now_ms), (input, task, Some(7)));
    }

    #[test]
    fn a_call_is_repeated_as_it_was() {
        check(PluginKind::Bridge, json!({ "task": "x" }), Some(json!({ "task": "x" })), None);
        check(PluginKind::Agent, json!({ "task": "x", "input": { "a": 1 } }), Some(json!({ "a": 1 })), Some("x"));
        check(PluginKind::Agent, json!({ "task": "x" }), None, Some("x"));
    }
}
