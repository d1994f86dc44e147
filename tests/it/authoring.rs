//! The steps of a plugin author, from an empty folder to a paid route; then the author
//! changes the plugin while it serves calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tollbridge_tests::{Client, Folder, Server, eventually};

const SOURCE: &str = "count: values.len(),";

/// Creates the project of the bridge `mean`.
fn project(folder: &Folder) -> Result<String> {
    let path = folder.path().join("mean").display().to_string();
    folder.run(&["plugin", "new", "mean", "--path", &path, "--publisher", "tester"])?;
    Ok(path)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_author_gets_from_an_empty_folder_to_a_paid_route() -> Result<()> {
    let folder = Folder::new("")?;
    let path = project(&folder)?;
    let built = folder.run_json(&["plugin", "build", &path])?;
    let imports = built[0]["imports"].as_array().context("no imports")?;
    let ours = |one: &serde_json::Value| one.as_str().is_some_and(|name| name.starts_with("tollbridge:plugin/"));
    ensure!(
        built[0]["name"] == "mean" && imports.iter().all(ours),
        "the component imports more than it needs: {built}"
    );
    let checked = folder.run_json(&["plugin", "check", &path])?;
    ensure!(checked["ok"] == true && checked["examples"] == 1, "{checked}");
    let tested = folder.run_json(&["plugin", "test", "--component-only", &path])?;
    ensure!(tested["ok"] == true && tested["cases"] == 3, "{tested}");
    let server = folder.serve().await?;
    let published = folder.run_json(&["plugin", "publish", &path])?;
    ensure!(published[0]["new"] == true, "{published}");
    is_sold(&server.client()).await?;
    server.stop().await?;
    folder.run(&["ledger", "verify"]).map(drop)
}

#[test]
fn publishing_again_reports_the_place_and_refuses_other_bytes() -> Result<()> {
    let folder = Folder::new("")?;
    let path = project(&folder)?;
    let published = folder.run_json(&["plugin", "publish", &path])?;
    ensure!(published[0]["new"] == true, "{published}");
    check_published_location(&folder, &path)?;
    a_rebuild_gets_the_next_number(&folder, &path)?;
    a_wrong_case_is_reported(&folder, &path)
}

/// Checks that publishing reports the registry folder, and whether it was created.
fn check_published_location(folder: &Folder, path: &str) -> Result<()> {
    let other = folder.path().join("other");
    let to = ["plugin", "publish", path, "--registry", &other.display().to_string()];
    for beginning in ["into a new registry, ", "into "] {
        let published = folder.try_run(&to)?;
        let said = String::from_utf8_lossy(&published.stderr);
        let expected = format!("{beginning}{}", other.canonicalize()?.display());
        ensure!(published.status.success() && said.lines().any(|line| line.starts_with(&expected)), "{said}");
    }
    Ok(())
}

/// Checks that publishing different bytes under the same version is refused or, if
/// requested, uses the next patch number.
fn a_rebuild_gets_the_next_number(folder: &Folder, path: &str) -> Result<()> {
    let manifest = folder.path().join("mean/plugin.toml");
    let before = std::fs::read_to_string(&manifest)?;
    std::fs::write(&manifest, before.replace("memory_mib = 16", "memory_mib = 17"))?;
    let refused = folder.try_run(&["plugin", "publish", path])?;
    let said = String::from_utf8_lossy(&refused.stderr);
    ensure!(!refused.status.success() && said.contains("raise the version"), "{said}");
    for new in [true, false] {
        let published = folder.run_json(&["plugin", "publish", "--next", path])?;
        ensure!(published[0]["version"] == "0.1.1" && published[0]["new"] == new, "{published}");
    }
    std::fs::write(&manifest, before)?;
    Ok(())
}

async fn is_sold(client: &Client) -> Result<()> {
    let ask = || async { Ok((client.call("mean", &json!({}), &[]).await?.status == 402).then_some(())) };
    eventually("the new route quotes its price", 20, ask).await?;
    let intent = client.paid_intent("mean").await?;
    let input = json!({ "values": [1, 2, 6] });
    let reply = client.call("mean", &input, &[("X-Payment-Intent-Id", &intent)]).await?;
    ensure!(reply.status == 200 && reply.json["mean"].as_f64() == Some(3.0), "{}: {}", reply.status, reply.text);
    ensure!(reply.header("x-worm-seal").is_some(), "the answer has no seal");
    Ok(())
}

fn a_wrong_case_is_reported(folder: &Folder, path: &str) -> Result<()> {
    let case = folder.path().join("mean/cases/wrong.json");
    std::fs::write(&case, json!({ "input": { "values": [1] }, "output": { "count": 2 } }).to_string())?;
    let output = folder.try_run(&["plugin", "test", "--component-only", path])?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1) && said.contains("wrong"), "{said}");
    Ok(std::fs::remove_file(case)?)
}

/// Makes calls without a pause until stopped; fails on the first call that is refused.
async fn customer(client: Client, stop: Arc<AtomicBool>) -> Result<()> {
    while !stop.load(Ordering::SeqCst) {
        let reply = client.call("mean", &json!({ "values": [1, 3] }), &[]).await?;
        ensure!(reply.status == 200, "a customer got {}: {}", reply.status, reply.text);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_changes_while_it_serves() -> Result<()> {
    let folder = Folder::new("")?;
    let path = project(&folder)?;
    let project = folder.path().join("mean");
    let manifest = std::fs::read_to_string(project.join("plugin.toml"))?;
    std::fs::write(project.join("plugin.toml"), manifest.replace("\"0.01\"", "\"0.00\""))?;
    let data = folder.path().join("data of dev").display().to_string();
    let server = Server::start_command(&folder, &["dev", &path, "--data", &data]).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let customer = tokio::spawn(customer(server.client(), stop.clone()));
    counts(&server, 2).await?;
    let source = project.join("src/lib.rs");
    let text = std::fs::read_to_string(&source)?;
    ensure!(text.contains(SOURCE), "the template has changed; change this test");
    std::fs::write(&source, text.replace(SOURCE, "count: values.len() + 1000,"))?;
    counts(&server, 1002).await?;
    // A mistake in the source is reported to the author, and the serving version is
    // unaffected.
    std::fs::write(&source, text.replace(SOURCE, "count: values.length(),"))?;
    let ask = || async { Ok(server.log().contains("the previous version still serves").then_some(())) };
    eventually("the mistake is reported to the author", 60, ask).await.with_context(|| server.log())?;
    counts(&server, 1002).await?;
    std::fs::write(&source, text.replace(SOURCE, "count: values.len() + 2000,"))?;
    counts(&server, 2002).await?;
    stop.store(true, Ordering::SeqCst);
    customer.await??;
    server.stop().await
}

async fn counts(server: &Server, count: u64) -> Result<()> {
    let client = server.client();
    let ask = || async {
        let reply = client.call("mean", &json!({ "values": [1, 3] }), &[]).await?;
        Ok((reply.json["count"] == count).then_some(()))
    };
    let answered = eventually(&format!("the count {count}"), 90, ask).await;
    let (_, took) = answered.with_context(|| server.log())?;
    println!("the count {count} after {took:?}");
    Ok(())
}
