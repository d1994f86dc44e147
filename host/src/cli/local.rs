//! A plugin on this machine, loaded as a server would, without a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::Value;

use super::output::Output;
use super::{Global, plugin_build};
use crate::app;
use crate::catalog::call_limits;
use crate::config::{Config, Grant};
use crate::egress::Egress;
use crate::plugins::{CallContext, Input, Keys, Output as Answer, Plugin, PluginSpec, Resource, Runtime};
use crate::plugins::{Failure, RuntimeLimits, ServiceError, Services};
use crate::registry::{Digest, Kind, Manifest};

/// A plugin's folder, its manifest and its component.
pub struct Local {
    pub folder: PathBuf,
    pub manifest: Manifest,
    wasm: Arc<[u8]>,
    config: Config,
    runtime: Runtime,
}

impl Local {
    /// Builds the plugin of a folder, or takes a component that is built.
    pub fn open(folder: &Path, component: Option<&Path>, global: &Global, out: &Output) -> Result<Self> {
        let config = global.load(&[])?.config;
        let path = folder.join("plugin.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let manifest = Manifest::parse(&text).with_context(|| path.display().to_string())?;
        let component = match component {
            Some(path) => path.to_owned(),
            None => {
                let built = plugin_build::build(&plugin_build::find(&[folder.to_owned()])?, out)?;
                built.into_iter().next().context("there is no plugin in this folder")?.component
            }
        };
        let wasm = std::fs::read(&component).with_context(|| format!("cannot read {}", component.display()))?;
        let limits = RuntimeLimits {
            max_memory: config.plugins.max_memory.as_usize(),
            max_time: config.plugins.max_time,
            max_component: config.plugins.max_component.as_usize(),
            ..RuntimeLimits::default()
        };
        // Nothing is cached and nobody is known by a pseudonym, so any keys do.
        let keys = Keys { code_cache: [0; 32].into(), pseudonyms: [0; 32].into() };
        let runtime = Runtime::start(limits, keys, None, Arc::new(Egress::new(Vec::new())?))?;
        Ok(Self { folder: folder.to_owned(), manifest, wasm: wasm.into(), config, runtime })
    }

    /// Loads the plugin with what the operator would have set for it.
    pub async fn load(&self, config: std::collections::BTreeMap<String, String>) -> Result<Arc<Plugin>> {
        let manifest = &self.manifest;
        let name = manifest.id.name.as_str();
        let spec = PluginSpec {
            name: name.to_owned(),
            kind: manifest.id.kind,
            version: manifest.version.clone(),
            wasm: self.wasm.clone(),
            sha256: Digest::of(&self.wasm).bytes(),
            asked: manifest.grants.clone(),
            // A developer's own machine: what the manifest asks for is allowed.
            allowed: Grant::ALL.into_iter().collect(),
            allow_hosts: manifest.allow_hosts.iter().cloned().collect(),
            limits: call_limits(&manifest.limits),
            config,
            secrets: self.config.plugins.of(name).map(|own| own.secrets.clone()).unwrap_or_default(),
        };
        Ok(self.runtime.load(spec).await?)
    }

    /// What the operator's configuration sets for this plugin.
    pub fn configured(&self) -> std::collections::BTreeMap<String, String> {
        self.config.plugins.of(self.manifest.id.name.as_str()).map(|own| own.config.clone()).unwrap_or_default()
    }
}

/// One call of a plugin that was loaded here.
pub async fn call(
    plugin: &Plugin,
    task: Option<&str>,
    input: Option<Vec<u8>>,
    now_ms: Option<u64>,
    resource: Option<Resource>,
) -> Result<Answer, Failure> {
    let context = CallContext {
        request_id: "req_local".to_owned(),
        caller: Some("acct_local".to_owned()),
        now_ms: now_ms.unwrap_or_else(app::now_ms),
        resource,
        deadline: None,
        services: Arc::new(NoServices),
    };
    let input = match plugin.kind() {
        Kind::Bridge => Input::Bridge(input.unwrap_or_else(|| b"{}".to_vec()).into()),
        Kind::Agent => Input::Agent { task: task.unwrap_or_default().to_owned(), input: input.map(Into::into) },
    };
    plugin.call(context, input).await
}

/// Empty buckets: a local call keeps nothing.
struct NoServices;

impl Services for NoServices {
    fn kv_get(&self, _bucket: &str, _key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        Ok(None)
    }

    fn kv_list(&self, _bucket: &str, _after: &str, _limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        Ok(Vec::new())
    }
}

/// The text of JSON as the plugin is given it.
pub fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
