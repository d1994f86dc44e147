//! Test doubles of the host. Each thread has its own set, so that tests do not affect
//! each other.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{
    bridges::Bridges,
    inference::Inference,
    ledger::Ledger,
    table::{Rows, StatedTable},
};
use crate::{
    bridges::error::Error as BridgeError,
    error::Error,
    http::message::{Request, Response},
    inference::{
        request::Request as Prompt,
        response::{Embeddings, Response as Completion},
    },
    log::level::Level,
};

thread_local! {
    static CURRENT: RefCell<Doubles> = RefCell::new(Doubles::default());
}

type Answer = Box<dyn Fn(&Request) -> Result<Response, Error>>;
type BridgeAnswer = Box<dyn Fn(&Value) -> Result<Value, BridgeError>>;

/// Test doubles of the host's services: configuration, buckets, HTTP, tables, ledger, models and
/// other plugins. Create an empty set, add the data of a test, then call [`Doubles::run`]. Only the
/// tables that the plugin ships are present by default.
///
/// ```
/// use tollbridge_sdk::{config, testing::Doubles};
///
/// let (value, recorded) = Doubles::new().config("city", "Oslo").run(|| config::get("city"));
/// assert_eq!(value, Ok(Some("Oslo".into())));
/// assert!(recorded.logs.is_empty());
/// ```
#[derive(Default)]
pub struct Doubles {
    pub(crate) config: BTreeMap<String, String>,
    pub(crate) logs: Vec<(Level, String)>,
    /// Tables by name; `None` hides a table that the plugin ships.
    pub(crate) tables: BTreeMap<String, Option<Arc<Rows>>>,
    pub(crate) ledger: Ledger,
    pub(crate) inference: Inference,
    pub(crate) prompts: Vec<Prompt>,
    stated_bridges: Bridges,
    bridges: BTreeMap<String, BridgeAnswer>,
    calls: Vec<Called>,
    buckets: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    http: Option<Answer>,
    requests: Vec<Request>,
}

/// A recorded call to another plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Name of the called plugin: a bridge's name, or `agents/NAME`.
    pub name: String,
    /// The task; for agents only.
    pub task: Option<String>,
    /// The input as JSON text.
    pub input: Option<String>,
}

/// Everything that the plugin did with the test doubles.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    /// Lines that the plugin logged, in order.
    pub logs: Vec<(Level, String)>,
    /// HTTP requests that the plugin sent, in order.
    pub requests: Vec<Request>,
    /// Requests that the plugin sent to models, in order.
    pub prompts: Vec<Prompt>,
    /// Calls to other plugins, in order.
    pub calls: Vec<Called>,
    /// Buckets at the end of the run: bucket name → key → bytes.
    pub buckets: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
}

impl Doubles {
    /// Creates an empty set of doubles: no configuration values, empty buckets, no HTTP
    /// responses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a configuration value.
    #[must_use]
    pub fn config(mut self, key: &str, value: &str) -> Self {
        self.config.insert(key.into(), value.into());
        self
    }

    /// Stores bytes in a bucket (`shared` or `caller`).
    #[must_use]
    pub fn kv(mut self, bucket: &str, key: &str, value: &[u8]) -> Self {
        self.bucket(bucket).insert(key.into(), value.into());
        self
    }

    /// Sets the function that answers HTTP requests.
    #[must_use]
    pub fn http(mut self, answer: impl Fn(&Request) -> Result<Response, Error> + 'static) -> Self {
        self.http = Some(Box::new(answer));
        self
    }

    /// Supplies a table, or replaces one that the plugin ships.
    #[must_use]
    pub fn table(self, name: &str, rows: &[(&str, &str)]) -> Self {
        self.stated_table(name, Some(&StatedTable::new(rows)))
    }

    /// Hides a table that the plugin ships.
    #[must_use]
    pub fn without_table(self, name: &str) -> Self {
        self.stated_table(name, None)
    }

    pub(crate) fn stated_table(mut self, name: &str, table: Option<&StatedTable>) -> Self {
        self.tables.insert(name.to_owned(), table.map(|table| Arc::new(table.rows(name))));
        self
    }

    /// Sets the contents of the ledger.
    #[must_use]
    pub fn ledger(mut self, ledger: Ledger) -> Self {
        self.ledger = ledger;
        self
    }

    /// Sets the answers of models, in order, in the format of a case.
    #[must_use]
    pub fn inference(mut self, inference: Inference) -> Self {
        self.inference = inference;
        self
    }

    /// Adds a completion after those that are already queued.
    #[must_use]
    pub fn completion(mut self, text: &str) -> Self {
        let model = || "double".to_owned();
        let response = Completion { text: text.into(), model: model(), provider: model(), ..Default::default() };
        self.inference.push_completion(response);
        self
    }

