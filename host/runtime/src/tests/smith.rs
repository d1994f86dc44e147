//! Tests that load, describe and call random components: each is rejected or runs within its
//! limits, and has no lasting effects.

use std::sync::Arc;
use std::time::Duration;

use arbitrary::Unstructured;
use tokio::time::Instant;
use tollbridge_core::fuzzing::Dice;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::Plugin;
use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use wasm_smith::{Component, Config, Module};

use super::fixture::*;
use crate::Runtime;
use crate::limits::DESCRIBE_MS_MAX;

/// Number of components in `make test`; `TOLLBRIDGE_LONG=1` runs more.
const FEW: u64 = 54;
const MANY: u64 = 2_400;
/// The longest time that compiling a component of a few kilobytes may take on a busy
/// machine.
const COMPILE_MAX: Duration = Duration::from_secs(20);
/// The longest time that a busy machine may add to a call.
const STALL: Duration = Duration::from_secs(3);
/// Maximum growth of memory after all components have run; limited, because compiled code
/// is freed with its plugin.
const GROWTH_KB_MAX: u64 = 400 << 10;

/// The way a component is generated. Random components of the first kind are rarely valid plugins;
/// those of the second have a plugin's exports with random bodies; those of the third have a valid
/// description and random calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Any,
    RandomDescription,
    RandomCall,
}

#[derive(Default, Debug)]
struct Seen {
    refused: u32,
    answered: u32,
    failed: u32,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fuzz_tests_components_at_random_keep_to_their_limits() {
    let long = std::env::var("TOLLBRIDGE_LONG").is_ok_and(|value| value == "1");
    let runtime = runtime();
    let neighbour = load(&runtime, "echo", &[]).await.unwrap();
    let (mut seen, before) = (Seen::default(), resident_kb());
    for number in 0..if long { MANY } else { FEW } {
        let kind = [Kind::Any, Kind::RandomDescription, Kind::RandomCall][usize::try_from(number % 3).unwrap()];
        let wasm = made(kind, &mut Dice(number));
        let context = format!("{kind:?} {number}, {} bytes", wasm.len());
        attempt(&runtime, wasm, &context, &mut seen).await;
        assert_eq!(runtime.available_permits(), PLACES as usize, "{context} kept places");
        assert_eq!(call(&neighbour, "{}").await.unwrap().body, b"{}", "after {context}");
    }
    let grown = resident_kb().saturating_sub(before);
    println!("{seen:?}, {grown} kB more than before");
    assert!(grown < GROWTH_KB_MAX, "{grown} kB stay");
    // If too few components were refused or failed, the test did not reach the code under test.
    assert!(seen.refused > 10 && seen.failed > 3, "{seen:?}");
}

async fn attempt(runtime: &Runtime, wasm: Vec<u8>, context: &str, seen: &mut Seen) {
    let began = Instant::now();
    let loaded = runtime.load(spec("smith", wasm, &[])).await;
    let most = COMPILE_MAX + Duration::from_millis(DESCRIBE_MS_MAX);
    assert!(began.elapsed() < most, "{context}: loading took {:?}", began.elapsed());
    let plugin = match loaded {
        Ok(plugin) => plugin,
        Err(error) => {
            seen.refused += 1;
            let text = error.to_string();
            return assert!(text.len() < 3 * PLUGIN_TEXT_BYTES_MAX, "{context}: {} bytes of refusal", text.len());
        }
    };
    for input in ["{}", "{\"a\":[1,2,{\"b\":\"text\"}]}"] {
        one_call(&plugin, input, context, seen).await;
    }
}

async fn one_call(plugin: &Arc<Plugin>, input: &'static str, context: &str, seen: &mut Seen) {
    let began = Instant::now();
    let answer = call(plugin, input).await;
    assert!(began.elapsed() < TIME + STALL, "{context}: a call took {:?}", began.elapsed());
    match answer {
        Ok(output) => {
            seen.answered += 1;
            assert!(output.body.len() <= 64 << 10, "{context}: {} bytes", output.body.len());
        }
        Err(failure) => {
            seen.failed += 1;
            assert!(failure.to_string().len() < 2 * PLUGIN_TEXT_BYTES_MAX, "{context}");
        }
    }
}

fn made(kind: Kind, dice: &mut Dice) -> Vec<u8> {
    let length = 256 + dice.below(4 << 10);
    let random = dice.bytes(length);
    let mut source = Unstructured::new(&random);
    match kind {
        Kind::Any => Component::new(Config { max_memories: 3, ..Config::default() }, &mut source)
            .map_or_else(|_| random.clone(), |component| component.to_bytes()),
        Kind::RandomDescription => {
            let module = Module::new(plain(exports(), nothing()), &mut source).unwrap().to_bytes();
            wrap(PluginKind::Bridge, module)
        }
        Kind::RandomCall => {
            let module = Module::new(plain(handle(), memory()), &mut source).unwrap().to_bytes();
            described(&module)
        }
    }
}

/// Restricts generated modules to features that the engine supports, so that most are not simply
/// rejected.
fn plain(exports: Vec<u8>, imports: Vec<u8>) -> Config {
    Config {
        exports: Some(exports),
        available_imports: Some(imports),
        allow_start_export: false,
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        threads_enabled: false,
        relaxed_simd_enabled: false,
        tail_call_enabled: false,
        max_imports: 4,
        max_memory32_bytes: 2 << 20,
        max_memories: 1,
        max_tables: 1,
        max_table_elements: 1_000,
        min_funcs: 1,
        ..Config::default()
    }
}

/// Returns a module whose only import is the memory that contains the description.
fn memory() -> Vec<u8> {
    wat::parse_str("(module (import \"base\" \"memory\" (memory 2)))").unwrap()
}

fn nothing() -> Vec<u8> {
    wat::parse_str("(module)").unwrap()
}

fn part(name: &str) -> String {
    std::fs::read_to_string(project("tests/hostile/parts").join(format!("{name}.wat"))).unwrap()
}

fn handle() -> Vec<u8> {
    wat::parse_str(format!("(module (func (export \"handle\") {} unreachable))", part("call"))).unwrap()
}

fn exports() -> Vec<u8> {
    let functions = "(memory (export \"memory\") 2)
        (func (export \"cabi_realloc\") (param i32 i32 i32 i32) (result i32) unreachable)
        (func (export \"describe\") (result i32) unreachable)";
    wat::parse_str(format!("(module {functions} (func (export \"handle\") {} unreachable))", part("call"))).unwrap()
}

/// Returns a component with a valid description. Its calls run a random module, which may or may
/// not have access to the memory that the answer is read from.
fn described(module: &[u8]) -> Vec<u8> {
    // A component in text form cannot embed a binary module, so the module is printed as text.
    let printed = wasmprinter::print_bytes(module).unwrap();
    let random = printed.trim_start().strip_prefix("(module").unwrap();
    let lift = part("lift");
    let (_, lifted) = lift.split_once("(core instance $i (instantiate $code))").unwrap();
    let text = format!(
        "(component
          (core module $base {} {} {})
          (core module $random {random}
          (core instance $b (instantiate $base))
          (core instance $r (instantiate $random (with \"base\" (instance $b))))
          (core instance $i
            (export \"memory\" (memory $b \"memory\"))
            (export \"cabi_realloc\" (func $b \"cabi_realloc\"))
            (export \"describe\" (func $b \"describe\"))
            (export \"handle\" (func $r \"handle\")))
          {lifted})",
        part("memory"),
        part("realloc"),
        part("describe"),
    );
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the resident memory of this process in kilobytes.
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
