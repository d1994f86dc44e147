//! Replays of kept inputs through a version that does not serve: only if the operator
//! enables them, without moving money, and never for a tenant's plugin.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, agents, eventually, guest, manifest};

use crate::marketplace::deployment;

const CREDIT: &[(&str, &str)] = &[("x-payment-source", "credit")];
const KEPT: &str = "[plugins.judge]\nkeep_inputs = 5\nkeep_inputs_for = \"1h\"\n";
const MARKER: &str = "a-needle-in-every-haystack";

/// Builds a bridge whose answers do not contain any of their input.
fn judge(yes: &str) -> Result<Vec<u8>> {
    guest::judge("urgent", &json!({ "verdict": yes, "of": "judge" }), &json!({ "verdict": "no", "of": "judge" }))
}

/// Starts a server whose bridge `judge` is pinned to 1.0.0, and a caller with
/// credit.
async fn shop(config: &str) -> Result<(Folder, Server, Client)> {
    let folder = Folder::new(config)?;
    folder.publish(&manifest("judge", "1.0.0", "0.01"), &judge("yes")?)?;
    let server = folder.serve().await?;
    folder.run_json(&["plugin", "pin", "judge", "1.0.0"])?;
    let caller = folder.funded(&server, "caller@example.com", "10.00").await?;
    Ok((folder, server, caller))
}

/// Publishes a second version, which does not serve because of the pin.
async fn publish(folder: &Folder, version: &str, component: &[u8]) -> Result<()> {
    folder.publish(&manifest("judge", version, "0.01"), component)?;
    let known = || async {
        let report = folder.run_json(&["plugin", "inspect", "judge"])?;
        Ok(report.to_string().contains(version).then_some(()))
    };
    eventually("the new version is listed", 20, known).await?;
    Ok(())
}

async fn call(caller: &Client, text: &str) -> Result<()> {
    caller.call("judge", &json!({ "text": text }), CREDIT).await?.must(200)?;
    Ok(())
}

fn replay(folder: &Folder, args: &[&str]) -> Result<Value> {
    folder.run_json(&[&["plugin", "replay", "judge"], args].concat())
}

fn refused(folder: &Folder, args: &[&str], why: &str) -> Result<()> {
    let output = folder.try_run(&[&["plugin"], args].concat())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success() && said.contains(why), "{args:?}: {said}");
    Ok(())
}

/// Returns the non-zero counts of a replay report.
fn counts(report: &Value) -> Vec<(&'static str, u64)> {
    let names = ["same", "changed", "newly_failed", "newly_answered", "failed_in_both", "unsteady", "not_run"];
    let number = |name: &'static str| (name, report[name].as_u64().unwrap_or(u64::MAX));
    names.into_iter().map(number).filter(|(_, number)| *number > 0).collect()
}

/// Returns the files below a folder that contain a text.
fn holding(folder: &Path, text: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(holding(&path, text)?);
        } else if std::fs::read(&path)?.windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    Ok(found)
}

/// Returns the call metrics, and the number of records in the ledger.
async fn books(folder: &Folder) -> Result<(Vec<String>, u64)> {
    let metrics = folder.metrics().await?;
    let calls = metrics.lines().filter(|line| line.starts_with("tollbridge_calls_total")).map(str::to_owned);
    let mut calls: Vec<String> = calls.collect();
    // The metrics have no defined order.
    calls.sort();
    Ok((calls, folder.records()?))
}

