//! The command `tollbridge plugin publish --server URL --key KEY`: an agent goes live on a server
//! under the key's account, and a bridge waits there for approval.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tollbridge_agents::MANIFEST_MEMBERS;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::registry::Manifest;
use tollbridge_tools::explained::Explained;
use tollbridge_tools::output::Output;

use super::ready_plugin::ReadyPlugin;

/// Deploys plugins one after the other; stops at the first refusal.
pub(super) async fn run(ready: &[ReadyPlugin], server: &str, key: &str, out: Output) -> Result<()> {
    let url = reqwest::Url::parse(server).with_context(|| format!("`{server}` is not a URL"))?;
    let http = super::http_client::http_client()?;
    let mut deployed = Vec::new();
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
        let text = |name: &str| reply.get(name).and_then(Value::as_str).unwrap_or_default();
        if !status.is_success() {
            return Err(Explained::of_api(status.as_u16(), &reply).error());
        }
        match text("status") {
            "waiting" => out.note(&format!("{} {} awaits the operator's approval", text("name"), text("version"))),
            _ => out.note(&format!("deployed {} {}", text("name"), text("version"))),
        }
        deployed.push(reply);
    }
    let lines = || {
        let text = |one: &Value, name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
        let url = |one: &Value| text(one, "invoke_url").or_else(|| text(one, "name")).unwrap_or_default();
        deployed.iter().map(url).collect::<Vec<_>>().join("\n")
    };
    out.result(&Value::Array(deployed.clone()), lines);
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
