//! A deployment as its author sends it.

use std::collections::BTreeMap;

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_runtime::registry::Declaration;

use super::deploy_error::{DeployError, refused};

/// Members of a manifest that an author may send, by their JSON names.
pub const MANIFEST_MEMBERS: [&str; 7] = ["grants", "allow_hosts", "bridges", "agents", "limits", "skills", "needs"];

/// A plugin as its author sends it.
pub struct DeployRequest {
    /// The kind: agent or bridge.
    pub kind: PluginKind,
    /// The name after the handle.
    pub name: String,
    /// The version; the next one if absent.
    pub version: Option<String>,
    /// The other members of the manifest, as TOML.
    pub manifest: toml::Table,
    /// The code: a component, or a prompt.
    pub code: PluginCode,
}

/// The code of a plugin.
pub enum PluginCode {
    /// A WebAssembly component.
    Component(Vec<u8>),
    /// A prompt for the operator's model agent.
    Declared(Declaration),
}

/// Converts a manifest's members from JSON; values that TOML cannot represent
/// are refused.
pub fn manifest_table(members: BTreeMap<&'static str, serde_json::Value>) -> Result<toml::Table, DeployError> {
    let mut table = toml::Table::new();
    for (name, value) in members {
        let value = toml::Value::try_from(&value).map_err(|error| refused("", format!("`{name}`: {error}")))?;
        table.insert(name.to_owned(), value);
    }
    Ok(table)
}
