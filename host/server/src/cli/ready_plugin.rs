//! A plugin that is ready to be published.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tollbridge_registry::{TableFiles, read_tables};

/// A manifest with its component and tables.
pub(super) struct ReadyPlugin {
    pub(super) manifest: String,
    pub(super) component: PathBuf,
    pub(super) tables: TableFiles,
}

impl ReadyPlugin {
    pub(super) fn new(folder: &Path, component: PathBuf) -> Result<Self> {
        Ok(Self { manifest: manifest(folder)?, component, tables: read_tables(folder)? })
    }
}

/// Returns the author's manifest, with the published list of commands (`commands.md`) if the
/// folder has one.
pub(super) fn manifest(folder: &Path) -> Result<String> {
    let read = |path: &Path| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let text = read(&folder.join("plugin.toml"))?;
    let commands = folder.join("commands.md");
    if !commands.exists() {
        return Ok(text);
    }
    // Members must precede the tables of the file.
    Ok(format!("commands = {}\n{text}", toml::Value::String(read(&commands)?)))
}
