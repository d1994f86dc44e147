//! The bridges of this repository, as a client finds them: all load in one
//! server with its default settings, and each answers its listed examples.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tollbridge_tests::{Folder, Server, workspace};

/// They ask a model, and none is configured.
const NEED_INFERENCE: [&str; 3] = ["model_inference", "translation", "code_generation"];
/// Their answers depend on the day, or on what this server has seen before.
const CHANGE: [&str; 4] = ["fraud_signal", "model_price", "proof_of_work", "semantic_cache"];

#[tokio::test]
async fn every_bridge_answers_its_listed_examples() -> Result<()> {
    let folder = Folder::new("")?;
    let registry = workspace().join("plugin-registry");
    let registry = registry.to_str().context("the path is not UTF-8")?;
    let server = Server::start(&folder, &["--registry", registry]).await?;
    let client = folder.funded(&server, "buyer@example.com", "100.00").await?;
    let listed = client.get("/api/v1/bridges").await?.must(200)?;
    let bridges = listed.json["bridges"].as_array().context("no bridges")?;
    let folders = std::fs::read_dir(workspace().join("plugins/bridges"))?;
    let folders = folders.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir())).count();
    ensure!(bridges.len() == folders, "{} of {folders} bridges are listed", bridges.len());
    let mut wrong = Vec::new();
    for bridge in bridges {
        let name = bridge["name"].as_str().context("no name")?;
        ensure!(bridge["status"] == "live", "{name} is {}: {bridge}", bridge["status"]);
        for (member, value) in bridge["input_schema"]["properties"].as_object().into_iter().flatten() {
            let told = value.get("description").or_else(|| value.get("$ref"));
            ensure!(told.is_some(), "{name}: nothing is said of {member}");
        }
        let examples = bridge["examples"].as_array().filter(|examples| !examples.is_empty());
        for example in examples.with_context(|| format!("{name} has no examples"))? {
            let reply = client.call(name, &example["input"], &[("x-payment-source", "credit")]).await?;
            if let Err(why) = check(name, example, reply.status, reply.code(), &reply.json) {
                wrong.push(format!("{name} with {}: {why}; got {}", example["input"], reply.text));
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
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
