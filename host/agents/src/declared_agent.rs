//! Declared agents: agents defined by instructions instead of code.
//!
//! A declared agent is the component of the operator's model agent (the runner),
//! published again under the author's name with instructions in its signed manifest. It
//! has its own version, price, proofs and earnings. A proof names the runner's component;
//! the signed manifest of the version contains the instructions.
//!
//! Invariants: the component is byte for byte the one that the operator serves; a
//! declared agent is granted models and its own instructions, nothing else.

use std::path::{Path, PathBuf};

use tollbridge_core::limits::COMPONENT_BYTES_MAX;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::Catalog;
use tollbridge_registry::{Declaration, Digest, Manifest};

use super::deploy_error::{DeployError, RUNNER, refused};

/// Completes the manifest of a declared agent, and returns the runner's component.
pub(super) async fn complete_manifest(
    catalog: &Catalog,
    registry: &Path,
    table: &mut toml::Table,
    declaration: &Declaration,
) -> Result<Vec<u8>, DeployError> {
    // No account can own an agent of this name, because names of accounts' agents
    // begin with a handle.
    let runner = catalog.offer(PluginKind::Agent, RUNNER).map_err(|_| DeployError::NoRunner)?;
    let folder = registry.join(PluginKind::Agent.folder()).join(RUNNER).join(&runner.version_text);
    let reading = move || read(folder);
    let (manifest, component) = tokio::task::spawn_blocking(reading)
        .await
        .map_err(|error| DeployError::Registry(error.to_string()))?
        .map_err(|error| DeployError::Registry(format!("the agent `{RUNNER}` cannot be read: {error}")))?;
    if Digest::of(&component).bytes() != runner.sha256 {
        return Err(DeployError::Registry(format!(
            "the files of the agent `{RUNNER}` differ from the version in service"
        )));
    }
    let toml = |error: toml::ser::Error| refused("/prompt", error.to_string());
    table.insert("declaration".to_owned(), toml::Value::try_from(declaration).map_err(toml)?);
    table.insert("limits".to_owned(), toml::Value::try_from(manifest.limits).map_err(toml)?);
    table.insert("grants".to_owned(), toml::Value::try_from(&manifest.grants).map_err(toml)?);
    Ok(component)
}

/// Reads the manifest and component of a version that the registry has
/// validated.
fn read(folder: PathBuf) -> std::io::Result<(Manifest, Vec<u8>)> {
    let text = std::fs::read_to_string(folder.join("plugin.toml"))?;
    let manifest = Manifest::parse(&text).map_err(std::io::Error::other)?;
    let component = folder.join("plugin.wasm");
    let size = usize::try_from(std::fs::metadata(&component)?.len()).unwrap_or(usize::MAX);
    if size > COMPONENT_BYTES_MAX {
        return Err(std::io::Error::other("it is too large"));
    }
    Ok((manifest, std::fs::read(component)?))
}
