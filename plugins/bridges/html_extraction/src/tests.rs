//! Laws of the whole bridge.

use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = guest::handle(handle, &Call::default(), &serde_json::to_vec(input).expect("JSON writes"))?;
    Ok(serde_json::from_slice(&bytes).expect("JSON"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes };
        let call = Call { resource: Some(resource), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn any_tags_are_answered(
        html in "(</?(a|b|p|div|table|tr|td colspan=3 rowspan=0|th|caption|template|svg|math|select|option|form|body|li|pre|script|title|frameset|a href=\"?x)>|[a-z ,.\n]{1,30}|<!--|-->|&amp;){0,60}",
        most in 1..50u32) {
        let input = serde_json::json!({"html": html, "max_characters": most, "base_url": "https://example.org/"});
        let answer = run(&input);
        if let Err(error) = &answer {
            prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
        }
        if let Ok(answer) = &answer {
            let result = &answer["result"];
            let text = result["main"]["text"].as_str().expect("text");
            prop_assert!(text.chars().count() <= most as usize && text.trim() == text, "{text:?}");
            for table in result["tables"].as_array().expect("tables") {
                let columns = table["columns"].as_u64().expect("columns") as usize;
                prop_assert!(table["rows"].as_array().expect("rows").iter().all(|row| row.as_array().map(Vec::len) == Some(columns)));
            }
        }
        prop_assert_eq!(answer, run(&input));
    }
}

#[test]
fn large_documents_are_answered_or_refused() {
    let many = |part: &str| part.repeat(1_000_000 / part.len());
    for part in [
        "<div>",
        "<p>text, and more</p>",
        "<td rowspan=0 colspan=999>",
        "<a b=c",
        "x ",
        "<!-- a b c",
        "<p><font a=1></p>",
        "<table><tr><td>",
    ] {
        if let Err(error) = run(&serde_json::json!({"html": many(part)})) {
            assert_eq!((error.kind(), error.field()), ("invalid-input", Some("/html")), "{part}: {error}");
        }
    }
    let attributes: String = (0..100_000).map(|n| format!(" a{n}")).collect();
    assert!(run(&serde_json::json!({"html": format!("<p{attributes}>x")})).is_err());
    assert!(run(&serde_json::json!({"html": format!("<!--{attributes}--><p>x")})).is_ok());
    assert!(run(&serde_json::json!({"html": format!("<script>a<b {attributes}</script><p>x")})).is_ok());
}
