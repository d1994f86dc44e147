//! Tests of tables as guests see them, and of guests that request too much of them.

use tollbridge_core::config::Grant;
use tollbridge_plugin::Services;
use tollbridge_registry::limits::TABLE_VALUE_BYTES_MAX;
use tollbridge_registry::{Table, TableCache};
use wasmtime::component::Resource;

use super::fixture::*;
use crate::Runtime;
use crate::bindings::table_pages::Host as _;
use crate::bindings::tables::{Error, Host as _, HostTable as _};
use crate::calls::state::State;
use crate::imports::plugin_tables::GuestTable;
use crate::limits::{HOST_CALLS_MAX, TABLE_REPLY_BYTES_MAX, TABLE_ROWS_PER_CALL_MAX};

const HEAD: &str = r##"#{"version":"7","as_of":"2026-01-01","licence":"CC0-1.0","source":"by hand"}"##;

fn table(rows: impl Iterator<Item = (String, String)>) -> std::sync::Arc<Table> {
    let rows = rows.map(|(key, value)| format!("{key}\t{value}\n"));
    let text: String = std::iter::once(format!("{HEAD}\n")).chain(rows).collect();
    TableCache::default().add(text.into_bytes()).unwrap()
}

/// Returns the state of a call with two tables: `few` has three entries, `wide` has large ones.
fn state() -> State {
    let few = table([("a", "1"), ("b", "2"), ("c", "3")].into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())));
    let wide =
        table((0..2_000).map(|n| (format!("{n:04}"), "x".repeat(if n < 20 { TABLE_VALUE_BYTES_MAX } else { 1 }))));
    let tables = vec![("few".to_owned(), few), ("wide".to_owned(), wide)];
    state_of(identity(tollbridge_plugin::PluginFacts { tables, ..facts() }, 0).into(), Services::none())
}

fn open(state: &mut State, name: &str) -> Resource<GuestTable> {
    state.open(name.to_owned()).unwrap().unwrap()
}

#[test]
fn a_table_answers() {
    let mut state = state();
    let table = |state: &mut State| open(state, "few");
    let handle = table(&mut state);
    let info = state.info(handle).unwrap();
    assert_eq!((info.name.as_str(), info.version.as_str(), info.rows), ("few", "7", 3));
    let handle = table(&mut state);
    assert_eq!(state.get(handle, "b".to_owned()).unwrap().as_deref(), Some("2"));
    let handle = table(&mut state);
    let values = state.get_many(handle, vec!["c".to_owned(), "x".to_owned()]).unwrap().unwrap();
    assert_eq!(values, [Some("3".to_owned()), None]);
    let handle = table(&mut state);
    assert_eq!(state.at_or_before(handle, "bb".to_owned()).unwrap().map(|entry| entry.value), Some("2".to_owned()));
    let handle = table(&mut state);
    let keys: Vec<String> = state.scan(handle, "b".to_owned(), 9).unwrap().into_iter().map(|entry| entry.key).collect();
    assert_eq!(keys, ["b", "c"]);
    let handle = table(&mut state);
    assert_eq!(state.read(handle, "b".to_owned(), Some("c".to_owned())).unwrap(), "b\t2\n");
}

#[test]
fn a_missing_table_is_named_with_the_fix() {
    let Err(Error::Missing(text)) = state().open("geo\n\u{1b}[2J".to_owned()).unwrap() else { panic!("there is none") };
    assert!(text.contains("`geo[2J`") && text.contains("plugins.p.tables = {"), "{text}");
}

