//! Canary versions: some callers, always the same ones, get the new version, and a bad
//! version is withdrawn without failing any call.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Server, eventually, guest, manifest};

const CREDIT: &[(&str, &str)] = &[("x-payment-source", "credit")];
const CALLERS: usize = 12;

/// Starts a server whose bridge is pinned to 1.0.0 and for which a second version is
/// published; also returns callers with credit.
async fn shop(other: &[u8]) -> Result<(Folder, Server, Vec<Client>)> {
    let folder = Folder::new("")?;
    folder.publish(&manifest("paid", "1.0.0", "0.01"), &guest::echo("1.0.0")?)?;
    let server = folder.serve().await?;
    plugin(&folder, &["pin", "paid", "1.0.0"])?;
    folder.publish(&manifest("paid", "1.0.1", "0.01"), other)?;
    let known = || async { Ok(plugin(&folder, &["inspect", "paid"])?.to_string().contains("1.0.1").then_some(())) };
    eventually("the new version is listed", 20, known).await?;
    let mut callers = Vec::new();
    for _ in 0..CALLERS {
        let (account, key) = folder.key()?;
        folder.run(&["account", "credit", &account, "10.00"])?;
        callers.push(server.client().with_key(&key));
    }
    Ok((folder, server, callers))
}

fn plugin(folder: &Folder, args: &[&str]) -> Result<Value> {
    folder.run_json(&[&["plugin"], args].concat())
}

async fn version(client: &Client) -> Result<String> {
    let reply = client.call("paid", &json!({ "some": "input" }), CREDIT).await?.must(200)?;
    Ok(reply.json["version"].as_str().with_context(|| reply.text.clone())?.to_owned())
}

