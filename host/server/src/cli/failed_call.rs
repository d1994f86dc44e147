//! Explains a call that a server refused or a plugin failed: the API's error, and the plugin's log
//! entry if this user may read it.

use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_operator::{LogLineView, PluginLogPage, command};
use tollbridge_tools::explained::ExplainedError;
use tollbridge_tools::options::{DataArgs, Global};

use super::http_client::ServerError;
use super::{plugin_logs, target};

/// Error codes of plugins that failed or timed out.
const FAILURES: [&str; 2] = ["E017", "E018"];

/// A failed call.
pub(super) struct FailedCall<'c> {
    pub(super) url: &'c reqwest::Url,
    pub(super) key: Option<&'c str>,
    /// The id of the request.
    pub(super) request: Option<&'c str>,
}

/// A plugin's log entry for a request.
#[derive(Debug, PartialEq, Eq)]
struct Logged {
    why: String,
    trace: Vec<String>,
}

impl FailedCall<'_> {
    /// Returns the server's answer, with the reason from the plugin's log if this user may read it.
    pub(super) async fn explained(&self, status: u16, body: &Value, global: &Global) -> ExplainedError {
        let mut explanation = ExplainedError::of_api(status, body);
        if let Some(request) = self.request {
            explanation.lines.push(format!("request {request}"));
        }
        let code = ServerError::deserialize(body).unwrap_or_default().code.unwrap_or_default();
        if !FAILURES.contains(&code.as_str()) {
            return explanation;
        }
        match self.logged(global).await {
            Some(Logged { why, trace }) => {
                explanation = explanation.with("log", json!({ "text": why, "trace": trace }));
                explanation.lines.push(format!("why {why}"));
                explanation.lines.extend(trace.into_iter().map(|place| format!("  {place}")));
                explanation
            }
            None => explanation,
        }
    }

    /// Finds the failure in the plugin's log, which is requested with this user's API key
    /// or else from the server on this machine.
    async fn logged(&self, global: &Global) -> Option<Logged> {
        let (request, plugin) = (self.request?, plugin_of(self.url.path())?);
        let server = self.url.origin().ascii_serialization();
        if let Some(key) = self.key
            && let Ok(Ok(log)) = plugin_logs::ask_server(&server, key, &plugin).await
            && let Some(logged) = serde_json::from_value(log).ok().and_then(|log| of_request(log, request))
        {
            return Some(logged);
        }
        if !is_here(self.url) {
            return None;
        }
        let server = target::running(global, &DataArgs { data: None }).await.ok()?;
        of_request(server.ask(command::PluginLogs { plugin, after: None }).await.ok()?, request)
    }
}

/// Returns the plugin that is called at a path, as `bridges/NAME` or `agents/NAME`.
fn plugin_of(path: &str) -> Option<String> {
    let (kind, rest) = match path.strip_prefix("/v1/oracle/") {
        Some(rest) => (PluginKind::Bridge, rest),
        None => (PluginKind::Agent, path.strip_prefix("/v1/agents/")?.strip_suffix("/invoke")?),
    };
    let is_name = !rest.is_empty() && !rest.contains('/');
    is_name.then(|| format!("{}/{rest}", kind.folder()))
}

fn is_here(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

/// Returns the last failure of a request in a log.
fn of_request(log: PluginLogPage, request: &str) -> Option<Logged> {
    let is_it = |line: &LogLineView| line.request_id == request && line.level == "error";
    let LogLineView { text, trace, .. } = log.lines.into_iter().rfind(is_it)?;
    // Omit the request id, which is already shown above.
    let why = text.split_once(&format!("(request {request}): ")).map(|(_, why)| why.to_owned()).unwrap_or(text);
    Some(Logged { why, trace })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_the_plugin_that_it_sells() {
        for (path, expect) in [
            ("/v1/oracle/geo", Some("bridges/geo")),
            ("/v1/agents/summarizer/invoke", Some("agents/summarizer")),
            ("/v1/oracle/", None),
            ("/v1/oracle/geo/more", None),
            ("/v1/agents/enqueue", None),
            ("/v1/balance", None),
        ] {
            assert_eq!(plugin_of(path).as_deref(), expect, "{path}");
        }
    }

    #[test]
    fn only_a_server_of_this_machine_is_asked_as_its_operator() {
        let here = |url: &str| is_here(&url.parse().unwrap());
        assert!(here("http://127.0.0.1:8402/") && here("http://[::1]:1/") && here("http://localhost/"));
        assert!(!here("https://toll.example/") && !here("http://10.0.0.1/"));
    }

    #[test]
    fn the_failure_of_this_request_is_found() {
        let line = |request: &str, level: &str, said: &str| json!({ "request_id": request, "level": level, "text": said, "trace": ["at f"] });
        let of_request = |log: &Value, request: &str| of_request(serde_json::from_value(log.clone()).unwrap(), request);
        let log = json!({ "lines": [
            line("req_1", "info", "printed"),
            line("req_1", "error", "p 1.0.0 (request req_1): wasm trap: unreachable, in f"),
            line("req_2", "error", "p 1.0.0 (request req_2): another"),
        ] });
        let expect = Logged { why: "wasm trap: unreachable, in f".to_owned(), trace: vec!["at f".to_owned()] };
        assert_eq!(of_request(&log, "req_1"), Some(expect));
        assert_eq!(of_request(&log, "req_3"), None);
        assert_eq!(of_request(&json!({}), "req_1"), None);
    }
}
