//! The operator's settings, in rising priority: defaults, file, environment, flags.
//!
//! Invariants:
//! 1. Every key has a type. An unknown key is refused; the error names its place and the
//!    nearest known key.
//! 2. All problems are reported at once, each with its place (file and line, variable or
//!    flag) and the expected form.
//! 3. Money and percentages are parsed digit by digit; no float is involved.
//! 4. Secrets are never shown: neither in messages nor by `config show`.
//!
//! Operators rely on the names of the keys, so they must not change. `defaults.toml`
//! lists them all; a test compares it to the code.

mod address;
mod artifacts;
mod email;
mod grant;
mod hosts;
mod inference;
mod key;
mod layers;
mod mpp;
mod payments;
mod plugins;
mod problem;
mod raw;
mod reader;
mod risk;
mod secret;
mod server;
mod setting;
mod show;
mod store;
mod units;
mod webhooks;
mod x402;

#[cfg(test)]
mod server_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::limits::CONFIG_BYTES_MAX;
use crate::money::SplitPolicy;
use key::Key;
use layers::{Layers, Leaf};
use reader::{Known, Reader};

pub use address::{BaseUrl, Network, NetworkError};
pub use artifacts::{ArtifactsConfig, FollowedArtifact};
pub use email::{EmailConfig, Sender, SmtpConfig, SmtpSecurity, SmtpServer};
pub use grant::{Grant, UnknownGrant};
pub use hosts::{HostError, HostPattern};
pub use inference::{Billing, InferenceConfig, ModelConfig, ProviderConfig, ProviderKind};
pub use mpp::MppConfig;
pub use payments::{Allowance, EarnConfig, MemoryConfig, PaymentsConfig, Processor, StripeConfig, TiersConfig};
pub use plugins::{BridgesConfig, PluginSettings, PluginsConfig};
pub use problem::{ConfigError, Origin, Problem, Severity};
pub use risk::RiskConfig;
pub use secret::Secret;
pub use server::{AdminConfig, DataConfig, LoggedRequests, RegistryConfig, ServerConfig, TelemetryConfig, TlsFiles};
pub use show::ShownSetting;
pub use store::{StoreConfig, StoreEngine};
pub use units::{ByteSize, Millionths};
pub use webhooks::{AgentsConfig, WebhooksConfig};
pub use x402::{AssetConfig, Settle, X402Config};

/// The built-in defaults, with a comment for each key.
pub const DEFAULTS: &str = include_str!("defaults.toml");

/// All settings, one member per section. Each section is used by one crate.
#[derive(Clone, Debug)]
pub struct Config {
    /// `[server]`.
    pub server: ServerConfig,
    /// `[data]`.
    pub data: DataConfig,
    /// `[store]`.
    pub store: StoreConfig,
    /// `[registry]`.
    pub registry: RegistryConfig,
    /// `[plugins]`.
    pub plugins: PluginsConfig,
    /// `[bridges]`.
    pub bridges: BridgesConfig,
    /// `[payments]`.
    pub payments: PaymentsConfig,
    /// `[split]`.
    pub split: SplitPolicy,
    /// `[tiers]`.
    pub tiers: TiersConfig,
    /// `[inference]`.
    pub inference: InferenceConfig,
    /// `[earn]`.
    pub earn: EarnConfig,
    /// `[memory]`.
    pub memory: MemoryConfig,
    /// `[email]`.
    pub email: EmailConfig,
    /// `[webhooks]`.
    pub webhooks: WebhooksConfig,
    /// `[risk]`.
    pub risk: RiskConfig,
    /// `[agents]`.
    pub agents: AgentsConfig,
    /// `[admin]`.
    pub admin: AdminConfig,
    /// `[telemetry]`.
    pub telemetry: TelemetryConfig,
}

/// The sources of the configuration in addition to the built-in defaults.
#[derive(Clone, Default)]
pub struct Sources {
    /// Name and text of the configuration file.
    pub file: Option<(String, String)>,
    /// Environment variables; unrelated ones are ignored.
    pub environment: Vec<(String, String)>,
    /// Command-line flags: flag, dotted key and value, for example `("--listen",
    /// "server.listen", "…")`.
    pub flags: Vec<(&'static str, &'static str, String)>,
}

