//! A request to deploy a plugin, as its author sends it.

use std::collections::BTreeMap;

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::Declaration;

use super::deploy_error::{DeployError, refused};

/// Manifest members that an author may send, by their JSON names.
pub const MANIFEST_MEMBERS: [&str; 8] =
    ["commands", "grants", "allow_hosts", "bridges", "agents", "limits", "skills", "needs"];

/// A plugin to deploy, as its author sends it.
pub struct DeployRequest {
    /// The kind of plugin: agent or bridge.
    pub kind: PluginKind,
    /// The plugin's name without the account's handle.
    pub name: String,
    /// The version number; `None` for the next one.
    pub version: Option<String>,
    /// The other manifest members, as TOML.
    pub manifest: toml::Table,
    /// The code of the plugin.
    pub code: PluginCode,
}

/// The code of a plugin: a component, or a prompt.
pub enum PluginCode {
    /// A WebAssembly component.
    Component(Vec<u8>),
    /// A prompt that the operator's model agent runs.
    Declared(Declaration),
}

/// Converts manifest members from JSON to TOML; refuses values that TOML cannot
/// represent.
pub fn manifest_table(members: BTreeMap<&'static str, serde_json::Value>) -> Result<toml::Table, DeployError> {
    let mut table = toml::Table::new();
    for (name, value) in members {
        let value = toml::Value::try_from(&value).map_err(|error| refused("", format!("`{name}`: {error}")))?;
        table.insert(name.to_owned(), value);
    }
    Ok(table)
}
