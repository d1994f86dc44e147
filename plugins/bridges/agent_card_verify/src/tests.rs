use proptest::prelude::*;
use serde_json::json;
use tollbridge_sdk::{Stored, guest};

use super::*;

tollbridge_sdk::test_cases!(handle);

fn any_json() -> impl Strategy<Value = Value> {
    let names = vec![
        "url",
        "skills",
        "security",
        "securitySchemes",
        "capabilities",
        "signatures",
        "protected",
        "signature",
        "type",
        "id",
        "in",
        "a",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,4}|e30|apiKey".prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let key = prop_oneof![proptest::sample::select(names.clone()).prop_map(str::to_owned), "\\PC{0,3}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..6).prop_map(|list| Value::Object(list.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_answered_or_refused(bytes: Vec<u8>) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), bytes, ..Stored::default() }), ..Call::default() };
        let _ = handle(&call, Input { resource_id: Some("res_1".into()), ..Input::default() });
    }

    #[test]
    fn any_card_is_answered_and_not_verified(card in any_json(), key in any_json()) {
        let input = json!({"card": card, "jwks": {"keys": [key]}}).to_string();
        match guest::handle(handle, &Call::default(), input.as_bytes()) {
            Ok(bytes) => {
                let output: Value = serde_json::from_slice(&bytes).unwrap();
                prop_assert_eq!(&output["result"]["verified"], false);
            }
            Err(error) => prop_assert_eq!(error.kind(), "invalid-input"),
        }
    }
}
