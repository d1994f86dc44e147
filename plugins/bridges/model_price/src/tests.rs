//! Laws of the whole bridge.

use proptest::prelude::*;
use serde_json::{Value, json};
use tollbridge_sdk::guest;

use super::*;
use crate::input::Ability;

fn run(input: &Value) -> Result<Value, Error> {
    let bytes = serde_json::to_vec(input).unwrap();
    guest::handle(handle, &Call { now_ms: 1_790_000_000_000, ..Call::default() }, &bytes)
        .map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

fn cost(model: &Value) -> f64 {
    model["cost_usd"].as_str().unwrap().parse().unwrap()
}

#[test]
fn every_entry_of_the_table_reads() {
    let table = tables::Table::open("prices").unwrap();
    let all: Vec<Page> = Kind::PRICED.into_iter().flat_map(|kind| pages(&table, kind)).collect();
    assert_eq!(all.iter().flat_map(Page::entries).count() as u64, table.info().rows);
    for model in all.iter().flat_map(Page::entries).map(|entry| Model::read(Name::read(entry).unwrap()).unwrap()) {
        assert!(model.tiers.is_sorted_by_key(|(bound, _)| *bound), "{}", model.name.id);
        assert!(model.flags.chars().all(|flag| Ability::ALL.iter().any(|ability| ability.letter() == flag)));
    }
}

/// Words that a name of one kind has and none of another may have.
const TELLING: [(&str, &str); 11] = [
    ("embed", "embedding"),
    ("rerank", "rerank"),
    ("guard", "moderation"),
    ("moderation", "moderation"),
    ("ocr-", "ocr"),
    ("-image", "image"),
    ("flux-", "image"),
    ("-tts", "audio"),
    ("audio", "audio"),
    ("whisper", "audio"),
    ("lyria", "audio"),
];

#[test]
fn no_model_is_listed_for_what_it_is_not() {
    let table = tables::Table::open("prices").unwrap();
    for kind in Kind::PRICED {
        let pages = pages(&table, kind);
        assert!(!pages.is_empty(), "{}", kind.text());
        for name in names(&pages).unwrap() {
            // An embedding of pictures is one.
            let words = TELLING.iter().filter(|(word, _)| kind != Kind::Embedding || !word.contains("image"));
            for (word, other) in words {
                assert!(kind.text() == *other || !name.id.to_lowercase().contains(word), "{} {}", kind.text(), name.id);
            }
        }
    }
}

#[test]
fn each_kind_is_ranked_alone() {
    for kind in ["chat", "responses", "completion", "embedding", "moderation", "ocr"] {
        let answer = run(&json!({"kind": kind, "limit": 50})).unwrap();
        assert_eq!(answer["result"]["job"]["kind"], kind);
        assert!(answer["result"]["eligible"].as_u64().unwrap() > 0, "{kind}");
    }
    for kind in ["image", "audio", "video", "rerank"] {
        assert_eq!(run(&json!({"kind": kind})).unwrap_err().field(), Some("/kind"), "{kind}");
    }
}

#[test]
fn a_name_alone_is_found_in_its_kind() {
    let kind = |name: &str| run(&json!({"resource_id": name})).unwrap()["result"]["job"]["kind"].clone();
    assert_eq!((kind("gpt-4o"), kind("text-embedding-3-small")), (json!("chat"), json!("embedding")));
    let error = run(&json!({"model": "text-embedding-3-small", "kind": "chat"})).unwrap_err();
    assert!(error.to_string().contains("it is of kind `embedding`"), "{error}");
}

#[test]
fn the_largest_answer_fits_the_manifest() {
    let answer = run(&json!({"limit": 50, "gbp_per_usd": "0.763412", "calls": 1_000_000_000})).unwrap();
    assert!(answer.to_string().len() < 131_072);
}

#[test]
fn without_the_table_it_says_so() {
    let (answer, _) = tollbridge_sdk::testing::Doubles::new().without_table("prices").run(|| run(&json!({})));
    assert_eq!(answer.unwrap_err().kind(), "unavailable");
}

fn json_like() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9.]{0,6}".prop_map(Value::from),
    ];
    prop_oneof![3 => leaf.clone(), 1 => prop::collection::vec(leaf, 0..3).prop_map(Value::from)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
    }

    #[test]
    fn any_members_are_answered(members in prop::collection::btree_map("model|contains|kind|input_tokens|calls|needs|providers|gbp_per_usd|max_cost_usd|limit|resource_id", json_like(), 0..4)) {
        if let Err(error) = run(&json!(members)) {
            prop_assert!(matches!(error.kind(), "invalid-input" | "not-found"), "{}", error);
        }
    }

    #[test]
    fn dearer_never_stands_before_cheaper(input in 0u64..300_000, cached in 0u64..1_000, output in 0u64..5_000, batch: bool) {
        let job = json!({"input_tokens": input + cached, "cached_input_tokens": cached, "output_tokens": output, "batch": batch, "limit": 50});
        let answer = run(&job).unwrap();
        let models = answer["result"]["models"].as_array().unwrap();
        prop_assert!(!models.is_empty() && models.windows(2).all(|pair| cost(&pair[0]) <= cost(&pair[1])));
        let left: u64 = answer["result"]["left_out"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        let (eligible, considered) = (&answer["result"]["eligible"], &answer["result"]["considered"]);
        prop_assert_eq!(eligible.as_u64().unwrap() + left, considered.as_u64().unwrap());
        prop_assert_eq!(&run(&job).unwrap(), &answer);
    }
}