#[tokio::test(flavor = "multi_thread")]
async fn inputs_are_kept_only_if_enabled() -> Result<()> {
    let (folder, server, caller) = shop("").await?;
    publish(&folder, "1.0.1", &judge("certainly")?).await?;
    call(&caller, MARKER).await?;
    refused(&folder, &["replay", "judge"], "no inputs of judge are kept; set plugins.judge.keep_inputs")?;
    let forgotten = folder.run_json(&["plugin", "forget-inputs", "judge"])?;
    ensure!(forgotten == json!({ "plugin": "bridges/judge", "forgotten": 0 }), "{forgotten}");
    server.stop().await?;
    refused(&folder, &["replay", "judge"], "replay needs a running server")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_finds_what_changed_and_leaves_the_books_alone() -> Result<()> {
    let (folder, server, caller) = shop(KEPT).await?;
    publish(&folder, "1.0.1", &judge("certainly")?).await?;
    refused(&folder, &["replay", "judge"], "no inputs of judge are kept yet")?;
    for text in ["one", "two", "three", "urgent four", MARKER] {
        call(&caller, text).await?;
    }
    let balance = || folder.run_json(&["account", "show", "caller@example.com"]);
    let (before, had) = (books(&folder).await?, balance()?);
    let report = replay(&folder, &[])?;
    ensure!(report["version"] == "1.0.1" && report["against"] == "1.0.0" && report["inputs"] == 5, "{report}");
    ensure!(counts(&report) == [("same", 4), ("changed", 1)], "{report}");
    let shown = &report["differences"][0];
    let place = json!([{ "pointer": "/verdict", "against": "\"yes\"", "version": "\"certainly\"" }]);
    ensure!(shown["outcome"] == "changed" && shown["at"] == place && shown["input"].is_null(), "{report}");
    for times in ["times", "against_times"] {
        ensure!(report[times]["p95_micros"].as_u64() >= report[times]["p50_micros"].as_u64(), "{report}");
        ensure!(report[times]["p50_micros"].is_u64(), "{report}");
    }
    // The replay itself adds one record, which names the operator's command.
    let (after, has) = (books(&folder).await?, balance()?);
    ensure!(after == (before.0.clone(), before.1 + 1) && has == had, "{before:?} {after:?} {had} {has}");
    let shown = replay(&folder, &["--show-inputs", "--last", "2"])?;
    ensure!(shown["differences"][0]["input"] == json!({ "text": "urgent four" }), "{shown}");
    let acts = folder.run_json(&["audit"])?;
    let commands = (&acts["acts"][0]["command"], &acts["acts"][1]["command"]);
    ensure!(commands == (&json!("plugin-replay --show-inputs"), &json!("plugin-replay")), "{acts}");
    // Only the last five inputs are kept; they survive a stop, and are stored encrypted.
    call(&caller, "six").await?;
    call(&caller, MARKER).await?;
    server.stop().await?;
    let holding = holding(&folder.data(), MARKER)?;
    ensure!(holding.is_empty(), "{holding:?} contain an input");
    let server = folder.serve().await?;
    let report = replay(&folder, &["--last", "1000"])?;
    ensure!(report["inputs"] == 5 && counts(&report) == [("same", 4), ("changed", 1)], "{report}");
    let forgotten = folder.run_json(&["plugin", "forget-inputs", "judge"])?;
    ensure!(forgotten["forgotten"] == 5, "{forgotten}");
    refused(&folder, &["replay", "judge"], "no inputs of judge are kept yet")?;
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_tells_a_version_that_fails_from_one_that_answers() -> Result<()> {
    let (folder, server, caller) = shop(KEPT).await?;
    publish(&folder, "1.0.1", &guest::component("trap")?).await?;
    for text in ["one", "urgent two"] {
        call(&caller, text).await?;
    }
    let report = replay(&folder, &[])?;
    ensure!(counts(&report) == [("newly_failed", 2)] && report["times"]["p50_micros"].is_null(), "{report}");
    let why = report["differences"][0]["why"].as_str().context("no reason")?;
    ensure!(why.starts_with("trapped: "), "{why}");
    let report = replay(&folder, &["--version", "1.0.0", "--against", "1.0.1"])?;
    ensure!(counts(&report) == [("newly_answered", 2)], "{report}");
    publish(&folder, "1.0.2", &judge("yes")?).await?;
    let report = replay(&folder, &[])?;
    ensure!(report["version"] == "1.0.2" && counts(&report) == [("same", 2)], "{report}");
    // Callers still get the pinned version.
    call(&caller, "three").await?;
    let serving = folder.run_json(&["plugin", "inspect", "judge"])?;
    ensure!(serving["serving"] == "1.0.0", "{serving}");
    for (args, why) in [
        (&["replay", "judge", "--version", "1.0.0"][..], "1.0.0 would be compared with itself"),
        (&["replay", "judge", "--version", "9.9.9"], "version 9.9.9 is not in the registry"),
        (&["replay", "judge", "--last", "1001"], "1001 is not from 1 to 1000"),
        (&["replay", "missing"], "no version of missing is serving"),
    ] {
        refused(&folder, args, why)?;
    }
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn inputs_are_not_kept_longer_than_they_may_be() -> Result<()> {
    let (folder, server, caller) = shop("[plugins.judge]\nkeep_inputs = 5\nkeep_inputs_for = \"1s\"\n").await?;
    publish(&folder, "1.0.1", &judge("certainly")?).await?;
    call(&caller, "one").await?;
    server.stop().await?;
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let server = folder.serve().await?;
    refused(&folder, &["replay", "judge"], "no inputs of judge are kept yet")?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn inputs_that_query_models_are_replayed_only_if_enabled() -> Result<()> {
    let thinking =
        |version: &str| manifest("judge", version, "0.01").replace("price_gbp", "grants = [\"inference\"]\nprice_gbp");
    let folder = Folder::new(KEPT)?;
    folder.publish(&thinking("1.0.0"), &judge("yes")?)?;
    let server = folder.serve().await?;
    folder.run_json(&["plugin", "pin", "judge", "1.0.0"])?;
    folder.publish(&thinking("1.0.1"), &judge("certainly")?)?;
    let caller = folder.funded(&server, "caller@example.com", "10.00").await?;
    call(&caller, "urgent").await?;
    refused(&folder, &["replay", "judge"], "--allow-outside permits it")?;
    let replayed = || async { Ok(replay(&folder, &["--allow-outside"]).ok()) };
    let (report, _) = eventually("the new version is listed", 20, replayed).await?;
    ensure!(counts(&report) == [("changed", 1)], "{report}");
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_kept_of_what_an_account_deployed() -> Result<()> {
    let folder = Folder::new("[payments]\nsandbox_credit = \"10.00\"")?;
    let server = folder.serve().await?;
    let owner = server.client().signed_up("owner@example.com").await?;
    let component = base64::engine::general_purpose::STANDARD.encode(agents::mirror()?);
    let mirror = deployment(&json!({
        "name": "mirror", "price_gbp": "0.01", "grants": [], "bridges": [], "component_base64": component,
    }))?;
    let deployed = owner.post("/api/v1/agents/deploy", &mirror).await?.must(201)?.json;
    let slug = deployed["agent_id"].as_str().context("no agent_id")?.to_owned();
    server.stop().await?;
    let config = std::fs::read_to_string(folder.config())?;
    std::fs::write(folder.config(), format!("{config}\n[plugins.{slug}]\nkeep_inputs = 5\n"))?;
    let server = folder.serve().await?;
    let (owner, path) = (owner.at(&server.url), format!("/v1/agents/{slug}/invoke"));
    let answered = || async { Ok((owner.post(&path, &json!({ "task": "hello" })).await?.status == 200).then_some(())) };
    eventually("the agent answers", 20, answered).await?;
    let plugin = format!("agents/{slug}");
    refused(&folder, &["replay", &plugin], "are not kept without its owner's knowledge")?;
    let forgotten = folder.run_json(&["plugin", "forget-inputs", &plugin])?;
    ensure!(forgotten["forgotten"] == 0, "{forgotten}");
    ensure!(server.log().contains("keep_inputs does not apply"), "{}", server.log());
    server.stop().await
}