/// Returns the reason why the trial ended.
async fn ended(folder: &Folder) -> Result<String> {
    let why = || async { Ok(plugin(folder, &["canary", "paid"])?["canary"]["ended"].as_str().map(str::to_owned)) };
    Ok(eventually("the trial ends", 20, why).await?.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_release_fails_no_call_and_ends_automatically() -> Result<()> {
    let (folder, server, callers) = shop(&guest::component("panic")?).await?;
    plugin(&folder, &["canary", "paid", "1.0.1", "--share", "50%"])?;
    let serving = || async { Ok((plugin(&folder, &["canary", "paid"])?["canary"]["serves"] == true).then_some(())) };
    eventually("the trial has begun", 20, serving).await?;
    let mut calls = 0;
    let ended = loop {
        for caller in &callers {
            ensure!(version(caller).await? == "1.0.0", "the bad version answered");
            calls += 1;
        }
        let canary = plugin(&folder, &["canary", "paid"])?["canary"].clone();
        if let Some(why) = canary["ended"].as_str() {
            break why.to_owned();
        }
        ensure!(calls < 100 * CALLERS, "the trial does not end: {canary}");
    };
    ensure!(ended.contains("calls failed"), "{ended}");
    // Each call was paid once, to the version that answered it.
    let routes = folder.records_of("route")?;
    ensure!(
        routes.len() == calls && routes.iter().all(|route| route["body"]["version"] == "1.0.0"),
        "{} of {calls}",
        routes.len()
    );
    let acts = folder.records_of("plugin")?;
    let end = &acts.last().context("no act")?["body"];
    ensure!(end["act"] == "end_canary" && end["by"] == "host" && end["version"] == "1.0.1", "{end}");
    let metrics = folder.metrics().await?;
    ensure!(metrics.contains("tollbridge_canaries_ended_total 1"), "{metrics}");
    // The failed version stays disabled after a restart.
    server.stop().await?;
    let server = folder.serve().await?;
    ensure!(plugin(&folder, &["canary", "paid"])?["canary"]["ended"] == ended, "the end of the trial was forgotten");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_gets_the_same_version_each_time_until_all_get_it() -> Result<()> {
    let (folder, server, callers) = shop(&guest::echo("1.0.1")?).await?;
    plugin(&folder, &["canary", "paid", "1.0.1", "--share", "50%"])?;
    let tried = || async {
        for caller in &callers {
            if version(caller).await? == "1.0.1" {
                return Ok(Some(()));
            }
        }
        Ok(None)
    };
    eventually("a caller gets the new version", 20, tried).await?;
    let mut of: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for _ in 0..5 {
        for (number, caller) in callers.iter().enumerate() {
            of.entry(number).or_default().insert(version(caller).await?);
        }
    }
    ensure!(of.values().all(|versions| versions.len() == 1), "{of:?}");
    let both: BTreeSet<&String> = of.values().flatten().collect();
    ensure!(both.len() == 2, "{of:?}");
    // Records name the version that answered.
    let routes = folder.records_of("route")?;
    let sealed = |version: &str| routes.iter().filter(|route| route["body"]["version"] == version).count();
    let report = plugin(&folder, &["canary", "paid"])?["canary"].clone();
    ensure!(report["calls"] == sealed("1.0.1") && report["failures"] == 0, "{report} {}", sealed("1.0.1"));
    ensure!(sealed("1.0.0") > 0 && report["stable_calls"].as_u64() > Some(0), "{report}");
    // After a restart the same callers get the canary version.
    server.stop().await?;
    let server = folder.serve().await?;
    let again: Vec<Client> = callers.iter().map(|caller| caller.at(&server.url)).collect();
    let mut back = BTreeMap::new();
    let loaded = || async { Ok((plugin(&folder, &["canary", "paid"])?["canary"]["serves"] == true).then_some(())) };
    eventually("the version is loaded again", 20, loaded).await?;
    for (number, caller) in again.iter().enumerate() {
        back.entry(number).or_insert_with(BTreeSet::new).insert(version(caller).await?);
    }
    ensure!(of == back, "{of:?} {back:?}");
    // The trial was successful, so the operator removes the pin and all callers get the
    // new version.
    let report = plugin(&folder, &["unpin", "paid"])?;
    ensure!(report["serving"] == "1.0.1" && report["canary"].is_null(), "{report}");
    for caller in &again {
        ensure!(version(caller).await? == "1.0.1", "a caller did not get the new version");
    }
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_differ_and_slow_ones_end_a_trial_too() -> Result<()> {
    let (folder, server, callers) = shop(&guest::echo("1.0.1")?).await?;
    plugin(&folder, &["canary", "paid", "1.0.1", "--share", "99%", "--max-changed", "100"])?;
    let until_ended = async |folder: &Folder, callers: &[Client]| -> Result<()> {
        for _ in 0..60 {
            for caller in callers {
                version(caller).await?;
            }
            if plugin(folder, &["canary", "paid"])?["canary"]["ended"].is_string() {
                return Ok(());
            }
        }
        anyhow::bail!("the trial does not end: {}", plugin(folder, &["canary", "paid"])?)
    };
    until_ended(&folder, &callers).await?;
    let why = ended(&folder).await?;
    ensure!(why.contains("answers differ"), "{why}");
    // This version computes for about ten milliseconds per call.
    folder.publish(&manifest("paid", "1.0.2", "0.01"), &guest::busy("1.0.2", 8_000_000)?)?;
    let known = || async { Ok(plugin(&folder, &["inspect", "paid"])?.to_string().contains("1.0.2").then_some(())) };
    eventually("the slow version is listed", 20, known).await?;
    plugin(&folder, &["canary", "paid", "1.0.2", "--share", "50%"])?;
    until_ended(&folder, &callers).await?;
    let why = ended(&folder).await?;
    ensure!(why.contains("95 of 100 calls take"), "{why}");
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_one_caller_do_not_end_a_canary() -> Result<()> {
    let (folder, server, callers) = shop(&guest::rejects_as_not_found()?).await?;
    plugin(&folder, &["canary", "paid", "1.0.1", "--share", "99%"])?;
    let trial = || Ok::<Value, anyhow::Error>(plugin(&folder, &["canary", "paid"])?["canary"].clone());
    let serving = || async { Ok((trial()?["serves"] == true).then_some(())) };
    eventually("the trial has begun", 20, serving).await?;
    // If a single caller repeatedly sends an input that only the old version can answer,
    // this counts as one failure.
    let mut tried = Vec::new();
    for caller in &callers {
        let before = trial()?["calls"].clone();
        ensure!(version(caller).await? == "1.0.0", "the new version answered");
        if trial()?["calls"] != before {
            tried.push(caller);
        }
        if tried.len() == 1 {
            break;
        }
    }
    let hostile = *tried.first().context("no caller gets the new version")?;
    for _ in 0..20 {
        ensure!(version(hostile).await? == "1.0.0", "the new version answered");
    }
    let report = trial()?;
    ensure!(report["serves"] == true && report["failures"] == 1 && report["calls"] == 21, "{report}");
    // The same failure for several callers does end the trial.
    for caller in &callers {
        ensure!(version(caller).await? == "1.0.0", "the new version answered");
    }
    let why = ended(&folder).await?;
    ensure!(why.starts_with("3 of its"), "{why}");
    folder.verify()?;
    server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_impossible_canary_is_refused_with_the_reason() -> Result<()> {
    let (folder, server, _) = shop(&guest::echo("1.0.1")?).await?;
    folder.publish(&manifest("paid", "1.1.0", "0.02"), &guest::echo("1.1.0")?)?;
    let known = || async { Ok(plugin(&folder, &["inspect", "paid"])?.to_string().contains("1.1.0").then_some(())) };
    eventually("the more expensive version is listed", 20, known).await?;
    let refused = |args: &[&str], why: &str| -> Result<()> {
        let output = folder.try_run(&[&["plugin", "canary", "paid"], args].concat())?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(!output.status.success() && said.contains(why), "{args:?}: {said}");
        Ok(())
    };
    refused(&["1.1.0"], "has another price or split than 1.0.0")?;
    refused(&["1.0.0"], "already serves all callers")?;
    refused(&["9.9.9"], "not in the registry")?;
    for share in ["0%", "100%", "5.123%", "-1%", "some"] {
        refused(&["1.0.1", &format!("--share={share}")], "is not from 0.01% to 99.99%")?;
    }
    refused(&["--end"], "no canary is running")?;
    plugin(&folder, &["canary", "paid", "1.0.1"])?;
    let report = plugin(&folder, &["canary", "paid", "--end"])?;
    ensure!(report["canary"]["ended"] == "the operator ended it", "{report}");
    server.stop().await
}
