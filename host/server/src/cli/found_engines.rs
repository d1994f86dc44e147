//! Engines of models that run on this machine, found on their usual ports, and the
//! configuration that uses them.
//!
//! Invariant: only addresses of this machine are asked.

use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tollbridge_core::config::InferenceConfig;
use tollbridge_core::tls_provider;

/// The usual ports of Ollama, LM Studio, llama-server and vLLM.
const PORTS: [u16; 4] = [11_434, 1_234, 8_080, 8_000];
/// Maximum time for an answer of an engine.
const ENGINE_MS_MAX: u64 = 300;
/// Maximum number of models of an engine for which lines are written.
const FOUND_MODELS_MAX: usize = 20;

/// Whether to look for engines.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct FoundEnginesArgs {
    /// Do not look for engines of models on this machine
    #[arg(long)]
    offline: bool,
}

/// An engine that answers on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundEngine {
    /// The name of the engine for people.
    name: &'static str,
    /// The name of its provider in the configuration.
    provider: &'static str,
    port: u16,
    models: Vec<FoundModel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FoundModel {
    /// The engine's name for the model.
    upstream: String,
    context: Option<u64>,
    is_embedding: bool,
}

/// The answers of a port; null for each address that does not answer with JSON.
struct Answers {
    version: Value,
    ollama_version: Value,
    props: Value,
    lm_studio_models: Value,
    models: Value,
}

impl FoundEnginesArgs {
    /// Returns the engines on the usual ports that no provider of the configuration uses.
    pub(super) async fn unused(self, config: Option<&InferenceConfig>) -> Vec<FoundEngine> {
        if self.offline {
            return Vec::new();
        }
        let used = |port: &u16| {
            let providers = config.into_iter().flat_map(|config| config.providers.values());
            let mut urls = providers.filter_map(|provider| provider.base_url.as_ref());
            urls.any(|url| url.is_loopback() && format!("{url}/").contains(&format!(":{port}/")))
        };
        search(PORTS.into_iter().filter(|port| !used(port))).await
    }
}

/// Asks all ports at once.
async fn search(ports: impl Iterator<Item = u16>) -> Vec<FoundEngine> {
    tls_provider::install();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_millis(ENGINE_MS_MAX))
        .build();
    let Ok(client) = client else { return Vec::new() };
    let client = &client;
    let asked = ports.map(|port| async move { FoundEngine::of(port, &Answers::ask(client, port).await) });
    join_all(asked).await.into_iter().flatten().collect()
}

impl Answers {
    async fn ask(client: &reqwest::Client, port: u16) -> Self {
        let get = async |path: &str| -> Value {
            let answer = client.get(format!("http://127.0.0.1:{port}{path}")).send().await;
            match answer.and_then(reqwest::Response::error_for_status) {
                Ok(answer) => answer.json().await.unwrap_or_default(),
                Err(_) => Value::Null,
            }
        };
        let (version, ollama_version, props, lm_studio_models, models) =
            tokio::join!(get("/version"), get("/api/version"), get("/props"), get("/api/v0/models"), get("/v1/models"));
        Self { version, ollama_version, props, lm_studio_models, models }
    }
}

impl FoundEngine {
    /// Identifies the engine by its answers.
    fn of(port: u16, answers: &Answers) -> Option<Self> {
        let Answers { version, ollama_version, props, lm_studio_models, models } = answers;
        let listed = |list: &Value| list["data"].as_array().cloned().unwrap_or_default();
        let (models, of_lm_studio) = (listed(models), listed(lm_studio_models));
        let is_owned_by = |owner: &str| models.iter().any(|model| model["owned_by"] == owner);
        let (name, provider) = if props["default_generation_settings"].is_object() {
            ("llama-server", "llamacpp")
        } else if ollama_version["version"].is_string() {
            ("Ollama", "ollama")
        } else if of_lm_studio.iter().any(|model| model["compatibility_type"].is_string())
            || is_owned_by("organization_owner")
        {
            ("LM Studio", "lmstudio")
        } else if version["version"].is_string() && (models.is_empty() || is_owned_by("vllm")) {
            ("vLLM", "vllm")
        } else {
            return None;
        };
        let models = if of_lm_studio.is_empty() { models } else { of_lm_studio };
        let context = props.pointer("/default_generation_settings/n_ctx").and_then(Value::as_u64);
        let models = models.iter().filter_map(|model| FoundModel::of(model, context)).take(FOUND_MODELS_MAX).collect();
        Some(Self { name, provider, port, models })
    }

    /// Returns the engine as JSON.
    pub(super) fn to_json(&self) -> Value {
        let models: Vec<&str> = self.models.iter().map(|model| model.upstream.as_str()).collect();
        json!({ "engine": self.name, "base_url": self.base_url(), "models": models, "toml": self.to_toml() })
    }

    /// Describes the engine in one sentence, without a full stop.
    pub(super) fn describe(&self) -> String {
        format!("{} answers on {} with {} models", self.name, self.base_url(), self.models.len())
    }

