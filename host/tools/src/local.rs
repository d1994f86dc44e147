//! Loads a plugin on its author's machine in the same way as a server, but without a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use serde_json::Value;
use tollbridge_core::config::{Config, Grant};
use tollbridge_core::egress::Egress;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_plugin::{
    CallContext, CallLimits, CheckError, Failure, Invalid, Plugin, PluginInput, PluginOutput, PluginSpec, Resource,
    RuntimeLimits, Services,
};
use tollbridge_registry::{Digest, Manifest, Name, Table, TableCache, parse_tables, read_tables, with_operator_tables};
use tollbridge_runtime::{CodeFolders, CodeTarget, Compiler, Runtime, RuntimeKeys};
use tollbridge_sdk::testing::StatedTable;

use super::built::Built;
use super::compiled_code::CompiledCode;
use super::local_services::no_services;
use super::options::Global;
use super::output::Output;
use super::plugin_build;

/// The schema of any input.
const ANY_INPUT: &str = r#"{"type":"object"}"#;

/// A plugin's folder, manifest, component and tables.
pub(crate) struct Local {
    pub folder: PathBuf,
    pub manifest: Manifest,
    wasm: Bytes,
    /// The tables that the plugin ships.
    tables: BTreeMap<Name, Arc<Table>>,
    table_cache: TableCache,
    config: Config,
    runtime: Runtime,
    compiled: Option<Arc<CompiledCode>>,
    ignores_examples: bool,
}

impl Local {
    /// Builds the plugin in a folder, or uses a component that is already built.
    pub(crate) fn open(folder: &Path, component: Option<&Path>, global: &Global, out: &Output) -> Result<Self> {
        let config = global.load(&[])?.config;
        let component = match component {
            Some(path) => path.to_owned(),
            None => {
                let built = plugin_build::build(&plugin_build::find(&[folder.to_owned()])?, out)?;
                let built = built.into_iter().next().context("there is no plugin in this folder")?;
                built.for_author(config.plugins.max_component.as_usize()).to_owned()
            }
        };
        let limits = RuntimeLimits {
            max_memory: config.plugins.max_memory.as_usize(),
            max_time: config.plugins.max_time,
            max_component: config.plugins.max_component.as_usize(),
            ..RuntimeLimits::default()
        };
        let compiled = CompiledCode::of_user().map(Arc::new);
        let runtime = start(&limits, compiled.as_deref())?;
        Self::read(folder, &component, config, (runtime, compiled))
    }

    /// Loads another built plugin in the same engine, so that the two can call each other.
    pub(crate) fn beside(&self, built: &Built, global: &Global) -> Result<Self> {
        let config = global.load(&[])?.config;
        let component = built.for_author(config.plugins.max_component.as_usize());
        Self::read(&built.folder, component, config, (self.runtime.clone(), self.compiled.clone()))
    }