    /// Adds the vectors that answer the next embedding request.
    #[must_use]
    pub fn embedding(mut self, embeddings: Embeddings) -> Self {
        self.inference.push_embedding(embeddings);
        self
    }

    /// Sets the answers of other plugins, in order, in the format of a case.
    #[must_use]
    pub fn bridges(mut self, bridges: Bridges) -> Self {
        self.stated_bridges = bridges;
        self
    }

    /// Sets the function that answers calls to a bridge, or to an agent given as
    /// `agents/NAME`. The function receives the input; an agent's task is recorded in
    /// [`Recorded::calls`].
    #[must_use]
    pub fn bridge(mut self, name: &str, answer: impl Fn(&Value) -> Result<Value, BridgeError> + 'static) -> Self {
        self.bridges.insert(name.to_owned(), Box::new(answer));
        self
    }

    /// Runs `body` on this thread with these doubles; returns its result and a record of
    /// how it used the doubles.
    pub fn run<T>(self, body: impl FnOnce() -> T) -> (T, Recorded) {
        let restore = Restore(Some(CURRENT.replace(self)));
        let value = body();
        let doubles = CURRENT.take();
        drop(restore);
        let Self { logs, requests, prompts, calls, buckets, .. } = doubles;
        (value, Recorded { logs, requests, prompts, calls, buckets })
    }

    pub(crate) fn bucket(&mut self, name: &str) -> &mut BTreeMap<String, Vec<u8>> {
        self.buckets.entry(name.to_owned()).or_default()
    }
}

/// Restores the thread's previous doubles, even if the body panics.
struct Restore(Option<Doubles>);

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(previous) = self.0.take() {
            CURRENT.replace(previous);
        }
    }
}

/// Runs `body` with access to the doubles of this thread.
pub(crate) fn with<T>(body: impl FnOnce(&mut Doubles) -> T) -> T {
    CURRENT.with_borrow_mut(body)
}

/// Answers an HTTP request with the test's function. While the function runs, it is moved
/// out of the doubles, so that it can use the other doubles.
pub(crate) fn answer(request: Request) -> Result<Response, Error> {
    let answer = with(|doubles| {
        doubles.requests.push(request.clone());
        doubles.http.take()
    });
    let Some(answer) = answer else {
        return Err(Error::upstream(format!("no double answers {}; set one with Doubles::http", request.url)));
    };
    let response = answer(&request);
    with(|doubles| doubles.http = Some(answer));
    response
}

/// Answers a call to another plugin with the test's function. While the function runs, it
/// is moved out of the doubles, so that it can use the other doubles.
pub(crate) fn answer_call(called: Called) -> Result<String, BridgeError> {
    let name = called.name.clone();
    let (own, input) = with(|doubles| {
        doubles.calls.push(called.clone());
        (doubles.bridges.remove(&name), called.input.clone())
    });
    let Some(own) = own else {
        return with(|doubles| doubles.stated_bridges.answer(&name, called.task.as_deref(), input.as_deref()));
    };
    let given = input.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null);
    let answer = own(&given);
    with(|doubles| doubles.bridges.insert(name, own));
    answer.map(|value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config, http, kv::Bucket, log};

    #[test]
    fn the_actions_of_a_plugin_are_recorded() {
        let answer =
            |request: &Request| Ok(Response { status: 200, body: request.url.clone().into(), ..Response::default() });
        let doubles = Doubles::new().config("a", "1").kv("shared", "n", b"41").http(answer);
        let (body, recorded) = doubles.run(|| {
            log::info!("n is {}", 41);
            assert_eq!(config::require("a"), Ok("1".into()));
            assert_eq!(config::require("b").map_err(|error| error.kind()), Err("unavailable"));
            let bucket = Bucket::shared()?;
            assert_eq!(bucket.increment("n", 1), Ok(42));
            bucket.set_json("list", &[1, 2])?;
            assert_eq!(bucket.get_json::<Vec<u8>>("list"), Ok(Some(vec![1, 2])));
            bucket.delete("list")?;
            assert_eq!(bucket.keys(), Ok(vec!["n".to_owned()]));
            assert!(Bucket::caller()?.get("n")?.is_none());
            assert!(Bucket::open("other").is_err());
            http::get("https://example.org/x")?.ok()
        });
        assert_eq!(body.map(|response| response.body), Ok(b"https://example.org/x".to_vec()));
        assert_eq!(recorded.logs, [(Level::Info, "n is 41".to_owned())]);
        assert_eq!(recorded.requests.len(), 1);
        assert_eq!(recorded.buckets["shared"]["n"], b"42");
    }

    #[test]
    fn without_doubles_there_is_nothing() {
        assert_eq!(config::get("a"), Ok(None));
        assert_eq!(http::get("https://example.org").map_err(|error| error.kind()), Err("upstream"));
    }
}
