//! Tests of a call's key-value buckets, as the guest sees them and as they are committed.

use std::sync::Arc;
use std::time::Duration;

use tollbridge_core::config::Grant;
use wasmtime::component::Resource;

use super::fixture::*;
use crate::bindings::kv_atomics::Host as _;
use crate::bindings::kv_store::{Error, Host as _, HostBucket as _};
use crate::calls::state::State;
use crate::imports::buckets::Bucket;
use crate::limits::{KV_KEYS_MAX, KV_VALUE_BYTES_MAX, KV_WRITE_BURST_BYTES, KV_WRITE_BYTES_PER_S, KV_WRITES_MAX};
use crate::loading::loaded::LoadedPlugin;

const SHARED: u32 = 0;

struct World {
    store: Arc<Memory>,
    identity: Arc<LoadedPlugin>,
}

impl World {
    fn new(kv_bytes: usize) -> Self {
        Self { store: Arc::default(), identity: Arc::new(identity(facts(), kv_bytes)) }
    }

    fn call(&self, caller: Option<&str>) -> State {
        let mut state = state_of(self.identity.clone(), services(self.store.clone()));
        state.caller = caller.map(str::to_owned);
        state
    }

    /// Commits the writes of a call, as sealing it does.
    fn commit(&self, mut state: State) {
        let Some(buckets) = state.buckets.take() else { return };
        let (writes, _held) = buckets.into_writes();
        let mut rows = self.store.0.lock();
        for write in writes {
            match write.value {
                Some(value) => rows.insert((write.bucket, write.key), value),
                None => rows.remove(&(write.bucket, write.key)),
            };
        }
    }
}

fn shared() -> Resource<Bucket> {
    Resource::new_own(SHARED)
}

fn get(state: &mut State, key: &str) -> Option<Vec<u8>> {
    state.get(shared(), key.to_owned()).unwrap().unwrap()
}

fn set(state: &mut State, key: &str, value: &[u8]) -> Result<(), Error> {
    state.set(shared(), key.to_owned(), value.to_vec()).unwrap()
}

#[test]
fn a_call_sees_its_own_writes_and_others_only_when_sealed() {
    let world = World::new(1_000);
    let (mut one, mut two) = (world.call(None), world.call(None));
    set(&mut one, "a", b"1").unwrap();
    assert_eq!(get(&mut one, "a"), Some(b"1".to_vec()));
    assert!(one.exists(shared(), "a".to_owned()).unwrap().unwrap());
    assert_eq!(get(&mut two, "a"), None);
    world.commit(one);
    assert_eq!(get(&mut two, "a"), Some(b"1".to_vec()));
    two.delete(shared(), "a".to_owned()).unwrap().unwrap();
    assert_eq!(get(&mut two, "a"), None);
    // The writes of a call that is never sealed have no effect.
    drop(two);
    assert_eq!(get(&mut world.call(None), "a"), Some(b"1".to_vec()));
}

#[test]
fn callers_are_kept_apart() {
    let world = World::new(1_000);
    let mut alice = world.call(Some("alice"));
    let bucket = alice.open("caller".to_owned()).unwrap().unwrap();
    alice.set(bucket, "k".to_owned(), b"hers".to_vec()).unwrap().unwrap();
    world.commit(alice);
    for (caller, expect) in [("alice", Some(b"hers".to_vec())), ("bob", None)] {
        let mut state = world.call(Some(caller));
        let bucket = state.open("caller".to_owned()).unwrap().unwrap();
        assert_eq!(state.get(bucket, "k".to_owned()).unwrap().unwrap(), expect, "{caller}");
    }
    let mut nobody = world.call(None);
    assert!(matches!(nobody.open("caller".to_owned()).unwrap(), Err(Error::AccessDenied)));
    assert!(matches!(nobody.open("other".to_owned()).unwrap(), Err(Error::NoSuchStore)));
}

