//! Compares a chat that is scanned as text with the same chat parsed as a JSON tree.

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tollbridge_core::client_json;
use tollbridge_core::fuzzing::Fuzzer;

use super::chat_text::ChatText;
use super::json_body::read_object;
use super::provider::{ModelDeployment, OutputLimitParam};
use super::request::ModelRequest;
use super::request_members::RequestMembers;
use super::testing::quirky;

/// Returns deployments that together require every variant of a request.
fn deployments() -> Vec<ModelDeployment> {
    let limits = [OutputLimitParam::AsSent, OutputLimitParam::MaxTokens, OutputLimitParam::MaxCompletionTokens];
    let mut all: Vec<ModelDeployment> = limits.into_iter().map(quirky).collect();
    let mut silent = quirky(OutputLimitParam::AsSent);
    std::sync::Arc::get_mut(&mut silent.provider).unwrap().quirks.needs_usage_option = false;
    all.push(silent);
    all
}

/// Parses JSON so that equal numbers compare equal.
fn parsed(text: &[u8]) -> Value {
    client_json::read(text).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)))
}

fn raw(text: &[u8]) -> BTreeMap<String, &RawValue> {
    serde_json::from_slice(text).unwrap()
}

/// Checks that scanning a body as text and parsing it as a tree give the same facts and
/// the same request to the provider, with the bytes unchanged where a provider requires
/// it. Returns whether the body was read as text.
fn reads_alike(body: &Bytes) -> bool {
    let read = ModelRequest::chat(body);
    let tree = read_object(body).and_then(|members| ModelRequest::converted_chat(members, body.len()));
    let (read, tree) = match (read, tree) {
        (Ok(read), Ok(tree)) => (read, tree),
        (read, tree) => {
            assert_eq!(read.map(drop).map_err(|e| format!("{e:?}")), tree.map(drop).map_err(|e| format!("{e:?}")));
            return false;
        }
    };
    let RequestMembers::Text(text) = &read.members else { return false };
    let params = |of: &ModelRequest| {
        (of.model.clone(), of.stream, of.wants_usage, of.needs, of.max_output_tokens, of.choices, of.max_cost)
    };
    assert_eq!(params(&read), params(&tree));
    assert_eq!(read.caches_for_an_hour, tree.caches_for_an_hour);
    assert_eq!(read.estimated_input(), tree.estimated_input());
    // The parser's form of a number may be shorter than the client's.
    let is_longer = body.contains(&b'.') || body.windows(2).any(|two| two == b"-0");
    let slack = if is_longer { u64::try_from(body.len()).unwrap() } else { 0 };
    assert!((tree.max_input_tokens..=tree.max_input_tokens + slack).contains(&read.max_input_tokens));
    assert_eq!(text.members(), tree.members.parsed());
    for deployment in deployments() {
        let (sent, expected) = (read.for_openai(&deployment).unwrap(), tree.for_openai(&deployment).unwrap());
        assert_eq!(parsed(&sent), parsed(&expected), "{:?}", deployment.provider.quirks);
        let (sent, came) = (raw(&sent), raw(body));
        for (name, value) in &sent {
            let is_changed =
                ["model", "stream_options", "max_tokens", "max_completion_tokens"].contains(&name.as_str());
            assert!(is_changed || value.get() == came[name].get(), "{name}");
        }
    }
    true
}

/// Generates arbitrary JSON text, with the member names that the gateway reads.
fn values() -> impl Strategy<Value = String> {
    let escape =
        prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\u0000", "\\u00e9", "\\u20AC", "\\ud83d\\ude00"]);
    let piece = prop_oneof![3 => "[ -!#-\\[\\]-~é€𝄞\\x7f]{0,6}", 1 => escape.prop_map(str::to_owned)];
    let text = prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let words = vec![
        "null",
        "true",
        "false",
        "0",
        "-0",
        "7",
        "-12",
        "1.0",
        "0.70",
        "-3.25",
        "18446744073709551616",
        "1234567890123456.5",
        "-0.000001",
        "\"text\"",
    ];
    let leaf = prop_oneof![text, prop::sample::select(words).prop_map(str::to_owned)];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let names = "(role|content|type|text|image_url|cache_control|ttl|a|b|c|é)";
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), space()).prop_map(|(items, space)| listed(&items, &space)),
            (prop::collection::btree_map(names, inner, 0..4), space()).prop_map(|(members, space)| {
                let members: Vec<String> =
                    members.iter().map(|(name, value)| format!("\"{name}\"{space}:{value}")).collect();
                format!("{{{space}{}{space}}}", members.join(&format!("{space},{space}")))
            }),
        ]
    })
}

fn space() -> impl Strategy<Value = String> {
    "[ \n\t\r]{0,2}"
}

fn listed(items: &[String], space: &str) -> String {
    format!("[{space}{}{space}]", items.join(&format!("{space},{space}")))
}

