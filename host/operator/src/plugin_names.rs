//! The names of plugins in commands.

use std::path::PathBuf;

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::PluginId;
use tollbridge_store::{Collection, Db};

use super::error::OperatorError;

/// Finds the plugin that a command names.
#[derive(Clone)]
pub(super) struct PluginNames {
    pub(super) db: Db,
    /// Folder of published plugins.
    pub(super) registry: PathBuf,
}

impl PluginNames {
    /// Parses `NAME`, `bridges/NAME` or `agents/NAME`; a plain name is a bridge unless only an
    /// agent has it.
    pub(super) fn id(&self, plugin: &str) -> Result<PluginId, OperatorError> {
        let (kind, name) = match plugin.split_once('/') {
            Some(("bridges", name)) => (Some(PluginKind::Bridge), name),
            Some(("agents", name)) => (Some(PluginKind::Agent), name),
            Some(_) => return Err(OperatorError::Refused(format!("use bridges/NAME or agents/NAME, not {plugin}"))),
            None => (None, plugin),
        };
        let name = name.parse().map_err(|error| OperatorError::Refused(format!("{error}")))?;
        let agent = PluginId { kind: PluginKind::Agent, name };
        let bridge = PluginId { kind: PluginKind::Bridge, name: agent.name.clone() };
        let known = |id: &PluginId| {
            let folder = self.registry.join(id.kind.folder()).join(id.name.as_str());
            folder.is_dir() || matches!(self.db.get(Collection::Plugins, &id.row_key()), Ok(Some(_)))
        };
        Ok(match kind {
            Some(PluginKind::Agent) => agent,
            None if !known(&bridge) && known(&agent) => agent,
            Some(PluginKind::Bridge) | None => bridge,
        })
    }
}