#[test]
fn one_host_call_is_bounded() {
    let mut state = state();
    let keys = |range: std::ops::Range<usize>| range.map(|n| format!("{n:04}")).collect::<Vec<_>>();
    let handle = open(&mut state, "wide");
    assert!(matches!(
        state.get_many(handle, keys(0..TABLE_ROWS_PER_CALL_MAX + 1)).unwrap(),
        Err(Error::TooMuch(text)) if text.contains("1001 keys")
    ));
    let handle = open(&mut state, "wide");
    assert!(matches!(state.get_many(handle, keys(0..20)).unwrap(), Err(Error::TooMuch(_))));
    let handle = open(&mut state, "wide");
    assert_eq!(state.get_many(handle, keys(20..20 + TABLE_ROWS_PER_CALL_MAX)).unwrap().unwrap().len(), 1_000);
    // A scan returns as many entries as fit, at least one, and can be continued after the last one.
    let handle = open(&mut state, "wide");
    let some = state.scan(handle, String::new(), u32::MAX).unwrap();
    let bytes: usize = some.iter().map(|entry| entry.key.len() + entry.value.len()).sum();
    assert!(!some.is_empty() && some.len() < 20 && bytes <= TABLE_REPLY_BYTES_MAX);
    let handle = open(&mut state, "wide");
    assert_eq!(state.scan(handle, "0020".to_owned(), u32::MAX).unwrap().len(), TABLE_ROWS_PER_CALL_MAX);
    let handle = open(&mut state, "wide");
    let page = state.read(handle, String::new(), None).unwrap();
    assert!(page.lines().count() < 20 && page.ends_with("x\n") && page.len() <= TABLE_REPLY_BYTES_MAX);
}

/// A plugin that opens the table `few` forty times and never closes it.
const FORTY: &str = r#"(module
  (import "tollbridge:plugin/tables@1.0.0" "open" (func $open (param i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "few")
  (func (export "handle") {{CALL}}
    (local $n i32)
    (loop $more
      (call $open (i32.const 1100) (i32.const 3) (i32.const 128))
      (if (i32.load8_u (i32.const 128)) (then unreachable))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $n) (i32.const 40))))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get $input))
    (i32.store (i32.const 72) (local.get $input_len))
    (i32.const 64)))"#;

/// A plugin that requests the same 1,000 keys again and again and keeps every answer.
const FLOOD: &str = r#"(module
  (import "tollbridge:plugin/tables@1.0.0" "open" (func $open (param i32 i32 i32)))
  (import "tollbridge:plugin/tables@1.0.0" "[method]table.get-many" (func $get (param i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "fewa")
  (func (export "handle") {{CALL}}
    (local $keys i32) (local $n i32)
    (call $open (i32.const 1100) (i32.const 3) (i32.const 128))
    (local.set $keys (call $realloc (i32.const 0) (i32.const 0) (i32.const 4) (i32.const 8000)))
    (loop $fill
      (i32.store (i32.add (local.get $keys) (i32.mul (local.get $n) (i32.const 8))) (i32.const 1103))
      (i32.store (i32.add (local.get $keys) (i32.add (i32.mul (local.get $n) (i32.const 8)) (i32.const 4)))
        (i32.const 1))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $fill (i32.lt_u (local.get $n) (i32.const 1000))))
    (loop $for_ever
      (call $get (i32.load (i32.const 132)) (local.get $keys) (i32.const 1000) (i32.const 144))
      (br_if $for_ever (i32.eqz (i32.load8_u (i32.const 144)))))
    unreachable))"#;

async fn run(
    runtime: &Runtime,
    text: &str,
    memory: usize,
) -> Result<tollbridge_plugin::PluginOutput, tollbridge_plugin::Failure> {
    let mut spec = spec("greedy", component(text), &[Grant::Tables]);
    spec.limits.memory_bytes = memory;
    let rows = (0..10_000).map(|n| (format!("a{n:05}"), "v".to_owned()));
    spec.tables.insert("few".to_owned(), table(std::iter::once(("a".to_owned(), "1".to_owned())).chain(rows)));
    let plugin = runtime.load(spec).await.unwrap_or_else(|error| panic!("{error}"));
    call(&plugin, "{}").await
}

#[tokio::test]
async fn greedy_guests_end_at_their_own_limits() {
    let runtime = runtime();
    assert_eq!(run(&runtime, FORTY, 4 << 20).await.unwrap().body, b"{}");
    // The answers are stored in the guest's own memory, so its memory limit applies.
    let failure = run(&runtime, FLOOD, 1 << 20).await.unwrap_err();
    assert_eq!(failure.kind(), "trapped", "{failure:?}");
    assert!(failure.report().unwrap().reason.contains("memory limit"), "{failure:?}");
    // With enough memory, the guest reaches the limit of host calls or of time.
    let failure = run(&runtime, FLOOD, 64 << 20).await.unwrap_err();
    let reason = &failure.report().unwrap().reason;
    assert!(reason.contains(&format!("more than {HOST_CALLS_MAX}")) || reason.contains("time limit"), "{reason}");
    assert_eq!(runtime.available_permits(), PLACES as usize);
}
