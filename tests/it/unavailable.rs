//! A plugin that cannot answer is not sold: it is listed with the reason, refused before
//! any quote, and sold again as soon as it can answer.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::provider::{FakeProvider, KEY, KEY_VARIABLE, Wire};
use tollbridge_tests::{Client, Folder, Person, eventually, guest, intent_of, manifest, worker, worker_manifest};

/// Returns the manifest of a bridge that needs models for every input.
fn asking(name: &str) -> String {
    let granted = manifest(name, "1.0.0", "0.10").replace("[limits]", "grants = [\"inference\"]\n[limits]");
    format!("{granted}[[needs]]\ngrant = \"inference\"\n")
}

async fn listed(client: &Client, path: &str, list: &str, name: &str) -> Result<Value> {
    let reply = client.get(path).await?.must(200)?;
    let all = reply.json[list].as_array().context("no list")?;
    let one = all.iter().find(|one| one["name"] == name).with_context(|| format!("{name} is not in {}", reply.text))?;
    Ok(one.clone())
}

fn is_unavailable(one: &Value, reason: &str, pence: u64) -> Result<()> {
    ensure!(one["status"] == "unavailable" && one["price_pence"] == pence, "{one}");
    ensure!(one["purpose"] == "for tests" || one["description"] == "for tests", "{one}");
    ensure!(one["reason"].as_str().is_some_and(|text| text.contains(reason)), "{one}");
    Ok(())
}

#[tokio::test]
async fn without_a_provider_what_needs_models_is_not_sold() -> Result<()> {
    let mut folder = Folder::new("")?;
    folder.publish(&asking("asks"), &guest::echo("1.0.0")?)?;
    folder.publish(&format!("{}models = \"embedding\"\n", asking("embeds")), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    let client = server.client();
    for prefix in ["/v1", "/api/v1"] {
        is_unavailable(&listed(&client, &format!("{prefix}/bridges"), "bridges", "asks").await?, "inference", 10)?;
        let one = client.get(&format!("{prefix}/bridges/asks")).await?.must(200)?;
        is_unavailable(&one.json, "inference", 10)?;
    }
    let document = client.get("/openapi.json").await?.must(200)?.json;
    let text = document["paths"]["/v1/oracle/asks"]["post"]["description"].as_str().unwrap_or_default();
    ensure!(text.contains("Unavailable now"), "{text}");
    for page in ["/", "/catalogue", "/catalogue/bridges/asks"] {
        let page = client.get(page).await?.must(200)?;
        ensure!(page.text.contains("Unavailable now"), "{}", page.text);
    }
    let refused = client.call("asks", &json!({}), &[]).await?.must_be(503, "E005")?;
    ensure!(refused.json["payment"].is_null(), "the answer contains a quote: {}", refused.text);
    ensure!(refused.text.contains("[inference.providers.NAME]"), "the error does not name the fix: {}", refused.text);
    let payer = client.with_key(&folder.key()?.1);
    payer.call_on_credit("asks").await?.must_be(503, "E005")?;
    ensure!(payer.get("/v1/balance").await?.json["credit_pence"] == 1000, "the call was charged");
    server.stop().await?;

    let provider = FakeProvider::start(Wire::OpenAi).await?;
    let model = "{ id = \"m\", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = 100000 }";
    let inference = format!(
        "\n[inference]\nusd_gbp = 1\n[inference.providers.one]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\n\
         models = [{model}]\n",
        provider.url
    );
    let config = std::fs::read_to_string(folder.config())?;
    std::fs::write(folder.config(), format!("{config}{inference}"))?;
    folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
    let server = folder.serve().await?;
    let client = server.client();
    let one = listed(&client, "/v1/bridges", "bridges", "asks").await?;
    ensure!(one["status"] == "live" && one["reason"].is_null(), "{one}");
    client.call("asks", &json!({}), &[]).await?.must_quote(None)?;
    // A provider of chat models does not help a bridge that needs embeddings.
    is_unavailable(&listed(&client, "/v1/bridges", "bridges", "embeds").await?, "embedding model", 10)?;
    let refused = client.call("embeds", &json!({}), &[]).await?.must_be(503, "E005")?;
    ensure!(refused.text.contains("`embedding = true`"), "the error does not name the fix: {}", refused.text);
    server.stop().await?;
    folder.verify().map(drop)
}

#[tokio::test]
async fn an_agent_whose_bridge_lacks_models_is_not_sold_either() -> Result<()> {
    let folder = Folder::new("")?;
    let server = folder.serve().await?;
    let account = folder.key()?.0;
    folder.run(&["publisher", "new", "maker", "--account", &account, "--trust"])?;
    folder.publish(&asking("asks"), &guest::echo("1.0.0")?)?;
    let text = worker_manifest("maker", "worker", "0.20", "asks", 1_000);
    let text = format!("{text}[[needs]]\nbridge = \"asks\"\n");
    let published = folder.try_publish("maker", &folder.registry(), &text, &worker("asks")?)?;
    ensure!(published.status.success(), "{}", String::from_utf8_lossy(&published.stderr));
    let caller = folder.funded(&server, "caller@example.com", "10.00").await?;
    eventually("the agent is listed", 30, async || {
        // While the agent is loading, it is listed; it is unavailable until the bridge
        // that it calls is loaded.
        let agent = caller.get("/api/v1/agents/worker").await?;
        let lacks_models = agent.json["reason"].as_str().is_some_and(|reason| reason.contains("inference"));
        Ok((agent.json["component_sha256"].is_string() && lacks_models).then_some(()))
    })
    .await?;
    is_unavailable(&listed(&caller, "/api/v1/agents", "agents", "worker").await?, "inference", 20)?;
    let before = caller.get("/v1/balance").await?.json["credit_pence"].clone();
    let task = json!({ "task": "hello" });
    caller.post("/v1/agents/worker/invoke", &task).await?.must_be(503, "E005")?;
    let routed = json!({ "capability": "testing", "task": "hello" });
    caller.post("/v1/route", &routed).await?.must_be(503, "E005")?;
    let queued = json!({ "agent": "worker", "task": "hello" });
    caller.post("/v1/agents/enqueue", &queued).await?.must_be(503, "E005")?;
    let product = json!({ "product": "agent:worker", "quantity": 100 });
    caller.post("/api/v1/checkout/session", &product).await?.must_be(503, "E005")?;
    ensure!(caller.get("/v1/balance").await?.json["credit_pence"] == before, "the call was charged");
    folder.verify().map(drop)
}

/// If a plugin becomes unavailable between quote and payment, no money is taken.
#[tokio::test]
async fn a_removed_plugin_costs_nothing() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let quote = client.call("echo", &json!({}), &[]).await?.must_quote(None)?;
    let intent = intent_of(&quote)?;
    folder.run(&["plugin", "disable", "echo"])?;
    eventually("echo is down", 30, async || {
        let one = client.get("/v1/bridges/echo").await?.must(200)?.json;
        Ok((one["status"] == "unavailable").then_some(()))
    })
    .await?;
    client.post(&format!("/pay/{intent}"), &json!({})).await?.must_be(503, "E016")?;
    let page = Person::new(&client).visit(&format!("/pay/{intent}")).await?.must(200)?;
    ensure!(page.text.contains("Not available now") && !page.text.contains("<form"), "{}", page.text);
    ensure!(client.get(&format!("/v1/payments/{intent}")).await?.json["state"] == "unpaid");
    folder.verify().map(drop)
}

