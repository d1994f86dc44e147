//! The built-in embedding model: what a server sells with its file and without it, and how
//! accounts share it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, guest, manifest};

const EMBEDDINGS: &str = "/v1/embeddings";
const MODEL: &str = "builtin/all-minilm-l6-v2";
/// A price of 1,000 dollars per million tokens at one dollar per pound: 100 millipence per
/// token.
const PRICED: &str = "[inference]\nusd_gbp = 1\n[inference.builtin]\ninput_usd_per_mtok = 1000\n";
const TOKEN_COST: u64 = 100;

/// Creates a folder whose server finds the file of the model.
fn folder_with_model(config: &str) -> Result<Folder> {
    let mut folder = Folder::new(config)?;
    let model = std::env::var("EMBEDDING_MODEL").context("EMBEDDING_MODEL is the model's file; `make e2e` sets it")?;
    folder.variables.push(("TOLLBRIDGE__INFERENCE__BUILTIN__PATH".to_owned(), model));
    Ok(folder)
}

/// Publishes a bridge that needs an embedding model, and one that needs a chat model.
fn publish_needy(folder: &Folder) -> Result<()> {
    for (name, models) in [("vectors", "embedding"), ("chats", "chat")] {
        let granted = manifest(name, "1.0.0", "0.10").replace("[limits]", "grants = [\"inference\"]\n[limits]");
        let text = format!("{granted}[[needs]]\ngrant = \"inference\"\nmodels = \"{models}\"\n");
        folder.publish(&text, &guest::echo("1.0.0")?)?;
    }
    Ok(())
}

async fn embed(client: &Client, input: Value) -> Result<Reply> {
    client.post(EMBEDDINGS, &json!({ "model": MODEL, "input": input })).await
}

