//! Tests of inputs and outputs against the schemas of real components, and of the record that a
//! component's examples were checked.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;
use tollbridge_core::egress::Egress;
use tollbridge_plugin::{CheckError, DescriptionText, ExampleText, PluginSpec, RuntimeLimits};

use super::fixture::*;
use crate::{LoadProblem, Runtime};

/// Returns a bridge with this description; the bridge answers with its input.
fn describing(input: &str, output: &str, example: Option<(&str, &str)>) -> Vec<u8> {
    let at = |offset: u32, text: &str| {
        let length = u32::try_from(text.len()).unwrap();
        [offset, length].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
    };
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let (given, answered) = example.unwrap_or_default();
    let mut description = [at(1_024, input), at(2_048, output)].concat();
    description.extend([40_u32, u32::from(example.is_some())].iter().flat_map(|number| number.to_le_bytes()));
    let example = [at(3_072, given), at(3_584, answered)].concat();
    let texts = [(16, description), (40, example), (1_024, input.into()), (2_048, output.into())];
    let texts = texts.into_iter().chain([(3_072, given.into()), (3_584, answered.into())]);
    let data = texts.map(|(at, bytes)| format!("(data (i32.const {at}) \"{}\")\n", escaped(&bytes)));
    component(&format!(
        "(module {{{{MEMORY}}}} {{{{REALLOC}}}} {}
          (func (export \"describe\") (result i32) (i32.const 16))
          (func (export \"handle\") {{{{CALL}}}}
            (i32.store8 (i32.const 64) (i32.const 0))
            (i32.store (i32.const 68) (local.get $input))
            (i32.store (i32.const 72) (local.get $input_len))
            (i32.const 64)))",
        data.collect::<String>()
    ))
}

const ANY: &str = r#"{"type":"object"}"#;
const PROMISE: &str = r#"{"type":"object","properties":{"valid":{"type":"boolean"}},"required":["valid"]}"#;

#[tokio::test]
async fn an_output_must_be_what_was_promised() {
    let bridge = runtime().load(spec("promise", describing(ANY, PROMISE, None), &[])).await.unwrap();
    for honest in [r#"{"valid":true}"#, r#"{"valid":false,"extra":1}"#] {
        assert_eq!(call(&bridge, honest).await.unwrap().body, honest.as_bytes());
    }
    for (lie, expect) in [
        (r#"{"valid":"yes"}"#, "the output does not fit the output schema: `valid` must be a boolean"),
        ("{}", "the output does not fit the output schema: `valid` is required"),
        ("[true]", "the output is not a JSON object"),
    ] {
        let failure = call(&bridge, lie).await.unwrap_err();
        assert_eq!(failure.kind(), "bad_output", "{lie}");
        assert!(failure.report().unwrap().reason.contains(expect), "{failure:?}");
        assert!(bridge.logs().iter().any(|line| line.text.contains(expect)), "the reason must be in the plugin's log");
    }
}

/// Returns a schema with alternatives of a pattern that tracks two hundred positions.
fn slow() -> String {
    let slow = json!({ "properties": { "text": { "$ref": "#/$defs/slow" } } });
    json!({ "anyOf": vec![slow; 8], "$defs": { "slow": { "pattern": "a[ab]{200}[^ab]" } } }).to_string()
}

#[tokio::test]
async fn a_long_check_leaves_the_thread_that_serves_calls() {
    let mut spec = spec("slow", describing(&slow(), ANY, None), &[]);
    spec.limits.input_bytes = 15_000;
    let bridge = runtime().load(spec).await.unwrap();
    let mut random = 1_u32;
    let letter = |random: &mut u32| {
        *random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if *random >> 31 == 0 { 'a' } else { 'b' }
    };
    let text: String = (0..14_000).map(|_| letter(&mut random)).collect();
    let input = Arc::new(json!({ "text": text }));
    let started = Instant::now();
    // The test runtime has one thread: if a check blocked it, this task would not run.
    let turns = async {
        let (mut turns, mut longest) = (0_u32, Duration::ZERO);
        while turns < 20 {
            let began = Instant::now();
            tokio::time::sleep(Duration::from_millis(1)).await;
            longest = longest.max(began.elapsed());
            turns += 1;
        }
        longest
    };
    let (checked, longest) = tokio::join!(bridge.check_input(&input, 14_020), turns);
    assert!(!matches!(checked, Ok(None)), "{checked:?}");
    let took = started.elapsed();
    assert!(longest < Duration::from_millis(100) || longest < took / 4, "{longest:?} of {took:?}");
}

#[tokio::test]
async fn a_short_check_says_what_is_wrong_and_what_is_missing() {
    let bridge = runtime().load(spec("promise", describing(PROMISE, ANY, None), &[])).await.unwrap();
    let check = async |value: Value| bridge.check_input(&Arc::new(value), 20).await;
    assert_eq!(check(json!({ "valid": true })).await, Ok(None));
    assert_eq!(check(json!({})).await.unwrap().unwrap().field, "/valid");
    let Err(CheckError::Invalid(wrong)) = check(json!({ "valid": 1 })).await else { panic!("it was taken") };
    assert_eq!(wrong.field, "/valid");
}

#[tokio::test]
async fn examples_are_checked_once_for_all_starts() {
    let dir = tempfile::tempdir().unwrap();
    let start = || {
        let limits = RuntimeLimits { instances: 2, share: 2, ..RuntimeLimits::default() };
        Runtime::start(limits, keys(), Some(dir.path()), Arc::new(Egress::new(Vec::new()).unwrap())).unwrap()
    };
    let checked = || {
        let files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|kind| kind == "checked")).count()
    };
    let good = ("{}", r#"{"valid":true}"#);
    start().load(spec("good", describing(ANY, PROMISE, Some(good)), &[])).await.unwrap();
    assert_eq!(checked(), 1);
    // An example that does not fit is rejected, and no record of a check is written.
    let bad = ("{}", r#"{"valid":1}"#);
    let wrong: PluginSpec = spec("bad", describing(ANY, PROMISE, Some(bad)), &[]);
    let error = start().load(wrong.clone()).await.err().unwrap();
    assert!(matches!(error.cause, LoadProblem::Description(_)), "{error}");
    assert_eq!(checked(), 1);
    // If a record says that the examples fit, they are not checked again: only this host can write
    // valid records.
    let description = DescriptionText {
        input_schema: ANY.to_owned(),
        output_schema: PROMISE.to_owned(),
        examples: vec![ExampleText { input: bad.0.to_owned(), output: bad.1.to_owned() }],
    };
    let runtime = start();
    runtime.0.cache.as_ref().unwrap().put_checked(&wrong.sha256, &description.digest());
    runtime.load(wrong).await.unwrap();
}
