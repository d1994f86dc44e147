//! Third-party clients that use the gateway with only the address and key changed: chats,
//! the Responses API and the Messages API.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, TEXT, Wire};
use tollbridge_tests::{Folder, Server, workspace};

/// Models with one provider each; each provider fails in a different way.
struct FailingProviders {
    folder: Folder,
    server: Server,
    key: String,
    providers: Vec<FakeProvider>,
}

impl FailingProviders {
    async fn start() -> Result<Self> {
        let refusal = json!({ "error": { "message": "no" } }).to_string();
        let status = |status: u16| Act::Status(status, Vec::new(), refusal.clone());
        let acts = [
            ("small", Act::Answer),
            ("json", Act::Say("{\"a\": 1}".to_owned())),
            ("refuses", status(400)),
            ("unprocessable", status(422)),
            ("broken", status(500)),
            ("unauthorised", status(401)),
            ("limited", status(429)),
            ("slow", Act::SlowHead(Duration::from_secs(3))),
            ("cut", Act::Cut),
            ("hangs", Act::Hang),
            ("large", Act::Answer),
            ("native", Act::Answer),
            ("claude", Act::Answer),
        ];
        let mut config = "[inference]\nidle_timeout = \"5s\"\n".to_owned();
        let mut providers = Vec::new();
        for (name, act) in acts {
            let is_native = name == "native";
            let (wire, kind) = match name {
                "native" => (Wire::Responses, "openai"),
                "claude" => (Wire::Anthropic, "anthropic"),
                _ => (Wire::OpenAi, "openai"),
            };
            let fake = FakeProvider::start(wire).await?;
            fake.always(act);
            let context = if name == "large" { 4_000_000 } else { 100_000 };
            let model = |id: &str, more: &str| {
                format!(
                    "{{ id = \"{id}\", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = {context}, max_output = 40{more} }}"
                )
            };
            let provider = if name == "small" { "good" } else { name };
            let vectors = if name == "small" {
                let others = [
                    model("vectors", ", embedding = true"),
                    model("voice", ", speech = true"),
                    model("painter", ", image = true"),
                    "{ id = \"camera\", usd_per_image = 0.04 }".to_owned(),
                    "{ id = \"scribe\", usd_per_minute = 0.6 }".to_owned(),
                ];
                format!(", {}", others.join(", "))
            } else {
                String::new()
            };
            config.push_str(&format!(
                "[inference.providers.{provider}]\nkind = \"{kind}\"\nresponses = {is_native}\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\nmodels = [{}{vectors}]\n",
                fake.url,
                model(name, "")
            ));
            providers.push(fake);
        }
        let mut folder = Folder::new(&config)?;
        folder.variables.push((KEY_VARIABLE.to_owned(), KEY.to_owned()));
        let server = folder.serve().await?;
        let (_, key) = folder.key()?;
        Ok(Self { folder, server, key, providers })
    }

    async fn run(&self, program: &str, script: PathBuf) -> Result<()> {
        let output = tokio::process::Command::new(program)
            .arg(script)
            .env("BASE_URL", format!("{}/api/v1", self.server.url))
            .env("API_KEY", &self.key)
            .env("TEXT", TEXT)
            .output()
            .await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success() && text.ends_with("ok\n"), "{text}\n{errors}\n{}", self.server.log());
        for provider in &self.providers {
            ensure!(provider.wrong().is_empty(), "{:?}", provider.wrong());
        }
        ensure!(!self.server.log().contains(KEY), "the key is in the log");
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_client_passes_its_suite() -> Result<()> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let zoo = FailingProviders::start().await?;
    zoo.run(&python, workspace().join("tests/clients/openai_suite.py")).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_client_passes_its_suite_of_responses() -> Result<()> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let zoo = FailingProviders::start().await?;
    zoo.run(&python, workspace().join("tests/clients/responses_suite.py")).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_client_of_anthropic_passes_its_suite() -> Result<()> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let zoo = FailingProviders::start().await?;
    zoo.run(&python, workspace().join("tests/clients/anthropic_suite.py")).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

/// Runs only with `make test-all`: LangChain and LiteLLM, with the interpreter that
/// `PYTHON_FRAMEWORKS` names.
#[tokio::test(flavor = "multi_thread")]
async fn frameworks_pass_their_suite_of_responses() -> Result<()> {
    let Ok(python) = std::env::var("PYTHON_FRAMEWORKS") else { return Ok(()) };
    let zoo = FailingProviders::start().await?;
    zoo.run(&python, workspace().join("tests/clients/responses_frameworks.py")).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

/// Runs only with `make test-all`, because it needs Node and the packages (`openai` and
/// the AI SDK) in the folder that `OPENAI_NODE` names.
#[tokio::test(flavor = "multi_thread")]
async fn the_javascript_clients_pass_their_suite_of_responses() -> Result<()> {
    let Some(folder) = std::env::var_os("OPENAI_NODE").map(PathBuf::from) else { return Ok(()) };
    let zoo = FailingProviders::start().await?;
    let script = folder.join("responses_suite.mjs");
    std::fs::copy(workspace().join("tests/clients/responses_suite.mjs"), &script)?;
    zoo.run("node", script).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

/// Runs only with `make test-all`, because it needs Node and the package in the
/// folder that `OPENAI_NODE` names.
#[tokio::test(flavor = "multi_thread")]
async fn the_javascript_client_passes_its_suite() -> Result<()> {
    let Some(folder) = std::env::var_os("OPENAI_NODE").map(PathBuf::from) else { return Ok(()) };
    let zoo = FailingProviders::start().await?;
    // Node resolves modules relative to the script.
    let script = folder.join("openai_suite.mjs");
    std::fs::copy(workspace().join("tests/clients/openai_suite.mjs"), &script)?;
    zoo.run("node", script).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

/// Runs only with `make test-all`, because it needs Node and Anthropic's package.
#[tokio::test(flavor = "multi_thread")]
async fn the_javascript_client_of_anthropic_passes_its_suite() -> Result<()> {
    let Some(folder) = std::env::var_os("OPENAI_NODE").map(PathBuf::from) else { return Ok(()) };
    let zoo = FailingProviders::start().await?;
    let script = folder.join("anthropic_suite.mjs");
    std::fs::copy(workspace().join("tests/clients/anthropic_suite.mjs"), &script)?;
    zoo.run("node", script).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}