fn vectors(reply: &Reply) -> Result<Vec<Vec<f64>>> {
    let data = reply.json["data"].as_array().context("no data")?;
    data.iter().map(|item| Ok(serde_json::from_value(item["embedding"].clone())?)).collect()
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Returns the sum of all charges, in millipence.
fn charged(folder: &Folder) -> Result<u64> {
    let export = folder.run(&["ledger", "export"])?;
    let lines = export.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.into_iter().find(|line| line["account"] == "providers");
    Ok(line.and_then(|line| line["millipence"].as_u64()).unwrap_or(0))
}

fn doctor(folder: &Folder) -> Result<Value> {
    let found: Value = serde_json::from_slice(&folder.try_run(&["--json", "doctor"])?.stdout)?;
    let own = found.as_array().and_then(|all| all.iter().find(|one| one["what"] == "embeddings"));
    own.cloned().context("the doctor does not mention embeddings")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_server_with_the_file_sells_embeddings_and_no_chats() -> Result<()> {
    let folder = folder_with_model(PRICED)?;
    publish_needy(&folder)?;
    let found = doctor(&folder)?;
    ensure!(found["ok"] == true && found["text"].as_str().is_some_and(|text| text.contains("minilm")), "{found}");
    let server = folder.serve().await?;
    let before = server.resident_kb()?;
    let client = server.client().signed_up("ada@example.com").await?;
    let texts = ["How do I reset my password?", "I forgot my password and cannot log in.", "A cat sat on the mat."];
    let reply = embed(&client, json!(texts)).await?.must(200)?;
    ensure!(reply.header("x-provider") == Some("builtin"), "{reply:?}");
    let three: [Vec<f64>; 3] = vectors(&reply)?.try_into().ok().context("not three vectors")?;
    let [question, paraphrase, other] = three;
    ensure!(question.len() == 384 && (cosine(&question, &question) - 1.0).abs() < 1e-3, "not of length 1");
    let (near, far) = (cosine(&question, &paraphrase), cosine(&question, &other));
    ensure!(near > far + 0.3, "{near} and {far}");
    let tokens = reply.json["usage"]["prompt_tokens"].as_u64().context("no usage")?;
    ensure!((20..40).contains(&tokens) && charged(&folder)? == tokens * TOKEN_COST, "{}", reply.text);
    // The model takes 132 MiB while it is loaded, and less later.
    let grown = server.resident_kb()?.saturating_sub(before);
    ensure!(grown < 150 << 10, "{grown} kB more are resident");

    let auto = json!({ "model": "auto", "input": texts[0], "encoding_format": "base64" });
    let auto = client.post(EMBEDDINGS, &auto).await?.must(200)?.json;
    ensure!(auto["data"][0]["embedding"].as_str().is_some_and(|text| text.len() == 384 * 4 / 3 * 4), "{auto}");
    for wrong in [json!([]), json!([1, 2])] {
        embed(&client, wrong).await?.must(400)?;
    }
    let chat = json!({ "model": "auto", "messages": [{ "role": "user", "content": "hello" }] });
    client.post("/v1/chat/completions", &chat).await?.must_be(503, "E005")?;
    let status = async |name: &str| -> Result<Value> {
        Ok(client.get(&format!("/v1/bridges/{name}")).await?.must(200)?.json["status"].clone())
    };
    ensure!(status("vectors").await? == "live" && status("chats").await? == "unavailable");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_file_what_needs_it_is_unavailable() -> Result<()> {
    let folder = Folder::new("")?;
    publish_needy(&folder)?;
    let found = doctor(&folder)?;
    ensure!(found["text"].as_str().is_some_and(|text| text.contains("unavailable")), "{found}");
    let server = folder.serve().await?;
    let client = server.client().signed_up("ada@example.com").await?;
    let listed = client.get("/v1/bridges/vectors").await?.must(200)?.json;
    let reason = listed["reason"].as_str().unwrap_or_default();
    ensure!(listed["status"] == "unavailable" && reason.contains("model file"), "{listed}");
    client.call("vectors", &json!({}), &[]).await?.must_be(503, "E005")?;
    let refused = embed(&client, json!("text")).await?.must_be(503, "E005")?;
    ensure!(refused.text.contains("fetch-model.sh"), "the error does not name the fix: {}", refused.text);
    let checked = folder.run_json(&["config", "check"])?;
    let builtin = checked["providers"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "builtin"));
    ensure!(builtin.is_some_and(|one| one["live"] == false && one["why_not"].is_string()), "{checked}");
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_one_account_is_refused_and_delays_no_other() -> Result<()> {
    let folder = folder_with_model(PRICED)?;
    let server = folder.serve().await?;
    let crowd = folder.funded(&server, "crowd@example.com", "100.00").await?;
    let other = server.client().signed_up("other@example.com").await?;
    // Load the model first.
    let loaded = embed(&other, json!("one")).await?.must(200)?;
    let requests = join_all((0..48).map(|number| {
        let texts: Vec<String> = (0..8).map(|text| format!("request {number}, text {text}")).collect();
        embed(&crowd, json!(texts))
    }));
    let crowd = async { (requests.await, Instant::now()) };
    let single = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        (embed(&other, json!("two")).await, Instant::now())
    };
    let ((replies, crowd_ended), (single, single_ended)) = join(crowd, single).await;
    let single = single?.must(200)?;
    ensure!(single_ended < crowd_ended, "the other account waited for the whole crowd");
    let mut tokens = 0;
    let mut refused = 0;
    for reply in replies.into_iter().chain([Ok(loaded), Ok(single)]) {
        let reply = reply?;
        if reply.status == 429 {
            ensure!(reply.header("retry-after").is_some(), "{reply:?}");
            refused += 1;
        } else {
            tokens += reply.must(200)?.json["usage"]["prompt_tokens"].as_u64().context("no usage")?;
        }
    }
    ensure!(refused > 0, "no request was refused");
    ensure!(charged(&folder)? == tokens * TOKEN_COST, "refused requests were charged");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_semantic_cache_is_live_on_a_fresh_server() -> Result<()> {
    let folder = folder_with_model("")?;
    let server = folder.serve_published().await?;
    let client = folder.funded(&server, "buyer@example.com", "10.00").await?;
    let listed = client.get("/v1/bridges/semantic_cache").await?.must(200)?.json;
    ensure!(listed["status"] == "live", "{listed}");
    let answer = client.call("semantic_cache", &json!({ "text": "Hello" }), &[("x-payment-source", "credit")]).await?;
    let answer = answer.must(200)?.json;
    let vector = answer["result"]["embedding"].as_array().context("no vector")?;
    ensure!(vector.len() == 384 && answer["result"]["provider"] == "builtin", "{answer}");
    folder.verify()?;
    server.stop().await
}
