//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = serde_json::to_vec(input).expect("JSON writes");
    guest::handle(handle, &Call::default(), &bytes).map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let call = Call { resource: Some(Stored { id: "res_1".into(), content_type: String::new(), bytes }), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn sentences_are_where_the_answer_says(text in "([A-Z]?[a-zé]{1,4}(\\.|!|\\?|,|。)?( |\n|\n\n|🦀 )){1,80}", most in 1..9u32,
        characters in prop::option::of(0..200u32), relevance in -0.1..1.1f64, method in "lexrank|textrank",
        query in prop::option::of("[a-z]{0,3}( [a-z]{1,3})?"), language in "de|en|es|fr|it|pt|ru|other") {
        let input = serde_json::json!({"text": text, "max_sentences": most, "max_characters": characters,
            "relevance": relevance, "method": method, "query": query, "language": language});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            let result = &answer["result"];
            let mut last = 0;
            for picked in result["sentences"].as_array().expect("sentences") {
                let member = |name: &str| picked[name].as_u64().expect("a number") as usize;
                let sentence_text = picked["text"].as_str().expect("text");
                prop_assert_eq!(text.get(member("start_byte")..member("end_byte")), Some(sentence_text));
                let by_chars: String = text.chars().skip(member("start_char")).take(member("end_char") - member("start_char")).collect();
                prop_assert_eq!(by_chars, sentence_text);
                prop_assert!(member("start_byte") >= last);
                last = member("end_byte");
            }
            let summary = result["summary"].as_str().expect("summary");
            prop_assert!(summary.chars().count() <= characters.map_or(usize::MAX, |most| most as usize));
            prop_assert!(result["sentences"].as_array().expect("sentences").len() <= most as usize);
        }
        prop_assert_eq!(answer, run(&input));
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,300}", query in "\\PC{0,20}") {
        let _ = run(&serde_json::json!({"text": text, "query": query}));
    }
}

#[test]
fn large_inputs_are_answered() {
    let sentence = |n: usize| {
        let words: Vec<String> = (0..45).map(|i| format!("w{}", (n * 31 + i * i * 7) % 900)).collect();
        format!("A{}.", words.join(" "))
    };
    let text: String = (0..500).map(|n| sentence(n) + " ").collect();
    for method in ["lexrank", "textrank"] {
        assert!(run(&serde_json::json!({"text": text, "method": method})).is_ok());
    }
    let more: String = (0..1_501).map(|n| format!("Number {n} is here. ")).collect();
    assert!(run(&serde_json::json!({"text": more})).is_err());
    assert!(run(&serde_json::json!({"text": "a ".repeat(249_999)})).is_ok());
}
