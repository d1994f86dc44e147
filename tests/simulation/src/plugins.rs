//! The wares (plugins that can be bought): scripts instead of components, and a model
//! that one of them uses. As the seed decides, they answer, fail, stall and call each
//! other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};
use tokio::time::Instant;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{
    CallLimits, CallUsage, Completion, CompletionRequest, Embeddings, Failure, FailureReport, InferenceContext,
    InferenceError, Models, PluginCall, PluginInput, PluginSpec, Program, ProgramCall, ProgramOutput, ProgramRun, Role,
    WriteLocks,
};

use crate::chance::Chance;

/// A plugin that can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TestPlugin {
    pub(crate) kind: PluginKind,
    pub(crate) name: &'static str,
    /// Index of the owner among the people.
    pub(crate) owner: usize,
    /// Price of a call, in millipence.
    pub(crate) price: i64,
    character: Character,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Character {
    /// Answers most calls.
    Steady,
    /// Fails about half of the calls, in every possible way.
    Flaky,
    /// Calls two other plugins, and may then fail.
    Caller,
    /// Asks a model.
    Thinker,
    /// Takes several seconds to answer.
    Worker,
}

const fn ware(kind: PluginKind, name: &'static str, owner: usize, price: i64, character: Character) -> TestPlugin {
    TestPlugin { kind, name, owner, price, character }
}

/// All wares.
pub(crate) const WARES: [TestPlugin; 7] = [
    ware(PluginKind::Bridge, "quote", 3, 50_000, Character::Steady),
    ware(PluginKind::Bridge, "flaky", 3, 73_001, Character::Flaky),
    ware(PluginKind::Bridge, "broker", 4, 200_000, Character::Caller),
    ware(PluginKind::Bridge, "thinker", 5, 100_000, Character::Thinker),
    ware(PluginKind::Agent, "worker", 4, 300_000, Character::Worker),
    ware(PluginKind::Agent, "clerk", 5, 120_000, Character::Steady),
    ware(PluginKind::Agent, "broker", 3, 250_000, Character::Caller),
];

const INPUT: &str =
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#;
const OUTPUT: &str =
    r#"{"type":"object","properties":{"twice":{"type":"integer"}},"required":["twice"],"additionalProperties":false}"#;

/// The input and output schema of every test plugin.
pub(crate) const SCHEMAS: [&str; 2] = [INPUT, OUTPUT];

impl TestPlugin {
    pub(crate) fn spec(&self) -> PluginSpec {
        PluginSpec {
            name: self.name.to_owned(),
            kind: self.kind,
            version: semver::Version::new(1, 0, 0),
            wasm: Vec::new().into(),
            sha256: [0; 32],
            tenant: None,
            asked: Default::default(),
            allowed: Default::default(),
            allow_hosts: Vec::new(),
            callees: match self.character {
                Character::Caller => WARES.iter().map(|ware| (ware.kind, ware.name.to_owned())).collect(),
                _ => Default::default(),
            },
            limits: CallLimits { time: Duration::from_secs(5), concurrency: 3, ..CallLimits::default() },
            input_schema: None,
            config: Default::default(),
            secrets: Default::default(),
            tables: Default::default(),
        }
    }

    /// Returns whether the plugin keeps no state, so that every host can answer its
    /// calls.
    pub(crate) fn keeps_nothing(&self) -> bool {
        self.kind == PluginKind::Bridge && matches!(self.character, Character::Steady | Character::Flaky)
    }

    /// Returns the plugin's name in payments for its calls.
    pub(crate) fn sold_as(&self) -> String {
        match self.kind {
            PluginKind::Bridge => self.name.to_owned(),
            PluginKind::Agent => format!("agents/{}", self.name),
        }
    }

    /// Returns the correct answer of a test plugin to the input `n`.
    pub(crate) fn answer(n: u64) -> Vec<u8> {
        json!({ "twice": 2 * n }).to_string().into_bytes()
    }
}

/// A flag that makes plugins and models answer normally while it is set.
pub(crate) type CalmFlag = Arc<AtomicBool>;

/// Answered nested calls to plugins of other owners: the id of the outermost request, and
/// the name of the called plugin.
pub(crate) type NestedAnswers = Arc<Mutex<Vec<(String, &'static str)>>>;

/// The script of a ware.
pub(crate) struct PluginBehavior {
    pub(crate) ware: TestPlugin,
    pub(crate) below: NestedAnswers,
    pub(crate) chance: Arc<Chance>,
    pub(crate) calm: CalmFlag,
}

impl Program for PluginBehavior {
    fn run(&self, call: ProgramCall) -> BoxFuture<'_, ProgramRun> {
        self.run_in_time(call).boxed()
    }
}

