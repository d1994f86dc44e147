//! What plugins may do: `[plugins]`, `[plugins.NAME]` and `[bridges]`.
//!
//! `[plugins]` holds fixed keys and, beside them, one table for each plugin
//! that needs settings of its own. A plugin whose name is one of the fixed keys
//! cannot have such a table.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::grant::Grant;
use super::hosts::HostPattern;
use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::setting::{Setting, unlike};
use super::units::ByteSize;
use crate::limits::{COMPONENT_BYTES_MAX, GUEST_MEMORY_BYTES_MAX, GUEST_TIME_MS_MAX};

/// `[plugins]`: ceilings and grants for all of them.
#[derive(Clone, Debug)]
pub struct PluginsConfig {
    /// Most linear memory a manifest may ask for.
    pub max_memory: ByteSize,
    /// Longest time per call a manifest may ask for.
    pub max_time: Duration,
    /// Largest component file.
    pub max_component: ByteSize,
    /// Grants that any plugin gets when its manifest asks.
    pub allow_grants: Vec<Grant>,
    /// Hosts that a plugin with the `http` grant may reach when its manifest
    /// names them.
    pub allow_hosts: Vec<HostPattern>,
    /// Folder with compiled code that was installed with the program.
    pub precompiled: Option<PathBuf>,
    /// `[plugins.NAME]`.
    pub named: BTreeMap<String, PluginSettings>,
}

/// `[plugins.NAME]`.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// What the plugin reads through its `config` grant.
    pub config: BTreeMap<String, String>,
    /// What the host fills into outgoing headers; the plugin sees placeholders.
    pub secrets: BTreeMap<String, Secret>,
    /// Grants for this plugin beside `plugins.allow_grants`.
    pub grants: Vec<Grant>,
    /// Files of tables that the plugin opens by name, also in place of those
    /// that it ships.
    pub tables: BTreeMap<String, PathBuf>,
    /// `false` keeps it from being loaded.
    pub enabled: bool,
}

/// `[bridges]`.
#[derive(Clone, Debug)]
pub struct BridgesConfig {
    /// Whether a bridge call needs an API key.
    pub require_key: bool,
}

/// The keys of `[plugins]` that are not names of plugins.
const FIXED: [&str; 6] = ["max_memory", "max_time", "max_component", "allow_grants", "allow_hosts", "precompiled"];

impl PluginsConfig {
    /// The settings of one plugin; what holds for a plugin without a table is
    /// `None`: enabled, and nothing beyond the common grants.
    pub fn of(&self, name: &str) -> Option<&PluginSettings> {
        self.named.get(name)
    }

    /// Whether the operator lets this plugin have a grant.
    pub fn allows(&self, name: &str, grant: Grant) -> bool {
        self.allow_grants.contains(&grant) || self.of(name).is_some_and(|settings| settings.grants.contains(&grant))
    }

    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let max_memory = Self::ceiling(r, "plugins.max_memory", GUEST_MEMORY_BYTES_MAX, "from 64KiB to 256MiB");
        let max_component = Self::ceiling(r, "plugins.max_component", COMPONENT_BYTES_MAX, "from 64KiB to 32MiB");
        let longest = Duration::from_millis(GUEST_TIME_MS_MAX);
        let max_time = r.within("plugins.max_time", Duration::from_millis(1)..=longest, "from 1ms to 60s");
        let allow_grants = r.required("plugins.allow_grants");
        let allow_hosts = r.required("plugins.allow_hosts");
        let precompiled = r.optional("plugins.precompiled");
        let names = r.tables("plugins", &FIXED);
        // All are read before the first problem ends it, so that all are told.
        let named: Vec<_> = names.into_iter().map(|name| PluginSettings::read(r, &name).map(|s| (name, s))).collect();
        Some(Self {
            max_memory: max_memory?,
            max_time: max_time?,
            max_component: max_component?,
            allow_grants: allow_grants?,
            allow_hosts: allow_hosts?,
            precompiled: precompiled?,
            named: named.into_iter().collect::<Option<_>>()?,
        })
    }

    fn ceiling(r: &mut Reader, key: &str, largest: usize, shown: &str) -> Option<ByteSize> {
        let size: ByteSize = r.required(key)?;
        if (64 << 10..=largest).contains(&size.as_usize()) {
            return Some(size);
        }
        r.error(&Key::from(key), format!("must be {shown}"));
        None
    }
}

impl PluginSettings {
    fn read(r: &mut Reader, name: &str) -> Option<Self> {
        let at = Key::from("plugins").then(name);
        let config = r.map::<ConfigText>(at.then("config"));
        let secrets = r.map(at.then("secrets"));
        let grants = r.optional(at.then("grants"));
        let tables = r.map(at.then("tables"));
        let enabled = r.optional(at.then("enabled"));
        r.derived(at.then("grants"), Raw::List(Vec::new()), "default");
        r.derived(at.then("enabled"), Raw::Flag(true), "default");
        Some(Self {
            config: config?.into_iter().map(|(key, value)| (key, value.0)).collect(),
            secrets: secrets?,
            grants: grants?.unwrap_or_default(),
            tables: tables?,
            enabled: enabled?.unwrap_or(true),
        })
    }
}

impl BridgesConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        Some(Self { require_key: r.required("bridges.require_key")? })
    }
}

/// A value for a plugin's own configuration: plugins read text, so numbers and
/// flags are passed on as they were written.
struct ConfigText(String);

impl Setting for ConfigText {
    fn read(raw: &Raw) -> Result<Self, String> {
        match raw {
            Raw::Flag(flag) => Ok(Self(flag.to_string())),
            other => match other.scalar() {
                Some(text) => Ok(Self(text.to_owned())),
                None => Err(unlike(other, "text, a number or true or false")),
            },
        }
    }
}
