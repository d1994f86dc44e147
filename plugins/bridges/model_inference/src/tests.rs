//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::json;
use tollbridge_sdk::{Stored, guest, inference::Role, testing::Doubles};

use super::*;

#[test]
fn the_model_is_asked_what_the_caller_asked() {
    let input = json!({"system": "Be short.", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}], "model": "m-1", "max_tokens": 7, "temperature": 0.5, "json_schema": {"type": "object"}});
    let (answer, recorded) =
        Doubles::new().completion("{}").run(|| guest::handle(handle, &Call::default(), input.to_string().as_bytes()));
    assert!(answer.is_ok());
    let asked = &recorded.prompts[0];
    let roles: Vec<Role> = asked.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User]);
    assert_eq!((asked.model.as_str(), asked.max_tokens, asked.temperature), ("m-1", 7, Some(0.5)));
    assert_eq!(asked.response_schema.as_deref(), Some(r#"{"type":"object"}"#));
}

#[test]
fn a_stored_text_goes_before_the_prompt() {
    let call = Call {
        resource: Some(Stored { id: "res_1".into(), content_type: "text/plain".into(), bytes: b"file".to_vec() }),
        ..Call::default()
    };
    let input = json!({"resource_id": "res_1", "prompt": "Sum up."}).to_string();
    let (_, recorded) = Doubles::new().completion("x").run(|| guest::handle(handle, &call, input.as_bytes()));
    assert_eq!(recorded.prompts[0].messages[0].content, "file\n\nSum up.");
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Doubles::new().completion("x").run(|| guest::handle(handle, &Call::default(), &bytes));
    }

    #[test]
    fn any_answer_is_passed_on_or_refused(text in "\\PC{0,80}|\\{\"a\":[0-9]{1,3}\\}", schema: bool) {
        let schema = schema.then(|| json!({"type": "object", "properties": {"a": {"type": "integer"}}}));
        let input = json!({"prompt": "x", "json_schema": schema}).to_string();
        let (answer, _) = Doubles::new().completion(&text).run(|| guest::handle(handle, &Call::default(), input.as_bytes()));
        match answer {
            Ok(bytes) => {
                let answer: Value = serde_json::from_slice(&bytes).unwrap();
                prop_assert_eq!(&answer["result"]["text"], &json!(text));
            }
            Err(error) => prop_assert_eq!(error.kind(), "upstream", "{}", error),
        }
    }
}
