//! `plugin call`: calls a plugin on its author's machine, without a server and without paying. The
//! plugin can call plugins from other folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::explained::ExplainedError;
use super::failed_call;
use super::input::read_input;
use super::local::{self, Local, LocalCall, checked};
use super::local_plugins::LocalPlugins;
use super::options::Global;
use super::output::Output;

#[expect(missing_docs, reason = "clap would print a doc comment as help")]
#[derive(Args, Debug)]
pub struct LocalCallArgs {
    /// The plugin's folder
    path: PathBuf,
    /// Input as JSON, `@FILE`, or `-` for standard input; `{}` unless there is a task
    input: Option<String>,
    /// Task of an agent
    #[arg(long)]
    task: Option<String>,
    /// Plugin folders, or folders that contain them, that the plugin may call
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
}

/// The parameters of a call on this machine.
#[derive(Debug)]
pub struct CallHere {
    /// The folder of the plugin to call.
    pub path: PathBuf,
    /// The input object; optional for an agent.
    pub input: Option<Value>,
    /// The task; for agents only.
    pub task: Option<String>,
    /// Folders of other plugins that the plugin may call.
    pub with: Vec<PathBuf>,
    /// The time that the plugin sees, Unix milliseconds; the current time if absent.
    pub now_ms: Option<u64>,
}

/// Runs `plugin call`.
pub async fn run(args: LocalCallArgs, global: &Global, out: Output) -> Result<()> {
    let input = match (&args.input, &args.task) {
        (None, Some(_)) => None,
        (text, _) => Some(read_input(text.as_deref().unwrap_or("{}"))?),
    };
    let LocalCallArgs { path, task, with, .. } = args;
    call(CallHere { path, input, task, with, now_ms: None }, global, out).await
}

/// Makes a local call and prints the answer.
///
/// # Errors
/// The input is invalid or the call failed; the error is in the API's format and includes the
/// trace.
pub async fn call(call: CallHere, global: &Global, out: Output) -> Result<()> {
    let CallHere { path, input, task, with, now_ms } = call;
    let plugin_here = Local::open(&path, None, global, &out)?;
    let plugin = plugin_here.load(plugin_here.configured(), &BTreeMap::new()).await?;
    let others = LocalPlugins::load(&with, &plugin_here, global, out).await?;
    let input = match input {
        Some(input) => Some(match checked(&plugin, input).await {
            Ok(bytes) => bytes,
            Err(Some(wrong)) => {
                return Err(ExplainedError::here(400, "E011", &wrong.message).with_field(&wrong.field).error());
            }
            Err(None) => bail!("the check of the input took too long"),
        }),
        None => None,
    };
    let call = LocalCall { task: task.as_deref(), input, now_ms, services: others.services(), ..LocalCall::default() };
    let answer = local::call(&plugin, call).await;
    let output = answer.map_err(|failure| failed_call::explained(&failure, &plugin_here.folder).error())?;
    let body: Value = serde_json::from_slice(&output.body)?;
    out.result(&body, || serde_json::to_string_pretty(&body).unwrap_or_default());
    out.note(&format!("took {:?}, {} KiB of memory", output.usage.wall, output.usage.memory_bytes >> 10));
    Ok(())
}

/// Writes a golden case from a call that failed on a server; the case accepts any output until the
/// author states one. Returns the path of the case.
///
/// # Errors
/// A case of this name already exists.
pub fn save_case(folder: &Path, name: &str, about: &str, call: &CallHere) -> Result<PathBuf> {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    anyhow::ensure!(is_name, "`{name}` is not a case name; use only letters, digits, _ and -");
    let mut case = json!({ "about": about, "output": {}, "partial": true });
    if let Some(members) = case.as_object_mut() {
        members.extend(call.input.clone().map(|input| ("input".to_owned(), input)));
        members.extend(call.task.clone().map(|task| ("task".to_owned(), task.into())));
        members.extend(call.now_ms.map(|now_ms| ("now_ms".to_owned(), now_ms.into())));
    }
    let path = folder.join("cases").join(format!("{name}.json"));
    let shown = || format!("cannot write {}", path.display());
    std::fs::create_dir_all(folder.join("cases")).with_context(shown)?;
    let file = std::fs::File::create_new(&path).with_context(shown)?;
    serde_json::to_writer_pretty(file, &case).with_context(shown)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_becomes_a_case_and_replaces_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let call = CallHere {
            path: folder.path().to_owned(),
            input: Some(json!({ "a": 1 })),
            task: None,
            with: Vec::new(),
            now_ms: Some(7),
        };
        let path = save_case(folder.path(), "req_1", "it trapped", &call).expect("written");
        let case: Value = serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
        let expect = json!({ "about": "it trapped", "input": { "a": 1 }, "output": {}, "partial": true, "now_ms": 7 });
        assert_eq!(case, expect);
        assert!(save_case(folder.path(), "req_1", "again", &call).is_err(), "the existing case was overwritten");
        assert!(
            save_case(folder.path(), "../x", "out", &call).is_err() && save_case(folder.path(), "", "", &call).is_err()
        );
    }
}
