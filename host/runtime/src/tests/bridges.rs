//! Tests of calls to other plugins: only plugins that the manifest names, within the remaining
//! time.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use parking_lot::Mutex;
use tokio::time::Instant;
use tollbridge_core::limits::BODY_BYTES_MAX;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{CalleeError, PluginCall, PluginCaller, Services};

use super::fixture::*;
use crate::bindings::bridges::{Error, Host as _};
use crate::calls::state::State;

/// A `PluginCaller` that records its calls and returns a preset answer.
struct Recorder {
    asked: Mutex<Vec<PluginCall>>,
    answer: Result<Vec<u8>, CalleeError>,
}

impl PluginCaller for Recorder {
    fn call(&self, call: PluginCall) -> BoxFuture<'_, Result<Vec<u8>, CalleeError>> {
        self.asked.lock().push(call);
        ready(self.answer.clone()).boxed()
    }
}

fn state(answer: Result<&[u8], CalleeError>) -> (State, Arc<Recorder>) {
    let recorder = Arc::new(Recorder { asked: Mutex::default(), answer: answer.map(<[u8]>::to_vec) });
    let callees = [(PluginKind::Bridge, "tax".to_owned()), (PluginKind::Agent, "writer".to_owned())].into();
    let identity = identity(tollbridge_plugin::PluginFacts { callees, ..facts() }, 0);
    let services = Services { plugins: recorder.clone(), ..Services::none() };
    (state_of(identity.into(), services), recorder)
}

#[tokio::test]
async fn declared_plugins_are_called_with_the_time_that_is_left() {
    let (mut state, recorder) = state(Ok(b"{\"a\":1}"));
    let answer = state.call("tax".to_owned(), "{}".to_owned()).await.unwrap().unwrap();
    assert_eq!(answer, "{\"a\":1}");
    state.run("writer".to_owned(), "write".to_owned(), None).await.unwrap().unwrap();
    let asked = recorder.asked.lock();
    assert_eq!(
        (asked[0].kind, asked[0].name.as_str(), asked[0].input.as_deref()),
        (PluginKind::Bridge, "tax", Some(&b"{}"[..]))
    );
    assert_eq!(
        (asked[1].kind, asked[1].task.as_deref(), asked[1].input.as_deref()),
        (PluginKind::Agent, Some("write"), None)
    );
    assert!(asked.iter().all(|call| call.deadline == state.deadline && call.deadline > Instant::now()));
}

#[tokio::test]
async fn what_is_not_declared_goes_nowhere() {
    let (mut state, recorder) = state(Ok(b"{}"));
    for (kind, name) in [
        (PluginKind::Bridge, "writer"),
        (PluginKind::Agent, "tax"),
        (PluginKind::Bridge, "other"),
        (PluginKind::Bridge, ""),
    ] {
        let answer = match kind {
            PluginKind::Bridge => state.call(name.to_owned(), "{}".to_owned()).await.unwrap(),
            PluginKind::Agent => state.run(name.to_owned(), String::new(), None).await.unwrap(),
        };
        assert!(matches!(answer, Err(Error::Unavailable(text)) if text.contains(kind.folder())), "{name}");
    }
    let huge = "x".repeat(BODY_BYTES_MAX + 1);
    assert!(matches!(state.call("tax".to_owned(), huge).await.unwrap(), Err(Error::InvalidInput(_))));
    assert!(recorder.asked.lock().is_empty());
}

#[tokio::test]
async fn only_the_hosts_words_about_a_missing_provider_are_remembered() {
    let (mut refused, _) = state(Err(CalleeError::Refused("no money".to_owned())));
    assert!(matches!(refused.call("tax".to_owned(), "{}".to_owned()).await.unwrap(), Err(Error::Refused(_))));
    assert_eq!(refused.no_provider, None);
    let (mut state, _) = state(Err(CalleeError::NoProvider("set a key".to_owned())));
    assert!(matches!(state.call("tax".to_owned(), "{}".to_owned()).await.unwrap(), Err(Error::NoProvider(_))));
    assert_eq!(state.no_provider.as_deref(), Some("set a key"));
}
