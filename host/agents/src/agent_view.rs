//! Agents as the API describes them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tollbridge_market::catalog::{CallPrice, CatalogEntry, Offer, Snapshot};
use tollbridge_plugin::Example;
use tollbridge_registry::Skill;

use crate::qualification::Qualification;
use crate::stats_indexer::PluginStats;

/// An agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub struct AgentView {
    agent_id: String,
    slug: String,
    name: String,
    description: String,
    #[schemars(extend("enum" = ["deployed", "unavailable", "disabled"]))]
    status: &'static str,
    /// The reason it is not available
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    reason: Option<String>,
    #[serde(flatten)]
    price: Option<CallPrice>,
    #[serde(flatten)]
    served: Option<ServedAgent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AgentStats")]
    stats: Option<AgentStats>,
    /// The measured quality with chat models
    #[serde(skip_serializing_if = "Vec::is_empty")]
    qualifications: Vec<Qualification>,
}

/// The serving version of an agent.
#[derive(Serialize, JsonSchema)]
struct ServedAgent {
    version: String,
    publisher: String,
    component_sha256: String,
    skills: Vec<Skill>,
    /// The commands in words that the agent accepts, as Markdown; absent for an agent without
    /// a list. Only in the view of one agent
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    commands: Option<Arc<str>>,
    input_schema: Value,
    output_schema: Value,
    examples: Vec<Example>,
    invoke_url: String,
}

/// Statistics from the ledger.
#[derive(Serialize, JsonSchema)]
struct AgentStats {
    completed: u64,
    failed: u64,
    success_rate: Option<f64>,
    median_ms: Option<u64>,
}

impl AgentView {
    /// Describes an agent, whether or not it is serving, with its statistics if given.
    pub fn new(
        snapshot: &Snapshot,
        name: &str,
        entry: &CatalogEntry,
        stats: Option<&PluginStats>,
        base_url: &str,
    ) -> Self {
        let (purpose, price, disabled) = match entry {
            CatalogEntry::Live(offer) => return Self::of_offer(snapshot, offer, stats, base_url),
            CatalogEntry::Down { purpose, price, disabled, .. } => (purpose, *price, *disabled),
        };
        let reason = entry.public_reason().map(str::to_owned);
        Self {
            agent_id: name.to_owned(),
            slug: name.to_owned(),
            name: name.to_owned(),
            description: purpose.clone(),
            status: match (&reason, disabled) {
                (None, _) => "deployed",
                (Some(_), true) => "disabled",
                (Some(_), false) => "unavailable",
            },
            reason,
            price: price.map(CallPrice::new),
            served: None,
            stats: None,
            qualifications: Vec::new(),
        }
    }

    /// Adds the agent's measured quality with models.
    #[must_use]
    pub fn qualified(self, qualifications: Vec<Qualification>) -> Self {
        Self { qualifications, ..self }
    }

    /// Describes a serving agent, with its statistics if given.
    pub fn of_offer(snapshot: &Snapshot, offer: &Offer, stats: Option<&PluginStats>, base_url: &str) -> Self {
        let description = offer.plugin.description();
        let reason = snapshot.unmet_need(offer).map(|unmet| unmet.reason);
        Self {
            agent_id: offer.name.clone(),
            slug: offer.name.clone(),
            name: offer.display_name().to_owned(),
            description: offer.purpose.clone(),
            status: if reason.is_some() { "unavailable" } else { "deployed" },
            reason,
            price: Some(CallPrice::new(offer.price)),
            served: Some(ServedAgent {
                version: offer.version_text.clone(),
                publisher: offer.publisher.clone(),
                component_sha256: hex::encode(offer.sha256),
                skills: offer.skills.clone(),
                // Lists of agents leave the texts out: fifty of them would be a megabyte.
                commands: stats.and(offer.commands.clone()),
                input_schema: description.input_schema.clone(),
                output_schema: description.output_schema.clone(),
                examples: description.examples.clone(),
                invoke_url: format!("{base_url}/v1/agents/{}/invoke", offer.name),
            }),
            stats: stats.map(|stats| AgentStats {
                completed: stats.completed,
                failed: stats.failed,
                success_rate: stats.success_rate(),
                median_ms: stats.median_ms(),
            }),
            qualifications: Vec::new(),
        }
    }
}