#[test]
fn a_bucket_has_a_quota() {
    let world = World::new(100);
    let mut state = world.call(None);
    set(&mut state, "a", &[0; 60]).unwrap();
    assert!(set(&mut state, "b", &[0; 60]).is_err());
    // Replacing or removing a value frees space, and a full bucket can shrink.
    set(&mut state, "a", &[0; 90]).unwrap();
    world.commit(state);
    let mut state = world.call(None);
    assert!(set(&mut state, "b", &[0; 20]).is_err());
    state.delete(shared(), "a".to_owned()).unwrap().unwrap();
    set(&mut state, "b", &[0; 60]).unwrap();
    assert!(set(&mut state, "", b"x").is_err());
    assert!(set(&mut state, &"k".repeat(300), b"x").is_err());
}

#[test]
fn keys_and_writes_are_counted() {
    let world = World::new(1 << 20);
    let mut state = world.call(None);
    for index in 0..KV_WRITES_MAX {
        set(&mut state, &format!("k{index}"), b"x").unwrap();
    }
    set(&mut state, "k0", b"again").unwrap();
    assert!(set(&mut state, "one too many", b"x").is_err());
    for index in 0..KV_KEYS_MAX {
        world.store.0.lock().insert(("bridge/p/shared".to_owned(), format!("{index}")), vec![1]);
    }
    let mut state = world.call(None);
    assert!(set(&mut state, "new", b"x").is_err());
    set(&mut state, "7", b"y").unwrap();
}

/// Overwriting a value counts its bytes again, because the call's buffer stored both values.
#[test]
fn bytes_of_a_call_are_counted_as_its_memory() {
    let world = World::new(64 << 20);
    let mut state = world.call(None);
    let value = vec![0; KV_VALUE_BYTES_MAX];
    let written = (0..100).take_while(|_| set(&mut state, "k", &value).is_ok()).count();
    // `state_of` limits the instance's memory to a mebibyte.
    assert_eq!(written, 3);
    assert!(state.limiter.memory() <= 1 << 20);
}

#[test]
fn a_tenant_has_a_budget_whatever_calls_it_makes() {
    let world = World::new(64 << 20);
    let value = vec![0; KV_VALUE_BYTES_MAX];
    let mut written: u64 = 0;
    for _ in 0..200 {
        let mut state = world.call(None);
        state.tenant = Some("acct_bulk".into());
        written += u64::from(set(&mut state, "k", &value).is_ok()) * value.len() as u64;
    }
    let slack = KV_WRITE_BYTES_PER_S * 10;
    assert!(written <= KV_WRITE_BURST_BYTES + slack, "{written}");
    let mut other = world.call(None);
    other.tenant = Some("acct_other".into());
    set(&mut other, "k", &value).unwrap();
}

#[test]
fn keys_are_listed_in_pages_with_own_writes() {
    let world = World::new(1 << 20);
    for index in 0..150 {
        world.store.0.lock().insert(("bridge/p/shared".to_owned(), format!("{index:03}")), vec![1]);
    }
    let mut state = world.call(None);
    set(&mut state, "zzz", b"new").unwrap();
    state.delete(shared(), "000".to_owned()).unwrap().unwrap();
    let first = state.list_keys(shared(), None).unwrap().unwrap();
    assert_eq!((first.keys.len(), first.keys[0].as_str(), first.cursor), (100, "001", Some(100)));
    let rest = state.list_keys(shared(), first.cursor).unwrap().unwrap();
    assert_eq!((rest.keys.len(), rest.keys.last().unwrap().as_str(), rest.cursor), (50, "zzz", None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn increments_are_exact_under_contention() {
    let world = Arc::new(World::new(1_000));
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let world = world.clone();
            tokio::spawn(async move {
                let mut seen = Vec::new();
                for _ in 0..10 {
                    let mut state = world.call(None);
                    seen.push(state.increment(shared(), "n".to_owned(), 1).await.unwrap().unwrap());
                    tokio::task::yield_now().await;
                    world.commit(state);
                }
                seen
            })
        })
        .collect();
    let mut seen = Vec::new();
    for task in tasks {
        seen.extend(task.await.unwrap());
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=200).collect::<Vec<u64>>());
    assert_eq!(get(&mut world.call(None), "n"), Some(b"200".to_vec()));
    assert_eq!(
        format!("{:?}", world.identity.counter_locks).matches("Mutex").count(),
        1,
        "{:?}",
        world.identity.counter_locks
    );
}