impl PluginBehavior {
    async fn run_in_time(&self, call: ProgramCall) -> ProgramRun {
        let (calm, time, request_id) = (self.calm.load(Ordering::Relaxed), call.time, call.request_id.clone());
        let answered = run(self.ware, &self.below, &self.chance, calm, call);
        let body = match tokio::time::timeout(time, answered).await {
            Ok(body) => body,
            Err(_) => {
                let reason = "the time limit was reached".to_owned();
                Err(Failure::TimedOut(Box::new(FailureReport { reason, ..FailureReport::default() })))
            }
        };
        let result = body.map(|body| ProgramOutput {
            body,
            request_id,
            panic: None,
            kv: Vec::new(),
            locks: WriteLocks::default(),
        });
        ProgramRun { result, usage: CallUsage { wall: Duration::ZERO, memory_bytes: 0 }, proposal: None }
    }
}

async fn run(
    ware: TestPlugin,
    below: &NestedAnswers,
    chance: &Chance,
    calm: bool,
    call: ProgramCall,
) -> Result<Vec<u8>, Failure> {
    let body = match &call.input {
        PluginInput::Bridge(object) => object.clone(),
        PluginInput::Agent { input, .. } => input.clone().unwrap_or_default(),
    };
    let input: Value = serde_json::from_slice(&body).unwrap_or_default();
    let n = input["n"].as_u64().unwrap_or(0);
    tokio::time::sleep(chance.millis(1, if ware.character == Character::Worker { 4_000 } else { 60 })).await;
    let fails = match ware.character {
        Character::Steady | Character::Worker => 10,
        Character::Flaky => 55,
        Character::Caller => call_others(ware, below, chance, &call, n).await,
        Character::Thinker => think(&call, n).await,
    };
    if !calm && chance.percent(fails) {
        return fail(chance).await;
    }
    Ok(TestPlugin::answer(n))
}

/// Calls other plugins; returns the probability, in percent, that the caller fails
/// afterwards.
async fn call_others(ware: TestPlugin, answered: &NestedAnswers, chance: &Chance, call: &ProgramCall, n: u64) -> u64 {
    for name in ["quote", "flaky"] {
        let input = Some(Bytes::from(json!({ "n": n }).to_string()));
        let deadline = Instant::now() + Duration::from_secs(3_600);
        let kind = PluginKind::Bridge;
        let below = PluginCall { kind, name: name.to_owned(), task: None, input, deadline };
        let others = WARES.iter().any(|other| other.name == name && other.owner != ware.owner);
        match call.services.plugins.call(below).await {
            Ok(_) if others => answered.lock().unwrap().push((call.request_id.clone(), name)),
            Err(_) if chance.percent(30) => return 100,
            _ => {}
        }
    }
    30
}

async fn think(call: &ProgramCall, n: u64) -> u64 {
    let context = InferenceContext {
        plugin: "thinker".to_owned(),
        agent: None,
        request_id: call.request_id.clone(),
        account: call.account.clone(),
        deadline: Instant::now() + Duration::from_secs(3_600),
        budget_millipence: None,
    };
    let request = CompletionRequest {
        model: "auto".to_owned(),
        messages: vec![(Role::User, n.to_string())],
        max_tokens: 100,
        temperature: None,
        response_schema: None,
    };
    if call.services.models.complete(context, request).await.is_ok() { 10 } else { 100 }
}

async fn fail(chance: &Chance) -> Result<Vec<u8>, Failure> {
    match chance.below(6) {
        0 => Err(Failure::Upstream("a source is away".to_owned())),
        1 => Err(Failure::NotFound("no such thing".to_owned())),
        2 => Err(Failure::InvalidInput { field: "/n".to_owned(), message: "not this one".to_owned(), input: None }),
        3 => Err(Failure::Unavailable("a grant is missing".to_owned())),
        4 => Ok(b"garbage".to_vec()),
        // Never answers, so the call runs into its time limit.
        _ => std::future::pending().await,
    }
}

/// A provider of models that charges for each answer.
pub(crate) struct Model {
    pub(crate) chance: Arc<Chance>,
    pub(crate) calm: CalmFlag,
}

impl Models for Model {
    fn complete(
        &self,
        context: InferenceContext,
        _: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        async move {
            tokio::time::sleep(self.chance.millis(1, 2_000)).await;
            if !self.calm.load(Ordering::Relaxed) && self.chance.percent(15) {
                return Err(InferenceError::Failed("the provider is away".to_owned()));
            }
            let cost_millipence = self.chance.below(context.budget_millipence.unwrap_or(0) / 2 + 1);
            Ok(Completion {
                text: "{}".to_owned(),
                truncated: false,
                model: "sim".to_owned(),
                provider: "sim".to_owned(),
                input_tokens: 1,
                output_tokens: 1,
                cost_millipence,
            })
        }
        .boxed()
    }

    fn embed(
        &self,
        _: InferenceContext,
        _: String,
        _: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        async { Err(InferenceError::NoProvider("none".to_owned())) }.boxed()
    }
}
