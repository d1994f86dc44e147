//! Messages of the Model Context Protocol, and running scripts that use the official
//! client.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{Client, Reply, workspace};

/// Sends a message of protocol version 2026-07-28, from a client without capabilities.
pub async fn modern(client: &Client, method: &str, name: Option<&str>, params: Value) -> Result<Reply> {
    able(client, &json!({}), method, name, params).await
}

/// Sends a message of protocol version 2026-07-28, from a client with the given
/// capabilities.
pub async fn able(
    client: &Client,
    capabilities: &Value,
    method: &str,
    name: Option<&str>,
    mut params: Value,
) -> Result<Reply> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut request = client
        .request(Method::POST, "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    if let Some(name) = name {
        request = request.header("mcp-name", name);
    }
    client.send(request.json(&body)).await
}

/// Runs a script that uses the official Python client.
pub async fn run_client(script: &str, arguments: &[&str]) -> Result<()> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    run_script(&python, &workspace().join("tests/mcp").join(script), arguments).await
}

/// Runs a client's script with an interpreter; fails if the script fails or takes two
/// minutes.
pub async fn run_script(interpreter: &str, script: &Path, arguments: &[&str]) -> Result<()> {
    let run = tokio::process::Command::new(interpreter).arg(script).args(arguments).kill_on_drop(true).output();
    let output = tokio::time::timeout(Duration::from_secs(120), run).await.context("the client does not exit")??;
    let (reported, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "the client (is it installed? see tests/requirements.txt): {reported}\n{errors}");
    Ok(())
}
