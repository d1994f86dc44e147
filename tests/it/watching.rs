//! Monitoring for operators, as commands and as pages: providers, webhook receivers,
//! disputes, plugin logs and limits, and current problems.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tollbridge_tests::provider::Act;
use tollbridge_tests::{Client, Folder, Reaction, Receiver, binary, eventually, guest, manifest};

use crate::console::Browser;
use crate::inference::{Gateway, hello};
use crate::stripe::{paid, with_stripe};

/// Allows deliveries to this machine, with short retries.
const LOCAL: &str = "[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\nretries = [\"200ms\", \"200ms\"]\n";

fn rows<'v>(answer: &'v Value, name: &str) -> Result<&'v Vec<Value>> {
    answer[name].as_array().with_context(|| format!("no {name}: {answer}"))
}

fn row<'v>(answer: &'v Value, name: &str, member: &str, value: &str) -> Result<&'v Value> {
    let found = rows(answer, name)?.iter().find(|row| row[member] == value);
    found.with_context(|| format!("no row in {name} has {value}: {answer}"))
}

/// Checks that a page contains all of these texts.
async fn page(browser: &Browser, path: &str, texts: &[&str]) -> Result<String> {
    let page = browser.get(path).await?;
    ensure!(page.status == 200, "{path}: {} {}", page.status, page.text);
    for text in texts {
        ensure!(page.text.contains(text), "{path} does not contain {text:?}: {}", page.text);
    }
    Ok(page.text)
}

