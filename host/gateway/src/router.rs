//! Routing: selects the deployments that may serve a request, and the order in which they
//! are tried.
//!
//! Invariants: a deployment that lacks a capability needed by the request is not tried;
//! paused deployments come last; a model without a price is never treated as free,
//! because every deployment has prices.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_core::config::{Millionths, ProviderKind};
use tollbridge_core::money::Millipence;

use super::error::GatewayError;
use super::pricing::TokenUsage;
use super::provider::{ModelDeployment, ModelKind};
use super::request::{AUTO, ModelRequest};

/// Number of output tokens assumed if the request sets no limit.
const EXPECTED_OUTPUT_TOKENS: u64 = 500;
/// Minimum context size of a model that `auto` may choose.
const CAPABLE_CONTEXT_TOKENS: u64 = 32_000;
/// Latency assumed for a deployment that was never used.
const UNKNOWN_LATENCY: Duration = Duration::from_secs(1);
/// Minimum similarity for an existing model name to be suggested in place of an unknown
/// one.
const SIMILARITY_MIN: f64 = 0.8;

/// The criterion by which a provider is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoutingPriority {
    /// The lowest expected cost.
    Cheap,
    /// The lowest expected cost among the capable models.
    #[default]
    Balanced,
    /// The lowest latency.
    Fast,
    /// The highest price, as the best indicator of quality.
    Quality,
}

/// A deployment that may answer a request.
#[derive(Clone, Debug)]
pub struct RouteCandidate {
    /// The model at its provider.
    pub deployment: Arc<ModelDeployment>,
    /// The maximum cost of the request at this deployment.
    pub worst_cost: Millipence,
    /// The expected cost of the request at this deployment.
    pub expected_cost: Millipence,
    /// The end of the deployment's pause, if it is paused.
    pub paused_until: Option<Instant>,
}

/// All deployments, indexed by the names that clients use.
#[derive(Debug, Default)]
pub struct ModelRouter {
    all: Vec<Arc<ModelDeployment>>,
    by_name: HashMap<String, Vec<Arc<ModelDeployment>>>,
}

impl RoutingPriority {
    /// All priorities, each with its name in requests.
    pub const ALL: [(&'static str, Self); 4] =
        [("cheap", Self::Cheap), ("balanced", Self::Balanced), ("fast", Self::Fast), ("quality", Self::Quality)];

    /// Returns the priority with the given name; `None` if the name is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, priority)| *priority)
    }

    /// Returns the name of the priority in requests.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, priority)| *priority == self).map_or("", |(name, _)| name)
    }
}

impl ModelRouter {
    /// Builds a router for the given deployments.
    pub fn new(deployments: Vec<ModelDeployment>) -> Self {
        let mut models = Self::default();
        for deployment in deployments.into_iter().map(Arc::new) {
            let (name, upstream, provider) = (&deployment.name, &deployment.upstream, &deployment.provider.name);
            let mut names =
                vec![name.clone(), upstream.clone(), format!("{provider}/{name}"), format!("{provider}/{upstream}")];
            names.sort();
            names.dedup();
            for name in names {
                models.by_name.entry(name).or_default().push(deployment.clone());
            }
            models.all.push(deployment);
        }
        models
    }

    /// Returns every deployment, in the order of the configuration.
    pub fn all(&self) -> &[Arc<ModelDeployment>] {
        &self.all
    }

    /// Returns the deployments of a model. `name` is the shared name or a provider's name
    /// for the model, optionally preceded by the provider's name and a slash.
    pub fn named(&self, name: &str) -> &[Arc<ModelDeployment>] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the candidates in the order in which they are tried.
    ///
    /// # Errors
    /// The model is unknown, or no deployment has the capabilities that the request
    /// needs.
    pub fn plan(
        &self,
        request: &ModelRequest,
        priority: RoutingPriority,
        usd_gbp: Millionths,
        now: Instant,
    ) -> Result<Vec<RouteCandidate>, GatewayError> {
        let kind = request.endpoint.kind();
        let auto = request.model == AUTO;
        let known = if auto { self.all() } else { self.named(&request.model) };
        let known: Vec<&Arc<ModelDeployment>> = known.iter().filter(|one| one.kind == kind).collect();
        if known.is_empty() {
            return Err(self.unknown(&request.model, kind));
        }
        let estimated_input = request.estimated_input();
        let mut capable = Vec::new();
        let mut why = String::new();
        for deployment in known {
            match missing_capability(deployment, request, estimated_input) {
                Some(missing) => why = missing,
                None => capable.push(self.candidate(deployment, request, estimated_input, usd_gbp, now)),
            }
        }
        if capable.is_empty() {
            return Err(GatewayError::Unsupported { model: request.model.clone(), why });
        }
        if auto && priority == RoutingPriority::Balanced {
            prefer_capable(&mut capable, kind);
        }
        order(&mut capable, priority, auto);
        Ok(capable)
    }