    fn read(
        folder: &Path,
        component: &Path,
        config: Config,
        (runtime, compiled): (Runtime, Option<Arc<CompiledCode>>),
    ) -> Result<Self> {
        let path = folder.join("plugin.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let manifest = Manifest::parse(&text).with_context(|| path.display().to_string())?;
        let wasm = std::fs::read(component).with_context(|| format!("cannot read {}", component.display()))?;
        let table_cache = TableCache::default();
        let tables = parse_tables(&read_tables(folder)?, &table_cache)?;
        let folder = folder.canonicalize()?;
        Ok(Self {
            folder,
            manifest,
            wasm: wasm.into(),
            tables,
            table_cache,
            config,
            runtime,
            compiled,
            ignores_examples: false,
        })
    }

    /// Loads the plugin even if its examples do not fit its schemas; no input is checked then.
    pub(crate) fn ignoring_examples(self) -> Self {
        Self { ignores_examples: true, ..self }
    }

    /// Loads the plugin with the given configuration, and with the tables that a test provides.
    pub(crate) async fn load(
        &self,
        config: BTreeMap<String, String>,
        stated: &BTreeMap<String, Option<StatedTable>>,
    ) -> Result<Arc<Plugin>> {
        let manifest = &self.manifest;
        let name = manifest.id.name.as_str();
        let plugin_settings = self.config.plugins.of(name);
        let operators = plugin_settings.map(|plugin_settings| plugin_settings.tables.clone()).unwrap_or_default();
        let mut tables =
            with_operator_tables(self.tables.clone(), &operators, &self.table_cache).map_err(anyhow::Error::msg)?;
        for (name, table) in stated {
            match table {
                Some(table) => drop(tables.insert(name.clone(), self.table_cache.add(table.text().into_bytes())?)),
                None => drop(tables.remove(name)),
            }
        }
        let spec = PluginSpec {
            name: name.to_owned(),
            kind: manifest.id.kind,
            version: manifest.version.clone(),
            tenant: None,
            wasm: self.wasm.clone(),
            sha256: Digest::of(&self.wasm).bytes(),
            asked: manifest.grants.clone(),
            // On the author's own machine, everything that the manifest requests is allowed.
            allowed: Grant::ALL.into_iter().collect(),
            allow_hosts: manifest.allow_hosts.iter().cloned().collect(),
            callees: manifest.callees(),
            limits: CallLimits::from(&manifest.limits),
            input_schema: match self.ignores_examples {
                // If another input schema is passed, the runtime drops the plugin's
                // examples.
                true => Some(ANY_INPUT.to_owned()),
                false => manifest.declaration.as_ref().and_then(|one| one.input_schema.clone()),
            },
            config,
            secrets: plugin_settings.map(|plugin_settings| plugin_settings.secrets.clone()).unwrap_or_default(),
            tables,
        };
        let sha256 = spec.sha256;
        let plugin = self.runtime.load(spec).await?;
        if let Some(compiled) = &self.compiled {
            compiled.used(&sha256);
        }
        Ok(plugin)
    }

    /// Returns the configuration values for this plugin in the configuration file.
    pub(crate) fn configured(&self) -> BTreeMap<String, String> {
        self.config
            .plugins
            .of(self.manifest.id.name.as_str())
            .map(|plugin_settings| plugin_settings.config.clone())
            .unwrap_or_default()
    }
}

/// Starts an engine that reports source lines. Without a usable cache, every component is compiled
/// again.
fn start(limits: &RuntimeLimits, compiled: Option<&CompiledCode>) -> Result<Runtime> {
    let start = |compiled: Option<&CompiledCode>| {
        // Fixed keys suffice: pseudonyms do not leave this machine, and without a cache
        // there is no stored code to authenticate.
        let code_cache = compiled.map_or_else(|| [0; 32].into(), |compiled| compiled.key.clone());
        let keys = RuntimeKeys { code_cache, pseudonyms: [0; 32].into() };
        let cache = compiled.map(|compiled| compiled.folder.as_path());
        let code = CodeFolders { cache, installed: None, target: CodeTarget::Author };
        let egress = Arc::new(Egress::new(Vec::new())?);
        Ok::<_, anyhow::Error>(Runtime::start_with_compiler(Compiler::InProcess, limits.clone(), keys, code, egress)?)
    };
    match compiled {
        Some(_) => start(compiled).or_else(|_| start(None)),
        None => start(None),
    }
}

/// The parameters of a local call. The default values are those of an ordinary call.
pub(crate) struct LocalCall<'a> {
    pub task: Option<&'a str>,
    pub input: Option<Vec<u8>>,
    pub now_ms: Option<u64>,
    pub resource: Option<Resource>,
    pub deadline: Option<Duration>,
    pub services: Services,
}

impl Default for LocalCall<'_> {
    fn default() -> Self {
        Self { task: None, input: None, now_ms: None, resource: None, deadline: None, services: no_services() }
    }
}

/// Makes one call of a plugin that was loaded on this machine.
pub(crate) async fn call(plugin: &Plugin, call: LocalCall<'_>) -> Result<PluginOutput, Failure> {
    let LocalCall { task, input, now_ms, resource, deadline, services } = call;
    let context = CallContext {
        request_id: "req_local".to_owned(),
        caller: Some("acct_local".to_owned()),
        share: FairShare::single("acct_local"),
        is_nested: false,
        now_ms: now_ms.unwrap_or_else(tollbridge_core::time::now_ms),
        resource,
        deadline,
        services,
    };
    let input = match plugin.kind() {
        PluginKind::Bridge => PluginInput::Bridge(input.unwrap_or_else(|| b"{}".to_vec()).into()),
        PluginKind::Agent => {
            PluginInput::Agent { task: task.unwrap_or_default().to_owned(), input: input.map(Into::into) }
        }
    };
    plugin.call(context, input).await
}

/// Checks an input and returns its text. The error is the problem, or `None` if the check took too
/// long.
pub(crate) async fn checked(plugin: &Plugin, input: Value) -> Result<Vec<u8>, Option<Invalid>> {
    let (bytes, input) = (bytes(&input), Arc::new(input));
    match plugin.check_input(&input, bytes.len()).await {
        Ok(None) => Ok(bytes),
        Ok(Some(wrong)) | Err(CheckError::Invalid(wrong)) => Err(Some(wrong)),
        Err(CheckError::Busy) => Err(None),
    }
}

/// Serializes JSON to the text that the plugin receives.
fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
