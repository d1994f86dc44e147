use std::process::Command;

use tollbridge_core::config::Sources;
use tollbridge_gateway::{BreakerState, load_deployments};

use super::*;

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/engines/fake_engine.py");

/// Starts a fake engine with these arguments, and returns the router of its one model.
fn start(arguments: &str) -> (ModelRouter, LocalEngines) {
    let words = format!("--ends-with-input --port {{port}} --model {{model}} {arguments}");
    let words: Vec<String> = words.split_whitespace().map(|word| format!("'{word}'")).collect();
    let file = format!(
        "[inference.providers.local]\ncommand = [{}]\nmodels = [{{ id = 'm', input_usd_per_mtok = 0, \
         output_usd_per_mtok = 0 }}]\n",
        words.join(", ")
    );
    let sources = Sources { file: Some(("t.toml".to_owned(), file)), ..Sources::default() };
    let router = ModelRouter::new(load_deployments(&sources.load().unwrap().config.inference, &|_| None).0);
    let engines = LocalEngines::start_with(EngineHandle::all(&router), &["python3".into(), FAKE.into()]).unwrap();
    (router, engines)
}

fn phase(router: &ModelRouter) -> EnginePhase {
    router.all()[0].provider.engine.as_ref().unwrap().state().phase
}

async fn becomes(router: &ModelRouter, expected: EnginePhase) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while phase(router) != expected {
        assert!(Instant::now() < deadline, "not {expected:?} but {:?}", phase(router));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the ids of the processes whose command contains the port of the engine.
fn processes(router: &ModelRouter) -> String {
    let [health, _] = router.all()[0].provider.engine.as_ref().unwrap().health_addresses();
    let port = health.split(':').nth(2).unwrap().split('/').next().unwrap();
    let found = Command::new("pgrep").args(["-f", &format!("fake_engine.py.*--port {port}")]).output().unwrap();
    String::from_utf8(found.stdout).unwrap()
}

#[tokio::test]
async fn an_engine_gets_requests_once_it_is_ready_and_after_it_was_started_again() {
    let (router, engines) = start("--slow 1");
    let model = &router.all()[0];
    assert!(!model.is_up(), "requests are sent to an engine that is only starting");
    becomes(&router, EnginePhase::Ready).await;
    assert_eq!(model.health.state(Instant::now()), BreakerState::Closed);
    let first = processes(&router);
    assert!(Command::new("kill").args(["-9", first.trim()]).status().unwrap().success());
    becomes(&router, EnginePhase::Failed).await;
    assert!(!model.is_up(), "requests are sent to an engine that has ended");
    becomes(&router, EnginePhase::Ready).await;
    let second = processes(&router);
    assert!(model.is_up() && second != first, "{second}");
    engines.stop().await;
    assert_eq!(processes(&router), "", "the engine is left");
}

#[tokio::test]
async fn a_failing_engine_is_reported_with_its_last_line() {
    let (router, engines) = start("--fails");
    becomes(&router, EnginePhase::Failed).await;
    let state = router.all()[0].provider.engine.as_ref().unwrap().state();
    assert_eq!(state.last_error_line, "the model cannot be loaded");
    assert!(!router.all()[0].is_up());
    engines.stop().await;
}

#[tokio::test]
async fn an_engine_without_a_health_address_that_writes_endless_lines_is_ready_all_the_same() {
    let (router, engines) = start("--no-health --chatty");
    becomes(&router, EnginePhase::Ready).await;
    drop(engines);
    let deadline = Instant::now() + Duration::from_secs(10);
    while !processes(&router).is_empty() {
        assert!(Instant::now() < deadline, "a dropped engine is left");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
