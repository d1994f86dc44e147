//! A folder with everything one server needs: configuration, registry, data, its
//! own publisher and the components to publish.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Client, Server, guest};

/// Returns the root of the repository.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Returns the path of the binary under test: `TOLLBRIDGE_BINARY`, or the binary built
/// together with the running test.
pub fn binary() -> PathBuf {
    if let Some(binary) = std::env::var_os("TOLLBRIDGE_BINARY") {
        return PathBuf::from(binary);
    }
    let test = std::env::current_exe().unwrap_or_default();
    test.ancestors().nth(2).unwrap_or(&test).join("tollbridge")
}

/// Returns the target folder in which `make test` compiles.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// Returns the folder with the published plugins of this repository:
/// `TOLLBRIDGE_REGISTRY`, or the one that `make publish` or `make plugins` has filled.
pub fn published_plugins() -> PathBuf {
    let chosen = std::env::var_os("TOLLBRIDGE_REGISTRY").map(PathBuf::from);
    let for_tests = Some(target().join("registry")).filter(|folder| folder.is_dir());
    chosen.or(for_tests).unwrap_or_else(|| workspace().join("plugin-registry"))
}

/// Returns the folder of the published plugins' compiled code, if `make publish` created
/// it.
fn precompiled() -> Option<PathBuf> {
    Some(target().join("precompiled")).filter(|folder| folder.is_dir())
}

/// A server's folder; dropping it removes the folder and its content.
pub struct Folder {
    root: TempDir,
    /// API key of the account that earns the revenue of the test bridges.
    pub developer: String,
    /// Further environment variables of commands run in the folder.
    pub variables: Vec<(String, String)>,
}

impl Folder {
    /// Creates a folder whose publisher `tester` is trusted and whose plugins
    /// activate automatically. `extra` is added to the configuration file.
    pub fn new(extra: &str) -> Result<Self> {
        let root = tempfile::tempdir()?;
        let mut folder = Self { root, developer: String::new(), variables: Vec::new() };
        std::fs::create_dir_all(folder.registry())?;
        // Requests must not reach rate limits unless the test configures limits.
        let limits = match extra.contains("[tiers.free]") {
            true => "",
            false => "[tiers.free]\nper_minute = 1000000\nper_hour = 100000000\n",
        };
        std::fs::write(folder.config(), format!("{}\n{limits}\n{extra}", folder.base_config()))?;
        let (account, key) = folder.key()?;
        folder.developer = key;
        folder.run(&["publisher", "new", "tester", "--account", &account, "--trust"])?;
        Ok(folder)
    }

    /// Creates the folder of another host of the same operator: a separate data folder
    /// with the same secrets, the same registry and, apart from that, the same
    /// configuration.
    pub fn second_host(&self) -> Result<Self> {
        let root = tempfile::tempdir()?;
        let second = Self { root, developer: self.developer.clone(), variables: self.variables.clone() };
        let config = std::fs::read_to_string(self.config())?;
        let data = |folder: &Self| format!("{:?}", folder.data());
        std::fs::write(second.config(), config.replace(&data(self), &data(&second)))?;
        std::fs::create_dir_all(second.data().join("keys"))?;
        for key in std::fs::read_dir(self.data().join("keys"))? {
            let key = key?;
            std::fs::copy(key.path(), second.data().join("keys").join(key.file_name()))?;
        }
        Ok(second)
    }

    /// Creates the folder of another host that has its own registry and trusts the same
    /// publishers.
    pub fn host_with_own_registry(&self) -> Result<Self> {
        let host = self.second_host()?;
        let config = std::fs::read_to_string(host.config())?;
        let registry = |folder: &Self| format!("{:?}", folder.registry());
        std::fs::write(host.config(), config.replace(&registry(self), &registry(&host)))?;
        std::fs::create_dir_all(host.registry())?;
        std::fs::copy(self.registry().join("publishers.toml"), host.registry().join("publishers.toml"))?;
        Ok(host)
    }

    fn base_config(&self) -> String {
        format!(
            "[server]\nlisten = \"127.0.0.1:0\"\n[data]\ndir = {:?}\n[registry]\ndir = {:?}\n",
            self.data(),
            self.registry()
        )
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    pub fn registry(&self) -> PathBuf {
        self.path().join("registry")
    }

    pub fn config(&self) -> PathBuf {
        self.path().join("tollbridge.toml")
    }

    /// Returns the environment of every command. Keys and builds stay in this folder,
    /// with two exceptions that save half a minute each: projects of `plugin new` share a
    /// target folder, and the published plugins are precompiled.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let own = [("XDG_CONFIG_HOME", self.path().join("home")), ("CARGO_TARGET_DIR", self.path().join("target"))];
        let shared = [("TOLLBRIDGE_TARGET", target().join("authored"))];
        // `make test` sets this variable to lint the repository; builds that a test
        // starts must not inherit the value.
        let unlinted = [("RUSTC_WORKSPACE_WRAPPER", PathBuf::new())];
        // A test that uses the embedding model names its file in `variables`.
        let no_model = [("TOLLBRIDGE__INFERENCE__BUILTIN__PATH", self.path().join("no-model"))];
        let compiled = precompiled().map(|folder| ("TOLLBRIDGE__PLUGINS__PRECOMPILED", folder));
        own.into_iter().chain(shared).chain(unlinted).chain(no_model).chain(compiled).collect()
    }

