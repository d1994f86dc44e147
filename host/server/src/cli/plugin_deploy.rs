//! The command `tollbridge plugin publish --server URL --key KEY`: an agent goes live on a server
//! under the key's account, and a bridge waits there for approval.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_agents::MANIFEST_MEMBERS;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::Manifest;
use tollbridge_tools::explained::ExplainedError;
use tollbridge_tools::output::Output;

use super::ready_plugin::ReadyPlugin;

/// The members of the server's answer that people see.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Deployed {
    status: String,
    name: String,
    version: String,
    invoke_url: Option<String>,
}

/// Deploys plugins one after the other; stops at the first refusal.
pub(super) async fn run(ready: &[ReadyPlugin], server: &str, key: &str, out: Output) -> Result<()> {
    let url = reqwest::Url::parse(server).with_context(|| format!("`{server}` is not a URL"))?;
    let http = super::http_client::http_client()?;
    let (mut urls, mut replies) = (Vec::new(), Vec::new());
    for one in ready {
        let (kind, body) = deployment(one)?;
        let sent = http
            .post(url.join(&format!("/api/v1/{}/deploy", kind.folder()))?)
            .bearer_auth(key)
            .json(&body)
            .send()
            .await;
        let answer = sent.with_context(|| format!("cannot reach {server}"))?;
        let status = answer.status();
        let reply: Value = answer.json().await.context("the answer is not JSON")?;
        if !status.is_success() {
            return Err(ExplainedError::of_api(status.as_u16(), &reply).error());
        }
        let Deployed { status, name, version, invoke_url } = Deployed::deserialize(&reply)?;
        match status.as_str() {
            "waiting" => out.note(&format!("{name} {version} awaits the operator's approval")),
            _ => out.note(&format!("deployed {name} {version}")),
        }
        urls.push(invoke_url.unwrap_or(name));
        replies.push(reply);
    }
    out.result(&Value::Array(replies), || urls.join("\n"));
    Ok(())
}

/// Builds the request from a manifest and its component.
fn deployment(ready: &ReadyPlugin) -> Result<(PluginKind, Value)> {
    let manifest = Manifest::parse(&ready.manifest)?;
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
    Ok((manifest.id.kind, Value::Object(body)))
}
