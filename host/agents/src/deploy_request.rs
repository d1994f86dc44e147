//! What an author sends to be deployed.

use std::collections::BTreeMap;

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::registry::Declaration;

use super::deploy_error::{DeployError, refused};

/// Members of a manifest that an author may send, by their JSON names.
pub const MANIFEST_MEMBERS: [&str; 7] = ["grants", "allow_hosts", "bridges", "agents", "limits", "skills", "needs"];

/// A plugin as its author sends it.
pub struct DeployRequest {
    /// Agent or bridge.
    pub kind: PluginKind,
    /// What follows the handle in its name.
    pub name: String,
    /// The next one unless given.
    pub version: Option<String>,
    /// The other members of the manifest, as TOML.
    pub manifest: toml::Table,
    /// The component, or a prompt.
    pub code: PluginCode,
}

/// What runs.
pub enum PluginCode {
    /// A WebAssembly component.
    Component(Vec<u8>),
    /// A prompt for the operator's agent that asks models.
    Declared(Declaration),
}

/// A manifest's members out of JSON; what TOML cannot say is refused.
pub fn manifest_table(members: BTreeMap<&'static str, serde_json::Value>) -> Result<toml::Table, DeployError> {
    let mut table = toml::Table::new();
    for (name, value) in members {
        let value = toml::Value::try_from(&value).map_err(|error| refused("", format!("`{name}`: {error}")))?;
        table.insert(name.to_owned(), value);
    }
    Ok(table)
}
