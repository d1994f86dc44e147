//! All settings of a host, by section.

use super::email::EmailConfig;
use super::inference::InferenceConfig;
use super::payments::{self, EarnConfig, MemoryConfig, PaymentsConfig, TiersConfig};
use super::plugins::{BridgesConfig, PluginsConfig};
use super::reader::Reader;
use super::risk::RiskConfig;
use super::server::{AdminConfig, DataConfig, RegistryConfig, ServerConfig, TelemetryConfig};
use super::store::StoreConfig;
use super::webhooks::{AgentsConfig, WebhooksConfig};
use crate::money::SplitPolicy;

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

impl Config {
    /// Reads every section before it returns, so that all problems are reported, not only
    /// the first.
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let (server, data, registry) = (ServerConfig::read(r), DataConfig::read(r), RegistryConfig::read(r));
        let store = StoreConfig::read(r);
        let (plugins, bridges) = (PluginsConfig::read(r), BridgesConfig::read(r));
        let (payments, split, tiers) = (PaymentsConfig::read(r), payments::read_split(r), TiersConfig::read(r));
        if let (Some(payments), Some(split)) = (&payments, &split) {
            payments::check_fees(r, payments, split);
        }
        let inference = InferenceConfig::read(r, registry.as_ref().map(|registry| registry.dir.as_path()));
        let (earn, memory) = (EarnConfig::read(r), MemoryConfig::read(r));
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
