//! The built-in provider: answers requests for embedding vectors in this process.
//!
//! Invariants:
//! 1. The model is loaded by the first request.
//! 2. Accounts take turns, text by text: a long list of texts delays the requests of
//!    other accounts by one text at a time.
//! 3. A request is refused before its first text is run, or all its texts get their turn.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use tollbridge_core::blocking::blocking;
use tollbridge_core::fair_limiter::{FairLimiter, FairShare, TenantName};
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_embeddings::{DIMENSIONS, Embedding, EmbeddingModel, LoadModelError, MODEL_NAME, TOKENS_MAX};

use super::provider_error::ProviderError;

/// The name of the provider.
pub(crate) const PROVIDER: &str = "builtin";

/// Maximum number of texts in one request to the built-in model: the same as at OpenAI.
const BUILTIN_TEXTS_MAX: usize = 2_048;
/// The most tokens that the built-in model reads for one request.
pub(super) const TOKENS_PER_REQUEST_MAX: u64 = (BUILTIN_TEXTS_MAX * TOKENS_MAX) as u64;
/// Maximum number of requests to the built-in model that are open, in total and per
/// account. With texts of usual length, each waits for at most some seconds.
const BUILTIN_OPEN_MAX: usize = 256;
const BUILTIN_OPEN_PER_ACCOUNT_MAX: usize = 32;
/// Maximum number of texts that run at once. Each takes some megabytes of memory.
const BUILTIN_RUNNING_MAX: usize = 4;

/// The limits on open requests, none of which waits for its place.
const OPEN: FairLimits = FairLimits {
    running: BUILTIN_OPEN_MAX,
    running_per_tenant: BUILTIN_OPEN_PER_ACCOUNT_MAX,
    waiting: 0,
    waiting_per_tenant: 0,
};

/// The built-in provider.
#[derive(Debug)]
pub(crate) struct BuiltinProvider {
    model: Arc<LazyModel>,
    open: Arc<FairLimiter>,
    turns: Arc<FairLimiter>,
}

/// The model, which is loaded when it is used for the first time.
#[derive(Debug)]
struct LazyModel {
    path: PathBuf,
    threads: usize,
    loaded: OnceLock<Result<EmbeddingModel, LoadModelError>>,
}

impl BuiltinProvider {
    /// Creates the provider for the model in a file, which is not opened yet.
    pub(crate) fn new(path: &Path) -> Self {
        // Half of the processors stay free for the server.
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (processors / 2).clamp(1, BUILTIN_RUNNING_MAX);
        // Each open request waits with one text at a time, so this queue is never full.
        let turns = FairLimits {
            running: threads,
            running_per_tenant: threads,
            waiting: BUILTIN_OPEN_MAX,
            waiting_per_tenant: BUILTIN_OPEN_PER_ACCOUNT_MAX,
        };
        Self {
            model: Arc::new(LazyModel { path: path.to_owned(), threads, loaded: OnceLock::new() }),
            open: FairLimiter::new(OPEN),
            turns: FairLimiter::new(turns),
        }
    }

    /// Answers a tenant's request with these members in OpenAI's format, within `time`.
    pub(crate) async fn answer(
        &self,
        members: &Map<String, Value>,
        tenant: &TenantName,
        time: Duration,
    ) -> Result<Bytes, ProviderError> {
        let texts = texts(members)?;
        let share = FairShare::single(tenant.clone());
        let open = self.open.acquire(&share, Duration::ZERO).await;
        let _open = open.map_err(|_| ProviderError::Overloaded)?;
        // Too little time is the fault of no text, so the model is not paused for it.
        let embeddings = tokio::time::timeout(time, self.embed(texts, &share, time)).await;
        let embeddings = embeddings.map_err(|_| ProviderError::Overloaded)??;
        let body = serde_json::to_vec(&Answer::new(&embeddings));
        body.map(Bytes::from).map_err(|_| ProviderError::Malformed("an invalid response"))
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        share: &FairShare,
        time: Duration,
    ) -> Result<Vec<Embedding>, ProviderError> {
        let mut embeddings = Vec::with_capacity(texts.len());
        for text in texts {
            let turn = self.turns.acquire(share, time).await.map_err(|_| ProviderError::Overloaded)?;
            let model = self.model.clone();
            // The turn lasts until the text is done, even if the request times out.
            let embedded = blocking(move || (model.embed(&text), turn).0).await;
            let embedded = embedded.map_err(|_| "the built-in model failed".to_owned()).flatten();
            embeddings.push(embedded.map_err(ProviderError::Broken)?);
        }
        Ok(embeddings)
    }
}

impl LazyModel {
    fn embed(&self, text: &str) -> Result<Embedding, String> {
        let model = self.loaded.get_or_init(|| EmbeddingModel::load(&self.path, self.threads));
        let model = model.as_ref().map_err(ToString::to_string)?;
        model.embed(text).map_err(|error| error.to_string())
    }
}