/// A valid configuration, with the warnings about it and the origin of each value.
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Settings that are valid but may not work as the operator expects.
    pub warnings: Vec<Problem>,
    leaves: BTreeMap<Key, Leaf>,
    known: BTreeMap<Key, Known>,
}

impl Sources {
    /// Reads the configuration file, if `file` names one, and the environment of this
    /// process. Variables that are not valid UTF-8 are ignored.
    pub fn gather(file: Option<&Path>) -> Result<Self, ConfigError> {
        let environment =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect();
        let file = file.map(|path| Ok((path.display().to_string(), read_file(path)?))).transpose()?;
        Ok(Self { file, environment, flags: Vec::new() })
    }

    /// Adds a command-line flag, if it was given.
    #[must_use]
    pub fn flag(mut self, flag: &'static str, key: &'static str, value: Option<String>) -> Self {
        self.flags.extend(value.map(|value| (flag, key, value)));
        self
    }

    /// Merges the sources and parses every value.
    pub fn load(&self) -> Result<Loaded, ConfigError> {
        let mut layers = Layers::default();
        layers.document(None, DEFAULTS);
        if let Some((name, text)) = &self.file {
            layers.document(Some(name), text);
        }
        layers.environment(&self.environment);
        for (flag, key, value) in &self.flags {
            layers.flag(flag, key, value);
        }
        if !layers.problems.is_empty() {
            return Err(ConfigError::Invalid(layers.problems));
        }
        let mut reader = Reader::new(layers);
        let config = Config::read(&mut reader);
        let (leaves, known, problems) = reader.finish();
        let (warnings, errors): (Vec<_>, Vec<_>) =
            problems.into_iter().partition(|problem| problem.severity == Severity::Warning);
        match config {
            Some(config) if errors.is_empty() => Ok(Loaded { config, warnings, leaves, known }),
            _ => Err(ConfigError::Invalid(errors)),
        }
    }
}

impl Config {
    /// Reads every section before it returns, so that all problems are reported, not only
    /// the first.
    fn read(r: &mut Reader) -> Option<Self> {
        let (server, data, registry) = (ServerConfig::read(r), DataConfig::read(r), RegistryConfig::read(r));
        let store = StoreConfig::read(r);
        let (plugins, bridges) = (PluginsConfig::read(r), BridgesConfig::read(r));
        let (payments, split, tiers) = (PaymentsConfig::read(r), payments::read_split(r), TiersConfig::read(r));
        if let (Some(payments), Some(split)) = (&payments, &split) {
            payments::check_fees(r, payments, split);
        }
        let (inference, earn, memory) = (InferenceConfig::read(r), EarnConfig::read(r), MemoryConfig::read(r));
        let (webhooks, risk, agents) = (WebhooksConfig::read(r), RiskConfig::read(r), AgentsConfig::read(r));
        let (admin, telemetry) = (AdminConfig::read(r), TelemetryConfig::read(r));
        let (email, server) = (EmailConfig::read(r), server?);
        let processor = payments.as_ref()?.processor;
        let email = email.map(|email| email.settle(r, server.listen, server.base_url.as_ref(), processor));
        Some(Self {
            server,
            data: data?,
            store: store?,
            registry: registry?,
            plugins: plugins?,
            bridges: bridges?,
            payments: payments?,
            split: split?,
            tiers: tiers?,
            inference: inference?,
            earn: earn?,
            memory: memory?,
            email: email?,
            webhooks: webhooks?,
            risk: risk?,
            agents: agents?,
            admin: admin?,
            telemetry: telemetry?,
        })
    }
}

/// Reads a configuration file of at most `CONFIG_BYTES_MAX` bytes.
fn read_file(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    // Reading one byte more than allowed reveals a file that is too large.
    file.take(CONFIG_BYTES_MAX + 1).read_to_string(&mut text).map_err(unreadable)?;
    if u64::try_from(text.len()).is_ok_and(|len| len <= CONFIG_BYTES_MAX) {
        return Ok(text);
    }
    Err(ConfigError::TooLarge { path: path.to_owned() })
}
