//! Components for tests, from the text files in `tests/hostile`.
//!
//! A file that starts with `(module` is a core module for the world `bridge`; `wit-component` wraps
//! it, as the toolchain does. A file that starts with `(component` is used unchanged. `{{NAME}}` is
//! replaced by the file `parts/name.wat`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use semver::Version;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use tollbridge_core::config::Grant;
use tollbridge_core::egress::Egress;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{
    CallContext, CallLimits, Failure, KeyValueReader, LogRing, Plugin, PluginFacts, PluginInput, PluginOutput,
    PluginSpec, RuntimeLimits, ServiceError, Services,
};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;
use zeroize::Zeroizing;

use crate::calls::fairness::FairnessShare;
use crate::calls::state::State;
use crate::loading::loaded::LoadedPlugin;
use crate::loading::reported_limits::ReportedLimits;
use crate::{LoadError, Runtime, RuntimeKeys};

pub(super) fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Compiles a text file of `tests/hostile`, named without its extension, to a component.
pub(super) fn wasm(name: &str) -> Vec<u8> {
    let path = project("tests/hostile").join(format!("{name}.wat"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    component(&text)
}

pub(super) fn component(text: &str) -> Vec<u8> {
    component_of(PluginKind::Bridge, text)
}

pub(super) fn component_of(kind: PluginKind, text: &str) -> Vec<u8> {
    let mut text = text.to_owned();
    // `lift` comes first, because it is the only part that uses other parts.
    for part in ["lift", "memory", "realloc", "describe", "call"] {
        let file = project("tests/hostile/parts").join(format!("{part}.wat"));
        text = text.replace(&format!("{{{{{}}}}}", part.to_uppercase()), &std::fs::read_to_string(file).unwrap());
    }
    let code = text.lines().find(|line| !line.trim_start().starts_with(";;") && !line.trim().is_empty()).unwrap();
    let wasm = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"));
    if code.starts_with("(module") { wrap(kind, wasm) } else { wasm }
}

/// Compiles a text file of `tests/hostile` to a core module without wrapping it.
pub(super) fn core_module(name: &str) -> Vec<u8> {
    wat::parse_file(project("tests/hostile").join(format!("{name}.wat"))).unwrap()
}

/// The expected outcome of a hostile component, from `tests/hostile/expect.toml`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    pub(super) at: String,
    pub(super) failure: Option<String>,
    pub(super) report: Option<String>,
    #[serde(default)]
    pub(super) grants: Vec<Grant>,
    pub(super) memory: Option<usize>,
    pub(super) keep: Option<usize>,
}

pub(super) fn expectations() -> BTreeMap<String, Expect> {
    toml::from_str(&std::fs::read_to_string(project("tests/hostile/expect.toml")).unwrap()).unwrap()
}

/// Returns the names of all components in `tests/hostile`.
pub(super) fn names() -> BTreeSet<String> {
    let files = std::fs::read_dir(project("tests/hostile")).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "wat"));
    files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Returns the WIT text of a world for a plugin kind, with the WASI imports that languages add.
fn world(kind: PluginKind) -> String {
    format!(
        "package test:test;
        world test {{
          include tollbridge:plugin/{kind}@1.0.0;
          import tollbridge:plugin/proposal@1.0.0;
          import wasi:cli/exit@0.2.12;
          import wasi:cli/stdout@0.2.12;
          import wasi:random/random@0.2.12;
        }}"
    )
}

pub(super) fn wrap(kind: PluginKind, mut module: Vec<u8>) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_dir(project("wit")).unwrap();
    let package = resolve.push_str("world.wit", &world(kind)).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

/// A key-value store in memory.
#[derive(Default)]
pub(super) struct Memory(pub(super) Mutex<BTreeMap<(String, String), Vec<u8>>>);

impl Memory {
    pub(super) fn commit(&self, output: &PluginOutput) {
        for write in &output.kv {
            let place = (write.bucket.clone(), write.key.clone());
            match &write.value {
                Some(value) => self.0.lock().insert(place, value.clone()),
                None => self.0.lock().remove(&place),
            };
        }
    }
}

impl KeyValueReader for Memory {
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(self.0.lock().get(&(bucket.to_owned(), key.to_owned())).cloned())
    }

    fn list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        let rows = self.0.lock();
        let rows = rows.iter().filter(|((of, key), _)| of == bucket && key.as_str() > after);
        Ok(rows.take(limit).map(|((_, key), value)| (key.clone(), value.len())).collect())
    }
}

