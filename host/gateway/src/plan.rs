//! Who may answer a request, and in which order they are asked.
//!
//! Invariants: who cannot do what the request needs is not asked; who is
//! paused comes last; a model without a price is never routed to as free,
//! because a deployment has prices or does not exist.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::Error;
use super::price::Usage;
use super::provider::Deployment;
use super::request::{AUTO, Kind, Request};
use tollbridge_core::config::{Millionths, ProviderKind};
use tollbridge_core::money::Millipence;

/// What the answer is guessed to have where the request sets no limit.
const USUAL_OUTPUT: u64 = 500;
/// What a model must hold to be chosen when the client leaves the choice.
const CAPABLE_CONTEXT: u64 = 32_000;
/// How quick a deployment is taken to be that was never asked.
const UNKNOWN_LATENCY: Duration = Duration::from_secs(1);
/// How alike two names must be to suggest one for the other.
const ALIKE: f64 = 0.8;

/// What matters most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    Cheap,
    /// Cheap among the capable.
    #[default]
    Balanced,
    Fast,
    Quality,
}

/// A deployment that may answer.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub deployment: Arc<Deployment>,
    /// The most that the request can cost there.
    pub worst: Millipence,
    /// What it probably costs there.
    pub expected: Millipence,
    /// When it may be asked again, if it is paused.
    pub paused_until: Option<Instant>,
}

/// Every deployment, found by the names that clients use.
#[derive(Debug, Default)]
pub struct Models {
    all: Vec<Arc<Deployment>>,
    by_name: HashMap<String, Vec<Arc<Deployment>>>,
}

impl Priority {
    pub const ALL: [(&'static str, Self); 4] =
        [("cheap", Self::Cheap), ("balanced", Self::Balanced), ("fast", Self::Fast), ("quality", Self::Quality)];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, priority)| *priority)
    }

    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, priority)| *priority == self).map_or("", |(name, _)| name)
    }
}

