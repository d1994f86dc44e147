//! Laws of the whole bridge.

use bridge_common::code::BYTES_MAX;
use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

const LANGUAGES: [&str; 11] =
    ["python", "javascript", "typescript", "java", "csharp", "kotlin", "go", "rust", "c", "cpp", "php"];

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = guest::handle(handle, &Call::default(), &serde_json::to_vec(input).expect("JSON writes"))?;
    Ok(serde_json::from_slice(&bytes).expect("JSON"))
}

proptest! {
    #[test]
    fn lines_add_up_in_any_text(text in "((if|for|fn|def|func|case|match|=>|x|[(){}:;\"'`/*#\n ?&|]|é| and ){0,60})", language in prop::sample::select(LANGUAGES.to_vec())) {
        let input = serde_json::json!({"source": text, "language": language, "duplicate_tokens": 20});
        let answer = run(&input).expect("an answer");
        let totals = &answer["result"]["totals"];
        let sum: u64 = ["code_lines", "comment_lines", "blank_lines"].iter().filter_map(|name| totals[*name].as_u64()).sum();
        prop_assert_eq!(sum, text.lines().count() as u64);
        for function in answer["result"]["functions"].as_array().expect("functions") {
            prop_assert!(function["line"].as_u64() <= function["end_line"].as_u64() && function["cyclomatic"].as_u64() >= Some(1));
        }
        prop_assert_eq!(&answer, &run(&input).expect("an answer"));
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,80}", language in prop::sample::select(LANGUAGES.to_vec())) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let _ = run(&serde_json::json!({"source": text, "language": language}));
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes };
        let call = Call { resource: Some(resource), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }
}

/// Text of the largest size, of these parts again and again.
fn largest(parts: &[&str]) -> String {
    parts.concat().repeat(1 + BYTES_MAX / parts.concat().len().max(1)).chars().take(BYTES_MAX).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 0, ..ProptestConfig::default() })]

    /// Quadratic work would take minutes.
    #[test]
    fn the_largest_sources_are_answered(
        parts in prop::collection::vec(prop::sample::select(vec![
            "function f(", "function f() {", "def f(", "def f():", "def f():\n ", "f(", "(", ")", "{", "}", "[", "=> {", "x = (a) => {", "? ", ": ",
            "if (a) ", "else ", "case ", "\n", " ", "\"", "'", "`", "/*", "//", "#", "a", "1", "&& ", "<", ">", ",", ";", "async def f", "r#\"", "$",
        ]), 1..4),
        language in prop::sample::select(LANGUAGES.to_vec()),
    ) {
        let start = std::time::Instant::now();
        let text = largest(&parts);
        if let Err(error) = run(&serde_json::json!({"source": text, "language": language})) {
            prop_assert!(error.message().contains("300000 tokens"), "{error}");
        }
        prop_assert!(start.elapsed().as_secs() < 60, "{parts:?} in {language}: {:?}", start.elapsed());
    }
}

#[test]
fn functions_in_functions_and_on_one_line_are_answered() {
    for (part, tokens, language) in [
        ("function f(", 3, "javascript"),
        ("function f() {", 5, "javascript"),
        ("def f(): ", 5, "python"),
        ("def f() ", 4, "python"),
        ("x = (a) => {", 7, "typescript"),
        ("? ", 1, "javascript"),
    ] {
        let text = part.repeat((MOST_TOKENS / tokens).min(BYTES_MAX / part.len()));
        assert!(run(&serde_json::json!({"source": text, "language": language})).is_ok(), "{part}");
    }
    let error =
        run(&serde_json::json!({"source": "? ".repeat(MOST_TOKENS + 1), "language": "c"})).expect_err("refused");
    assert_eq!(error.field(), Some("/source"));
    let deep: String = (0..1_000).map(|depth| format!("{}def f():\n", " ".repeat(depth))).collect();
    let answer = run(&serde_json::json!({"source": format!("{deep}{}x", " ".repeat(1_000)), "language": "python"}));
    let functions = answer.expect("an answer")["result"]["totals"]["functions"].as_u64();
    assert_eq!(functions, Some(1_000));
}

#[test]
fn large_sources_take_linear_time() {
    for text in [
        "if (a) { ".repeat(20_000),
        "f(a) ".repeat(30_000),
        "(".repeat(50_000),
        "'a ".repeat(30_000),
        "x".repeat(1_000_000),
    ] {
        for language in ["javascript", "cpp", "rust"] {
            assert!(run(&serde_json::json!({"source": text, "language": language})).is_ok());
        }
    }
}
