//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tollbridge_sdk::{guest, testing::Doubles};

use super::*;

#[test]
fn the_mistake_is_told_to_the_model() {
    let doubles = Doubles::new().completion("```\nprint('a\n```").completion("```\nprint('a')\n```");
    let input = json!({"spec": "print a", "context": "import os"}).to_string();
    let (answer, recorded) = doubles.run(|| guest::handle(handle, &Call::default(), input.as_bytes()));
    let answer: Value = serde_json::from_slice(&answer.unwrap()).unwrap();
    assert_eq!((&answer["result"]["passed"], &answer["result"]["attempts"]), (&json!(true), &json!(2)));
    assert_eq!(recorded.prompts[0].messages.len(), 3);
    let repair = recorded.prompts[1].messages.last().unwrap();
    assert!(repair.content.starts_with("Line 1"), "{}", repair.content);
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Doubles::new().completion("x").run(|| guest::handle(handle, &Call::default(), &bytes));
    }

    #[test]
    fn any_answer_is_checked(first in "(\\PC|\n|```){0,60}", second in "(\\PC|\n|```){0,60}", language in "python|rust|json|sql|yaml|javascript") {
        let input = json!({"spec": "x", "language": language}).to_string();
        let doubles = Doubles::new().completion(&first).completion(&second);
        match doubles.run(|| guest::handle(handle, &Call::default(), input.as_bytes())).0 {
            Ok(bytes) => {
                let answer: Value = serde_json::from_slice(&bytes).unwrap();
                let result = &answer["result"];
                let checked = !result["check"].is_null();
                prop_assert_eq!(result["passed"] == true, checked && result["mistake"].is_null(), "{}", answer);
                prop_assert_eq!(result["passed"].is_null(), !checked, "{}", answer);
            }
            Err(error) => prop_assert_eq!(error.kind(), "upstream", "{}", error),
        }
    }
}
