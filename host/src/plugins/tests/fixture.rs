//! Components for tests, from the text files in `tests/hostile`.
//!
//! A file that starts with `(module` is a core module for the world `bridge`;
//! `wit-component` wraps it, as the toolchain does. A file that starts with
//! `(component` is a component as it stands. `{{NAME}}` stands for a part of
//! `PARTS`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use semver::Version;
use sha2::{Digest, Sha256};
use wit_component::{ComponentEncoder, StringEncoding};
use wit_parser::Resolve;
use zeroize::Zeroizing;

use crate::config::Grant;
use crate::egress::Egress;
use crate::plugins::{
    CallContext, CallLimits, Failure, Input, Keys, LoadError, Output, Plugin, PluginSpec, Runtime, RuntimeLimits,
    ServiceError, Services,
};
use crate::registry::Kind;

/// What test components share. Memory: 16 the description, 64 the result of
/// `handle`, 128 scratch, 1024 texts, from 4096 what `cabi_realloc` hands out.
const PARTS: [(&str, &str); 5] = [
    // The component around a core module `$code`, where `wit-component` is not
    // asked; first, because it uses other parts.
    (
        "LIFT",
        r#"(core instance $i (instantiate $code))
  (type $stored_ (record (field "id" string) (field "content-type" string) (field "bytes" (list u8))))
  (export $stored "stored" (type $stored_))
  (type $call_ (record (field "request-id" string) (field "deadline-ms" u32) (field "now-ms" u64)
    (field "caller" (option string)) (field "resource" (option $stored))))
  (export $call "call" (type $call_))
  (type $invalid_ (record (field "field" string) (field "message" string)))
  (export $invalid "invalid" (type $invalid_))
  (type $error_ (variant (case "invalid-input" $invalid) (case "not-found" string) (case "unavailable" string)
    (case "upstream" string) (case "internal" string)))
  (export $error "error" (type $error_))
  (type $example_ (record (field "input" string) (field "output" string)))
  (export $example "example" (type $example_))
  (type $description_ (record (field "input-schema" string) (field "output-schema" string)
    (field "examples" (list $example))))
  (export $description "description" (type $description_))
  (func $describe (result $description) (canon lift (core func $i "describe") (memory $i "memory")))
  (func $handle (param "call" $call) (param "input" (list u8)) (result (result (list u8) (error $error)))
    (canon lift (core func $i "handle") (memory $i "memory") (realloc (func $i "cabi_realloc"))))
  (export "describe" (func $describe))
  (export "handle" (func $handle))"#,
    ),
    (
        "MEMORY",
        r#"(memory (export "memory") 2)
  (global $top (mut i32) (i32.const 4096))"#,
    ),
    (
        "REALLOC",
        r#"(func $realloc (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (block $fits
      (br_if $fits (i32.le_u (global.get $top) (i32.mul (memory.size) (i32.const 65536))))
      (br_if $fits (i32.ne (memory.grow (i32.add (i32.shr_u (local.get $size) (i32.const 16)) (i32.const 1)))
        (i32.const -1)))
      unreachable)
    (local.get $at))"#,
    ),
    (
        "DESCRIBE",
        r#"(data (i32.const 16) "\00\04\00\00\11\00\00\00\00\04\00\00\11\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 1024) "{\22type\22:\22object\22}")
  (func (export "describe") (result i32) (i32.const 16))"#,
    ),
    (
        "CALL",
        "(param $id i32) (param $id_len i32) (param $deadline i32) (param $now i64)
    (param $caller i32) (param $caller_at i32) (param $caller_len i32)
    (param $resource i32) (param i32 i32 i32 i32) (param $bytes i32) (param $bytes_len i32)
    (param $input i32) (param $input_len i32) (result i32)",
    ),
];

