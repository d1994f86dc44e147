//! `tollbridge plugin publish --server URL --key KEY`: an agent goes live on a
//! server under the account of a key.

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::output::Output;
use super::plugin_publish::Ready;
use crate::agents::MANIFEST_MEMBERS;
use crate::registry::{Kind, Manifest};

/// Deploys one after the other; stops at the first that is refused.
pub async fn run(ready: &[Ready], server: &str, key: &str, out: Output) -> Result<()> {
    let url = reqwest::Url::parse(server).with_context(|| format!("`{server}` is not a URL"))?;
    let url = url.join("/api/v1/agents/deploy")?;
    let http = super::http_client()?;
    let mut deployed = Vec::new();
    for one in ready {
        let body = deployment(one)?;
        let sent = http.post(url.clone()).bearer_auth(key).json(&body).send().await;
        let answer = sent.with_context(|| format!("cannot reach {server}"))?;
        let status = answer.status();
        let told: Value = answer.json().await.context("the answer is not JSON")?;
        let text = |name: &str| told.get(name).and_then(Value::as_str).unwrap_or_default();
        if !status.is_success() {
            bail!("{} {}: {}", status.as_u16(), text("code"), text("error"));
        }
        out.note(&format!("deployed {} {} at £{}", text("agent_id"), text("version"), text("price_gbp")));
        deployed.push(told);
    }
    let lines = || {
        let url = |one: &Value| one.get("invoke_url").and_then(Value::as_str).unwrap_or_default().to_owned();
        deployed.iter().map(url).collect::<Vec<_>>().join("\n")
    };
    out.result(&Value::Array(deployed.clone()), lines);
    Ok(())
}

/// What the server is sent of a manifest and its component.
fn deployment(ready: &Ready) -> Result<Value> {
    let manifest = Manifest::parse(&ready.manifest)?;
    ensure!(
        manifest.id.kind == Kind::Agent,
        "{} is a bridge; bridges are published into the operator's registry, without --server",
        manifest.id.name
    );
    ensure!(ready.tables.is_empty(), "{} ships tables, which cannot be deployed this way", manifest.id.name);
    let wasm = std::fs::read(&ready.component).with_context(|| format!("cannot read {}", ready.component.display()))?;
    let table: toml::Table = ready.manifest.parse()?;
    let mut body = Map::new();
    for member in MANIFEST_MEMBERS {
        if let Some(value) = table.get(member) {
            body.insert(member.to_owned(), serde_json::to_value(value)?);
        }
    }
    for (name, value) in [
        ("name", json!(manifest.id.name.as_str())),
        ("version", json!(manifest.version.to_string())),
        ("description", json!(manifest.purpose)),
        ("price_gbp", json!(manifest.price.pounds())),
        ("component_base64", json!(STANDARD.encode(wasm))),
    ] {
        body.insert(name.to_owned(), value);
    }
    Ok(Value::Object(body))
}
