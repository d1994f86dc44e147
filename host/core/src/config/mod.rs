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
mod engine_command;
mod grant;
mod hosts;
mod inference;
mod key;
mod layers;
mod loaded;
mod mpp;
mod payments;
mod plugins;
mod problem;
mod processor;
mod raw;
mod reader;
mod risk;
mod secret;
mod sections;
mod server;
mod setting;
mod sources;
mod store;
mod units;
mod webhooks;
mod x402;

#[cfg(test)]
mod server_tests;
#[cfg(test)]
mod tests;

pub use address::{BaseUrl, Network, NetworkError};
pub use artifacts::{ArtifactsConfig, FollowedArtifact};
pub use email::{EmailConfig, Sender, SmtpConfig, SmtpSecurity, SmtpServer};
pub use engine_command::EngineCommand;
pub use grant::{Grant, UnknownGrant};
pub use hosts::{HostError, HostPattern};
pub use inference::{Billing, BuiltinConfig, InferenceConfig, ModelConfig, ProviderConfig, ProviderKind};
pub use loaded::{Loaded, ShownSetting};
pub use mpp::MppConfig;
pub use payments::{Allowance, EarnConfig, MemoryConfig, PaymentsConfig, StripeConfig, TiersConfig};
pub use plugins::{BridgesConfig, PluginSettings, PluginsConfig};
pub use problem::{ConfigError, Origin, Problem, Severity};
pub use processor::Processor;
pub use risk::RiskConfig;
pub use secret::Secret;
pub use sections::Config;
pub use server::{AdminConfig, DataConfig, LoggedRequests, RegistryConfig, ServerConfig, TelemetryConfig, TlsFiles};
pub use sources::{DEFAULTS, Sources};
pub use store::{StoreConfig, StoreEngine};
pub use units::{ByteSize, Millionths};
pub use webhooks::{AgentsConfig, WebhooksConfig};
pub use x402::{AssetConfig, Settle, X402Config};