/// Returns services whose buckets are in memory.
pub(super) fn services(memory: Arc<Memory>) -> Services {
    Services { key_value: memory, ..Services::none() }
}

pub(super) const TIME: Duration = Duration::from_millis(200);
pub(super) const PLACES: u32 = 4;

pub(super) fn keys() -> RuntimeKeys {
    RuntimeKeys { code_cache: Zeroizing::new([1; 32]), pseudonyms: Zeroizing::new([2; 32]) }
}

pub(super) fn runtime() -> Runtime {
    runtime_with(RuntimeLimits { instances: PLACES, share: PLACES, caller_share: PLACES, ..RuntimeLimits::default() })
}

pub(super) fn runtime_with(limits: RuntimeLimits) -> Runtime {
    let egress = Egress::new(vec!["127.0.0.1/32".parse().unwrap()]).unwrap();
    Runtime::start(limits, keys(), None, Arc::new(egress)).unwrap()
}

pub(super) fn spec(name: &str, wasm: Vec<u8>, grants: &[Grant]) -> PluginSpec {
    let grants: BTreeSet<Grant> = grants.iter().copied().collect();
    PluginSpec {
        name: name.to_owned(),
        kind: PluginKind::Bridge,
        version: Version::new(1, 2, 3),
        tenant: None,
        sha256: Sha256::digest(&wasm).into(),
        wasm: wasm.into(),
        asked: grants.clone(),
        allowed: grants,
        allow_hosts: Vec::new(),
        callees: BTreeSet::new(),
        limits: CallLimits {
            memory_bytes: 4 << 20,
            time: TIME,
            concurrency: PLACES,
            input_bytes: 64 << 10,
            output_bytes: 64 << 10,
            kv_bytes: 64 << 10,
        },
        input_schema: None,
        config: BTreeMap::new(),
        secrets: BTreeMap::new(),
        tables: BTreeMap::new(),
    }
}

/// Returns the facts about a plugin `p` without grants.
pub(super) fn facts() -> PluginFacts {
    PluginFacts {
        kind: PluginKind::Bridge,
        name: "p".to_owned(),
        owner: None,
        version: Version::new(1, 0, 0),
        callees: BTreeSet::new(),
        grants: BTreeSet::new(),
        tables: Vec::new(),
        logs: Arc::new(LogRing::default()),
    }
}

/// Returns the data of a loaded plugin, for tests that call host functions directly.
pub(super) fn identity(facts: PluginFacts, kv_bytes: usize) -> LoadedPlugin {
    LoadedPlugin {
        facts: Arc::new(facts),
        config: BTreeMap::new(),
        secrets: BTreeMap::new(),
        allow_hosts: Vec::new(),
        limits: ReportedLimits::new(&CallLimits::default(), &RuntimeLimits::default()),
        kv_bytes,
        egress: Arc::new(Egress::new(Vec::new()).unwrap()),
        fairness: Arc::new(FairnessShare::new()),
        counter_locks: Arc::default(),
        write_budget: Arc::default(),
    }
}

/// Returns the state of a call of the loaded plugin, without a caller.
pub(super) fn state_of(identity: Arc<LoadedPlugin>, services: Services) -> State {
    let deadline = Instant::now() + Duration::from_secs(5);
    State::new(identity, "req".to_owned(), 0, services, 1 << 20, deadline)
}

pub(super) async fn load(runtime: &Runtime, name: &str, grants: &[Grant]) -> Result<Arc<Plugin>, LoadError> {
    runtime.load(spec(name, wasm(name), grants)).await
}

pub(super) fn context() -> CallContext {
    CallContext {
        request_id: "req_7".to_owned(),
        caller: Some("acct_1".to_owned()),
        share: FairShare::single("acct_1"),
        is_nested: false,
        now_ms: 1_700_000_000_000,
        resource: None,
        deadline: None,
        services: services(Arc::new(Memory::default())),
    }
}

pub(super) async fn call(plugin: &Plugin, input: &'static str) -> Result<PluginOutput, Failure> {
    plugin.call(context(), PluginInput::Bridge(Bytes::from_static(input.as_bytes()))).await
}