fn project(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The component of a file in `tests/hostile`, without its ending.
pub(super) fn wasm(name: &str) -> Vec<u8> {
    let path = project("tests/hostile").join(format!("{name}.wat"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    component(&text)
}

pub(super) fn component(text: &str) -> Vec<u8> {
    let mut text = text.to_owned();
    for (name, part) in PARTS {
        text = text.replace(&format!("{{{{{name}}}}}"), part);
    }
    let code = text.lines().find(|line| !line.trim_start().starts_with(";;") && !line.trim().is_empty()).unwrap();
    let wasm = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"));
    if code.starts_with("(module") { wrap(wasm) } else { wasm }
}

/// A core module as it stands.
pub(super) fn core_module(name: &str) -> Vec<u8> {
    wat::parse_file(project("tests/hostile").join(format!("{name}.wat"))).unwrap()
}

/// What `tests/hostile/expect.toml` says must happen to a component.
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

/// Names of all components in `tests/hostile`.
pub(super) fn names() -> BTreeSet<String> {
    let files = std::fs::read_dir(project("tests/hostile")).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "wat"));
    files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn wrap(mut module: Vec<u8>) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(project("wit")).unwrap();
    let world = resolve.select_world(&[package], Some("bridge")).unwrap();
    wit_component::embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
}

/// A store of keys in memory.
#[derive(Default)]
pub(super) struct Memory(pub(super) Mutex<BTreeMap<(String, String), Vec<u8>>>);

impl Memory {
    pub(super) fn commit(&self, output: &Output) {
        for write in &output.kv {
            let place = (write.bucket.clone(), write.key.clone());
            match &write.value {
                Some(value) => self.0.lock().insert(place, value.clone()),
                None => self.0.lock().remove(&place),
            };
        }
    }
}

impl Services for Memory {
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(self.0.lock().get(&(bucket.to_owned(), key.to_owned())).cloned())
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        let rows = self.0.lock();
        let rows = rows.iter().filter(|((of, key), _)| of == bucket && key.as_str() > after);
        Ok(rows.take(limit).map(|((_, key), value)| (key.clone(), value.len())).collect())
    }
}

pub(super) const TIME: Duration = Duration::from_millis(200);
pub(super) const PLACES: u32 = 4;

pub(super) fn keys() -> Keys {
    Keys { code_cache: Zeroizing::new([1; 32]), pseudonyms: Zeroizing::new([2; 32]) }
}

pub(super) fn runtime() -> Runtime {
    runtime_with(RuntimeLimits { instances: PLACES, share: PLACES, ..RuntimeLimits::default() })
}

pub(super) fn runtime_with(limits: RuntimeLimits) -> Runtime {
    let egress = Egress::new(vec!["127.0.0.1/32".parse().unwrap()]).unwrap();
    Runtime::start(limits, keys(), None, Arc::new(egress)).unwrap()
}

pub(super) fn spec(name: &str, wasm: Vec<u8>, grants: &[Grant]) -> PluginSpec {
    let grants: BTreeSet<Grant> = grants.iter().copied().collect();
    PluginSpec {
        name: name.to_owned(),
        kind: Kind::Bridge,
        version: Version::new(1, 2, 3),
        sha256: Sha256::digest(&wasm).into(),
        wasm: wasm.into(),
        asked: grants.clone(),
        allowed: grants,
        allow_hosts: Vec::new(),
        limits: CallLimits {
            memory_bytes: 4 << 20,
            time: TIME,
            concurrency: PLACES,
            input_bytes: 64 << 10,
            output_bytes: 64 << 10,
            kv_bytes: 64 << 10,
        },
        config: BTreeMap::new(),
        secrets: BTreeMap::new(),
    }
}

pub(super) async fn load(runtime: &Runtime, name: &str, grants: &[Grant]) -> Result<Arc<Plugin>, LoadError> {
    runtime.load(spec(name, wasm(name), grants)).await
}

pub(super) fn context() -> CallContext {
    CallContext {
        request_id: "req_7".to_owned(),
        caller: Some("acct_1".to_owned()),
        now_ms: 1_700_000_000_000,
        resource: None,
        deadline: None,
        services: Arc::new(Memory::default()),
    }
}

pub(super) async fn call(plugin: &Plugin, input: &'static str) -> Result<Output, Failure> {
    plugin.call(context(), Input::Bridge(Bytes::from_static(input.as_bytes()))).await
}
