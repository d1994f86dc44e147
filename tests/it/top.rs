//! The activity of a running server, as `tollbridge top` shows it.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tollbridge_tests::{Folder, binary, eventually};

#[tokio::test]
async fn a_picture_has_the_calls_of_the_last_minute() -> Result<()> {
    let (folder, server, client) = Folder::with_echo("").await?;
    let customer = client.signed_up("ada@example.com").await?;
    for _ in 0..3 {
        customer.call_on_credit("echo").await?.must(200)?;
    }
    customer.post("/v1/oracle/echo", &json!([1])).await?;
    let records = folder.records()?;
    // A request is recorded a moment after it was answered.
    let seen = eventually("all requests are counted", 10, async || {
        let answer = folder.run_json(&["top", "--once"])?;
        let of = |name: &str| answer["last_minute"][name].as_u64();
        let all = of("answered").is_some_and(|count| count >= 5) && of("refused").is_some_and(|count| count >= 1);
        Ok(all.then_some(answer))
    });
    let answer = seen.await?.0;
    ensure!(answer["sales"]["sales"] == 3 && answer["sales"]["gross_gbp"] == "0.30", "{answer}");
    ensure!(answer["sales"]["by_plugin"][0]["plugin"] == "echo", "{answer}");
    ensure!(answer["plugins_live"] == 1 && answer["records"] == records, "{answer}");
    ensure!(answer["memory_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20), "{answer}");
    ensure!(answer["last_minute"]["p95_us"].as_u64() >= answer["last_minute"]["median_us"].as_u64(), "{answer}");
    let text = folder.run(&["top", "--once"])?;
    ensure!(text.contains("3 paid £0.30") && !text.contains('\u{1b}'), "{text}");
    ensure!(folder.records()? == records, "reading left a record");
    server.stop().await?;
    let stopped = folder.try_run(&["top", "--once"])?;
    let why = String::from_utf8_lossy(&stopped.stderr);
    ensure!(stopped.status.code() == Some(1) && why.contains("no server is running"), "{why}");
    Ok(())
}

#[tokio::test]
async fn pictures_follow_each_other_until_they_are_interrupted() -> Result<()> {
    let (folder, _server, _client) = Folder::with_echo("").await?;
    let mut top = tokio::process::Command::new(binary())
        .args(["--config".as_ref(), folder.config().as_os_str()])
        .args(["--json", "top", "--every", "1"])
        .envs(folder.environment())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(top.stdout.take().context("no output")?).lines();
    for _ in 0..3 {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line()).await??;
        let answer: Value = serde_json::from_str(&line.context("the command exited")?)?;
        ensure!(answer["last_10_s"]["answered"].is_u64(), "{answer}");
    }
    let pid = top.id().context("the command has ended")?.to_string();
    ensure!(std::process::Command::new("kill").args(["-INT", &pid]).status()?.success(), "not interrupted");
    let status = tokio::time::timeout(Duration::from_secs(30), top.wait()).await??;
    ensure!(status.success(), "{status}");
    Ok(())
}