/// Returns the texts of a request, or the reason why the model cannot read it.
fn texts(members: &Map<String, Value>) -> Result<Vec<String>, ProviderError> {
    let invalid = |message: String| Err(ProviderError::InvalidRequest { status: 400, message });
    if members.get("dimensions").is_some_and(|wanted| wanted.as_u64() != u64::try_from(DIMENSIONS).ok()) {
        return invalid(format!("dimensions: vectors of {MODEL_NAME} have {DIMENSIONS} dimensions"));
    }
    let input = members.get("input").unwrap_or(&Value::Null);
    let one = input.as_str().map(|text| vec![text.to_owned()]);
    let list = || input.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect();
    match one.or_else(list) {
        Some(texts) if (1..=BUILTIN_TEXTS_MAX).contains(&texts.len()) => Ok(texts),
        Some(_) => invalid(format!("input: must have 1 to {BUILTIN_TEXTS_MAX} texts")),
        None => {
            invalid("input: must be a text or a list of texts; tokens of other models have no meaning here".to_owned())
        }
    }
}

#[derive(Serialize)]
struct Answer<'e> {
    object: &'static str,
    data: Vec<Item<'e>>,
    model: &'static str,
    usage: Usage,
}

#[derive(Serialize)]
struct Item<'e> {
    object: &'static str,
    index: usize,
    embedding: &'e [f32],
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: usize,
    total_tokens: usize,
}

impl<'e> Answer<'e> {
    fn new(embeddings: &'e [Embedding]) -> Self {
        let tokens = embeddings.iter().map(|one| one.tokens).sum();
        let items = embeddings.iter().enumerate();
        Self {
            object: "list",
            data: items.map(|(index, one)| Item { object: "embedding", index, embedding: &one.vector }).collect(),
            model: MODEL_NAME,
            usage: Usage { prompt_tokens: tokens, total_tokens: tokens },
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::{join_all, poll_immediate};
    use serde_json::json;

    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    async fn answer(provider: &BuiltinProvider, account: &str, input: Value) -> Result<Bytes, ProviderError> {
        let members = Map::from_iter([("input".to_owned(), input)]);
        provider.answer(&members, &account.into(), TIME).await
    }

    fn provider() -> BuiltinProvider {
        let path = std::env::var("EMBEDDING_MODEL").expect("EMBEDDING_MODEL is the model's file; `make unit` sets it");
        BuiltinProvider::new(Path::new(&path))
    }

    #[tokio::test]
    async fn vectors_are_in_the_order_of_the_texts() {
        let provider = provider();
        let both = answer(&provider, "a", json!(["a cat", "tax law"])).await.unwrap();
        let both: Value = serde_json::from_slice(&both).unwrap();
        assert_eq!(both["usage"], json!({ "prompt_tokens": 4, "total_tokens": 4 }));
        let alone = answer(&provider, "a", json!("tax law")).await.unwrap();
        let alone: Value = serde_json::from_slice(&alone).unwrap();
        assert_eq!(both["data"][1]["embedding"], alone["data"][0]["embedding"]);
        assert_ne!(both["data"][0]["embedding"], alone["data"][0]["embedding"]);
        assert_eq!(alone["data"][0]["embedding"].as_array().unwrap().len(), DIMENSIONS);
    }

    #[tokio::test]
    async fn unreadable_requests_and_files_are_refused() {
        let absent = BuiltinProvider::new(Path::new("/nonexistent"));
        for input in [json!([]), json!([1, 2]), json!(vec!["a"; BUILTIN_TEXTS_MAX + 1])] {
            let refused = answer(&absent, "a", input).await;
            assert!(matches!(refused, Err(ProviderError::InvalidRequest { status: 400, .. })), "{refused:?}");
        }
        let broken = answer(&absent, "a", json!("a")).await;
        assert!(matches!(broken, Err(ProviderError::Broken(why)) if why.contains("cannot be read")));
    }

    #[tokio::test(start_paused = true)]
    async fn an_account_with_many_requests_is_refused_and_others_are_not() {
        let provider = BuiltinProvider::new(Path::new("/nonexistent"));
        let share = FairShare::single("a");
        let busy = (0..BUILTIN_RUNNING_MAX).map(|_| poll_immediate(provider.turns.acquire(&share, TIME)));
        let _busy = join_all(busy).await;
        let mut open: Vec<_> =
            (0..BUILTIN_OPEN_PER_ACCOUNT_MAX).map(|_| Box::pin(answer(&provider, "a", json!("text")))).collect();
        for waiting in &mut open {
            assert!(poll_immediate(waiting.as_mut()).await.is_none());
        }
        assert_eq!(answer(&provider, "a", json!("text")).await, Err(ProviderError::Overloaded));
        let other = poll_immediate(Box::pin(answer(&provider, "b", json!("text")))).await;
        assert!(other.is_none(), "the other account waits");
        assert_eq!(open.remove(0).await, Err(ProviderError::Overloaded), "its time is over");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_long_list_does_not_delay_another_account() {
        let provider = provider();
        let long = answer(&provider, "a", json!(vec!["a text"; 100]));
        let short = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            answer(&provider, "b", json!("a text")).await
        };
        tokio::pin!(long);
        tokio::select! {
            biased;
            answer = short => assert!(answer.is_ok(), "{answer:?}"),
            _ = &mut long => panic!("the long list was answered first"),
        }
        assert!(long.await.is_ok());
    }
}
