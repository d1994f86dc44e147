//! The bridges of this repository as a client sees them: one server with default settings
//! loads all of them, and each answers its listed examples correctly.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, workspace};

/// Bridges that need a model; no model is configured in this test.
const NEED_INFERENCE: [&str; 4] = ["model_inference", "translation", "code_generation", "semantic_cache"];
/// Bridges whose answers depend on the date or on earlier calls, so they are not
/// compared.
const CHANGE: [&str; 3] = ["fraud_signal", "model_price", "proof_of_work"];

/// Size limit of the OpenAPI document, because clients download all of it before their
/// first call.
const DOCUMENT_BYTES_MAX: usize = 470_000;

#[tokio::test]
async fn every_bridge_answers_its_listed_examples() -> Result<()> {
    let folder = Folder::new("")?;
    let server = folder.serve_published().await?;
    let client = folder.funded(&server, "buyer@example.com", "100.00").await?;
    let listed = client.get("/api/v1/bridges").await?.must(200)?;
    let bridges = listed.json["bridges"].as_array().context("no bridges")?;
    let folders = std::fs::read_dir(workspace().join("plugins/bridges"))?;
    let folders = folders.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir())).count();
    ensure!(bridges.len() == folders, "{} of {folders} bridges are listed", bridges.len());
    let mut wrong = Vec::new();
    for bridge in bridges {
        let name = bridge["name"].as_str().context("no name")?;
        let status = if NEED_INFERENCE.contains(&name) { "unavailable" } else { "live" };
        ensure!(bridge["status"] == status, "{name} is {}: {bridge}", bridge["status"]);
        wrong.extend(untold(bridge).into_iter().map(|what| format!("{name}: {what}")));
        let examples = bridge["examples"].as_array().filter(|examples| !examples.is_empty());
        let examples = examples.with_context(|| format!("{name} has no examples"))?;
        wrong.extend(unexplained(&client, name, &examples[0]).await?.map(|what| format!("{name}: {what}")));
        for example in examples {
            let reply = client.call(name, &example["input"], &[("x-payment-source", "credit")]).await?;
            if let Err(why) = check(name, example, reply.status, reply.code(), &reply.json) {
                wrong.push(format!("{name} with {}: {why}; got {}", example["input"], reply.text));
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let document = client.get("/openapi.json").await?.must(200)?;
    ensure!(document.text.len() <= DOCUMENT_BYTES_MAX, "/openapi.json has {} bytes", document.text.len());
    folder.verify()?;
    server.stop().await
}

fn check(name: &str, example: &Value, status: u16, code: &str, answer: &Value) -> Result<()> {
    if NEED_INFERENCE.contains(&name) {
        ensure!((status, code) == (503, "E005"), "expected 503 E005, got {status}");
        return Ok(());
    }
    ensure!(status == 200, "expected 200, got {status}");
    for member in ["result", "method", "data", "limitations"] {
        ensure!(answer.get(member).is_some(), "the answer has no `{member}`");
    }
    ensure!(CHANGE.contains(&name) || *answer == example["output"], "expected {}", example["output"]);
    Ok(())
}

/// Checks the quote for an empty request: it must show a valid input, and the examples
/// must be callable by number. Returns a description of what is missing.
async fn unexplained(client: &Client, name: &str, example: &Value) -> Result<Option<String>> {
    let named = client.call(name, &json!({ "resource_id": "example:1" }), &[("x-payment-source", "credit")]).await?;
    if let Err(why) = check(name, example, named.status, named.code(), &named.json) {
        return Ok(Some(format!("example:1: {why}; got {}", named.text)));
    }
    if NEED_INFERENCE.contains(&name) {
        return Ok(None);
    }
    let none = client.call(name, &json!({ "resource_id": "example:99" }), &[]).await?;
    if none.status != 400 || none.json["details"]["field"] != "/resource_id" || !none.text.contains("example:1") {
        return Ok(Some(format!("example:99 gives {}", none.text)));
    }
    let quote = client.call(name, &json!({}), &[]).await?;
    let input = &quote.json["input"];
    let is_told = quote.status == 402 && input["example"] == example["input"] && input["message"].is_string();
    let schema = input["schema"].as_str().unwrap_or_default();
    Ok((!is_told || !schema.ends_with(&format!("/api/v1/bridges/{name}")))
        .then(|| format!("the quote for an empty request does not show a valid input: {}", quote.text)))
}

/// Returns the gaps in the documentation of a bridge's schemas: members without a
/// description, enum values without a meaning, optional input members without a default,
/// and a `resource_id` whose description does not say what an input with only a
/// `resource_id` means.
fn untold(bridge: &Value) -> Vec<String> {
    let mut untold = Vec::new();
    for which in ["input_schema", "output_schema"] {
        walk(&bridge[which], which, &mut untold);
    }
    let input = &bridge["input_schema"];
    let alone = description(&input["properties"]["resource_id"]);
    if !alone.to_lowercase().contains("alone") {
        untold.push(format!("the meaning of an input with only `resource_id`: {alone:?}"));
    }
    let needed = input["required"].as_array().cloned().unwrap_or_default();
    for (member, schema) in input["properties"].as_object().into_iter().flatten() {
        let reported = ["efault", "Give", "unless given", "Absent", "Left out"]
            .iter()
            .any(|word| description(schema).contains(word));
        if member != "resource_id" && !needed.contains(&Value::from(member.as_str())) && !reported {
            untold.push(format!("the default of `{member}`: {:?}", description(schema)));
        }
    }
    untold
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

fn walk(schema: &Value, at: &str, untold: &mut Vec<String>) {
    for (member, value) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}/{member}");
        // `null` and `not null` in a schema only state whether the member is present, so
        // they need no description.
        if [json!({ "type": "null" }), json!({ "not": { "type": "null" } })].contains(value) {
            continue;
        }
        if description(value).len() < 3 {
            untold.push(format!("{at} has no description"));
        }
        walk(value, &at, untold);
    }
    if schema.get("enum").is_some() {
        untold.push(format!("{at}: the meaning of the values {}", schema["enum"]));
    }
    for one in schema["oneOf"].as_array().into_iter().flatten() {
        if one.get("const").is_some() && description(one).len() < 3 {
            untold.push(format!("{at}: the meaning of the value {}", one["const"]));
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        schema[key].as_array().into_iter().flatten().for_each(|part| walk(part, at, untold));
    }
    for part in ["items", "additionalProperties"].iter().filter_map(|key| schema.get(key)) {
        walk(part, at, untold);
    }
    schema["$defs"].as_object().into_iter().flatten().for_each(|(name, part)| walk(part, name, untold));
}
