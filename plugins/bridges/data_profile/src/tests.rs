//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = guest::handle(handle, &Call::default(), &serde_json::to_vec(input).expect("JSON writes"))?;
    Ok(serde_json::from_slice(&bytes).expect("JSON"))
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        prop::num::f64::NORMAL.prop_map(Into::into),
        "\\PC{0,8}".prop_map(Into::into),
        "[0-3][0-9]/[01][0-9]/20[0-9]{2}".prop_map(Into::into),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn counts_add_up_and_answers_repeat(rows in prop::collection::vec(prop::collection::vec(value(), 1..5), 1..40)) {
        let input = serde_json::json!({"rows": rows});
        let answer = run(&input).expect("an answer");
        let count = answer["result"]["rows"].as_u64().expect("rows");
        for column in answer["result"]["columns"].as_array().expect("columns") {
            let types: u64 = column["types"].as_object().expect("types").values().filter_map(|v| v.as_u64()).sum();
            prop_assert_eq!(types + column["missing"].as_u64().expect("missing"), count);
            if let Some(numbers) = column["numbers"].as_object() {
                prop_assert!(numbers.values().all(|value| value.is_number() || value.is_array()), "{column}");
                let at = |name: &str| numbers[name].as_f64().expect("a number");
                prop_assert!(at("least") <= at("median") + 1e-9 * at("median").abs() && at("median") <= at("most") + 1e-9 * at("most").abs());
            }
        }
        prop_assert_eq!(&answer, &run(&input).expect("an answer"));
    }

    #[test]
    fn any_text_is_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[a-b0-9,;\"\\[\\]{}:.\n -]{0,200}", header: Option<bool>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        for format in [None, Some("csv"), Some("json"), Some("json_lines")] {
            let _ = run(&serde_json::json!({"data": text, "format": format, "header": header}));
        }
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes };
        let call = Call { resource: Some(resource), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }
}

#[test]
fn wide_and_long_tables_are_bounded() {
    let wide = vec!["x"; 201].join(",");
    assert!(run(&serde_json::json!({"data": wide})).is_err());
    let long = "1,2\n".repeat(100_000);
    let answer = run(&serde_json::json!({"data": long})).expect("an answer");
    assert_eq!(answer["result"]["duplicate_rows"], 99_999);
    assert!(run(&serde_json::json!({"data": "1\n".repeat(100_001)})).is_err());
    let holes: Vec<_> = (0..200).map(|i| serde_json::json!({format!("m{i}"): i})).collect();
    assert!(run(&serde_json::json!({"rows": holes})).is_ok());
}