    fn candidate(
        &self,
        deployment: &Arc<ModelDeployment>,
        request: &ModelRequest,
        estimated_input: u64,
        usd_gbp: Millionths,
        now: Instant,
    ) -> RouteCandidate {
        let (input, output) = request.worst_case_tokens(deployment);
        let usage = TokenUsage {
            input: estimated_input.min(input),
            output: output.min(EXPECTED_OUTPUT_TOKENS),
            ..TokenUsage::default()
        };
        RouteCandidate {
            worst_cost: deployment.prices.cost(&request.worst_usage(deployment), usd_gbp),
            expected_cost: deployment.prices.cost(&usage, usd_gbp),
            paused_until: deployment.health.paused_until(now),
            deployment: deployment.clone(),
        }
    }

    fn unknown(&self, model: &str, kind: ModelKind) -> GatewayError {
        let known = self.all.iter().filter(|one| one.kind == kind).map(|one| one.name.as_str());
        let scored =
            known.map(|name| (strsim::jaro_winkler(name, model), name)).filter(|(score, _)| *score >= SIMILARITY_MIN);
        let best = scored.max_by(|one, other| one.0.total_cmp(&other.0));
        let shown = model.chars().filter(|c| !c.is_control()).take(80).collect();
        GatewayError::UnknownModel { model: shown, suggestion: best.map(|(_, name)| name.to_owned()) }
    }
}

/// Returns a capability that the request needs and the deployment lacks; `None` if it
/// lacks none.
fn missing_capability(deployment: &ModelDeployment, request: &ModelRequest, estimated_input: u64) -> Option<String> {
    let needs = request.needs;
    if estimated_input > deployment.context {
        let (unit, fits) = (deployment.kind.unit(), deployment.context);
        return Some(format!("the input of about {estimated_input} {unit} exceeds the model's context of {fits}"));
    }
    if needs.tools && !deployment.tools {
        return Some("the model cannot call tools".to_owned());
    }
    if needs.vision && !deployment.vision {
        return Some("the model cannot read pictures".to_owned());
    }
    if needs.json && !deployment.json {
        return Some("the model does not support response_format".to_owned());
    }
    if needs.openai_only && deployment.provider.kind == ProviderKind::Anthropic {
        return Some("the provider supports neither several choices nor log probabilities".to_owned());
    }
    let native = request.native.as_ref()?;
    let why = native.native_only.as_ref().filter(|_| request.native_at(deployment).is_none())?;
    Some(format!("the provider does not support {}, and {why}", native.name()))
}

/// Removes small models if there are larger ones. Support for tools and a long context
/// are the only indicators of quality in the price list.
fn prefer_capable(candidates: &mut Vec<RouteCandidate>, kind: ModelKind) {
    let capable = |one: &RouteCandidate| one.deployment.context >= CAPABLE_CONTEXT_TOKENS && one.deployment.tools;
    if kind == ModelKind::Chat && candidates.iter().any(capable) {
        candidates.retain(capable);
    }
}

