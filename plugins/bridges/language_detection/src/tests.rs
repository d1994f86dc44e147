//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

/// Texts in one alphabet or several, of few and many different letters.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "[a-zA-Z .,]{0,400}",
        "[а-яА-ЯёіїґА ]{0,120}",
        "[\u{5d0}-\u{5ea} ]{0,60}",
        "[\u{620}-\u{64a} ]{0,60}",
        "[\u{900}-\u{97f} ]{0,60}",
        "[\u{3041}-\u{30ff}\u{4e00}-\u{4f00}]{0,60}",
        "\\p{Latin}{0,900}",
        "[ªº\u{2071}ⁿA-Cẞİ]{0,9}"
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: String::new(), bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn any_text_is_answered(texts in prop::collection::vec(text(), 1..4), chosen in prop::option::of(prop::collection::vec("en|de|ru|uk|he|yi|ar|fa|hi|mr|ja|zh|fra|xx", 1..4))) {
        let input = serde_json::json!({"texts": texts, "languages": chosen});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            for text in answer["result"]["texts"].as_array().expect("texts") {
                prop_assert!((0.0..=1.0).contains(&text["confidence"].as_f64().expect("a number")));
                prop_assert_eq!(text["language"].is_null(), text["iso639_3"].is_null());
                prop_assert!(!text["alternatives"].as_array().expect("a list").contains(&text["language"]));
            }
        }
        prop_assert_eq!(answer, run(&input));
    }
}

#[test]
fn large_inputs_are_answered() {
    let long: String =
        (0..60_000u32).map(|n| char::from(b'a' + (n * n % 23) as u8)).map(|c| if c == 'q' { ' ' } else { c }).collect();
    assert!(run(&serde_json::json!({"text": long})).is_ok());
    let texts: Vec<String> = (0..1_000).map(|n| format!("this is text number {n}")).collect();
    let answer = run(&serde_json::json!({"texts": texts})).expect("an answer");
    assert!(answer.to_string().len() < 1_048_576);
}

#[test]
fn limitations_name_what_is_not_told_apart() {
    let text = "Budući da su priznavanje urođenog dostojanstva i jednakih i neotuđivih prava temelj slobode";
    let answer =
        run(&serde_json::json!({"texts": [text, text, "All human beings are born free and equal in dignity"]}))
            .expect("an answer");
    let notes: Vec<&str> =
        answer["limitations"].as_array().expect("a list").iter().filter_map(|note| note.as_str()).collect();
    let count = |part: &str| notes.iter().filter(|note| note.contains(part)).count();
    assert_eq!(count("not told apart from Croatian: Bosnian, Montenegrin, Serbian in Latin letters"), 1, "{notes:?}");
    assert_eq!(count("often taken for English, even reliably: Scots"), 1, "{notes:?}");
    assert_eq!(answer["result"]["texts"][0]["reliable"], false);
}
