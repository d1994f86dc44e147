//! The official `openai` clients, unchanged but for address and key.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;
use tollbridge_tests::provider::{Act, FakeProvider, KEY, KEY_VARIABLE, TEXT, Wire};
use tollbridge_tests::{Folder, Server, workspace};

/// A model of its own for each way to fail, each at a provider of its own.
struct Zoo {
    folder: Folder,
    server: Server,
    key: String,
    providers: Vec<FakeProvider>,
}

impl Zoo {
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
        ];
        let mut config = "[inference]\nidle_timeout = \"5s\"\n".to_owned();
        let mut providers = Vec::new();
        for (name, act) in acts {
            let fake = FakeProvider::start(Wire::OpenAi).await?;
            fake.always(act);
            let model = |id: &str, more: &str| {
                format!(
                    "{{ id = \"{id}\", input_usd_per_mtok = 1, output_usd_per_mtok = 2, context = 100000, max_output = 40{more} }}"
                )
            };
            let provider = if name == "small" { "good" } else { name };
            let vectors =
                if name == "small" { format!(", {}", model("vectors", ", embedding = true")) } else { String::new() };
            config.push_str(&format!(
                "[inference.providers.{provider}]\nbase_url = \"{}\"\napi_key_env = \"{KEY_VARIABLE}\"\nmodels = [{}{vectors}]\n",
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
    let zoo = Zoo::start().await?;
    zoo.run(&python, workspace().join("tests/clients/openai_suite.py")).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}

/// With `make test-all` only: it needs Node and the package, in the folder that
/// `OPENAI_NODE` names.
#[tokio::test(flavor = "multi_thread")]
async fn the_javascript_client_passes_its_suite() -> Result<()> {
    let Some(folder) = std::env::var_os("OPENAI_NODE").map(PathBuf::from) else { return Ok(()) };
    let zoo = Zoo::start().await?;
    // Modules are looked for beside the script.
    let script = folder.join("openai_suite.mjs");
    std::fs::copy(workspace().join("tests/clients/openai_suite.mjs"), &script)?;
    zoo.run("node", script).await?;
    zoo.folder.verify()?;
    zoo.server.stop().await
}
