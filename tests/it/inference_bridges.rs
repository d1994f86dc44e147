//! Tests of this repository's bridges that use models, with a fake provider: the model's
//! cost is paid out of the price of the call.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, TEXT, USED, Wire};
use tollbridge_tests::{Client, Folder, Reply, Server, workspace};

const CREDIT: &[(&str, &str)] = &[("x-payment-source", "credit")];
/// Cost of the token usage `USED`, in millipence, rounded up: one dollar per million
/// input tokens, two per million output tokens, one dollar per pound.
const COST: u64 = (USED.0 + 2 * USED.1).div_ceil(10);

/// Starts a server with the published bridges, a cheap model and an expensive one.
async fn start(provider: &FakeProvider, more: &str) -> Result<(Folder, Server, Client)> {
    let model = |id: &str, price: u32, more: &str| {
        format!(
            "{{ id = \"{id}\", input_usd_per_mtok = {price}, output_usd_per_mtok = {}, context = 100000{more} }}",
            2 * price
        )
    };
    let models = [model("writer", 1, ""), model("costly", 100_000, ""), model("vectors", 1, ", embedding = true")];
    let config = format!(
        "[inference]\nusd_gbp = 1\n{more}\n[inference.providers.one]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\nmodels = [{}]\n",
        provider.url,
        models.join(", ")
    );
    let mut folder = Folder::new(&config)?;
    folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
    let server = folder.serve_published().await?;
    let client = folder.funded(&server, "buyer@example.com", "100.00").await?;
    Ok((folder, server, client))
}

async fn call(client: &Client, bridge: &str, input: Value) -> Result<Reply> {
    client.call(bridge, &input, CREDIT).await
}

/// Returns the amount owed to providers according to the ledger.
fn owed(folder: &Folder) -> Result<i64> {
    let export = folder.run(&["ledger", "export"])?;
    let lines = export.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.into_iter().find(|line| line["account"] == "providers");
    Ok(line.and_then(|line| line["millipence"].as_i64()).unwrap_or(0))
}

#[tokio::test(flavor = "multi_thread")]
async fn six_bridges_answer_with_a_provider_behind_them() -> Result<()> {
    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let (folder, server, client) = start(&provider, "").await?;
    let said = call(&client, "model_inference", json!({ "prompt": "hello" })).await?.must(200)?.json;
    ensure!(said["result"]["text"] == TEXT && said["result"]["provider"] == "one", "{said}");
    ensure!(said["result"]["cost_millipence"] == COST && said["result"]["model"] == "writer", "{said}");
    ensure!(owed(&folder)? == i64::try_from(COST)?, "{} is owed", owed(&folder)?);
    let cached = call(&client, "semantic_cache", json!({ "text": "Hello" })).await?.must(200)?.json;
    ensure!(cached["result"]["provider"] == "one" && cached["result"]["embedding"][0] == 0.5, "{cached}");
    provider.next([Act::Say("Hallo, wie geht es dir heute?".to_owned())]);
    let input = json!({ "text": "Hello, how are you today?", "target": "de" });
    let translated = call(&client, "translation", input).await?.must(200)?.json;
    ensure!(translated.to_string().contains("Hallo"), "{translated}");
    provider.next([Act::Say("{\"a\": [1, 2]}".to_owned())]);
    let input = json!({ "spec": "an object with a list", "language": "json" });
    let code = call(&client, "code_generation", input).await?.must(200)?.json;
    ensure!(code["result"]["passed"] == true, "{code}");
    for bridge in ["prompt_template", "summarization"] {
        let listed = client.get(&format!("/api/v1/bridges/{bridge}")).await?.must(200)?.json;
        let example = listed["examples"][0]["input"].clone();
        call(&client, bridge, example).await?.must(200)?;
    }
    ensure!(provider.wrong().is_empty(), "{:?}", provider.wrong());
    // The operator's metrics show the usage by plugin.
    let metrics = folder.metrics().await?;
    ensure!(metrics.contains("who=\"model_inference\"") && metrics.contains("provider=\"one\""), "{metrics}");
    let tokens = format!(
        "tollbridge_inference_tokens_by_total{{kind=\"plugin\",who=\"model_inference\",tokens=\"input\"}} {}",
        USED.0
    );
    ensure!(metrics.contains(&tokens), "{metrics}");
    ensure!(!metrics.contains(KEY), "the key is in the metrics");
    folder.verify()?;
    second_verifier(&folder)?;
    server.stop().await
}

/// Verifies the ledger with `docs/verify.py`, which shares no code with the server.
fn second_verifier(folder: &Folder) -> Result<()> {
    let Ok(python) = std::env::var("PYTHON") else { return Ok(()) };
    let file = folder.path().join("ledger.jsonl");
    std::fs::write(&file, folder.run(&["ledger", "export"])?)?;
    let checked =
        std::process::Command::new(python).arg(workspace().join("docs/verify.py")).arg("export").arg(&file).output()?;
    let errors = String::from_utf8_lossy(&checked.stderr);
    ensure!(checked.status.success(), "verify.py: {errors}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn models_cost_at_most_the_price_of_the_call() -> Result<()> {
    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let (folder, server, client) = start(&provider, "").await?;
    let before = client.get("/v1/balance").await?.json["credit_gbp"].clone();
    let refused = call(&client, "model_inference", json!({ "prompt": "hello", "model": "costly" })).await?;
    ensure!(refused.status != 200 && refused.text.contains("price of this call"), "{}", refused.text);
    ensure!(provider.seen().is_empty(), "the model was called anyway");
    // A failed call is free for its caller, even if its model request was billed.
    provider.next([Act::Say(String::new())]);
    let failed = call(&client, "model_inference", json!({ "prompt": "hello" })).await?;
    ensure!(failed.status == 502, "{}", failed.text);
    ensure!(client.get("/v1/balance").await?.json["credit_gbp"] == before && owed(&folder)? == 0, "charged");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn plugins_pay_nothing_while_billing_is_off() -> Result<()> {
    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let (folder, server, client) = start(&provider, "billing = \"off\"").await?;
    let said = call(&client, "model_inference", json!({ "prompt": "hello", "model": "costly" })).await?.must(200)?.json;
    ensure!(said["result"]["cost_millipence"] == 0 && owed(&folder)? == 0, "{said}");
    folder.verify()?;
    server.stop().await
}

/// A provider that fails is paused; until it may be tried again, calls of bridges say so
/// instead of failing with a fault of the bridge.
#[tokio::test(flavor = "multi_thread")]
async fn while_every_model_is_paused_a_bridge_says_when_to_try_again() -> Result<()> {
    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let (folder, server, client) = start(&provider, "").await?;
    let before = client.get("/v1/balance").await?.json["credit_gbp"].clone();
    provider.next([Act::Status(429, vec![("retry-after", "50".to_owned())], "{}".to_owned())]);
    for _ in 0..2 {
        let paused = call(&client, "model_inference", json!({ "prompt": "hello" })).await?.must_be(503, "E005")?;
        ensure!(paused.text.contains("try again in") && paused.text.contains(" s"), "{}", paused.text);
    }
    ensure!(provider.seen().len() == 1, "a paused provider was asked");
    ensure!(client.get("/v1/balance").await?.json["credit_gbp"] == before && owed(&folder)? == 0, "charged");
    folder.verify()?;
    server.stop().await
}
