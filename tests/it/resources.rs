//! Stored resources: kept for an account, usable in its calls, invisible to other
//! accounts.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tollbridge_tests::{Client, Folder, Reply};

async fn store(client: &Client, bytes: &[u8]) -> Result<Reply> {
    let request = client.request(Method::POST, "/v1/resources").header("content-type", "text/csv");
    client.send(request.body(bytes.to_vec())).await
}

#[tokio::test]
async fn a_resource_is_kept_named_and_forgotten() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let (alice, bob) = (client.signed_up("alice@example.com").await?, client.signed_up("bob@example.com").await?);
    store(&client, b"1,2\n").await?.must_be(401, "E001")?;
    store(&alice, b"").await?.must_be(400, "E011")?;

    let kept = store(&alice, b"1,2\n").await?.must(201)?;
    let id = kept.json["resource_id"].as_str().context("no id")?.to_owned();
    ensure!(kept.json["size"] == 4 && kept.json["content_type"] == "text/csv", "{}", kept.text);
    let path = format!("/v1/resources/{id}");
    let shown = alice.get(&path).await?.must(200)?;
    ensure!(shown.text == "1,2\n" && shown.header("content-type") == Some("text/csv"), "{shown:?}");
    ensure!(shown.header("x-content-type-options") == Some("nosniff"), "{shown:?}");
    ensure!(alice.get("/v1/resources").await?.json["resources"][0]["resource_id"] == *id);

    // For another account the resource does not exist: it cannot be read, used in a call,
    // or deleted.
    bob.get(&path).await?.must_be(404, "E012")?;
    bob.send(bob.request(Method::DELETE, &path)).await?.must_be(404, "E012")?;
    ensure!(bob.get("/v1/resources").await?.json["resources"] == json!([]));
    let (named, credit) = (json!({ "resource_id": id }), [("x-payment-source", "credit")]);
    bob.call("echo", &named, &credit).await?.must_be(404, "E012")?;
    client.call("echo", &named, &[]).await?.must_be(404, "E012")?;
    ensure!(bob.get("/v1/balance").await?.json["credit_pence"] == 1_000, "a call with an unknown resource was charged");

    alice.call("echo", &named, &[]).await?.must_quote(None)?;
    alice.call("echo", &named, &credit).await?.must(200)?;
    alice.send(alice.request(Method::DELETE, &path)).await?.must(204)?;
    alice.get(&path).await?.must_be(404, "E012")?;
    alice.call("echo", &named, &credit).await?.must_be(404, "E012")?;
    ensure!(alice.get("/v1/balance").await?.json["credit_pence"] == 990);
    folder.verify()?;
    server.stop().await
}
