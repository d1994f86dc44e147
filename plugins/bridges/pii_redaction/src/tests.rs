//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

/// Texts that are full of what could be something.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        2 => prop::sample::select(vec!["ann@example.org", "GB82 WEST 1234 5698 7654 32", "4111 1111 1111 1111", "943 476 5919", "QQ 12 34 56 A",
            "078-05-1120", "::1", "fe80::1%eth0", "имя@пример.рф", "jose\u{301}@cafe\u{301}.fr", "192.0.2.1", "born 1990-01-31", "+44 20 7946 0018 ext. 3", "Dr. Ann Lee", "Dear Zoë", "card", "NHS", "phone"]).prop_map(str::to_owned),
        2 => "[0-9() .+-]{1,12}",
        1 => "[A-Za-z0-9:.@-]{1,10}",
        1 => "\\PC{1,6}",
    ];
    prop::collection::vec((part, "[ ,\n]{0,2}"), 0..14)
        .prop_map(|parts| parts.into_iter().map(|(part, gap)| part + &gap).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: String::new(), bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn spans_rebuild_the_text(text in text(), mode in "mask|replace|pseudonym", kind in prop::option::of("email|card|phone|name")) {
        let types = kind.map(|kind| vec![kind]);
        let input = serde_json::json!({"text": text, "mode": mode, "types": types});
        let answer = run(&input).expect("an answer");
        let (mut rebuilt, mut at) = (String::new(), 0);
        for span in answer["result"]["spans"].as_array().expect("spans") {
            let member = |name: &str| span[name].as_u64().expect("a number") as usize;
            prop_assert!(member("start_byte") >= at && member("end_byte") > member("start_byte"));
            rebuilt.push_str(&text[at..member("start_byte")]);
            let value = &text[member("start_byte")..member("end_byte")];
            let by_chars: String = text.chars().skip(member("start_char")).take(member("end_char") - member("start_char")).collect();
            prop_assert_eq!(by_chars, value);
            let replacement = span["replacement"].as_str().expect("text");
            if mode == "mask" {
                prop_assert_eq!(replacement.chars().count(), value.chars().count());
                prop_assert!(!replacement.chars().any(char::is_alphanumeric));
            }
            rebuilt.push_str(replacement);
            at = member("end_byte");
        }
        rebuilt.push_str(&text[at..]);
        prop_assert_eq!(answer["result"]["text"].as_str(), Some(rebuilt.as_str()));
        prop_assert_eq!(Ok(answer), run(&input));
    }
}

#[test]
fn large_inputs_are_answered() {
    for part in ["1 2-3.4 ", "a@b.", "я@я.", "::1%", "Dr. ", "Aa ", "1", ":a", "GB82 ", "4111 1111 1111 1111 ", "(0) "]
    {
        let text = part.repeat(4_000 / part.len());
        let answer = run(&serde_json::json!({"text": text}));
        assert!(answer.is_ok(), "{part:?}: {:?}", answer.map(|_| ()));
    }
}
