//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tollbridge_sdk::{guest, inference::Embeddings, testing::Doubles};

use super::*;

fn run(now_ms: u64, input: &Value) -> Result<Value, Error> {
    let call = Call { caller: Some("c".into()), now_ms, ..Call::default() };
    let bytes = serde_json::to_vec(input).unwrap();
    guest::handle(handle, &call, &bytes).map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap()["result"].clone())
}

fn put(now_ms: u64, text: &str, answer: &str) {
    run(now_ms, &json!({"op": "put", "text": text, "answer": answer, "ttl_s": 60})).unwrap();
}

fn get(now_ms: u64, text: &str) -> Value {
    run(now_ms, &json!({"op": "get", "text": text})).unwrap()
}

/// Vectors that a provider gives for a question and one that is kept.
fn vectors(mine: [f32; 2], kept: [f32; 2]) -> Embeddings {
    let vectors = vec![mine.to_vec(), kept.to_vec()];
    Embeddings { vectors, model: "m".into(), provider: "p".into(), ..Embeddings::default() }
}

#[test]
fn finds_same_and_near_questions_only() {
    let doubles = Doubles::new().embedding(vectors([0.8, 0.6], [1.0, 0.0])).embedding(vectors([0.0, 1.0], [1.0, 0.0]));
    let (_, _) = doubles.run(|| {
        put(1_000, "What is the capital of France?", "Paris");
        put(1_000, "How do I enable logging?", "Set log = true.");
        let exact = get(4_500, "  what is the CAPITAL of France? ");
        assert_eq!(
            (&exact["matched"], &exact["answer"], &exact["age_s"], &exact["model"]),
            (&json!("exact"), &json!("Paris"), &json!(3), &Value::Null)
        );
        let near = get(4_500, "what's the capital of France");
        assert_eq!((&near["matched"], &near["answer"], &near["model"]), (&json!("near"), &json!("Paris"), &json!("m")));
        assert!((near["similarity"].as_f64().unwrap() - 0.8).abs() < 1e-6);
        // The same words, but the provider's vectors are far apart.
        assert_eq!(get(4_500, "what's the capital of France")["cached"], false);
        // What does not pass the gate is not even sent to the provider, which has no more vectors here.
        for other in [
            "How do I disable logging?",
            "How do I not enable logging?",
            "What is the capital of Germany?",
            "What was the capital of France?",
        ] {
            assert_eq!(get(4_500, other)["cached"], false, "{other}");
        }
        assert_eq!(
            run(2_000, &json!({"op": "get", "text": "how do i enable logging", "exact_only": true})).unwrap()["cached"],
            false
        );
        assert_eq!(
            run(2_000, &json!({"op": "get", "text": "how do i enable logging?", "namespace": "x"})).unwrap()["cached"],
            false
        );
        assert_eq!(get(61_001, "What is the capital of France?")["cached"], false, "expired");
        assert_eq!(run(2_000, &json!({"op": "forget", "text": "how do i enable logging?"})).unwrap()["changed"], true);
        assert_eq!(get(2_000, "How do I enable logging?")["cached"], false);
    });
}

#[test]
fn a_near_match_needs_a_provider() {
    let (_, _) = Doubles::new().run(|| {
        put(1_000, "What is the capital of France?", "Paris");
        let error = run(2_000, &json!({"op": "get", "text": "what's the capital of France"})).unwrap_err();
        assert_eq!(error.kind(), "no-provider");
    });
    let one = Embeddings { vectors: vec![vec![1.0]], model: "m".into(), ..Embeddings::default() };
    let (_, _) = Doubles::new().embedding(one).run(|| {
        put(1_000, "What is the capital of France?", "Paris");
        let error = run(2_000, &json!({"op": "get", "text": "what's the capital of France"})).unwrap_err();
        assert_eq!(error.kind(), "upstream", "one vector for two texts");
    });
}

#[test]
fn a_provider_is_asked_once() {
    let made =
        Embeddings { vectors: vec![vec![0.5, -0.5]], model: "m".into(), provider: "p".into(), ..Embeddings::default() };
    let (_, recorded) = Doubles::new().embedding(made).run(|| {
        let first = run(1, &json!({"text": "a"})).unwrap();
        let again = run(2, &json!({"text": "a"})).unwrap();
        assert_eq!((&first["cached"], &again["cached"]), (&json!(false), &json!(true)));
        assert_eq!((&first["embedding"], &first["model"]), (&again["embedding"], &again["model"]));
        assert_eq!(run(3, &json!({"text": "b"})).unwrap_err().kind(), "upstream");
    });
    assert_eq!(recorded.buckets["caller"].len(), 1);
}

#[test]
fn without_a_key_nothing_is_kept() {
    let made = Embeddings { vectors: vec![vec![1.0]], model: "m".into(), ..Embeddings::default() };
    let (done, recorded) = Doubles::new().embedding(made).run(|| {
        let get = guest::handle(handle, &Call::default(), br#"{"op": "get", "text": "x"}"#);
        assert_eq!(get.unwrap_err().field(), Some("/op"));
        guest::handle(handle, &Call::default(), br#"{"text": "x"}"#)
    });
    assert!(done.is_ok() && recorded.buckets.is_empty());
}

#[test]
fn memory_is_bounded() {
    let (_, recorded) = Doubles::new().run(|| {
        for step in 0..900u64 {
            put(step, &format!("question number {step} {}", "x".repeat(1_900)), "y");
        }
        assert_eq!(get(900, &format!("question number 899 {}", "x".repeat(1_900)))["cached"], true);
    });
    let bucket = &recorded.buckets["caller"];
    assert!(bucket.len() <= 8 * 49 && bucket.values().all(|bytes| bytes.len() < 256 << 10));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Doubles::new().run(|| guest::handle(handle, &Call::default(), &bytes));
    }

    #[test]
    fn what_is_put_is_got(text in "\\PC{1,60}", answer in "\\PC{1,60}", other in "\\PC{1,60}", now in 0u64..1 << 50) {
        let (done, _) = Doubles::new().run(|| {
            run(now, &json!({"op": "put", "text": text, "answer": answer}))?;
            let hit = run(now, &json!({"op": "get", "text": text}))?;
            assert_eq!((&hit["matched"], &hit["answer"]), (&json!("exact"), &json!(answer)));
            let words = |text: &str| text::content(&text::normalise(text));
            match run(now, &json!({"op": "get", "text": other})) {
                Ok(hit) if hit["cached"] == true => assert_eq!(text::normalise(&text), text::normalise(&other)),
                // Only what passes the gate is sent to a provider, of which there is none here.
                Err(error) if error.kind() == "no-provider" => assert_eq!(words(&text), words(&other)),
                _ => {}
            }
            Ok::<(), Error>(())
        });
        if let Err(error) = done {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
    }
}
