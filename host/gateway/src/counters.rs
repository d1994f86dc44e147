//! Handles of the metrics that every request increments. Handles are cached, because a
//! look-up by labels takes a microsecond or two.

use metrics::{Counter, counter};

use super::pricing::TokenUsage;

/// The counters of one model at one provider.
#[derive(Debug)]
pub struct DeploymentCounters {
    input: Counter,
    output: Counter,
    cached: Counter,
    cost: Counter,
    /// Counter of successful attempts; other outcomes are rare, so their counters are not
    /// cached.
    well: Counter,
}

/// The counters of one API key or plugin.
pub(super) struct SubjectCounters {
    requests: Counter,
    input: Counter,
    output: Counter,
    cost: Counter,
}

impl DeploymentCounters {
    pub fn new(provider: &str, model: &str) -> Self {
        let (provider, model) = (|| provider.to_owned(), || model.to_owned());
        let tokens = |kind: &'static str| counter!("tollbridge_inference_tokens_total", "provider" => provider(), "model" => model(), "kind" => kind);
        Self {
            input: tokens("input"),
            output: tokens("output"),
            cached: tokens("cached"),
            cost: counter!("tollbridge_inference_cost_millipence_total", "provider" => provider()),
            well: attempts(provider(), model(), "ok"),
        }
    }

    pub fn used(&self, usage: &TokenUsage, cost: u64) {
        self.input.increment(usage.input);
        self.output.increment(usage.output);
        self.cached.increment(usage.cached);
        self.cost.increment(cost);
    }

    pub fn count_success(&self) {
        self.well.increment(1);
    }
}

impl SubjectCounters {
    pub(super) fn new(kind: &'static str, who: &str) -> Self {
        let who = || who.to_owned();
        let tokens = |tokens: &'static str| counter!("tollbridge_inference_tokens_by_total", "kind" => kind, "who" => who(), "tokens" => tokens);
        Self {
            requests: counter!("tollbridge_inference_requests_by_total", "kind" => kind, "who" => who()),
            input: tokens("input"),
            output: tokens("output"),
            cost: counter!("tollbridge_inference_cost_by_millipence_total", "kind" => kind, "who" => who()),
        }
    }

    pub(super) fn used(&self, usage: &TokenUsage, cost: u64) {
        self.requests.increment(1);
        self.input.increment(usage.input);
        self.output.increment(usage.output);
        self.cost.increment(cost);
    }
}

/// Returns the counter of attempts at one model of one provider with one outcome.
pub(super) fn attempts(provider: String, model: String, outcome: &'static str) -> Counter {
    counter!("tollbridge_inference_attempts_total", "provider" => provider, "model" => model, "outcome" => outcome)
}
