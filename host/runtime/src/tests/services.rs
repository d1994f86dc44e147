//! Tests of the ledger and inference interfaces: which guest calls reach the services, and which do
//! not.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use parking_lot::Mutex;
use tollbridge_core::config::Grant;
use tollbridge_core::limits::PROOF_BYTES_MAX;
use tollbridge_plugin::{
    Completion, CompletionRequest, Embeddings, InferenceContext, InferenceError, LedgerReader, LedgerRecord, Models,
    ProofVerdict, RecordId, ServiceError, Services,
};
use tollbridge_store::Hash;

use super::fixture::*;
use crate::bindings::inference::{self, Host as _};
use crate::bindings::ledger::{self, Host as _};
use crate::calls::state::State;
use crate::limits::{INFERENCE_REQUESTS_MAX, INFERENCE_TOKENS_MAX};

const TEXT: &str = "nobody answers; set a key";

/// Services that record their calls and return short answers.
#[derive(Default)]
struct Recorder {
    asked: Mutex<Vec<String>>,
    provider: bool,
}

impl LedgerReader for Recorder {
    fn record(
        &self,
        id: RecordId,
        account: Option<String>,
    ) -> BoxFuture<'_, Result<Option<LedgerRecord>, ServiceError>> {
        let (kind, RecordId::Seal(seal) | RecordId::Transaction(seal)) = (matches!(id, RecordId::Seal(_)), id);
        self.asked.lock().push(format!("{kind} {:02x} for {account:?}", seal[0]));
        let body = account.map(|_| "{}".to_owned());
        ready(Ok(Some(LedgerRecord { seal, seq: 7, body }))).boxed()
    }

    fn proof(&self, seal: Hash) -> BoxFuture<'_, Result<Option<String>, ServiceError>> {
        let answer = if seal[0] == 0xee { Err(ServiceError("disk on fire".to_owned())) } else { Ok(None) };
        ready(answer).boxed()
    }

    fn verify(&self, document: String, _: Option<String>) -> BoxFuture<'_, Result<ProofVerdict, ServiceError>> {
        self.asked.lock().push(format!("verify {}", document.len()));
        ready(Ok(ProofVerdict::NotProven("no".to_owned()))).boxed()
    }
}

impl Models for Recorder {
    fn complete(
        &self,
        context: InferenceContext,
        request: CompletionRequest,
    ) -> BoxFuture<'_, Result<Completion, InferenceError>> {
        self.asked.lock().push(format!("{} {:?} {}", context.plugin, context.account, request.model));
        let answer = Completion {
            text: "yes".to_owned(),
            truncated: false,
            model: request.model,
            provider: "here".to_owned(),
            input_tokens: 1,
            output_tokens: 2,
            cost_millipence: 3,
        };
        let none = InferenceError::NoProvider(TEXT.to_owned());
        ready(if self.provider { Ok(answer) } else { Err(none) }).boxed()
    }

    fn embed(
        &self,
        _: InferenceContext,
        model: String,
        texts: Vec<String>,
    ) -> BoxFuture<'_, Result<Embeddings, InferenceError>> {
        // Always one vector, which is too few for more than one text.
        let vectors = vec![vec![0.5]; texts.len().min(1)];
        let provider = "here".to_owned();
        ready(Ok(Embeddings { vectors, model, provider, input_tokens: 1, cost_millipence: 1 })).boxed()
    }
}

fn services(recorder: &Arc<Recorder>) -> Services {
    Services { ledger: recorder.clone(), models: recorder.clone(), ..Services::none() }
}

fn state(recorder: &Arc<Recorder>, account: Option<&str>) -> State {
    let mut state = state_of(identity(facts(), 0).into(), services(recorder));
    state.account = account.map(str::to_owned);
    state.caller = account.map(|_| "pseudonym".to_owned());
    state
}

#[tokio::test]
async fn the_ledger_is_asked_for_the_calling_account() {
    let recorder = Arc::<Recorder>::default();
    let id = "ab".repeat(32);
    let entry = state(&recorder, Some("acct_1")).record(id.clone()).await.unwrap().unwrap().unwrap();
    assert_eq!((entry.seal, entry.seq, entry.body.as_deref()), (id.clone(), 7, Some("{}")));
    let entry = state(&recorder, None).record(format!("tx_{id}")).await.unwrap().unwrap().unwrap();
    assert_eq!(entry.body, None);
    assert_eq!(*recorder.asked.lock(), ["true ab for Some(\"acct_1\")", "false ab for None"]);
}

