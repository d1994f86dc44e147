//! Tests of successful calls and of loading.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use tollbridge_core::config::{Grant, Secret};
use tollbridge_core::egress::Egress;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{Failure, PluginInput, RuntimeLimits};

use super::fixture::*;
use crate::{LoadProblem, Runtime};

#[tokio::test]
async fn echo_answers() {
    let runtime = runtime();
    let echo = load(&runtime, "echo", &[]).await.unwrap();
    let output = call(&echo, r#"{"a":[1,2]}"#).await.unwrap();
    assert_eq!(output.body, br#"{"a":[1,2]}"#);
    assert_eq!(output.usage.memory_bytes, 2 * 65536);
    assert!(output.kv.is_empty());
    assert_eq!((echo.available_permits(), runtime.available_permits()), (4, 4));
}

#[tokio::test]
async fn an_input_beyond_its_limit_is_the_callers_mistake() {
    let echo = load(&runtime(), "echo", &[]).await.unwrap();
    let large = Bytes::from(vec![b' '; echo.limits().input_bytes + 1]);
    let failure = echo.call(context(), PluginInput::Bridge(large)).await.unwrap_err();
    assert!(matches!(failure, Failure::InvalidInput { .. }), "{failure:?}");
    let agent = PluginInput::Agent { task: "x".to_owned(), input: None };
    assert!(matches!(echo.call(context(), agent).await, Err(Failure::InvalidInput { .. })));
}

#[tokio::test]
async fn compiled_code_is_kept_and_a_damaged_entry_is_compiled_again() {
    let dir = tempfile::tempdir().unwrap();
    let start = || {
        let limits = RuntimeLimits { instances: 2, share: 2, ..RuntimeLimits::default() };
        Runtime::start(limits, keys(), Some(dir.path()), Arc::new(Egress::new(Vec::new()).unwrap())).unwrap()
    };
    let entries = || std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    load(&start(), "echo", &[]).await.unwrap();
    assert_eq!(entries().len(), 1);
    // The second start loads the code from the cache.
    let echo = load(&start(), "echo", &[]).await.unwrap();
    assert_eq!(call(&echo, "{}").await.unwrap().body, b"{}");
    let good = std::fs::read(&entries()[0]).unwrap();
    std::fs::write(&entries()[0], b"not code").unwrap();
    let echo = load(&start(), "echo", &[]).await.unwrap();
    assert_eq!(call(&echo, "{}").await.unwrap().body, b"{}");
    assert_eq!(std::fs::read(&entries()[0]).unwrap().len(), good.len());
}

#[tokio::test]
async fn a_digest_that_does_not_fit_is_refused() {
    let mut spec = spec("echo", wasm("echo"), &[]);
    spec.sha256 = [0; 32];
    let error = runtime().load(spec).await.err().unwrap();
    assert!(matches!(error.cause, LoadProblem::OtherDigest), "{error}");
    assert!(error.to_string().starts_with("plugin echo 1.2.3 was not loaded: "), "{error}");
}

#[tokio::test]
async fn a_bridge_is_no_agent() {
    let mut spec = spec("echo", wasm("echo"), &[]);
    spec.kind = PluginKind::Agent;
    let error = runtime().load(spec).await.err().unwrap();
    assert!(matches!(error.cause, LoadProblem::World { world: "agent", .. }), "{error}");
}

#[tokio::test]
async fn a_deadline_from_above_shortens_the_call() {
    let runtime = runtime();
    let spin = load(&runtime, "loop_in_handle", &[]).await.unwrap();
    let mut context = context();
    context.deadline = Some(Duration::from_millis(30));
    let started = Instant::now();
    let failure = spin.call(context, Bytes::from_static(b"{}")).await.unwrap_err();
    assert!(matches!(failure, Failure::TimedOut(_)), "{failure:?}");
    assert!(started.elapsed() < TIME, "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_calls_than_places_wait_and_more_than_may_wait_are_turned_away() {
    let limits =
        RuntimeLimits { instances: 8, share: 1, queue_wait: Duration::from_secs(5), ..RuntimeLimits::default() };
    let spin = load(&runtime_with(limits), "loop_in_handle", &[]).await.unwrap();
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let spin = spin.clone();
            tokio::spawn(async move { call(&spin, "{}").await.unwrap_err() })
        })
        .collect();
    let mut kinds = std::collections::BTreeMap::new();
    for call in calls {
        *kinds.entry(call.await.unwrap().kind()).or_insert(0) += 1;
    }
    // One call runs and four wait, which is this caller's half of the queue; the other fifteen are
    // rejected.
    assert_eq!(kinds, [("overloaded", 15), ("timed_out", 5)].into());
    assert_eq!(spin.available_permits(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_a_call_stops_the_plugin_and_frees_its_place() {
    let runtime = runtime();
    let spin = load(&runtime, "loop_in_handle", &[]).await.unwrap();
    for _ in 0..3 * PLACES {
        let dropped = tokio::time::timeout(Duration::from_millis(20), call(&spin, "{}")).await;
        assert!(dropped.is_err());
    }
    assert_eq!((spin.available_permits(), runtime.available_permits()), (4, 4));
}

#[tokio::test]
async fn an_account_is_another_pseudonym_to_each_plugin() {
    let runtime = runtime();
    let wasm = component(
        r#"(module
          {{MEMORY}}
          {{REALLOC}}
          {{DESCRIBE}}
          (data (i32.const 1200) "{\22caller\22:\2200000000000000000000000000000000\22}")
          (func (export "handle") {{CALL}}
            (memory.copy (i32.const 1211) (local.get $caller_at) (i32.const 32))
            (i32.store8 (i32.const 64) (i32.const 0))
            (i32.store (i32.const 68) (i32.const 1200))
            (i32.store (i32.const 72) (i32.const 45))
            (i32.const 64)))"#,
    );
    let mut seen = Vec::new();
    for name in ["one", "two", "one"] {
        let plugin = runtime.load(spec(name, wasm.clone(), &[])).await.unwrap();
        seen.push(String::from_utf8(call(&plugin, "{}").await.unwrap().body).unwrap());
    }
    assert_eq!(seen[0], seen[2]);
    assert_ne!(seen[0], seen[1]);
    assert!(!seen[0].contains("acct_1") && !seen[0].contains("0000000000"), "{}", seen[0]);
}

/// An agent that answers with its input, or with the length of its task if it has no input. Its
/// arguments exceed what the canonical ABI passes as flat parameters.
const AGENT: &str = r#"(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "{\22letters\22:0}")
  (func (export "run") (param $at i32) (result i32)
    (i32.store8 (i32.const 64) (i32.const 0))
    (if (i32.load8_u offset=72 (local.get $at))
      (then
        (i32.store (i32.const 68) (i32.load offset=76 (local.get $at)))
        (i32.store (i32.const 72) (i32.load offset=80 (local.get $at))))
      (else
        (i32.store8 (i32.const 1111) (i32.add (i32.const 48) (i32.load offset=68 (local.get $at))))
        (i32.store (i32.const 68) (i32.const 1100))
        (i32.store (i32.const 72) (i32.const 13))))
    (i32.const 64)))"#;

#[tokio::test]
async fn an_agent_gets_its_task_and_its_input() {
    let mut spec = spec("agent", component_of(PluginKind::Agent, AGENT), &[]);
    spec.kind = PluginKind::Agent;
    let agent = runtime().load(spec).await.unwrap_or_else(|error| panic!("{error}"));
    for (task, input, expect) in [
        ("hello", None, r#"{"letters":5}"#),
        ("hello", Some(r#"{"a":1}"#), r#"{"a":1}"#),
        ("", None, r#"{"letters":0}"#),
    ] {
        let input =
            PluginInput::Agent { task: task.to_owned(), input: input.map(|text| Bytes::from_static(text.as_bytes())) };
        let output = agent.call(context(), input).await.unwrap();
        assert_eq!(String::from_utf8(output.body).unwrap(), expect);
    }
    let bridge = agent.call(context(), Bytes::from_static(b"{}")).await;
    assert!(matches!(bridge, Err(Failure::InvalidInput { .. })));
}

/// A plugin that logs the configuration value of a secret.
const TELLTALE: &str = r#"(module
  (import "wasi:config/store@0.2.0-rc.1" "get" (func $get (param i32 i32 i32)))
  (import "wasi:logging/logging@0.1.0-draft" "log" (func $log (param i32 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "key")
  (func (export "handle") {{CALL}}
    (call $get (i32.const 1100) (i32.const 3) (i32.const 128))
    (call $log (i32.const 3) (i32.const 1100) (i32.const 3) (i32.load (i32.const 136)) (i32.load (i32.const 140)))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get $input))
    (i32.store (i32.const 72) (local.get $input_len))
    (i32.const 64)))"#;

#[tokio::test]
async fn a_secret_is_a_placeholder_and_config_is_itself() {
    for (secret, expect) in [(true, "key: {{secret:key}}"), (false, "key: plain")] {
        let mut spec = spec("telltale", component(TELLTALE), &[Grant::Config, Grant::Logging]);
        if secret {
            spec.secrets.insert("key".to_owned(), Secret::new("hush"));
        } else {
            spec.config.insert("key".to_owned(), "plain".to_owned());
        }
        let plugin = runtime().load(spec).await.unwrap_or_else(|error| panic!("{error}"));
        call(&plugin, "{}").await.unwrap();
        let lines = plugin.logs();
        assert_eq!((lines.len(), lines[0].text.as_str(), lines[0].level), (1, expect, tracing::Level::WARN));
        assert_eq!((lines[0].request_id.as_str(), lines[0].time_ms), ("req_7", 1_700_000_000_000));
    }
}
