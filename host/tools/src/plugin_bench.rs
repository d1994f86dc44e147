//! `plugin bench`: the processor time of a plugin's cases, inside the component and as a native
//! build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use tollbridge_sdk::testing::{BENCH_LINE, BENCH_VARIABLE, Trial, check_elsewhere, time};

use super::language::Language;
use super::local::Local;
use super::options::Global;
use super::output::Output;
use super::plugin_build;
use super::plugin_test::{attempt, with_stated};

#[expect(missing_docs, reason = "clap would print a doc comment as help")]
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Plugin folders, or folders that contain them [default: ., ./plugins]
    paths: Vec<PathBuf>,
    /// Run only inside the component, and skip the native run (Rust)
    #[arg(long)]
    component_only: bool,
}

/// The measured cost of a case.
#[derive(Clone, Debug, Serialize)]
struct TimedCase {
    plugin: String,
    case: String,
    input_bytes: usize,
    /// Processor time of one call inside the component, in nanoseconds. Includes the host's work
    /// except checks, money and HTTP.
    component_ns: u128,
    /// Time of the same function in a native build after warming up, in nanoseconds; `None` for
    /// scripts.
    native_ns: Option<u128>,
    /// Memory of the instance at the end of the call, in bytes.
    memory_bytes: usize,
}

/// Times the plugins' cases that expect an output; skips cases that expect an error.
pub async fn run(args: BenchArgs, global: &Global, out: Output) -> Result<()> {
    let mut timed = Vec::new();
    for built in plugin_build::build(&plugin_build::find(&args.paths)?, &out)? {
        let plugin = format!("{}/{}", built.kind, built.name);
        let is_native = !args.component_only && Language::of(&built.folder)? == Some(Language::Rust);
        let native = if is_native { natively(&built.folder)? } else { BTreeMap::new() };
        let local = Local::open(&built.folder, Some(&built.component), global, &out)?;
        let mut cases = inside(local, &plugin).await.with_context(|| plugin.clone())?;
        for case in &mut cases {
            case.native_ns = native.get(&case.case).copied();
        }
        timed.extend(cases);
    }
    out.result(&serde_json::to_value(&timed)?, || text(&timed));
    Ok(())
}

/// Times the cases of a plugin inside its component.
async fn inside(local: Local, name: &str) -> Result<Vec<TimedCase>> {
    let plugin = local.load(local.configured(), &BTreeMap::new()).await?;
    let schemas = (plugin.description().input_schema.clone(), plugin.description().output_schema.clone());
    let cases = local.folder.join("cases").display().to_string();
    let (handle, name) = (tokio::runtime::Handle::current(), name.to_owned());
    // The case runner is synchronous, so it runs on a blocking thread that waits for each call.
    let timing = tokio::task::spawn_blocking(move || {
        let timed = Mutex::new(Vec::new());
        let checked = check_elsewhere(&cases, (&schemas.0, &schemas.1), |trial| {
            let loaded = handle.block_on(with_stated(&local, &plugin, trial));
            let loaded = loaded.map_err(|error| tollbridge_sdk::Error::internal(error.to_string()))?;
            let answer = handle.block_on(attempt(&loaded, trial))?;
            let call = || handle.block_on(attempt(&loaded, trial)).is_ok();
            if let Some(took) = time(processor_time, call) {
                timed.lock().push(TimedCase {
                    plugin: name.clone(),
                    case: trial.name.to_owned(),
                    input_bytes: size(trial),
                    component_ns: took.as_nanos(),
                    native_ns: None,
                    memory_bytes: answer.usage.memory_bytes,
                });
            }
            Ok(answer.body)
        });
        checked.map(|_| timed.into_inner())
    });
    timing.await?.map_err(|report| anyhow::anyhow!("inside the component, {report}"))
}

/// Returns the size in bytes of the input that a caller would send.
fn size(trial: &Trial<'_>) -> usize {
    let resource = trial.call.resource.as_ref().map_or(0, |stored| stored.bytes.len());
    let parts = [trial.input.as_ref().map_or(0, Vec::len), trial.task.map_or(0, str::len), resource];
    parts.into_iter().fold(0, usize::saturating_add)
}

/// Returns the processor time of the whole process, so that other threads that work for the call
/// are included.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Returns the time of each case in a native build, in nanoseconds. The build does not use LTO:
/// linking takes a minute longer for each plugin and gains only a few percent.
fn natively(folder: &Path) -> Result<BTreeMap<String, u128>> {
    let mut command = Command::new("cargo");
    command.args(["test", "--release", "--lib"]);
    command.args(["--config", "profile.release.lto=false", "--config", "profile.release.codegen-units=16"]);
    // The test function is at the top of the crate or in a module `tests`.
    command.args(["--", "--exact", "cases", "tests::cases", "--nocapture"]);
    let output = command.env(BENCH_VARIABLE, "1").current_dir(folder).output();
    let output = output.context("cannot run cargo; is Rust installed?")?;
    ensure!(output.status.success(), "the native tests failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    // The test harness prints the test's name before the first line, so the marker may not be at
    // its start.
    let lines = said.lines().filter_map(|line| line.split_once(BENCH_LINE));
    let times = lines.filter_map(|(_, line)| {
        let (case, took) = line.strip_prefix('\t')?.split_once('\t')?;
        Some((case.to_owned(), took.parse().ok()?))
    });
    Ok(times.collect())
}

fn text(timed: &[TimedCase]) -> String {
    let head = ["plugin", "case", "bytes", "component us", "native us", "KiB"].map(str::to_owned);
    let cells = |case: &TimedCase| {
        let native = case.native_ns.map_or_else(|| "-".to_owned(), microseconds);
        let (bytes, kilobytes) = (case.input_bytes.to_string(), (case.memory_bytes >> 10).to_string());
        [case.plugin.clone(), case.case.clone(), bytes, microseconds(case.component_ns), native, kilobytes]
    };
    let line = |[plugin, case, bytes, component, native, memory]: [String; 6]| {
        format!("{plugin:<28} {case:<32} {bytes:>9} {component:>12} {native:>12} {memory:>9}")
    };
    std::iter::once(head).chain(timed.iter().map(cells)).map(line).collect::<Vec<_>>().join("\n")
}

fn microseconds(nanoseconds: u128) -> String {
    format!("{}.{}", nanoseconds / 1_000, nanoseconds % 1_000 / 100)
}
