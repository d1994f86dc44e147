//! Models of an engine on this machine, which the server starts and supervises.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tollbridge_tests::{Client, Folder, Reply, eventually, workspace};

const CHAT: &str = "/v1/chat/completions";

/// Returns the configuration of a fake engine with one paid model.
fn config(arguments: &str) -> String {
    let fake = workspace().join("tests/engines/fake_engine.py");
    let words = format!("python3 {} --port {{port}} --model {{model}} {arguments}", fake.display());
    let words: Vec<String> = words.split_whitespace().map(|word| format!("\"{word}\"")).collect();
    format!(
        "[inference]\nusd_gbp = 1\n[inference.providers.local]\ncommand = [{}]\nmodels = [{{ id = \"small\", upstream = \
         \"/models/small.gguf\", input_usd_per_mtok = 1000, output_usd_per_mtok = 2000, context = 2048 }}]\n",
        words.join(", ")
    )
}

async fn chat(client: &Client) -> Result<Reply> {
    let hello = json!({ "role": "user", "content": "hello" });
    client.post(CHAT, &json!({ "model": "small", "max_tokens": 40, "messages": [hello] })).await
}

/// Returns the id of the engine's process from a paid answer.
async fn engine_pid(client: &Client) -> Result<u32> {
    let pid = async || {
        let reply = chat(client).await?;
        let text = reply.json["choices"][0]["message"]["content"].as_str();
        Ok(text.filter(|_| reply.status == 200).and_then(|text| text.strip_prefix("pid ")?.parse().ok()))
    };
    Ok(eventually("the engine answers", 30, pid).await?.0)
}

fn is_running(pid: u32) -> bool {
    let shown = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output();
    shown.is_ok_and(|shown| !matches!(shown.stdout.trim_ascii_start().first(), None | Some(b'Z')))
}

async fn is_gone(pid: u32) -> Result<()> {
    eventually("the engine has ended", 10, async || Ok((!is_running(pid)).then_some(()))).await.map(drop)
}

fn provider(folder: &Folder) -> Result<Value> {
    let shown = folder.run_json(&["inference", "show"])?;
    let all = shown["providers"].as_array().context("no providers")?;
    all.iter().find(|one| one["provider"] == "local").cloned().context("no provider")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_serves_paid_calls_is_started_again_and_ends_with_the_server() -> Result<()> {
    let mut folder = Folder::new(&config("--slow 3 --chatty"))?;
    // The engine refuses to start if it gets this variable.
    folder.variables.push(("OPENAI_API_KEY".to_owned(), "sk-secret".to_owned()));
    let server = folder.serve().await?;
    let client = folder.funded(&server, "buyer@example.com", "10.00").await?;
    // The server is ready before its engine is: calls are refused and free.
    let early = chat(&client).await?.must_be(503, "E005")?;
    ensure!(early.header("retry-after").is_some() && early.text.contains("still starting"), "{early:?}");
    // The sandbox adds its own £10 to the £10 of the test.
    let balance = client.get("/v1/balance").await?.json;
    ensure!(balance["credit_gbp"] == "£20.00", "the refused call was charged: {balance}");
    let starting = provider(&folder)?;
    ensure!(starting["state"] == "starting", "{starting}");
    ensure!(starting["why_not"].as_str().is_some_and(|why| why.contains("/models/small.gguf")), "{starting}");

    let first = engine_pid(&client).await?;
    ensure!(provider(&folder)?["state"] == "up");
    // The answer used 10 tokens of input and 5 of output: 2 p.
    ensure!(client.get("/v1/balance").await?.json["credit_gbp"] == "£19.98", "the price is wrong");
    Command::new("kill").args(["-9", &first.to_string()]).status()?;
    eventually("the end is noticed", 10, async || Ok((provider(&folder)?["state"] != "up").then_some(()))).await?;
    let problems = folder.run_json(&["status"])?;
    ensure!(problems.to_string().contains("local does not answer"), "{problems}");
    chat(&client).await?.must_be(503, "E005")?;
    let second = engine_pid(&client).await?;
    ensure!(second != first && !is_running(first), "the engine was not started again");
    folder.verify()?;
    server.stop().await?;
    ensure!(!is_running(second), "the engine is left after the server has stopped");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_ignores_signals_ends_even_if_the_server_is_killed() -> Result<()> {
    let folder = Folder::new(&config("--stubborn"))?;
    let server = folder.serve().await?;
    let client = folder.funded(&server, "buyer@example.com", "10.00").await?;
    let engine = engine_pid(&client).await?;
    server.kill().await?;
    is_gone(engine).await
}