#[tokio::test]
async fn the_ledger_refuses_what_is_none_of_its_business() {
    let recorder = Arc::<Recorder>::default();
    let mut state = state(&recorder, None);
    for id in ["", "ab", "tx_ab", &"g".repeat(64), &"a".repeat(66)] {
        assert!(matches!(state.record(id.to_owned()).await.unwrap(), Err(ledger::Error::Malformed(_))), "{id}");
        assert!(matches!(state.proof(id.to_owned()).await.unwrap(), Err(ledger::Error::Malformed(_))), "{id}");
    }
    assert!(matches!(state.proof("00".repeat(32)).await.unwrap(), Err(ledger::Error::Unknown(_))));
    let failed = state.proof("ee".repeat(32)).await.unwrap();
    assert!(matches!(failed, Err(ledger::Error::Failed(text)) if !text.contains("fire")), "the operator knows");
    let huge = "x".repeat(PROOF_BYTES_MAX + 1);
    assert!(matches!(state.verify(huge, None).await.unwrap(), Ok(ledger::Verdict::NotProven(_))));
    assert!(recorder.asked.lock().is_empty(), "no invalid request may reach the service");
    assert!(matches!(state.verify("x".to_owned(), None).await.unwrap(), Ok(ledger::Verdict::NotProven(_))));
    assert_eq!(*recorder.asked.lock(), ["verify 1"]);
}

fn request() -> inference::Request {
    inference::Request {
        model: "auto".to_owned(),
        messages: vec![inference::Message { role: inference::Role::User, content: "?".to_owned() }],
        max_tokens: 10,
        temperature: Some(0.0),
        response_schema: Some("{}".to_owned()),
    }
}

#[tokio::test]
async fn a_completion_passes_both_ways_and_requests_run_out() {
    let recorder = Arc::new(Recorder { provider: true, ..Recorder::default() });
    let mut state = state(&recorder, Some("acct_1"));
    for _ in 0..INFERENCE_REQUESTS_MAX {
        let answer = state.complete(request()).await.unwrap().unwrap();
        assert_eq!((answer.text.as_str(), answer.cost_millipence), ("yes", 3));
    }
    assert!(matches!(state.complete(request()).await.unwrap(), Err(inference::Error::Refused(_))));
    assert_eq!(recorder.asked.lock().len(), 16);
    assert_eq!(recorder.asked.lock()[0], "p Some(\"acct_1\") auto");
}

#[tokio::test]
async fn what_is_out_of_bounds_never_reaches_a_provider() {
    let recorder = Arc::new(Recorder { provider: true, ..Recorder::default() });
    let mut state = state(&recorder, None);
    let wrong: [fn(&mut inference::Request); 8] = [
        |request| request.model = String::new(),
        |request| request.model = "a b".to_owned(),
        |request| request.messages.clear(),
        |request| request.messages[0].content = "x".repeat(2 << 20),
        |request| request.max_tokens = 0,
        |request| request.max_tokens = INFERENCE_TOKENS_MAX + 1,
        |request| request.temperature = Some(f64::NAN),
        |request| request.response_schema = Some("[]".to_owned()),
    ];
    for change in wrong {
        let mut request = request();
        change(&mut request);
        assert!(matches!(state.complete(request).await.unwrap(), Err(inference::Error::Refused(_))));
    }
    assert!(recorder.asked.lock().is_empty());
    let texts = |count| vec!["x".to_owned(); count];
    assert!(matches!(state.embed("auto".to_owned(), texts(300)).await.unwrap(), Err(inference::Error::Refused(_))));
    assert!(state.embed("auto".to_owned(), texts(1)).await.unwrap().is_ok());
    assert!(matches!(state.embed("auto".to_owned(), texts(2)).await.unwrap(), Err(inference::Error::Failed(_))));
}

/// A plugin that asks a model; if that fails, it reports `no-provider` with its own text.
const ASKS: &str = r#"(module
  (import "tollbridge:plugin/inference@1.0.0" "complete"
    (func $complete (param i32 i32 i32 i32 i32 i32 f64 i32 i32 i32 i32)))
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (data (i32.const 1100) "autosend money")
  (data (i32.const 1120) "\01\00\00\00\4c\04\00\00\04\00\00\00")
  (func (export "handle") {{CALL}}
    (call $complete (i32.const 1100) (i32.const 4) (i32.const 1120) (i32.const 1) (i32.const 10)
      (i32.const 0) (f64.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 128))
    (i32.store8 (i32.const 64) (i32.load8_u (i32.const 128)))
    (i32.store8 (i32.const 68) (i32.const 5))
    (i32.store (i32.const 72) (i32.const 1104))
    (i32.store (i32.const 76) (i32.const 10))
    (i32.const 64)))"#;

#[tokio::test]
async fn a_caller_reads_the_hosts_words_about_a_missing_provider() {
    let spec = spec("asks", component(ASKS), &[Grant::Inference]);
    let plugin = runtime().load(spec).await.unwrap_or_else(|error| panic!("{error}"));
    let mut context = context();
    context.services = services(&Arc::default());
    let failure = plugin.call(context, bytes::Bytes::from_static(b"{}")).await.unwrap_err();
    assert_eq!((failure.kind(), failure.public_message().as_str()), ("no_provider", TEXT));
}