async fn act(browser: &Browser, fields: &[(&str, &str)]) -> Result<crate::console::ConsoleView> {
    let token = browser.form_token().await?;
    let own = [("form_token", token.as_str())];
    let fields = own.iter().chain(fields).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    browser.act(&fields.collect::<Vec<_>>()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_is_seen_with_its_pause_and_who_pays_for_the_other() -> Result<()> {
    let gateway = Gateway::start("").await?;
    gateway.first.always(Act::Status(500, Vec::new(), String::new()));
    for _ in 0..4 {
        gateway.customer.post("/v1/chat/completions", &hello()).await?.must(200)?;
    }
    let seen = gateway.folder.run_json(&["inference", "show", "--days", "1"])?;
    let (one, two) = (row(&seen, "providers", "provider", "one")?, row(&seen, "providers", "provider", "two")?);
    ensure!(one["failed"].as_u64() >= Some(3) && one["failed_percent"] == "100.0", "{one}");
    ensure!(one["models_paused"] == 1 && one["state"] == "partly paused", "{one}");
    ensure!(two["state"] == "up" && two["failed"] == 0 && two["requests"] == 4, "{two}");
    // The second provider costs 3 p per request.
    ensure!(two["cost_gbp"] == "0.12", "{two}");
    let off = row(&seen, "providers", "provider", "openai")?;
    ensure!(off["state"] == "off" && off["why_not"].as_str().is_some_and(|why| why.contains("OPENAI")), "{off}");
    let paused = rows(&seen, "models")?.iter().find(|model| model["provider"] == "one" && model["model"] == "small");
    let paused = paused.context("no model")?;
    ensure!(paused["breaker"] != "closed", "{paused}");
    let who = &rows(&seen, "by_who")?[0];
    ensure!(who["kind"] == "key" && who["requests"] == 4 && who["account_id"].is_string(), "{who}");
    let account = who["account_id"].as_str().context("no account")?;
    let text = gateway.folder.run(&["inference", "show"])?;
    ensure!(text.contains("PAUSED UNTIL") && text.contains(account), "{text}");
    let browser = Browser::of(&gateway.folder, "ada", "read").await?;
    page(&browser, "/console/inference", &["partly paused", "£0.12", account, "By caller"]).await?;
    let status = gateway.folder.run_json(&["status"])?;
    let problems = rows(&status, "problems")?;
    let reported =
        problems.iter().any(|one| one["what"].as_str().is_some_and(|what| what.contains("models of one are paused")));
    ensure!(reported, "{status}");
    gateway.finish().await
}

async fn failing_webhook(receiver: &Receiver) -> Result<(Folder, tollbridge_tests::Server, String)> {
    let (folder, server, client) = Folder::with_echo(LOCAL).await?;
    let developer = client.with_key(&folder.developer);
    let wish = json!({ "url": receiver.url, "events": ["billing.split"] });
    let made = developer.post("/v1/webhooks", &wish).await?.must(201)?;
    client.signed_up("caller@example.com").await?.call_on_credit("echo").await?.must(200)?;
    let id = made.json["id"].as_str().context("no id")?.to_owned();
    Ok((folder, server, id))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_what_was_not_delivered_and_sends_it_again() -> Result<()> {
    // The first three attempts fail; then the receiver recovers.
    let receiver = Receiver::with(|number| Reaction::status(if number < 3 { 503 } else { 204 })).await?;
    let (folder, _server, id) = failing_webhook(&receiver).await?;
    let given_up = eventually("a failed event", 30, async || {
        let all = folder.run_json(&["webhooks", "list", "--all"])?;
        let one = row(&all, "webhooks", "id", &id)?.clone();
        Ok((one["given_up"] == 1).then_some(one))
    });
    let (one, _) = given_up.await?;
    ensure!(one["state"] == "failing" && one["last_result"] == "HTTP 503", "{one}");
    ensure!(one["account_id"].as_str().is_some_and(|account| account.starts_with("acct_")), "{one}");
    let shown = folder.run_json(&["webhooks", "show", &id])?;
    let deliveries = rows(&shown, "deliveries")?;
    ensure!(deliveries.len() == 3 && deliveries[0]["attempt"] == 3 && deliveries[0]["status"] == 503, "{shown}");
    let problem = folder.run_json(&["status"])?;
    ensure!(problem.to_string().contains(&id), "{problem}");
    // No event failed after the year 2099, and a replay without a selection is refused.
    let none = folder.run_json(&["webhooks", "replay", &id, "--failed-since", "2099-01-01"])?;
    ensure!(none["queued"] == 0, "{none}");
    ensure!(folder.try_run(&["webhooks", "replay", &id])?.status.code() == Some(2), "everything was sent again");
    let again = folder.run_json(&["webhooks", "replay", &id, "--failed-since", "1h"])?;
    ensure!(again["queued"] == 1, "{again}");
    let hooks = receiver.wait_for("billing.split", 4, 20).await?;
    ensure!(hooks[3].header("webhook-id") == hooks[0].header("webhook-id"), "a different id");
    // Replays one event by a form of the console.
    let support = Browser::of(&folder, "eve", "support").await?;
    let of_endpoint = format!("/console/webhooks/{id}");
    let event = hooks[0].header("webhook-id");
    page(&support, "/console/webhooks", &[&id]).await?;
    page(&support, &of_endpoint, &["Latest deliveries", event, "HTTP 503"]).await?;
    let sent = act(&support, &[("command", "webhook-replay"), ("id", &id), ("event", event)]).await?;
    ensure!(sent.status == 303 && sent.location == Some(of_endpoint.clone()), "{}", sent.text);
    page(&support, &of_endpoint, &["Done: webhook replay. queued 1"]).await?;
    receiver.wait_for("billing.split", 5, 20).await?;
    let acts = folder.run_json(&["audit"])?;
    let acts = rows(&acts, "acts")?.iter();
    let mine: Vec<&Value> = acts.filter(|act| act["command"] == "webhook-replay").collect();
    ensure!(mine.len() == 3 && mine.iter().all(|act| act["target"] == id.as_str()), "{mine:?}");
    ensure!(mine[0]["operator"] == "eve" && mine[0]["role"] == "support", "{mine:?}");
    let reader = Browser::of(&folder, "kim", "read").await?;
    let refused = act(&reader, &[("command", "webhook-replay"), ("id", &id), ("event", event)]).await?;
    ensure!(refused.status == 400 && refused.text.contains("needs the role support"), "{}", refused.text);
    folder.verify().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recovered_receiver_is_served_again() -> Result<()> {
    let receiver = Receiver::with(|number| Reaction::status(if number == 0 { 410 } else { 204 })).await?;
    let (folder, _server, id) = failing_webhook(&receiver).await?;
    let off = eventually("a disabled webhook", 30, async || {
        let shown = folder.run_json(&["webhooks", "show", &id])?;
        Ok((shown["state"] == "disabled").then_some(shown))
    });
    ensure!(off.await?.0["disabled_because"].as_str().is_some_and(|why| why.contains("410")), "no reason");
    let admin = Browser::of(&folder, "bob", "admin").await?;
    page(&admin, &format!("/console/webhooks/{id}"), &["Resume deliveries"]).await?;
    let done = act(&admin, &[("command", "webhook-enable"), ("id", &id)]).await?;
    ensure!(done.status == 303, "{}", done.text);
    let shown = folder.run_json(&["webhooks", "show", &id])?;
    ensure!(shown["state"] != "disabled", "{shown}");
    let unknown = folder.try_run(&["webhooks", "show", "wh_0"])?;
    ensure!(!unknown.status.success(), "an unknown webhook was accepted");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_says_what_it_took_and_until_when_it_is_answered() -> Result<()> {
    let (stripe, folder, server, client) = with_stripe().await?;
    let (_, session) = paid(&stripe, &client).await?;
    let payment = session["payment_intent"].as_str().context("no payment")?;
    let none = folder.run_json(&["dispute", "list"])?;
    ensure!(rows(&none, "disputes")?.is_empty(), "{none}");
    // An inquiry takes no money, but can be shown like a dispute.
    let inquiry = stripe.dispute(payment, "warning_needs_response")?;
    let id = inquiry["id"].as_str().context("no id")?;
    let shown = folder.run_json(&["dispute", "show", id])?;
    ensure!(shown["stage"] == "inquiry" && shown["evidence_due_at"].is_string(), "{shown}");
    let opened = stripe.dispute(payment, "needs_response")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.created", &opened).await? == 200, "not accepted");
    let all = folder.run_json(&["dispute", "list"])?;
    let one = row(&all, "disputes", "dispute_id", id)?;
    ensure!(one["stage"] == "open" && one["amount_gbp"] == "5.00" && one["reason"] == "fraudulent", "{one}");
    ensure!(one["evidence_due_at"].as_str().is_some_and(|due| due.ends_with('Z')), "{one}");
    let offline = folder.run_json(&["dispute", "list", "--offline"])?;
    ensure!(row(&offline, "disputes", "dispute_id", id)?["evidence_due_at"].is_null(), "{offline}");
    let shown = folder.run_json(&["dispute", "show", id])?;
    let taken: Vec<_> = rows(&shown, "taken")?.iter().map(|part| part["amount_gbp"].clone()).collect();
    ensure!(taken == [json!("4.90"), json!("0.10")], "{shown}");
    let link = format!("https://dashboard.stripe.com/test/payments/{payment}");
    ensure!(shown["dashboard"] == link.as_str() && rows(&shown, "events")?.len() == 1, "{shown}");
    ensure!(rows(&shown["payment"], "events")?.iter().any(|event| event["kind"] == "route"), "no call: {shown}");
    let status = folder.run_json(&["status"])?.to_string();
    ensure!(status.contains(id) && status.contains("docs/runbooks/dispute.md"), "{status}");
    // With real money, a missing backup is reported as a problem.
    ensure!(status.contains("There is no backup"), "{status}");
    let browser = Browser::of(&folder, "ada", "read").await?;
    page(&browser, "/console/disputes", &[id, "cannot upload evidence"]).await?;
    page(&browser, &format!("/console/disputes/{id}"), &[&link, "written off", "Payment and calls"]).await?;
    page(&browser, "/console", &[id, "docs/runbooks/dispute.md"]).await?;
    let won = stripe.dispute(payment, "won")?;
    ensure!(stripe.send_event(&server.url, "charge.dispute.closed", &won).await? == 200, "not accepted");
    let shown = folder.run_json(&["dispute", "show", id])?;
    ensure!(shown["stage"] == "won" && rows(&shown, "events")?.len() == 2, "{shown}");
    ensure!(!folder.run_json(&["status"])?.to_string().contains(id), "a won dispute is still a problem");
    let unknown = folder.try_run(&["dispute", "show", "dp_none"])?;
    ensure!(unknown.status.code() == Some(1), "an unknown dispute was accepted");
    stripe.must_have_no_violations()?;
    folder.verify().map(drop)
}

async fn call_in_vain(client: &Client) -> Result<()> {
    let reply = client.call("trap", &json!({}), &[("X-Payment-Source", "credit")]).await?;
    ensure!(reply.status >= 500, "{reply:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_followed_and_outlives_what_was_taken_out_of_service() -> Result<()> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("trap", "1.0.0", "0.01"), &guest::component("trap")?)?;
    let server = folder.serve().await?;
    let client = server.client().signed_up("ada@example.com").await?;
    call_in_vain(&client).await?;
    let first = folder.run_json(&["plugin", "logs", "trap"])?;
    ensure!(rows(&first, "lines")?.len() == 1 && first["lines"][0]["level"] == "error", "{first}");
    let text = folder.run(&["plugin", "logs", "trap"])?;
    let at = first["lines"][0]["at"].as_str().context("no time")?;
    ensure!(at.ends_with('Z') && text.starts_with(at), "{text}");
    folder.run_json(&["plugin", "disable", "trap"])?;
    let kept = folder.run_json(&["plugin", "logs", "trap"])?;
    ensure!(kept["lines"] == first["lines"], "disabling the plugin lost its log: {kept}");
    let browser = Browser::of(&folder, "ada", "read").await?;
    let logs = "/console/plugins/bridges/trap/logs";
    let still = page(&browser, logs, &["Follow", "in culprit"]).await?;
    ensure!(!still.contains("http-equiv=\"refresh\""), "the page already follows");
    page(&browser, &format!("{logs}?follow=yes"), &["http-equiv=\"refresh\" content=\"3\"", "Stop"]).await?;
    page(&browser, "/console/plugins/bridges/trap", &["Follow", "in culprit"]).await?;
    let mut following = tokio::process::Command::new(binary())
        .args(["--config".as_ref(), folder.config().as_os_str()])
        .args(["--json", "plugin", "logs", "trap", "--follow"])
        .envs(folder.environment())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(following.stdout.take().context("no output")?).lines();
    let mut next = async || -> Result<Value> {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await??;
        Ok(serde_json::from_str(&line.context("the command exited")?)?)
    };
    ensure!(next().await? == first["lines"][0], "existing lines do not come first");
    folder.run_json(&["plugin", "enable", "trap"])?;
    call_in_vain(&client).await?;
    let second = next().await?;
    ensure!(second["number"].as_u64() > first["lines"][0]["number"].as_u64(), "{second}");
    let both = folder.run_json(&["plugin", "logs", "trap"])?;
    ensure!(rows(&both, "lines")?.len() == 2, "the previous version's log was lost: {both}");
    let pid = following.id().context("the command has ended")?.to_string();
    ensure!(std::process::Command::new("kill").args(["-INT", &pid]).status()?.success(), "not interrupted");
    let ended = tokio::time::timeout(Duration::from_secs(30), following.wait()).await??;
    ensure!(ended.success(), "{ended}");
    let unknown = folder.try_run(&["plugin", "logs", "nothing"])?;
    ensure!(unknown.status.code() == Some(1), "an unknown plugin was accepted");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_stand_beside_their_limits_and_in_the_charts_of_the_minute() -> Result<()> {
    let (folder, _server, client) = Folder::with_echo("").await?;
    let before = folder.run_json(&["plugin", "inspect", "echo"])?;
    ensure!(before["usage"]["calls"] == 0 && before["usage"]["time_p95_us"].is_null(), "{before}");
    let customer = client.signed_up("ada@example.com").await?;
    for _ in 0..3 {
        customer.call_on_credit("echo").await?.must(200)?;
    }
    let usage = folder.run_json(&["plugin", "inspect", "echo"])?["usage"].clone();
    ensure!(usage["calls"] == 3 && usage["time_limit_ms"] == 1_000 && usage["running"] == 0, "{usage}");
    ensure!(usage["memory_limit_bytes"] == 8 << 20 && usage["memory_max_bytes"].as_u64() >= Some(1 << 16), "{usage}");
    ensure!(usage["time_p50_us"].as_u64() <= usage["time_max_us"].as_u64(), "{usage}");
    let text = folder.run(&["plugin", "inspect", "echo"])?;
    ensure!(text.contains("limits: 1000 ms, 8 MiB") && text.contains("the last 3 calls"), "{text}");
    let browser = Browser::of(&folder, "ada", "read").await?;
    page(&browser, "/console/plugins/bridges/echo", &["Usage and limits", "1000 ms", "8.0 MiB", "Not included"])
        .await?;
    // The data of the charts, as table rows.
    let minutes = eventually("the requests of a minute", 10, async || {
        let seen = folder.run_json(&["request", "minutes", "--minutes", "5"])?;
        let sum: u64 = rows(&seen, "minutes")?.iter().filter_map(|row| row["answered"].as_u64()).sum();
        Ok((sum >= 4).then_some(seen))
    });
    ensure!(rows(&minutes.await?.0, "minutes")?.len() == 5, "not every minute has a row");
    let sold = folder.run_json(&["report", "revenue", "--by", "minute", "--since", "5m"])?;
    ensure!(sold["total"]["sales"] == 3 && sold["rows"][0]["minute"].is_string(), "{sold}");
    let overview = page(&browser, "/console", &["Paid in each minute", "Refused or failed in each minute"]).await?;
    ensure!(overview.matches("<figure>").count() == 5, "{overview}");
    Ok(())
}
