//! `plugin check` and `plugin test`: run a plugin in the same way as the host, without a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;
use tollbridge_plugin::{Failure, Plugin, PluginOutput, Resource};
use tollbridge_sdk::Error as PluginError;
use tollbridge_sdk::testing::{ChangedCase, Trial, changed_elsewhere, check_elsewhere};

use super::accepted::accept;
use super::build_rust;
use super::failed_call;
use super::language::Language;
use super::local::{self, Local, LocalCall};
use super::local_services::stated_services;
use super::options::Global;
use super::output::Output;
use super::plugin_build;

#[expect(missing_docs, reason = "clap would print a doc comment as help")]
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The plugin's folder
    #[arg(default_value = ".")]
    path: PathBuf,
    /// A component that is already built
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
}

#[expect(missing_docs, reason = "clap would print a doc comment as help")]
#[derive(Args, Debug)]
pub struct TestArgs {
    /// Plugin folders, or folders that contain them [default: ., ./plugins]
    paths: Vec<PathBuf>,
    /// Run only inside the component, and skip the native run (Rust)
    #[arg(long)]
    component_only: bool,
    /// Write the actual output into each case that differs, then run all cases
    ///
    /// A case that expects an error keeps it; only its message is replaced, if kind and field are
    /// the same.
    #[arg(long)]
    accept: bool,
}

/// Runs `plugin check`: checks a plugin without running its cases. Loading the plugin checks its
/// examples against its schemas.
pub async fn check(args: CheckArgs, global: &Global, out: Output) -> Result<()> {
    let local = Local::open(&args.path, args.component.as_deref(), global, &out)?;
    let plugin = local.load(local.configured(), &BTreeMap::new()).await?;
    let description = plugin.description();
    let answer = json!({
        "plugin": local.manifest.id.to_string(),
        "version": local.manifest.version.to_string(),
        "price_gbp": local.manifest.price.pounds(),
        "grants": local.manifest.grants,
        "examples": description.examples.len(),
        "ok": true,
    });
    out.result(&answer, || format!("{} {} can be published", local.manifest.id, local.manifest.version));
    Ok(())
}

/// Runs `plugin test`: runs a plugin's cases natively and inside its component.
pub async fn test(args: TestArgs, global: &Global, out: Output) -> Result<()> {
    let folders = plugin_build::find(&args.paths)?;
    let accepted = if args.accept { accept_all(&folders, global, &out).await? } else { Vec::new() };
    for folder in &folders {
        // A script has no native build, so it runs only inside its component.
        if !args.component_only && Language::of(folder)? == Some(Language::Rust) {
            let mut cargo = Command::new("cargo");
            build_rust::set_up_tests(&mut cargo, folder)?;
            if global.json {
                // Standard output is reserved for the command's result.
                cargo.stdout(std::io::stderr());
            }
            let status = cargo.arg("test").current_dir(folder).status();
            let status = status.context("cannot run cargo; is Rust installed?")?;
            ensure!(status.success(), "the native tests failed");
        }
    }
    let (mut passed, mut total) = (Vec::new(), 0_usize);
    let bytes_max = global.load(&[])?.config.plugins.max_component.as_usize();
    for built in plugin_build::build(&folders, &out)? {
        let local = Local::open(&built.folder, Some(built.for_author(bytes_max)), global, &out)?;
        let cases = test_inside(local).await.with_context(|| format!("{} {}", built.kind, built.name))?;
        passed.push(json!({ "plugin": format!("{}/{}", built.kind, built.name), "cases": cases }));
        total = total.saturating_add(cases);
    }
    let count = passed.len();
    let answer = json!({ "accepted": accepted, "cases": total, "ok": true, "plugins": passed });
    out.result(&answer, || match count {
        1 => format!("{total} cases pass inside the component"),
        _ => format!("{total} cases pass inside {count} components"),
    });
    Ok(())
}