fn order(capable: &mut [RouteCandidate], priority: RoutingPriority, auto: bool) {
    let latency = |one: &RouteCandidate| one.deployment.health.latency().unwrap_or(UNKNOWN_LATENCY);
    match priority {
        RoutingPriority::Fast => capable.sort_by_key(|one| (latency(one), one.expected_cost)),
        // The output price is the best indicator of quality.
        RoutingPriority::Quality if auto => capable.sort_by_key(|one| Reverse(one.deployment.prices.output)),
        _ => {
            capable.sort_by_key(|one| one.expected_cost);
            // Among deployments that cost at most 5 % more than the cheapest, the fastest
            // is preferred.
            let cheapest = capable.first().map_or(0, |one| one.expected_cost.get());
            let near = capable.partition_point(|one| one.expected_cost.get() <= cheapest.saturating_add(cheapest / 20));
            if let Some(ties) = capable.get_mut(..near) {
                ties.sort_by_key(|one| (latency(one), one.expected_cost));
            }
        }
    }
    // An operator who configures a provider of embeddings prefers its model.
    if auto {
        capable.sort_by_key(|one| one.deployment.provider.builtin.is_some());
    }
    // Moves paused deployments to the end, ordered by the end of their pause; the sort is
    // stable.
    capable.sort_by_key(|one| one.paused_until);
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::{Value, json};

    use super::super::breaker::{AttemptOutcome, BreakerDecision};
    use super::super::testing::{claude, deployment};
    use super::*;

    fn request(model: &str, more: Value) -> ModelRequest {
        let mut body = json!({"model": model, "messages": [{"role": "user", "content": "hello"}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ModelRequest::chat(&Bytes::from(body.to_string())).unwrap()
    }

    fn models() -> ModelRouter {
        let mut small = deployment("b", "small", 1_000, 1_000);
        small.context = 100;
        small.tools = false;
        let all = vec![
            deployment("dear", "m", 3_000_000, 9_000_000),
            deployment("cheap", "m", 1_000_000, 2_000_000),
            deployment("near", "m", 1_010_000, 2_020_000),
            small,
            claude(),
        ];
        ModelRouter::new(all)
    }

    fn names(models: &ModelRouter, request: &ModelRequest, priority: RoutingPriority) -> Vec<String> {
        let plan = models.plan(request, priority, Millionths::of(790_000), Instant::now()).unwrap();
        plan.iter().map(|one| one.deployment.provider.name.clone()).collect()
    }

    fn report_outcome(models: &ModelRouter, provider: &str, outcome: AttemptOutcome, ms: u64) {
        let deployment = models.all().iter().find(|one| one.provider.name == provider).unwrap();
        let now = Instant::now();
        let BreakerDecision::Allow(permit) = deployment.health.admit(now, true) else { panic!("not admitted") };
        permit.report(outcome, Duration::from_millis(ms), now);
    }

    #[test]
    fn the_cheapest_first_and_the_quicker_of_two_alike() {
        let (models, m) = (models(), request("m", json!({})));
        assert_eq!(names(&models, &m, RoutingPriority::Cheap), ["cheap", "near", "dear"]);
        report_outcome(&models, "near", AttemptOutcome::Success, 5);
        assert_eq!(names(&models, &m, RoutingPriority::Cheap), ["near", "cheap", "dear"]);
        report_outcome(&models, "dear", AttemptOutcome::Success, 1);
        assert_eq!(names(&models, &m, RoutingPriority::Fast), ["dear", "near", "cheap"]);
        report_outcome(&models, "near", AttemptOutcome::Backoff(Duration::from_secs(9)), 0);
        assert_eq!(names(&models, &m, RoutingPriority::Cheap), ["cheap", "dear", "near"]);
    }

    #[test]
    fn auto_chooses_among_the_capable() {
        let models = models();
        let auto = request("auto", json!({}));
        assert_eq!(names(&models, &auto, RoutingPriority::Quality).first().map(String::as_str), Some("dear"));
        assert!(!names(&models, &auto, RoutingPriority::Balanced).contains(&"b".to_owned()));
        assert!(names(&models, &auto, RoutingPriority::Cheap).contains(&"b".to_owned()));
    }

    #[test]
    fn a_model_has_four_names() {
        let models = models();
        for name in ["m", "up/m", "dear/m", "dear/up/m"] {
            let deployment = names(&models, &request(name, json!({})), RoutingPriority::Cheap);
            assert_eq!(deployment.len(), if name.starts_with("dear") { 1 } else { 3 }, "{name}");
        }
        let error = models.plan(&request("smal", json!({})), RoutingPriority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(error, Err(GatewayError::UnknownModel { suggestion: Some(name), .. }) if name == "small"));
    }

    #[test]
    fn incapable_deployments_are_skipped() {
        let models = models();
        let tools = json!({"tools": [{"type": "function", "function": {"name": "f"}}]});
        let refused = models.plan(&request("small", tools), RoutingPriority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(refused, Err(GatewayError::Unsupported { why, .. }) if why.contains("tools")));
        let long = json!({"messages": [{"role": "user", "content": "word ".repeat(500)}]});
        let refused = models.plan(&request("small", long), RoutingPriority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(refused, Err(GatewayError::Unsupported { why, .. }) if why.contains("exceeds")));
        let two =
            models.plan(&request("claude", json!({"n": 2})), RoutingPriority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(two, Err(GatewayError::Unsupported { .. })));
    }

    #[test]
    fn the_worst_case_is_never_below_the_expected_one() {
        let plan =
            models().plan(&request("m", json!({})), RoutingPriority::Cheap, Millionths::of(790_000), Instant::now());
        for one in plan.unwrap() {
            assert!(one.worst_cost >= one.expected_cost && !one.expected_cost.is_zero());
        }
    }
}
