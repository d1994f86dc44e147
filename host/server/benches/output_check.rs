//! The cost of checking outputs against their schemas, for each built plugin of this
//! repository, with the outputs of the plugin's examples.
//!
//! `cargo bench --bench output_check [-- FOLDER]`; the folder is
//! `plugins/target/components`. *Scan* is the JSON validation that every output needs
//! anyway; *read* parses the output into values instead; *check* is the schema check.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    reason = "a failed measurement should stop the benchmark"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use semver::Version;
use serde::de::IgnoredAny;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tollbridge_core::config::Grant;
use tollbridge_core::egress::Egress;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CallLimits, Plugin, PluginSpec, RuntimeLimits, Schema, SizeLimit};
use tollbridge_runtime::{Runtime, RuntimeKeys};
use zeroize::Zeroizing;

/// A megabyte, the output limit of most plugins of this repository.
const LIMIT: SizeLimit = SizeLimit { name: "limits.output_bytes", bytes: 1 << 20 };
const ROUNDS: u32 = 2_000;

fn spec(path: &Path) -> PluginSpec {
    let wasm = std::fs::read(path).unwrap();
    let is_agent = path.to_string_lossy().ends_with(".agent.wasm");
    let grants: BTreeSet<Grant> = Grant::ALL.into_iter().collect();
    PluginSpec {
        tenant: None,
        name: path.file_name().unwrap().to_string_lossy().trim_end_matches(".wasm").to_owned(),
        kind: if is_agent { PluginKind::Agent } else { PluginKind::Bridge },
        version: Version::new(1, 0, 0),
        sha256: Sha256::digest(&wasm).into(),
        wasm: wasm.into(),
        asked: grants.clone(),
        allowed: grants,
        allow_hosts: Vec::new(),
        callees: BTreeSet::new(),
        limits: CallLimits {
            memory_bytes: 64 << 20,
            input_bytes: 1 << 20,
            output_bytes: LIMIT.bytes,
            ..CallLimits::default()
        },
        input_schema: None,
        config: BTreeMap::new(),
        secrets: BTreeMap::new(),
        tables: BTreeMap::new(),
    }
}

/// Returns the nanoseconds of one run.
fn time<T>(mut work: impl FnMut() -> T) -> u128 {
    let started = Instant::now();
    for _ in 0..ROUNDS {
        black_box(work());
    }
    started.elapsed().as_nanos() / u128::from(ROUNDS)
}

fn measure(plugin: &Plugin) {
    let description = plugin.description();
    let schema = Schema::parse(&description.output_schema.to_string(), LIMIT).unwrap();
    for example in &description.examples {
        let text = example.output.to_string();
        let scan = time(|| serde_json::from_str::<IgnoredAny>(&text).unwrap());
        let read = time(|| serde_json::from_str::<Value>(&text).unwrap());
        let check = time(|| schema.check_complete(&example.output).unwrap());
        println!("{:40} {:7} bytes: scan {scan:7} ns, read {read:7} ns, check {check:7} ns", plugin.name(), text.len());
    }
}

fn main() {
    let named = std::env::args().skip(1).find(|argument| argument != "--bench");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/target/components");
    let folder = named.map_or(folder, PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let keys = RuntimeKeys { code_cache: Zeroizing::new([0; 32]), pseudonyms: Zeroizing::new([0; 32]) };
        let egress = Arc::new(Egress::new(Vec::new()).unwrap());
        let plugins = Runtime::start(RuntimeLimits::default(), keys, None, egress).unwrap();
        for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "wasm")) {
            match plugins.load(spec(path)).await {
                Ok(plugin) => measure(&plugin),
                Err(error) => println!("{error}"),
            }
        }
    });
}
