//! Tests of hostile plugins: each component in `tests/hostile` must fail at the point and in the
//! way that `tests/hostile/expect.toml` specifies, in time and without lasting effects: its slots
//! are released, and another plugin keeps answering.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_plugin::limits::{LOG_BYTES_PER_CALL_MAX, LOG_LINES_KEPT, PLUGIN_TEXT_BYTES_MAX};
use tollbridge_plugin::{Plugin, RuntimeLimits};

use super::fixture::*;
use crate::Runtime;

/// The longest time that a caller may wait for an answer past the deadline.
const SLACK: Duration = Duration::from_millis(100);
/// The longest time that a single call may stall on a busy machine; the guarantee itself is checked
/// against the median.
const STALL: Duration = Duration::from_secs(2);

#[test]
fn every_component_has_an_expectation() {
    assert_eq!(names(), expectations().into_keys().collect());
    assert!(names().len() > 20);
}

#[tokio::test]
async fn every_attack_fails_as_expected_on_one_thread() {
    attack_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_attack_fails_as_expected_on_two_threads() {
    attack_all().await;
}

async fn attack_all() {
    let runtime = runtime();
    let neighbour = load(&runtime, "echo", &[]).await.unwrap();
    for (name, expect) in expectations() {
        attack(&runtime, &neighbour, &name, &expect).await;
        assert_eq!(runtime.available_permits(), PLACES as usize, "{name} kept places");
        assert_eq!(call(&neighbour, "{}").await.unwrap().body, b"{}", "after {name}");
    }
}

async fn attack(runtime: &Runtime, neighbour: &Arc<Plugin>, name: &str, expect: &Expect) {
    let mut bytes = if name == "core_module" { core_module(name) } else { wasm(name) };
    bytes.truncate(expect.keep.unwrap_or(usize::MAX));
    let mut spec = spec(name, bytes, &expect.grants);
    spec.limits.memory_bytes = expect.memory.unwrap_or(spec.limits.memory_bytes);
    let loaded = runtime.load(spec).await;
    if expect.at == "load" {
        let text = loaded.err().unwrap_or_else(|| panic!("{name} was loaded")).to_string();
        assert!(text.starts_with(&format!("plugin {name} 1.2.3 was not loaded: ")), "{text}");
        assert!(text.contains(expect.report.as_deref().unwrap_or_default()), "{name}: {text}");
        assert!(text.len() < 3 * PLUGIN_TEXT_BYTES_MAX, "{name}: {} bytes", text.len());
        return;
    }
    let plugin = loaded.unwrap_or_else(|error| panic!("{error}"));
    // Several calls at once, more in total than there are slots, while another plugin is called.
    let (mut took, mut beside_took) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let beside = Beside::start(neighbour);
        let calls: Vec<_> = (0..PLACES - 1).map(|_| tokio::spawn(one_call(plugin.clone()))).collect();
        for task in calls {
            let (result, waited) = task.await.unwrap();
            check(name, expect, &result);
            took.push(waited);
        }
        beside_took.extend(beside.stop().await);
    }
    in_time(name, took);
    in_time(&format!("the neighbour of {name}"), beside_took);
    assert_eq!(plugin.available_permits(), PLACES as usize, "{name} kept places");
    let logged: usize = plugin.logs().iter().map(|line| line.text.len()).sum();
    assert!(logged <= 2 * 3 * (LOG_BYTES_PER_CALL_MAX + 2 * PLUGIN_TEXT_BYTES_MAX), "{name} logged {logged} bytes");
    assert!(plugin.logs().len() <= LOG_LINES_KEPT);
    assert!(plugin.logs().iter().all(|line| !line.text.contains(char::is_control)), "{name}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_compute_long_leave_room_for_short_ones() {
    let limits = RuntimeLimits { instances: 16, share: 8, ..RuntimeLimits::default() };
    let runtime = runtime_with(limits);
    let neighbour = load(&runtime, "echo", &[]).await.unwrap();
    let mut spec = spec("loop_in_handle", wasm("loop_in_handle"), &[]);
    spec.limits.concurrency = 8;
    spec.limits.time = Duration::from_secs(1);
    let spin = runtime.load(spec).await.unwrap_or_else(|error| panic!("{error}"));
    let spinning: Vec<_> = (0..8).map(|_| tokio::spawn(one_call(spin.clone()))).collect();
    // By now, the calls have used the time that they may compute without a permit.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut took = Vec::new();
    for _ in 0..200 {
        took.push(tokio::spawn(one_call(neighbour.clone())).await.unwrap().1);
    }
    took.sort_unstable();
    // If eight calls took turns of 5 ms on two threads, each short call would wait 20 ms.
    assert!(took[100] < Duration::from_millis(5), "half of the calls took more than {:?}", took[100]);
    for task in spinning {
        assert_eq!(task.await.unwrap().0.unwrap_err().kind(), "timed_out");
    }
}

type Outcome = Result<tollbridge_plugin::PluginOutput, tollbridge_plugin::Failure>;

async fn one_call(plugin: Arc<Plugin>) -> (Outcome, Duration) {
    let started = Instant::now();
    let result = call(&plugin, "{}").await;
    (result, started.elapsed())
}

fn in_time(name: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let (median, longest) = (took[took.len() / 2], took[took.len() - 1]);
    assert!(median < TIME + SLACK && longest < TIME + STALL, "{name} took {median:?}, at most {longest:?}");
}

fn check(name: &str, expect: &Expect, result: &Outcome) {
    let failure = match result {
        Ok(_) if expect.at == "never" => return,
        Ok(output) => panic!("{name} answered {:?}", String::from_utf8_lossy(&output.body)),
        Err(failure) => failure,
    };
    assert_eq!(Some(failure.kind()), expect.failure.as_deref(), "{name}: {failure:?}");
    let report = failure.report().unwrap_or_else(|| panic!("{name}: no report")).to_string();
    assert!(report.contains(expect.report.as_deref().unwrap_or_default()), "{name}: {report}");
    assert!(report.len() < 3 * PLUGIN_TEXT_BYTES_MAX, "{name}: {} bytes", report.len());
    // The caller's text must not contain details of the failure.
    assert!(failure.public_message().len() < 60, "{}", failure.public_message());
    assert!(!failure.public_message().contains(name), "{}", failure.public_message());
}

/// Calls another plugin continuously until stopped.
struct Beside {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicU32>,
    task: tokio::task::JoinHandle<Vec<Duration>>,
}

impl Beside {
    fn start(neighbour: &Arc<Plugin>) -> Self {
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (neighbour, halt, count) = (neighbour.clone(), stop.clone(), answered.clone());
        let task = tokio::spawn(async move {
            let mut waited = Vec::new();
            while !halt.load(Ordering::Relaxed) {
                let (result, took) = one_call(neighbour.clone()).await;
                assert_eq!(result.unwrap().body, b"{}");
                waited.push(took);
                count.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
            }
            waited
        });
        Self { stop, answered, task }
    }

    /// Stops calling, and returns the durations of the calls.
    async fn stop(self) -> Vec<Duration> {
        while self.answered.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap()
    }
}