    /// Runs a command of the binary in this folder and returns its output,
    /// successful or not.
    pub fn try_run(&self, args: &[&str]) -> Result<Output> {
        Command::new(binary())
            .args(["--config".as_ref(), self.config().as_os_str()])
            .args(args)
            .envs(self.environment())
            .envs(self.variables.iter().cloned())
            .current_dir(self.path())
            .output()
            .with_context(|| format!("cannot run {}; build it with `make build`", binary().display()))
    }

    /// Runs a command that must succeed; returns its standard output.
    pub fn run(&self, args: &[&str]) -> Result<String> {
        let output = self.try_run(args)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "tollbridge {} failed: {errors}", args.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Runs a command with `--json` that must succeed; returns the parsed output.
    pub fn run_json(&self, args: &[&str]) -> Result<Value> {
        let args: Vec<&str> = ["--json"].into_iter().chain(args.iter().copied()).collect();
        let text = self.run(&args)?;
        serde_json::from_str(&text).with_context(|| text)
    }

    /// Publishes a component with the given manifest.
    pub fn publish(&self, manifest: &str, component: &[u8]) -> Result<()> {
        let output = self.try_publish("tester", &self.registry(), manifest, component)?;
        ensure!(output.status.success(), "not published: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Publishes to any registry with the key of any publisher; returns the output,
    /// successful or not.
    pub fn try_publish(&self, publisher: &str, registry: &Path, manifest: &str, component: &[u8]) -> Result<Output> {
        let dir = tempfile::tempdir_in(self.path())?;
        std::fs::write(dir.path().join("plugin.toml"), manifest)?;
        let wasm = dir.path().join("plugin.wasm");
        std::fs::write(&wasm, component)?;
        let text = |path: &Path| path.display().to_string();
        let (dir, wasm, registry) = (text(dir.path()), text(&wasm), text(registry));
        let options = ["--component", &wasm, "--publisher", publisher, "--registry", &registry];
        self.try_run(&[&["plugin", "publish", &dir], &options[..]].concat())
    }

    /// Returns the path where a version of a bridge is, or would be, published.
    pub fn version(&self, name: &str, version: &str) -> PathBuf {
        self.registry().join("bridges").join(name).join(version)
    }

    /// Publishes the test bridge `echo` with a version and a price.
    pub fn publish_echo(&self, version: &str, price_gbp: &str) -> Result<()> {
        self.publish(&manifest("echo", version, price_gbp), &guest::echo(version)?)
    }

    /// Creates an account with a key, and gives it credit in addition to its initial
    /// credit.
    pub async fn funded(&self, server: &Server, email: &str, pounds: &str) -> Result<Client> {
        let reply = server.client().post("/v1/signup", &json!({ "email": email })).await?;
        let (account, key) = (reply.json["account_id"].as_str(), reply.json["api_key"].as_str());
        self.run(&["account", "credit", account.context("no account")?, pounds])?;
        Ok(server.client().with_key(key.context("no key")?))
    }

    /// Creates a folder with the bridge `echo` at 10 p, its server and a client.
    pub async fn with_echo(extra: &str) -> Result<(Self, Server, Client)> {
        let folder = Self::new(extra)?;
        folder.publish_echo("1.0.0", "0.10")?;
        let server = folder.serve().await?;
        let client = server.client();
        Ok((folder, server, client))
    }

    /// Creates an account and a key through the operator's commands, to which sign-up
    /// limits do not apply; returns both.
    pub fn key(&self) -> Result<(String, String)> {
        let made = self.run_json(&["key", "create"])?;
        let text = |name: &str| made[name].as_str().map(str::to_owned).with_context(|| format!("no {name} in {made}"));
        Ok((text("account_id")?, text("api_key")?))
    }

    /// Verifies the whole ledger with the binary, whether the server runs or not.
    pub fn verify(&self) -> Result<Value> {
        let checked = self.run_json(&["ledger", "verify"])?;
        ensure!(checked["ok"] == true, "the ledger fails verification: {checked}");
        Ok(checked["report"].clone())
    }

    /// Returns the ledger's records of one kind, in order.
    pub fn records_of(&self, kind: &str) -> Result<Vec<Value>> {
        let export = self.run(&["ledger", "export"])?;
        let lines = export.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let records = lines.filter_map(|line| serde_json::from_str::<Value>(line["record"].as_str()?).ok());
        Ok(records.filter(|record| record["kind"] == kind).collect())
    }

    /// Returns the metrics of the running server.
    pub async fn metrics(&self) -> Result<String> {
        let admin: Value = serde_json::from_slice(&std::fs::read(self.data().join("admin.json"))?)?;
        let address = admin["address"].as_str().context("the admin listener has no address")?;
        Ok(Client::new(&format!("http://{address}")).get("/metrics").await?.must(200)?.text)
    }

    /// Returns the number of records in the ledger.
    pub fn records(&self) -> Result<u64> {
        self.verify()?["records"].as_u64().context("no number of records")
    }

    /// Starts a server with the published plugins of this repository.
    pub async fn serve_published(&self) -> Result<Server> {
        let registry = published_plugins();
        Server::start(self, &["--registry", registry.to_str().context("the path is not UTF-8")?]).await
    }

    pub async fn serve(&self) -> Result<Server> {
        Server::start(self, &[]).await
    }
}

/// Returns a minimal manifest of a bridge published by `tester`.
pub fn manifest(name: &str, version: &str, price_gbp: &str) -> String {
    format!(
        "name = \"{name}\"\nkind = \"bridge\"\nversion = \"{version}\"\npublisher = \"tester\"\n\
         purpose = \"for tests\"\nprice_gbp = \"{price_gbp}\"\n[limits]\ntime_ms = 1000\nmemory_mib = 8\n"
    )
}
