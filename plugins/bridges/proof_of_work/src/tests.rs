//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::json;
use tollbridge_sdk::{guest, testing::Doubles, testing::Ledger};

use super::*;

fn ledger() -> Ledger {
    let seal = "ab".repeat(32);
    let stated = json!({
        "records": [{"seal": seal, "seq": 4, "body": "{\"kind\":\"call\"}", "transaction_id": format!("tx_{}", "cd".repeat(32))}],
        "proofs": [{"seal": seal, "seq": 4, "tree_size": 9, "checkpoint": "example.org/ledger\n9\n"}],
    });
    serde_json::from_value(stated).unwrap()
}

fn run(input: &Value) -> Result<Value, Error> {
    let bytes = serde_json::to_vec(input).unwrap();
    let (answer, _) = Doubles::new().ledger(ledger()).run(|| guest::handle(handle, &Call::default(), &bytes));
    answer.map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
    }

    #[test]
    fn any_document_is_judged(document in "\\PC{0,60}", record in prop::option::of("\\PC{0,60}"), number: u64) {
        let answer = run(&json!({"document": document, "record": record})).unwrap();
        prop_assert_eq!(&answer["result"]["verified"], &json!(false));
        prop_assert!(answer["result"]["reason"].is_string());
        let answer = run(&json!({"document": {"seq": number}})).unwrap();
        prop_assert_eq!(&answer["result"]["included"], &json!(false));
    }

    #[test]
    fn any_expectation_is_compared(path in "(/[a-z0-9~]{0,6}){0,3}", value in "[a-z]{0,4}") {
        let answer = run(&json!({"id": "ab".repeat(32), "expect": {path.clone(): value.clone()}})).unwrap();
        prop_assert_eq!(&answer["result"]["included"], &json!(true));
        prop_assert_eq!(&answer["result"]["verified"], &json!(path == "/kind" && value == "call"));
    }

    #[test]
    fn any_id_is_found_or_refused(id in "(tx_)?[0-9a-fA-F]{60,66}|\\PC{0,70}") {
        if let Err(error) = run(&json!({"resource_id": id})) {
            prop_assert!(matches!(error.kind(), "invalid-input" | "not-found"), "{}", error);
        }
    }
}