#[tokio::test]
async fn a_bridge_that_is_down_keeps_its_price_and_purpose() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    folder.run(&["plugin", "disable", "echo"])?;
    eventually("echo is down", 30, async || {
        let one = client.get("/v1/bridges/echo").await?.must(200)?.json;
        Ok((one["status"] == "unavailable").then_some(()))
    })
    .await?;
    is_unavailable(&listed(&client, "/v1/bridges", "bridges", "echo").await?, "disabled", 10)?;
    client.call("echo", &json!({}), &[]).await?.must_be(503, "E016")?;
    folder.verify().map(drop)
}

/// Checks the published bridges, without a model provider and without the operator's
/// tables.
#[tokio::test]
async fn the_published_bridges_sell_only_what_they_can_answer() -> Result<()> {
    let folder = Folder::new("")?;
    let server = folder.serve_published().await?;
    let client = server.client();
    for name in ["model_inference", "translation", "code_generation", "semantic_cache"] {
        let one = listed(&client, "/v1/bridges", "bridges", name).await?;
        ensure!(one["status"] == "unavailable" && one["reason"].is_string(), "{one}");
        client.call(name, &json!({ "resource_id": "x" }), &[]).await?.must_be(503, "E005")?;
    }
    for name in ["translation", "coding"] {
        let one = listed(&client, "/api/v1/agents", "agents", name).await?;
        ensure!(one["status"] == "unavailable" && one["reason"].is_string(), "{one}");
    }
    // A plugin that can answer some inputs is listed as live, but calls are sold only for
    // those inputs.
    let name = "sanctions_screen";
    ensure!(listed(&client, "/v1/bridges", "bridges", name).await?["status"] == "live", "{name}");
    let sold = json!({ "subjects": [{ "name": "Jane Doe" }], "list": [{ "name": "Jane Doe" }] });
    client.call(name, &sold, &[]).await?.must_quote(None)?;
    client.call(name, &json!({}), &[]).await?.must_quote(None)?;
    let refused = json!({ "resource_id": "Jane Doe" });
    let reply = client.call(name, &refused, &[]).await?.must_be(503, "E027")?;
    ensure!(reply.json["payment"].is_null(), "the answer contains a quote: {}", reply.text);
    server.stop().await?;
    folder.verify().map(drop)
}
