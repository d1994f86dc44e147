//! Files and batches: each line is processed like a direct call, and its result is in the
//! output file, even if the server restarts in between.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use tollbridge_tests::provider::{Act, TEXT};
use tollbridge_tests::{Client, Reply, eventually};

use crate::inference::{COST, DEARER_COST, Gateway, hello};

const FILES: &str = "/v1/files";
const BATCHES: &str = "/v1/batches";
const CHAT: &str = "/v1/chat/completions";

fn line(custom_id: &str, url: &str, body: &Value) -> String {
    format!("{}\n", json!({ "custom_id": custom_id, "method": "POST", "url": url, "body": body }))
}

fn chats(count: usize) -> String {
    (1..=count).map(|number| line(&format!("line-{number}"), CHAT, &hello())).collect()
}

async fn upload_as(client: &Client, content: &str, purpose: &str) -> Result<Reply> {
    let file = Part::bytes(content.as_bytes().to_vec()).file_name("in.jsonl");
    let form = Form::new().text("purpose", purpose.to_owned()).part("file", file);
    client.send(client.request(Method::POST, FILES).multipart(form)).await
}

async fn upload(client: &Client, content: &str) -> Result<String> {
    id(&upload_as(client, content, "batch").await?.must(200)?)
}

fn id(reply: &Reply) -> Result<String> {
    reply.json["id"].as_str().map(str::to_owned).with_context(|| reply.text.clone())
}

fn asked(file: &str, endpoint: &str) -> Value {
    json!({ "input_file_id": file, "endpoint": endpoint, "completion_window": "24h" })
}

async fn begin(client: &Client, content: &str, endpoint: &str) -> Result<String> {
    let file = upload(client, content).await?;
    id(&client.post(BATCHES, &asked(&file, endpoint)).await?.must(200)?)
}

/// Waits until a batch has ended, and returns it.
async fn over(client: &Client, batch: &str) -> Result<Value> {
    let path = format!("{BATCHES}/{batch}");
    let ask = async || {
        let batch = client.get(&path).await?.must(200)?.json;
        let ends = ["completed", "failed", "expired", "cancelled"];
        Ok(ends.iter().any(|status| batch["status"] == *status).then_some(batch))
    };
    Ok(eventually("the end of a batch", 90, ask).await?.0)
}