/// Replaces the expectations of all cases that differ; returns the changed files.
async fn accept_all(folders: &[PathBuf], global: &Global, out: &Output) -> Result<Vec<PathBuf>> {
    let bytes_max = global.load(&[])?.config.plugins.max_component.as_usize();
    let mut accepted = Vec::new();
    for built in plugin_build::build(folders, out)? {
        let local = Local::open(&built.folder, Some(built.for_author(bytes_max)), global, out)?.ignoring_examples();
        for case in changed(local).await.with_context(|| format!("{} {}", built.kind, built.name))? {
            accept(&case).with_context(|| format!("cannot accept {}", case.path.display()))?;
            out.note(&format!("changed {}", case.path.display()));
            accepted.push(case.path);
        }
    }
    Ok(accepted)
}

/// Runs the cases of a plugin inside its component; returns those whose answer differs.
async fn changed(local: Local) -> Result<Vec<ChangedCase>> {
    let plugin = local.load(local.configured(), &BTreeMap::new()).await?;
    let schemas = (plugin.description().input_schema.clone(), plugin.description().output_schema.clone());
    let cases = local.folder.join("cases").display().to_string();
    let handle = tokio::runtime::Handle::current();
    let changed = tokio::task::spawn_blocking(move || {
        changed_elsewhere(&cases, (&schemas.0, &schemas.1), |trial| handle.block_on(carry_out(&local, &plugin, trial)))
    });
    changed.await?.map_err(anyhow::Error::msg)
}

/// Runs the cases of a plugin inside its component; returns the number of cases.
async fn test_inside(local: Local) -> Result<usize> {
    let plugin = local.load(local.configured(), &BTreeMap::new()).await?;
    let schemas = (plugin.description().input_schema.clone(), plugin.description().output_schema.clone());
    let cases = local.folder.join("cases").display().to_string();
    let handle = tokio::runtime::Handle::current();
    // The case runner is synchronous, so it runs on a blocking thread that waits for each call.
    let checked = tokio::task::spawn_blocking(move || {
        check_elsewhere(&cases, (&schemas.0, &schemas.1), |trial| handle.block_on(carry_out(&local, &plugin, trial)))
    });
    checked.await?.map_err(|report| anyhow::anyhow!("inside the component, {report}"))
}

async fn carry_out(local: &Local, plugin: &Arc<Plugin>, trial: &Trial<'_>) -> Result<Vec<u8>, PluginError> {
    let plugin = with_stated(local, plugin, trial).await.map_err(|error| PluginError::internal(error.to_string()))?;
    attempt(&plugin, trial).await.map(|output| output.body)
}

/// Returns the plugin, loaded with the configuration and tables that a case states.
pub(crate) async fn with_stated(local: &Local, plugin: &Arc<Plugin>, trial: &Trial<'_>) -> Result<Arc<Plugin>> {
    match trial.config.is_empty() && trial.tables.is_empty() {
        true => Ok(plugin.clone()),
        false => local.load(trial.config.clone(), trial.tables).await,
    }
}

/// Makes the call that a case describes.
pub(crate) async fn attempt(plugin: &Plugin, trial: &Trial<'_>) -> Result<PluginOutput, PluginError> {
    let resource = trial.call.resource.as_ref().map(|stored| Resource {
        id: stored.id.clone(),
        content_type: stored.content_type.clone(),
        bytes: stored.bytes.clone(),
    });
    let call = LocalCall {
        task: trial.task,
        input: trial.input.clone(),
        now_ms: Some(trial.call.now_ms),
        resource,
        services: stated_services(trial.ledger.clone(), trial.inference.clone(), trial.bridges.clone()),
        ..LocalCall::default()
    };
    local::call(plugin, call).await.map_err(|failure| match failure {
        Failure::InvalidInput { field, message, input } => PluginError::invalid(field, message).with_input(&input),
        Failure::NotFound(what) => PluginError::not_found(what),
        Failure::Unavailable(what) => PluginError::unavailable(what),
        Failure::NoProvider(text) => PluginError::NoProvider(text),
        Failure::Upstream(message) => PluginError::upstream(message),
        other => PluginError::internal(explain(&other)),
    })
}

/// Explains a failed case to the plugin's author, with the trace.
fn explain(failure: &Failure) -> String {
    let explanation = failed_call::explained(failure, Path::new(""));
    std::iter::once(explanation.message).chain(explanation.lines).collect::<Vec<_>>().join("\n  ")
}