/// Generates a part of a message, or arbitrary JSON.
fn parts() -> impl Strategy<Value = String> {
    let kinds = prop::sample::select(vec!["\"text\"", "\"image_url\"", "\"file\"", "7"]);
    let part = (kinds, values(), values())
        .prop_map(|(kind, text, mark)| format!(r#"{{"text":{text},"type":{kind},"cache_control":{{"ttl":{mark}}}}}"#));
    prop_oneof![3 => part, 1 => values()]
}

fn messages() -> impl Strategy<Value = String> {
    let content = prop_oneof![
        values(),
        (prop::collection::vec(parts(), 0..4), space()).prop_map(|(all, space)| listed(&all, &space))
    ];
    let message = content.prop_map(|content| format!(r#"{{"role":"user","content":{content}}}"#));
    prop::collection::vec(prop_oneof![4 => message, 1 => values()], 1..4).prop_map(|all| listed(&all, " "))
}

/// Generates a member that the gateway reads or changes for some deployment.
fn known() -> impl Strategy<Value = (String, String)> {
    prop::sample::select(vec![
        ("stream", "true"),
        ("stream", "false"),
        ("stream_options", r#"{"include_usage":true}"#),
        ("stream_options", r#"{ "x" : 1.0, "include_usage":false }"#),
        ("stream_options", "null"),
        ("max_tokens", "9"),
        ("max_tokens", "9.0"),
        ("max_completion_tokens", "12"),
        ("max_completion_tokens", "null"),
        ("n", "2"),
        ("n", "0"),
        ("logprobs", "true"),
        ("max_cost_gbp", "\"0.05\""),
        ("max_cost_gbp", "0.050"),
        ("functions", "null"),
        ("functions", "[]"),
        ("tools", "[]"),
        ("tools", r#"[{"type":"function","cache_control":{"ttl":"1h"}}]"#),
        ("response_format", r#"{"json_schema":{"type":1},"type":"json_schema"}"#),
        ("response_format", r#"{"type":"text"}"#),
        ("response_format", "\"text\""),
        ("cache_control", r#"{"type":"ephemeral","ttl":"5m"}"#),
    ])
    .prop_map(|(name, value)| (name.to_owned(), value.to_owned()))
}

fn bodies() -> impl Strategy<Value = Bytes> {
    let others = prop::collection::vec(prop_oneof![known(), ("[a-zé]{1,3}", values())], 0..7);
    (messages(), others, any::<prop::sample::Index>(), space()).prop_map(|(messages, mut members, at, space)| {
        members.insert(at.index(members.len() + 1), ("messages".to_owned(), messages));
        members.insert(at.index(members.len() + 1), ("model".to_owned(), "\"a/b\"".to_owned()));
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("{space}\"{name}\"{space}:{space}{value}{space}")).collect();
        format!("{space}{{{}}}{space}", members.join(",")).into()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_text_is_read_and_sent_as_its_tree_is(body in bodies()) {
        reads_alike(&body);
    }
}

#[test]
fn any_input_is_read_alike() {
    Fuzzer::of("chat-request").run(|bytes| {
        let body = Bytes::copy_from_slice(bytes);
        assert!(!reads_alike(&body) || ChatText::scan(&body).is_some());
    });
}

#[test]
fn the_usual_is_read_as_text_and_sent_as_it_came() {
    let tool = json!({"type": "function", "function": {"name": "f", "parameters": {"type": "object", "required": []}}});
    let parts =
        json!([{"type": "text", "text": "what\n\"is\" it é?"}, {"type": "image_url", "image_url": {"url": "x"}}]);
    let usual = json!({
        "model": "m", "messages": [{"role": "user", "content": parts}], "stream": true, "tools": [tool],
        "stream_options": {"include_usage": true}, "max_tokens": 9, "temperature": 0.7,
        "response_format": {"type": "text"},
    });
    assert!(reads_alike(&usual.to_string().into()));
    let body = "{ \"seed\": 1.0 , \"model\": \"m\",\n\"b\":[1,  2.50],\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\"}] }";
    let sent = ModelRequest::chat(&Bytes::from(body)).unwrap().for_openai(&quirky(OutputLimitParam::AsSent)).unwrap();
    let expected = "{\"seed\": 1.0,\"b\":[1,  2.50],\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\"}],\"model\":\"up/m\"}";
    assert_eq!(String::from_utf8(sent).unwrap(), expected);
}

#[test]
fn ambiguous_json_is_sent_in_one_form() {
    let hello = r#""messages":[{"role":"user","content":"hello"}]"#;
    for (unusual, sent_as) in [
        (format!(r#"{{"model":"m","max_tokens":9,{hello},"max_tokens":1000}}"#), r#""max_tokens":1000"#),
        (format!(r#"{{"model":"m","max_tokens":9,{hello},"max_t\u006fkens":1000}}"#), r#""max_tokens":1000"#),
        (format!(r#"{{"model":"m","max_tokens":9.0,{hello}}}"#), r#""max_tokens":9"#),
        (r#"{"model":"m","messages":[{"content":"short","content":"long"}]}"#.to_owned(), r#"[{"content":"long"}]"#),
        (format!(r#"{{"model":"m",{hello},"a":{{"b":1,"c":2,"b":3}}}}"#), r#"{"b":3,"c":2}"#),
    ] {
        let body = Bytes::from(unusual);
        assert!(ChatText::scan(&body).is_none() && !reads_alike(&body));
        let request = ModelRequest::chat(&body).unwrap();
        let sent = String::from_utf8(request.for_openai(&quirky(OutputLimitParam::AsSent)).unwrap()).unwrap();
        assert!(sent.contains(sent_as), "{sent}");
    }
}