/// Returns the lines of a file.
async fn lines(client: &Client, file: &Value) -> Result<Vec<Value>> {
    let Some(file) = file.as_str() else { return Ok(Vec::new()) };
    let read = client.get(&format!("{FILES}/{file}/content")).await?.must(200)?;
    let about = client.get(&format!("{FILES}/{file}")).await?.must(200)?.json;
    ensure!(about["bytes"] == read.text.len() && about["purpose"] == "batch_output", "{about}");
    read.text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn names(lines: &[Value]) -> BTreeSet<&str> {
    lines.iter().filter_map(|line| line["custom_id"].as_str()).collect()
}

async fn delete(client: &Client, path: &str) -> Result<Reply> {
    client.send(client.request(Method::DELETE, path)).await
}

/// Returns the line id in each ledger record of a batch.
fn charged_lines(gateway: &Gateway) -> Result<Vec<String>> {
    // A record is exported as a JSON string, so its quotes are escaped.
    let export = gateway.folder.run(&["ledger", "export"])?.replace('\\', "");
    let ids = export.split("\"request_id\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    Ok(ids.filter(|id| id.starts_with("batch_req_")).map(str::to_owned).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_answers_every_line_like_a_direct_call() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let customer = &gateway.customer;
    let mut wrong = hello();
    wrong["model"] = "none".into();
    let content = format!("{}{}", chats(6), line("wrong", CHAT, &wrong));
    let file = upload(customer, &content).await?;
    let read = customer.get(&format!("/api{FILES}/{file}/content")).await?.must(200)?;
    ensure!(read.text == content, "{}", read.text);
    let mut new = asked(&file, CHAT);
    new["metadata"] = json!({ "job": "nightly" });
    let begun = customer.post(&format!("/api{BATCHES}"), &new).await?.must(200)?;
    ensure!(begun.json["status"] == "validating" && begun.json["object"] == "batch", "{}", begun.text);
    ensure!(begun.json["request_counts"] == json!({ "total": 0, "completed": 0, "failed": 0 }), "{}", begun.text);
    let batch = over(customer, &id(&begun)?).await?;
    ensure!(batch["status"] == "completed" && batch["metadata"]["job"] == "nightly", "{batch}");
    ensure!(batch["request_counts"] == json!({ "total": 7, "completed": 6, "failed": 1 }), "{batch}");
    ensure!(batch["completed_at"].is_u64() && batch["failed_at"].is_null() && batch["errors"].is_null(), "{batch}");
    let answers = lines(customer, &batch["output_file_id"]).await?;
    ensure!(answers.len() == 6 && names(&answers).len() == 6, "{answers:?}");
    for answer in &answers {
        ensure!(answer["error"].is_null() && answer["response"]["status_code"] == 200, "{answer}");
        ensure!(answer["response"]["body"]["choices"][0]["message"]["content"] == TEXT, "{answer}");
        ensure!(answer["id"].as_str().is_some_and(|id| id.starts_with("batch_req_")), "{answer}");
    }
    let errors = lines(customer, &batch["error_file_id"]).await?;
    let direct = customer.post(CHAT, &wrong).await?.must_be(404, "E004")?;
    ensure!(errors.len() == 1 && errors[0]["custom_id"] == "wrong", "{errors:?}");
    ensure!(errors[0]["response"]["status_code"] == 404, "{errors:?}");
    ensure!(errors[0]["response"]["body"]["error"] == direct.json["error"], "{errors:?}");
    ensure!(gateway.charged()? == 6 * COST, "{}", gateway.charged()?);
    let charged = charged_lines(&gateway)?;
    ensure!(charged.len() == 6 && charged.iter().collect::<BTreeSet<_>>().len() == 6, "{charged:?}");
    // Usage is counted for the API key, as for direct calls.
    let used = customer.get("/v1/usage").await?.must(200)?.json;
    ensure!(used["total"]["requests"] == 6, "{used}");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_endpoint_has_batches() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let customer = &gateway.customer;
    for (endpoint, body, member) in [
        ("/v1/responses", json!({ "model": "small", "input": "hello", "max_output_tokens": 20 }), "output"),
        ("/v1/embeddings", json!({ "model": "vectors", "input": ["a", "b"] }), "data"),
        ("/v1/completions", json!({ "model": "small", "prompt": "hello", "max_tokens": 20 }), "choices"),
    ] {
        let batch = begin(customer, &line("a", endpoint, &body), endpoint).await?;
        let batch = over(customer, &batch).await?;
        ensure!(batch["request_counts"]["completed"] == 1, "{endpoint}: {batch}");
        let answers = lines(customer, &batch["output_file_id"]).await?;
        ensure!(answers[0]["response"]["body"][member].is_array(), "{endpoint}: {answers:?}");
    }
    let file = upload(customer, "{}\n").await?;
    for endpoint in ["/v1/moderations", "/v1/messages", "/v1/images/generations"] {
        let refused = customer.post(BATCHES, &asked(&file, endpoint)).await?.must_be(400, "E011")?;
        ensure!(refused.json["error"]["param"] == "endpoint", "{}", refused.text);
    }
    let mut quick = asked(&file, CHAT);
    quick["completion_window"] = "1h".into();
    customer.post(BATCHES, &quick).await?.must_be(400, "E011")?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_wrong_lines_asks_nothing() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let customer = &gateway.customer;
    let mut streamed = hello();
    streamed["stream"] = true.into();
    let content = [
        line("a", CHAT, &hello()),
        line("a", CHAT, &hello()),
        line("b", "/v1/embeddings", &hello()),
        line("c", CHAT, &streamed),
        "not JSON\n".to_owned(),
        line("d", CHAT, &hello()).replace("POST", "GET"),
        line("e", CHAT, &json!([1])),
    ]
    .concat();
    let batch = over(customer, &begin(customer, &content, CHAT).await?).await?;
    ensure!(batch["status"] == "failed" && batch["failed_at"].is_u64(), "{batch}");
    ensure!(batch["output_file_id"].is_null() && batch["error_file_id"].is_null(), "{batch}");
    let errors = batch["errors"]["data"].as_array().context("no errors")?;
    let reported: Vec<(u64, &str)> =
        errors.iter().filter_map(|error| Some((error["line"].as_u64()?, error["code"].as_str()?))).collect();
    let expected = [
        (2, "duplicate_custom_id"),
        (3, "invalid_url"),
        (4, "invalid_request"),
        (5, "invalid_json_line"),
        (6, "invalid_method"),
        (7, "invalid_request"),
    ];
    ensure!(reported == expected, "{reported:?}");
    ensure!(gateway.first.seen().is_empty() && gateway.charged()? == 0, "a provider was called");
    // The error names the invalid form field.
    for (content, purpose, param) in [("{}\n", "assistants", "purpose"), ("", "batch", "file")] {
        let refused = upload_as(customer, content, purpose).await?.must_be(400, "E011")?;
        ensure!(refused.json["error"]["param"] == param, "{}", refused.text);
    }
    let unnamed = Form::new().text("purpose", "batch");
    customer.send(customer.request(Method::POST, FILES).multipart(unnamed)).await?.must_be(400, "E011")?;
    customer.post(FILES, &json!({ "purpose": "batch" })).await?.must_be(415, "E015")?;
    gateway.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_batches_are_seen_by_their_account_only() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let customer = &gateway.customer;
    let stranger = gateway.server.client().signed_up("bob@example.com").await?;
    let file = upload(customer, &chats(1)).await?;
    let batch = id(&customer.post(BATCHES, &asked(&file, CHAT)).await?.must(200)?)?;
    let ended = over(customer, &batch).await?;
    let output = ended["output_file_id"].as_str().context("no output")?.to_owned();
    for path in [
        format!("{FILES}/{file}"),
        format!("{FILES}/{file}/content"),
        format!("{FILES}/{output}/content"),
        format!("{BATCHES}/{batch}"),
    ] {
        stranger.get(&path).await?.must_be(404, "E012")?;
        gateway.server.client().get(&path).await?.must_be(401, "E001")?;
        customer.get(&path).await?.must(200)?;
    }
    delete(&stranger, &format!("{FILES}/{file}")).await?.must_be(404, "E012")?;
    stranger.post(&format!("{BATCHES}/{batch}/cancel"), &json!({})).await?.must_be(404, "E012")?;
    stranger.post(BATCHES, &asked(&file, CHAT)).await?.must_be(404, "E012")?;
    for list in [FILES, BATCHES] {
        let own = customer.get(list).await?.must(200)?.json;
        ensure!(own["object"] == "list" && own["data"].as_array().is_some_and(|data| !data.is_empty()), "{own}");
        let theirs = stranger.get(list).await?.must(200)?.json;
        ensure!(theirs["data"] == json!([]) && theirs["has_more"] == false, "{theirs}");
    }
    // Lists are paginated.
    upload(customer, "{}\n").await?;
    let page = customer.get(&format!("{FILES}?limit=2&order=asc")).await?.must(200)?.json;
    ensure!(page["data"][0]["id"] == file.as_str() && page["has_more"] == true, "{page}");
    let after = page["last_id"].as_str().context("no id")?;
    let rest = customer.get(&format!("{FILES}?limit=2&order=asc&after={after}")).await?.must(200)?.json;
    ensure!(rest["data"].as_array().is_some_and(|data| data.len() == 1) && rest["has_more"] == false, "{rest}");
    let outputs = customer.get(&format!("{FILES}?purpose=batch_output")).await?.must(200)?.json;
    ensure!(outputs["data"][0]["id"] == output.as_str(), "{outputs}");
    for wrong in ["?limit=0", "?order=up", "?after=x", "?page=2"] {
        customer.get(&format!("{FILES}{wrong}")).await?.must_be(400, "E011")?;
    }
    // A result file cannot be the input of a batch, and a deleted file cannot be found.
    customer.post(BATCHES, &asked(&output, CHAT)).await?.must_be(400, "E011")?;
    let gone = delete(customer, &format!("{FILES}/{output}")).await?.must(200)?;
    ensure!(gone.json == json!({ "id": output, "object": "file", "deleted": true }), "{}", gone.text);
    customer.get(&format!("{FILES}/{output}/content")).await?.must_be(404, "E012")?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_batch_keeps_what_was_answered() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let customer = &gateway.customer;
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::SlowHead(Duration::from_millis(100)));
    }
    let file = upload(customer, &chats(300)).await?;
    let batch = id(&customer.post(BATCHES, &asked(&file, CHAT)).await?.must(200)?)?;
    eventually("some lines", 20, async || Ok((gateway.first.seen().len() >= 6).then_some(()))).await?;
    // A file in use cannot be deleted.
    delete(customer, &format!("{FILES}/{file}")).await?.must_be(400, "E011")?;
    let cancelled = customer.post(&format!("/api{BATCHES}/{batch}/cancel"), &json!({})).await?.must(200)?;
    ensure!(cancelled.json["status"] == "cancelling" || cancelled.json["status"] == "cancelled", "{}", cancelled.text);
    let ended = over(customer, &batch).await?;
    ensure!(ended["status"] == "cancelled" && ended["cancelled_at"].is_u64(), "{ended}");
    let answers = lines(customer, &ended["output_file_id"]).await?;
    let rest = lines(customer, &ended["error_file_id"]).await?;
    ensure!(answers.len() >= 6 && answers.len() < 100, "{}", answers.len());
    ensure!(names(&answers).union(&names(&rest)).count() == 300 && rest.len() == 300 - answers.len(), "{ended}");
    ensure!(rest.iter().all(|line| line["error"]["code"] == "batch_cancelled"), "{:?}", rest.first());
    ensure!(gateway.charged()? == COST * i64::try_from(answers.len())?, "{}", gateway.charged()?);
    delete(customer, &format!("{FILES}/{file}")).await?.must(200)?;
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn exhausted_credit_is_reported_line_by_line() -> Result<()> {
    let gateway = Gateway::start("").await?;
    // Credit of £10.00 covers only some of the lines: a line costs 2.5 p, but its maximum
    // cost is held first.
    let batch = begin(&gateway.customer, &chats(600), CHAT).await?;
    let ended = over(&gateway.customer, &batch).await?;
    ensure!(ended["status"] == "completed", "{ended}");
    let refused = lines(&gateway.customer, &ended["error_file_id"]).await?;
    ensure!(!refused.is_empty(), "{ended}");
    ensure!(refused.iter().all(|line| line["response"]["status_code"] == 402), "{:?}", refused.first());
    let answers = lines(&gateway.customer, &ended["output_file_id"]).await?;
    ensure!(answers.len() + refused.len() == 600 && answers.len() > 300, "{}", answers.len());
    ensure!(gateway.charged()? == COST * i64::try_from(answers.len())?, "{}", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_of_providers_is_waited_for() -> Result<()> {
    let gateway = Gateway::start("").await?;
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::Status(500, Vec::new(), "{}".to_owned()));
    }
    let batch = begin(&gateway.customer, &chats(5), CHAT).await?;
    eventually("tries", 20, async || Ok((gateway.first.seen().len() >= 4).then_some(()))).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let waiting = gateway.customer.get(&format!("{BATCHES}/{batch}")).await?.must(200)?.json;
    ensure!(waiting["status"] == "in_progress" && waiting["request_counts"]["failed"] == 0, "{waiting}");
    let asked = gateway.first.seen().len() + gateway.second.seen().len();
    ensure!(asked < 60, "{asked} requests in a second; the pause is ignored");
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::Answer);
    }
    let ended = over(&gateway.customer, &batch).await?;
    ensure!(ended["request_counts"] == json!({ "total": 5, "completed": 5, "failed": 0 }), "{ended}");
    // Each line is answered by the provider whose pause ends first; the second provider
    // costs more.
    let export = gateway.folder.run(&["ledger", "export"])?.replace('\\', "");
    let second = i64::try_from(export.matches("\"provider\":\"two\"").count())?;
    let charged = charged_lines(&gateway)?;
    ensure!(charged.len() == 5 && charged.iter().collect::<BTreeSet<_>>().len() == 5, "{charged:?}");
    ensure!(gateway.charged()? == (5 - second) * COST + second * DEARER_COST, "{second} of {}", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_survives_kills_and_charges_each_line_once() -> Result<()> {
    let mut gateway = Gateway::start("").await?;
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::SlowHead(Duration::from_millis(15)));
    }
    let key = gateway.customer.key().context("no key")?.to_owned();
    let batch = begin(&gateway.customer, &chats(200), CHAT).await?;
    for round in 1..=4 {
        let seen = 35 * round;
        eventually("some lines", 30, async || Ok((gateway.first.seen().len() >= seen).then_some(()))).await?;
        gateway.server.kill().await?;
        gateway.server = gateway.folder.serve().await?;
    }
    gateway.customer = gateway.server.client().with_key(&key);
    let ended = over(&gateway.customer, &batch).await?;
    ensure!(ended["request_counts"] == json!({ "total": 200, "completed": 200, "failed": 0 }), "{ended}");
    let answers = lines(&gateway.customer, &ended["output_file_id"]).await?;
    ensure!(answers.len() == 200 && names(&answers).len() == 200, "{}", answers.len());
    let charged = charged_lines(&gateway)?;
    ensure!(charged.len() == 200 && charged.iter().collect::<BTreeSet<_>>().len() == 200, "{}", charged.len());
    ensure!(gateway.charged()? == 200 * COST, "{}", gateway.charged()?);
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_takes_up_its_batches_again() -> Result<()> {
    let mut gateway = Gateway::start("").await?;
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::SlowHead(Duration::from_millis(30)));
    }
    let key = gateway.customer.key().context("no key")?.to_owned();
    let batch = begin(&gateway.customer, &chats(60), CHAT).await?;
    eventually("some lines", 30, async || Ok((gateway.first.seen().len() >= 10).then_some(()))).await?;
    gateway.server.stop().await?;
    let before = gateway.first.seen().len() + gateway.second.seen().len();
    ensure!(before < 60, "all lines were sent before the server stopped");
    gateway.server = gateway.folder.serve().await?;
    gateway.customer = gateway.server.client().with_key(&key);
    let ended = over(&gateway.customer, &batch).await?;
    ensure!(ended["request_counts"]["completed"] == 60, "{ended}");
    // The server waited for lines in flight before it stopped, so no line was sent twice.
    let asked = gateway.first.seen().len() + gateway.second.seen().len();
    ensure!(asked == 60 && gateway.charged()? == 60 * COST, "{asked} requests for 60 lines");
    gateway.finish().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_pays_for_no_further_line() -> Result<()> {
    let gateway = Gateway::start("").await?;
    let customer = &gateway.customer;
    for provider in [&gateway.first, &gateway.second] {
        provider.always(Act::SlowHead(Duration::from_millis(100)));
    }
    let made = customer.post("/v1/keys", &json!({ "label": "batches" })).await?.must(201)?;
    let second = customer.with_key(made.json["api_key"].as_str().context("no key")?);
    let batch = begin(&second, &chats(200), CHAT).await?;
    eventually("some lines", 20, async || Ok((gateway.first.seen().len() >= 4).then_some(()))).await?;
    delete(customer, &format!("/v1/keys/{}", id(&made)?)).await?.must(204)?;
    let ended = over(customer, &batch).await?;
    let refused = lines(customer, &ended["error_file_id"]).await?;
    ensure!(refused.len() > 100, "{ended}");
    ensure!(refused.iter().all(|line| line["response"]["status_code"] == 401), "{:?}", refused.first());
    gateway.finish().await
}