#[tokio::test]
async fn counters_are_numbers_and_do_not_wrap() {
    let world = World::new(1_000);
    let mut state = world.call(None);
    set(&mut state, "text", b"hello").unwrap();
    assert!(state.increment(shared(), "text".to_owned(), 1).await.unwrap().is_err());
    assert_eq!(state.increment(shared(), "n".to_owned(), u64::MAX).await.unwrap().unwrap(), u64::MAX);
    assert!(state.increment(shared(), "n".to_owned(), 1).await.unwrap().is_err());
}

#[tokio::test]
async fn calls_that_wait_for_each_other_give_up() {
    let world = World::new(1_000);
    let (mut one, mut two) = (world.call(None), world.call(None));
    one.increment(shared(), "a".to_owned(), 1).await.unwrap().unwrap();
    two.increment(shared(), "b".to_owned(), 1).await.unwrap().unwrap();
    assert!(one.increment(shared(), "b".to_owned(), 1).await.unwrap().is_err());
    drop(two);
    assert_eq!(one.increment(shared(), "b".to_owned(), 1).await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn a_flood_of_writes_ends_at_the_quota_and_is_not_kept() {
    let flood = load(&runtime(), "kv_flood", &[Grant::Keyvalue]).await.unwrap();
    let context = context();
    let services = context.services.clone();
    assert!(flood.call(context, bytes::Bytes::from_static(b"{}")).await.is_err());
    assert_eq!(services.key_value.list("bridge/kv_flood/shared", "", 10).unwrap(), Vec::new());
}

/// A plugin that increments a counter.
const COUNTER: &str = r#"(module
  (import "wasi:keyvalue/store@0.2.0-draft" "open" (func $open (param i32 i32 i32)))
  (import "wasi:keyvalue/atomics@0.2.0-draft" "increment" (func $add (param i32 i32 i32 i64 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "shared")
  (func (export "handle") {{CALL}}
    (call $open (i32.const 1100) (i32.const 6) (i32.const 128))
    (call $add (i32.load (i32.const 132)) (i32.const 1100) (i32.const 1) (i64.const 1) (i32.const 128))
    (if (i32.load8_u (i32.const 128)) (then unreachable))
    (i32.store8 (i32.const 64) (i32.const 0))
    (i32.store (i32.const 68) (local.get $input))
    (i32.store (i32.const 72) (local.get $input_len))
    (i32.const 64)))"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_component_counts_exactly_across_calls_and_versions() {
    let runtime = runtime();
    let mut spec = spec("counter", component(COUNTER), &[Grant::Keyvalue]);
    // Each call waits until the previous one is sealed, so they need a longer time limit.
    spec.limits.time = Duration::from_secs(5);
    let old = runtime.load(spec.clone()).await.unwrap_or_else(|error| panic!("{error}"));
    let new = runtime.load(spec).await.unwrap_or_else(|error| panic!("{error}"));
    let store = Arc::new(Memory::default());
    let tasks: Vec<_> = (0..24)
        .map(|index| {
            let (plugin, store) = (if index % 2 == 0 { old.clone() } else { new.clone() }, store.clone());
            tokio::spawn(async move {
                let mut context = context();
                context.services = services(store.clone());
                let output = plugin.call(context, bytes::Bytes::from_static(b"{}")).await.unwrap();
                // Simulates sealing, which takes a while; the counter is unlocked afterwards.
                tokio::time::sleep(Duration::from_millis(2)).await;
                store.commit(&output);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let counted = store.0.lock().get(&("bridge/counter/shared".to_owned(), "s".to_owned())).cloned();
    assert_eq!(counted, Some(b"24".to_vec()));
}