    /// Returns the lines of the configuration that use the engine.
    pub(super) fn to_toml(&self) -> String {
        let mut text = format!("[inference.providers.{}]\nbase_url = \"{}\"\n", self.provider, self.base_url());
        text.push_str("# Prices for your callers, in dollars per million tokens.\nmodels = [\n");
        for model in &self.models {
            let (id, upstream) = (model.id(), quoted(&model.upstream));
            let _ = write!(text, "  {{ id = {}", quoted(&id));
            if id != model.upstream {
                let _ = write!(text, ", upstream = {upstream}");
            }
            text.push_str(", input_usd_per_mtok = 0, output_usd_per_mtok = 0");
            if let Some(context) = model.context {
                let _ = write!(text, ", context = {context}");
            }
            text.push_str(if model.is_embedding { ", embedding = true },\n" } else { " },\n" });
        }
        text.push_str("]\n");
        text
    }

    fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl FoundModel {
    fn of(model: &Value, context: Option<u64>) -> Option<Self> {
        let upstream = model["id"].as_str().filter(|name| !name.is_empty() && !name.contains(char::is_control))?;
        let own = model["max_model_len"].as_u64().or(model["max_context_length"].as_u64());
        let is_embedding = match model["type"].as_str() {
            Some(kind) => kind == "embeddings",
            None => upstream.to_lowercase().contains("embed"),
        };
        Some(Self {
            upstream: upstream.to_owned(),
            context: own.or(context).filter(|context| *context > 0),
            is_embedding,
        })
    }

    /// Returns the name for clients: the last part of the engine's name, in lower case.
    fn id(&self) -> String {
        let last = self.upstream.rsplit('/').next().unwrap_or_default();
        let last = last.strip_suffix(".gguf").or(last.strip_suffix(":latest")).unwrap_or(last);
        if last.is_empty() { self.upstream.clone() } else { last.to_lowercase() }
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use tollbridge_core::config::Sources;

    use super::*;

    /// Serves JSON at paths, and returns the port.
    async fn serve(paths: &[(&'static str, Value)]) -> u16 {
        let mut routes = Router::new();
        for (path, value) in paths.iter().cloned() {
            routes = routes.route(path, get(move || std::future::ready(value.to_string())));
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move { axum::serve(listener, routes).await });
        port
    }

    fn list(models: Value) -> Value {
        json!({ "object": "list", "data": models })
    }

    #[tokio::test]
    async fn engines_are_known_by_their_answers_and_their_lines_are_a_configuration() {
        let path = "/models/SmolLM2-135M-Instruct.Q4_1.gguf";
        let llama = list(json!([{ "id": path, "owned_by": "llamacpp", "meta": { "n_ctx": 2048 } }]));
        let settings = json!({ "default_generation_settings": { "n_ctx": 2048 }, "model_path": path });
        let ollama = json!([{ "id": "qwen3:latest", "owned_by": "library" }, { "id": "nomic-embed-text", "owned_by": "library" }]);
        let vllm = json!([{ "id": "org/Big", "owned_by": "vllm", "max_model_len": 8192 }]);
        let studio = json!([{ "id": "vectors", "type": "embeddings", "compatibility_type": "gguf",
            "max_context_length": 512 }]);
        let ports = [
            serve(&[("/health", json!({ "status": "ok" })), ("/props", settings), ("/v1/models", llama)]).await,
            serve(&[("/api/version", json!({ "version": "0.5" })), ("/v1/models", list(ollama))]).await,
            serve(&[("/version", json!({ "version": "0.9" })), ("/v1/models", list(vllm))]).await,
            serve(&[("/api/v0/models", list(studio)), ("/v1/models", list(json!([{ "id": "vectors" }])))]).await,
            // Another server, and a port on which nothing listens.
            serve(&[("/version", json!({ "version": "1" })), ("/v1/models", list(json!([{ "id": "m" }])))]).await,
            1,
        ];
        let found = search(ports.into_iter()).await;
        let seen: Vec<_> = found.iter().map(|one| (one.provider, one.models.len())).collect();
        assert_eq!(seen, [("llamacpp", 1), ("ollama", 2), ("vllm", 1), ("lmstudio", 1)]);
        let text: String = found.iter().map(FoundEngine::to_toml).collect();
        let sources = Sources { file: Some(("t.toml".to_owned(), text.clone())), ..Sources::default() };
        let config = sources.load().unwrap_or_else(|error| panic!("{error}\n{text}")).config.inference;
        let model = |provider: &str, at: usize| config.providers[provider].models.as_ref().unwrap()[at].clone();
        let smol = model("llamacpp", 0);
        assert_eq!((smol.id.as_str(), smol.upstream.as_deref()), ("smollm2-135m-instruct.q4_1", Some(path)));
        assert_eq!((smol.context, smol.embedding), (Some(2048), false));
        assert_eq!((model("ollama", 0).id.as_str(), model("ollama", 1).embedding), ("qwen3", true));
        assert_eq!((model("vllm", 0).id.as_str(), model("vllm", 0).context), ("big", Some(8192)));
        assert_eq!((model("lmstudio", 0).context, model("lmstudio", 0).embedding), (Some(512), true));
    }

    /// A server that accepts connections but does not answer delays no command for long.
    #[tokio::test]
    async fn a_silent_port_is_given_up_soon() {
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let began = std::time::Instant::now();
        assert!(search([silent.local_addr().unwrap().port(); 4].into_iter()).await.is_empty());
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        assert!(FoundEnginesArgs { offline: true }.unused(None).await.is_empty());
    }
}
