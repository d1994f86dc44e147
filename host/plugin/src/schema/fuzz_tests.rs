//! Fuzz tests of schemas: a schema that compiles checks any value in bounded time.
//!
//! These tests cover the cost model: [`Schema::parse`] must reject schemas that are too expensive,
//! and a check with an accepted schema must finish in time (see [`check_within`]).

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollbridge_core::fuzzing::Fuzzer;

use super::compiled::Schema;
use super::compiled::SizeLimit;

/// The size limit of checked values.
const SIZE: SizeLimit = SizeLimit { name: "limits.input_bytes", bytes: 64 << 10 };
/// The longest time that one check may take. Checks of small inputs take microseconds.
const CHECK_MAX: Duration = Duration::from_secs(1);

/// Checks a value, explains why it is invalid if it is, and fails if that takes too long.
fn check_within(schema: &Schema, value: &Value) {
    let began = Instant::now();
    for invalid in [schema.fit(value).unwrap_or_else(Some), schema.check_complete(value).err()].into_iter().flatten() {
        assert!(invalid.message.len() < 4_096 && invalid.field.len() < 4_096, "an overlong explanation");
    }
    assert!(began.elapsed() < CHECK_MAX, "a check took {:?}", began.elapsed());
}

#[test]
fn what_compiles_checks_in_time() {
    let values = [
        json!({}),
        json!({ "a": "x".repeat(2_000), "b": [1, 2.5, -3, null, true], "c": { "d": { "e": [] } } }),
        json!({ "text": "ab".repeat(500), "n": 1e300, "list": vec![json!({ "a": 1 }); 50] }),
        json!([[[[["deep"]]]]]),
    ];
    Fuzzer::of("schema").run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        match Schema::parse(text, SIZE) {
            Ok(schema) => values.iter().for_each(|value| check_within(&schema, value)),
            Err(error) => assert!(error.to_string().len() < 64 << 10, "an overlong explanation"),
        }
    });
}
