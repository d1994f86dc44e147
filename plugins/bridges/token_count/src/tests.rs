//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tollbridge_sdk::{Stored, guest};

use super::*;

fn run(input: &Value) -> Result<Value, Error> {
    let bytes = serde_json::to_vec(input).unwrap();
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[a-zA-Z0-9 '.,/\r\n\t]{0,200}",
        "[\u{4e00}-\u{4f00}\u{3041}-\u{3090}]{0,60}",
        "(\\p{M}|\\p{Lt}|\\p{Lm}|\\p{Lo}|\\p{Lu}|\\p{Ll}){0,60}",
        "(ab){0,300}"
    ]
}

#[test]
fn large_inputs_are_counted() {
    let long = "a".repeat(200_000);
    let answer = run(&json!({"text": long})).unwrap();
    assert!(answer["result"]["tokens"].as_u64().unwrap() < 200_000 / 3);
    let mixed: String = (0..150_000u32).map(|n| char::from_u32(0x20 + n * 7919 % 0x7ff).unwrap_or('x')).collect();
    let bytes = guest::handle(handle, &Call::default(), &serde_json::to_vec(&json!({"text": mixed})).unwrap()).unwrap();
    assert!(bytes.len() < 524_288);
    let ids = run(&json!({"texts": vec!["x y z w"; 1000], "with_ids": true})).unwrap();
    assert!(ids.to_string().len() < 524_288);
}

#[test]
fn without_a_table_it_says_so() {
    let doubles = tollbridge_sdk::testing::Doubles::new().without_table("prices");
    let (answer, _) = doubles.run(|| run(&json!({"text": "a", "models": ["gpt-4o"]})));
    assert_eq!(answer.unwrap_err().kind(), "unavailable");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: String::new(), bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn any_text_is_counted(texts in prop::collection::vec(text(), 1..3), old: bool) {
        let encoding = if old { "cl100k_base" } else { "o200k_base" };
        let answer = run(&json!({"texts": texts, "encoding": encoding, "with_ids": true})).unwrap();
        for (text, counted) in texts.iter().zip(answer["result"]["texts"].as_array().unwrap()) {
            let tokens = counted["tokens"].as_u64().unwrap();
            prop_assert!(tokens <= text.len() as u64 && (tokens > 0) != text.is_empty());
            prop_assert_eq!(counted["ids"].as_array().unwrap().len() as u64, tokens);
        }
    }
}