impl Models {
    pub fn new(deployments: Vec<Deployment>) -> Self {
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

    pub fn all(&self) -> &[Arc<Deployment>] {
        &self.all
    }

    /// The deployments of a model, by its shared name, a provider's own name,
    /// or either after the provider's and a slash.
    pub fn named(&self, name: &str) -> &[Arc<Deployment>] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The order in which to ask.
    ///
    /// # Errors
    /// Unknown model, or nobody can do what the request needs.
    pub fn plan(
        &self,
        request: &Request,
        priority: Priority,
        usd_gbp: Millionths,
        now: Instant,
    ) -> Result<Vec<Candidate>, Error> {
        let embedding = request.kind == Kind::Embeddings;
        let auto = request.model == AUTO;
        let known = if auto { self.all() } else { self.named(&request.model) };
        let known: Vec<&Arc<Deployment>> = known.iter().filter(|one| one.embedding == embedding).collect();
        if known.is_empty() {
            return Err(self.unknown(&request.model, embedding));
        }
        let guess = request.input_guess();
        let mut able = Vec::new();
        let mut why = String::new();
        for deployment in known {
            match lacks(deployment, request, guess) {
                Some(lack) => why = lack,
                None => able.push(self.candidate(deployment, request, guess, usd_gbp, now)),
            }
        }
        if able.is_empty() {
            return Err(Error::Incapable { model: request.model.clone(), why });
        }
        if auto && priority == Priority::Balanced {
            keep_capable(&mut able, embedding);
        }
        order(&mut able, priority, auto);
        Ok(able)
    }

    fn candidate(
        &self,
        deployment: &Arc<Deployment>,
        request: &Request,
        guess: u64,
        usd_gbp: Millionths,
        now: Instant,
    ) -> Candidate {
        let (input, output) = request.worst(deployment);
        let usage = Usage { input: guess.min(input), output: output.min(USUAL_OUTPUT), ..Usage::default() };
        Candidate {
            worst: deployment.prices.worst(input, output, usd_gbp),
            expected: deployment.prices.cost(&usage, usd_gbp),
            paused_until: deployment.health.closed_until(now),
            deployment: deployment.clone(),
        }
    }

    fn unknown(&self, model: &str, embedding: bool) -> Error {
        let known = self.all.iter().filter(|one| one.embedding == embedding).map(|one| one.name.as_str());
        let scored = known.map(|name| (strsim::jaro_winkler(name, model), name)).filter(|(score, _)| *score >= ALIKE);
        let best = scored.max_by(|one, other| one.0.total_cmp(&other.0));
        let shown = model.chars().filter(|c| !c.is_control()).take(80).collect();
        Error::UnknownModel { model: shown, suggestion: best.map(|(_, name)| name.to_owned()) }
    }
}

/// What a deployment cannot do that the request needs.
fn lacks(deployment: &Deployment, request: &Request, guess: u64) -> Option<String> {
    let needs = request.needs;
    if guess > deployment.context {
        return Some(format!("about {guess} tokens do not fit its {}", deployment.context));
    }
    if needs.tools && !deployment.tools {
        return Some("it cannot call tools".to_owned());
    }
    if needs.vision && !deployment.vision {
        return Some("it cannot see pictures".to_owned());
    }
    if needs.json && !deployment.json {
        return Some("it cannot be held to a response_format".to_owned());
    }
    if needs.plain_format && deployment.provider.kind == ProviderKind::Anthropic {
        return Some("it gives neither several choices nor log probabilities".to_owned());
    }
    None
}

/// Leaves models that are not toys, if there are any. That they call tools and
/// hold a long text is the only sign of quality that the price list has.
fn keep_capable(able: &mut Vec<Candidate>, embedding: bool) {
    let capable = |one: &Candidate| one.deployment.context >= CAPABLE_CONTEXT && one.deployment.tools;
    if !embedding && able.iter().any(capable) {
        able.retain(capable);
    }
}

fn order(able: &mut [Candidate], priority: Priority, auto: bool) {
    let latency = |one: &Candidate| one.deployment.health.latency().unwrap_or(UNKNOWN_LATENCY);
    match priority {
        Priority::Fast => able.sort_by_key(|one| (latency(one), one.expected)),
        // The dearest answer is the best guess at the best one.
        Priority::Quality if auto => able.sort_by_key(|one| Reverse(one.deployment.prices.output)),
        _ => {
            able.sort_by_key(|one| one.expected);
            // Within a twentieth of the cheapest, the quicker one is worth it.
            let cheapest = able.first().map_or(0, |one| one.expected.get());
            let near = able.partition_point(|one| one.expected.get() <= cheapest.saturating_add(cheapest / 20));
            if let Some(ties) = able.get_mut(..near) {
                ties.sort_by_key(|one| (latency(one), one.expected));
            }
        }
    }
    // Stable: the paused ones last, the first to come back before the others.
    able.sort_by_key(|one| one.paused_until);
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::{Value, json};

    use super::super::breaker::{Admission, Verdict};
    use super::super::testing::{claude, deployment};
    use super::*;

    fn request(model: &str, more: Value) -> Request {
        let mut body = json!({"model": model, "messages": [{"role": "user", "content": "hello"}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Request::chat(&Bytes::from(body.to_string())).unwrap()
    }

    fn models() -> Models {
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
        Models::new(all)
    }

    fn names(models: &Models, request: &Request, priority: Priority) -> Vec<String> {
        let plan = models.plan(request, priority, Millionths::of(790_000), Instant::now()).unwrap();
        plan.iter().map(|one| one.deployment.provider.name.clone()).collect()
    }

    fn feel(models: &Models, provider: &str, verdict: Verdict, ms: u64) {
        let found = models.all().iter().find(|one| one.provider.name == provider).unwrap();
        let now = Instant::now();
        let Admission::Go(permit) = found.health.admit(now, true) else { panic!("not admitted") };
        permit.done(verdict, Duration::from_millis(ms), now);
    }

    #[test]
    fn the_cheapest_first_and_the_quicker_of_two_alike() {
        let (models, m) = (models(), request("m", json!({})));
        assert_eq!(names(&models, &m, Priority::Cheap), ["cheap", "near", "dear"]);
        feel(&models, "near", Verdict::Well, 5);
        assert_eq!(names(&models, &m, Priority::Cheap), ["near", "cheap", "dear"]);
        feel(&models, "dear", Verdict::Well, 1);
        assert_eq!(names(&models, &m, Priority::Fast), ["dear", "near", "cheap"]);
        feel(&models, "near", Verdict::Pause(Duration::from_secs(9)), 0);
        assert_eq!(names(&models, &m, Priority::Cheap), ["cheap", "dear", "near"]);
    }

    #[test]
    fn auto_chooses_among_the_capable() {
        let models = models();
        let auto = request("auto", json!({}));
        assert_eq!(names(&models, &auto, Priority::Quality).first().map(String::as_str), Some("dear"));
        assert!(!names(&models, &auto, Priority::Balanced).contains(&"b".to_owned()));
        assert!(names(&models, &auto, Priority::Cheap).contains(&"b".to_owned()));
    }

    #[test]
    fn a_model_has_four_names() {
        let models = models();
        for name in ["m", "up/m", "dear/m", "dear/up/m"] {
            let found = names(&models, &request(name, json!({})), Priority::Cheap);
            assert_eq!(found.len(), if name.starts_with("dear") { 1 } else { 3 }, "{name}");
        }
        let error = models.plan(&request("smal", json!({})), Priority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(error, Err(Error::UnknownModel { suggestion: Some(name), .. }) if name == "small"));
    }

    #[test]
    fn who_cannot_is_not_asked() {
        let models = models();
        let tools = json!({"tools": [{"type": "function", "function": {"name": "f"}}]});
        let refused = models.plan(&request("small", tools), Priority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(refused, Err(Error::Incapable { why, .. }) if why.contains("tools")));
        let long = json!({"messages": [{"role": "user", "content": "word ".repeat(500)}]});
        let refused = models.plan(&request("small", long), Priority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(refused, Err(Error::Incapable { why, .. }) if why.contains("fit")));
        let two = models.plan(&request("claude", json!({"n": 2})), Priority::Cheap, Millionths::of(1), Instant::now());
        assert!(matches!(two, Err(Error::Incapable { .. })));
    }

    #[test]
    fn the_worst_case_is_never_below_the_expected_one() {
        let plan = models().plan(&request("m", json!({})), Priority::Cheap, Millionths::of(790_000), Instant::now());
        for one in plan.unwrap() {
            assert!(one.worst >= one.expected && !one.expected.is_zero());
        }
    }
}
