//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    let answer = guest::handle(handle, &Call::default(), &bytes)?;
    Ok(serde_json::from_slice(&answer).expect("JSON"))
}

fn record() -> impl Strategy<Value = serde_json::Value> {
    ("[a-c]{0,4}( [a-c]{1,4})?", "[0-9]{0,8}", prop::option::of(-5.0..5.0f64), "\\PC{0,6}", any::<bool>())
        .prop_map(|(name, date, number, text, flag)| serde_json::json!({"name": name, "date": date, "n": number, "text": text, "flag": flag}))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn weights_add_up_and_answers_repeat(records in prop::collection::vec(record(), 1..70),
        against in prop::option::of(prop::collection::vec(record(), 1..20)), fixed: bool) {
        let input = serde_json::json!({"records": records, "against": against, "review": 0.01,
            "parameters": if fixed { "fixed" } else { "estimated" }});
        let answer = run(&input).expect("an answer");
        for pair in answer["result"]["pairs"].as_array().expect("pairs") {
            let parts = pair["fields"].as_array().expect("fields");
            let sum: f64 = parts.iter().map(|part| part["weight"].as_f64().expect("a number")).sum();
            prop_assert!((sum - pair["weight"].as_f64().expect("a number")).abs() < 1e-3, "{pair}");
            let probability = pair["probability"].as_f64().expect("a number");
            prop_assert!((0.0099..=1.0).contains(&probability));
            if against.is_none() {
                prop_assert!(pair["a"].as_u64() < pair["b"].as_u64());
            }
        }
        prop_assert_eq!(&answer, &run(&input).expect("an answer"));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "[a-c0-9,;\"\\[\\]{}:\n ]{0,200}") {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        for bytes in [bytes, text.into_bytes()] {
            let resource = Stored { id: "res_1".into(), content_type: "text/csv".into(), bytes };
            let call = Call { resource: Some(resource), ..Call::default() };
            let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
        }
    }
}

#[test]
fn an_exact_copy_is_a_match() {
    let records: Vec<_> = (0..80).map(|i| serde_json::json!({"name": format!("person{} number{}", i * 37 % 101, i), "phone": 100_000_000 + i * 7_919})).collect();
    let answer = run(&serde_json::json!({"records": records, "against": [records[5]]})).expect("an answer");
    assert_eq!(answer["result"]["matches"], 1, "{answer}");
    assert_eq!(answer["result"]["pairs"][0]["a"], 5);
}

#[test]
fn many_equal_records_are_bounded() {
    let records = vec![serde_json::json!({"name": "Ann Bee", "city": "Leeds", "born": "1990-01-01"}); 3_000];
    let answer = run(&serde_json::json!({"records": records})).expect("an answer");
    assert!(answer["result"]["compared"].as_u64() <= Some(200_000));
    assert!(run(&serde_json::json!({"records": vec![serde_json::json!({"a": 1}); 5_001]})).is_err());
}
