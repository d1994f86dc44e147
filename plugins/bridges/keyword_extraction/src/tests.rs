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
    fn phrases_are_where_the_answer_says(text in "((Red|blue|BLUE|of|the|sky|über|data|3|x-y|a1b|🦀|\\PC{1,5})(,|\\.|;| |\n){1,2}){1,60}",
        most in 0..30u32, words in 0..5u32, limit in -0.1..1.1f64, language in "en|de|ru|other", excluded in "[a-z]{0,4}") {
        let input = serde_json::json!({"text": text, "max_phrases": most, "max_words": words, "deduplicate": limit,
            "language": language, "exclude": [excluded]});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            let phrases = answer["result"]["phrases"].as_array().expect("phrases");
            prop_assert!(phrases.len() <= most as usize);
            let scores: Vec<f64> = phrases.iter().map(|phrase| phrase["score"].as_f64().expect("a number")).collect();
            prop_assert!(scores.windows(2).all(|pair| pair[0] <= pair[1]), "{scores:?}");
            for phrase in phrases {
                let phrase_text = phrase["text"].as_str().expect("text").to_lowercase();
                prop_assert!(phrase_text.split(' ').count() <= words as usize);
                for place in phrase["places"].as_array().expect("places") {
                    let member = |name: &str| place[name].as_u64().expect("a number") as usize;
                    let there = text.get(member("start_byte")..member("end_byte")).expect("a place in the text");
                    let flat = there.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
                    prop_assert_eq!(&flat, &phrase_text);
                    let by_chars: String = text.chars().skip(member("start_char")).take(member("end_char") - member("start_char")).collect();
                    prop_assert_eq!(by_chars, there);
                }
            }
        }
        prop_assert_eq!(answer, run(&input));
    }
}

#[test]
fn large_inputs_are_answered() {
    let words: String = (0..22_000u32).map(|n| format!("w{}xyzabc ", char::from(b'a' + (n % 26) as u8))).collect();
    assert!(run(&serde_json::json!({"text": words})).is_ok());
    let letters = |mut n: u32| {
        (0..4)
            .map(|_| {
                let c = char::from(b'a' + (n % 26) as u8);
                n /= 26;
                c
            })
            .collect::<String>()
    };
    let text: String = (0..38_000u32)
        .map(|n| letters(n.wrapping_mul(2_654_435_761) >> 12) + if n % 9 == 0 { ". " } else { " " })
        .collect();
    assert!(run(&serde_json::json!({"text": text, "max_phrases": 100, "max_words": 4, "deduplicate": 0.01})).is_ok());
}
