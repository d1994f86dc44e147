//! The settings of plugins: `[plugins]`, `[plugins.NAME]` and `[bridges]`.
//!
//! `[plugins]` contains fixed keys, and one table for each plugin that has
//! specific settings. A plugin whose name is one of the fixed keys cannot have such a table.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::grant::Grant;
use super::hosts::HostPattern;
use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::secret::Secret;
use super::setting::{Setting, unexpected_value};
use super::units::ByteSize;
use crate::limits::{
    COMPONENT_BYTES_MAX, GUEST_MEMORY_BYTES_MAX, GUEST_TIME_MS_MAX, KEPT_INPUTS_MAX, KEPT_INPUTS_MS_MAX,
};
use crate::time::DAY_MS;

/// Default retention of an input.
const KEPT_INPUTS_MS: u64 = DAY_MS;

/// The section `[plugins]`: limits and grants for all plugins.
#[derive(Clone, Debug)]
pub struct PluginsConfig {
    /// The largest linear memory that a manifest may ask for.
    pub max_memory: ByteSize,
    /// The longest time per call that a manifest may ask for.
    pub max_time: Duration,
    /// The maximum size of a component file.
    pub max_component: ByteSize,
    /// Grants that any plugin gets if its manifest asks for them.
    pub allow_grants: Vec<Grant>,
    /// Hosts that a plugin with the `http` grant may reach if its manifest names
    /// them.
    pub allow_hosts: Vec<HostPattern>,
    /// The folder of precompiled plugin code that was installed with the program.
    pub precompiled: Option<PathBuf>,
    /// Whether failure reports name source lines, if a component has debug information.
    pub source_lines: bool,
    /// The sections `[plugins.NAME]`, by plugin name.
    pub named: BTreeMap<String, PluginSettings>,
}

/// The section `[plugins.NAME]`.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// Values that the plugin reads through its `config` grant.
    pub config: BTreeMap<String, String>,
    /// Secrets that the host inserts into the headers of the plugin's outgoing requests;
    /// the plugin only sees placeholders.
    pub secrets: BTreeMap<String, Secret>,
    /// Grants for this plugin, in addition to `plugins.allow_grants`.
    pub grants: Vec<Grant>,
    /// Table files that the plugin opens by name; they replace tables of the same name
    /// that the plugin ships.
    pub tables: BTreeMap<String, PathBuf>,
    /// Whether the plugin is loaded.
    pub enabled: bool,
    /// The number of answered calls whose inputs are kept for replays.
    pub keep_inputs: u32,
    /// The time for which each kept input is stored.
    pub keep_inputs_for: Duration,
}

/// The section `[bridges]`.
#[derive(Clone, Debug)]
pub struct BridgesConfig {
    /// Whether calls of bridges need an API key.
    pub require_key: bool,
}

/// The keys of `[plugins]` that cannot be names of plugins' tables.
const FIXED: [&str; 7] =
    ["max_memory", "max_time", "max_component", "allow_grants", "allow_hosts", "precompiled", "source_lines"];

impl PluginsConfig {
    /// The settings of one plugin; `None` for a plugin without a table, which is enabled
    /// and has only the grants of `allow_grants`.
    pub fn of(&self, name: &str) -> Option<&PluginSettings> {
        self.named.get(name)
    }

    /// Whether the operator allows the plugin to use a grant.
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
        let source_lines = r.required("plugins.source_lines");
        let names = r.tables("plugins", &FIXED);
        // Read every table before returning at the first problem, so that all problems
        // are reported.
        let named: Vec<_> = names.into_iter().map(|name| PluginSettings::read(r, &name).map(|s| (name, s))).collect();
        Some(Self {
            max_memory: max_memory?,
            max_time: max_time?,
            max_component: max_component?,
            allow_grants: allow_grants?,
            allow_hosts: allow_hosts?,
            precompiled: precompiled?,
            source_lines: source_lines?,
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
        let (keep_inputs, keep_inputs_for) = (Self::keep_inputs(r, &at), Self::keep_inputs_for(r, &at));
        r.derived(at.then("grants"), Raw::List(Vec::new()), "default");
        r.derived(at.then("enabled"), Raw::Flag(true), "default");
        Some(Self {
            config: config?.into_iter().map(|(key, value)| (key, value.0)).collect(),
            secrets: secrets?,
            grants: grants?.unwrap_or_default(),
            tables: tables?,
            enabled: enabled?.unwrap_or(true),
            keep_inputs: keep_inputs?,
            keep_inputs_for: keep_inputs_for?,
        })
    }

    fn keep_inputs(r: &mut Reader, at: &Key) -> Option<u32> {
        let key = at.then("keep_inputs");
        let number = r.optional::<u32>(key.clone())?.unwrap_or(0);
        r.derived(key.clone(), Raw::Number("0".to_owned()), "default");
        if number > KEPT_INPUTS_MAX {
            r.error(&key, format!("must be from 0 to {KEPT_INPUTS_MAX}"));
            return None;
        }
        Some(number)
    }

    fn keep_inputs_for(r: &mut Reader, at: &Key) -> Option<Duration> {
        let key = at.then("keep_inputs_for");
        let time = r.optional::<Duration>(key.clone())?.unwrap_or(Duration::from_millis(KEPT_INPUTS_MS));
        r.derived(key.clone(), Raw::Text("24h".to_owned()), "default");
        if !(Duration::from_secs(1)..=Duration::from_millis(KEPT_INPUTS_MS_MAX)).contains(&time) {
            r.error(&key, "must be from 1s to 7d".to_owned());
            return None;
        }
        Some(time)
    }
}

impl BridgesConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        Some(Self { require_key: r.required("bridges.require_key")? })
    }
}

/// A value of a plugin's own configuration. Plugins read text, so numbers and booleans
/// are passed on as written.
struct ConfigText(String);

impl Setting for ConfigText {
    fn read(raw: &Raw) -> Result<Self, String> {
        match raw {
            Raw::Flag(flag) => Ok(Self(flag.to_string())),
            other => match other.scalar() {
                Some(text) => Ok(Self(text.to_owned())),
                None => Err(unexpected_value(other, "text, a number or true or false")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    fn settings(text: &str) -> Result<PluginSettings, String> {
        let text = format!("[plugins.weather]\n{text}");
        let sources = Sources { file: Some(("t.toml".to_owned(), text)), ..Sources::default() };
        let config = sources.load().map_err(|error| error.to_string())?.config;
        config.plugins.of("weather").cloned().ok_or_else(|| "no settings".to_owned())
    }

    #[test]
    fn inputs_are_kept_if_enabled_and_for_a_limited_time() {
        let kept = |text: &str| settings(text).map(|of| (of.keep_inputs, of.keep_inputs_for.as_secs()));
        assert_eq!(kept("enabled = true"), Ok((0, 86_400)));
        assert_eq!(kept("keep_inputs = 50\nkeep_inputs_for = '2h'"), Ok((50, 7_200)));
        for (text, expect) in [
            ("keep_inputs = 1001", "plugins.weather.keep_inputs: must be from 0 to 1000"),
            ("keep_inputs = 'all'", "plugins.weather.keep_inputs: \"all\" is not a whole number"),
            ("keep_inputs_for = '8d'", "plugins.weather.keep_inputs_for: must be from 1s to 7d"),
            ("keep_inputs_for = '0s'", "plugins.weather.keep_inputs_for: must be from 1s to 7d"),
        ] {
            assert!(kept(text).is_err_and(|problems| problems.contains(expect)), "{text}: {:?}", kept(text));
        }
    }
}
