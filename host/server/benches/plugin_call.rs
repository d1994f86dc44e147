//! The cost of a plugin call, without HTTP and payment.
//!
//! `cargo bench --bench plugin_call` measures a minimal component; `cargo bench --bench
//! plugin_call -- FILE INPUT` measures any bridge that needs no grants.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::panic,
    reason = "a failed measurement should stop the benchmark"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use semver::Version;
use sha2::{Digest, Sha256};
use tollbridge_core::egress::Egress;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CallLimits, Plugin, PluginSpec, RuntimeLimits, Services};
use tollbridge_runtime::{Runtime, RuntimeKeys};
use zeroize::Zeroizing;

#[path = "guest.rs"]
mod guest;

use guest::call;

const TASKS: u32 = 16;

fn spec(wasm: Vec<u8>) -> PluginSpec {
    PluginSpec {
        name: "bench".to_owned(),
        kind: PluginKind::Bridge,
        version: Version::new(1, 0, 0),
        tenant: None,
        sha256: Sha256::digest(&wasm).into(),
        wasm: wasm.into(),
        asked: BTreeSet::new(),
        allowed: BTreeSet::new(),
        allow_hosts: Vec::new(),
        callees: BTreeSet::new(),
        limits: CallLimits { concurrency: 64, ..CallLimits::default() },
        input_schema: None,
        config: BTreeMap::new(),
        secrets: BTreeMap::new(),
        tables: BTreeMap::new(),
    }
}

async fn latency(plugin: &Plugin, services: &Services, input: &Bytes) {
    let mut took: Vec<Duration> = Vec::new();
    for round in 0..30_000 {
        let started = Instant::now();
        call(plugin, services, input).await;
        if round >= 1_000 {
            took.push(started.elapsed());
        }
    }
    took.sort_unstable();
    let at = |share: usize| took[took.len() * share / 1_000].as_nanos();
    println!("one after the other: p50 {} ns, p99 {} ns, p99.9 {} ns", at(500), at(990), at(999));
}

async fn throughput(plugin: &Arc<Plugin>, services: &Services, input: &Bytes) {
    let until = Instant::now() + Duration::from_secs(3);
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let (plugin, services, input) = (plugin.clone(), services.clone(), input.clone());
            tokio::spawn(async move {
                let mut calls = 0_u64;
                while Instant::now() < until {
                    call(&plugin, &services, &input).await;
                    calls += 1;
                    tokio::task::yield_now().await;
                }
                calls
            })
        })
        .collect();
    let mut calls = 0;
    for task in tasks {
        calls += task.await.unwrap();
    }
    println!("{TASKS} tasks on 2 threads: {} calls/s", calls / 3);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let wasm = arguments.first().map_or_else(guest::echo, |path| std::fs::read(path).unwrap());
    let input = arguments.get(1).cloned().unwrap_or_else(|| format!("{{\"text\":\"{}\"}}", "x".repeat(240)));
    let input = Bytes::from(input);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let keys = RuntimeKeys { code_cache: Zeroizing::new([0; 32]), pseudonyms: Zeroizing::new([0; 32]) };
        let egress = Arc::new(Egress::new(Vec::new()).unwrap());
        let plugins = Runtime::start(RuntimeLimits::default(), keys, None, egress).unwrap();
        let started = Instant::now();
        let plugin = plugins.load(spec(wasm)).await.unwrap();
        println!("load without cache: {:?}", started.elapsed());
        let services: Services = Services::none();
        let (at, behind, text) = (plugin.clone(), services.clone(), input.clone());
        tokio::spawn(async move { latency(&at, &behind, &text).await }).await.unwrap();
        throughput(&plugin, &services, &input).await;
    });
}
