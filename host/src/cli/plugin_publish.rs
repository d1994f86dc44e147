//! `tollbridge plugin publish`: build, sign, and put into the registry.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::output::Output;
use super::{Global, plugin_build};
use crate::registry::{Manifest, Name, PublisherKey, TableFiles, key_folder, key_path, publish, read_tables};

#[derive(Args, Debug)]
pub struct PublishArgs {
    /// Folders of plugins, or folders that hold such; without any, this folder
    paths: Vec<PathBuf>,
    /// A component that is built already, for a single plugin
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
    /// Whose key signs; the manifest's publisher unless given
    #[arg(long)]
    publisher: Option<String>,
    /// Registry folder
    #[arg(long, value_name = "DIR")]
    registry: Option<PathBuf>,
}

/// A manifest, and the component and tables that go with it.
struct Ready {
    manifest: String,
    component: PathBuf,
    tables: TableFiles,
}

pub fn run(args: PublishArgs, global: &Global, out: Output) -> Result<()> {
    let registry = args.registry.as_ref().map(|path| path.display().to_string());
    let config = global.load(&[("--registry", "registry.dir", registry)])?.config;
    let mut published = Vec::new();
    for ready in ready(&args, out)? {
        published.push(publish_one(&ready, args.publisher.as_deref(), &config.registry.dir)?);
    }
    out.result(&Value::Array(published.clone()), || {
        let line = |one: &Value| {
            let text = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
            let state = if one.get("new") == Some(&Value::Bool(true)) { "published" } else { "unchanged" };
            format!("{state:<10} {} {}", text("plugin"), text("version"))
        };
        published.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

fn ready(args: &PublishArgs, out: Output) -> Result<Vec<Ready>> {
    if let Some(component) = &args.component {
        ensure!(args.paths.len() <= 1, "--component goes with one plugin");
        let folder = args.paths.first().map_or_else(|| Path::new("."), PathBuf::as_path);
        return Ok(vec![Ready::new(folder, component.clone())?]);
    }
    let built = plugin_build::build(&plugin_build::find(&args.paths)?, &out)?;
    built.into_iter().map(|one| Ready::new(&one.folder, one.component)).collect()
}

impl Ready {
    fn new(folder: &Path, component: PathBuf) -> Result<Self> {
        Ok(Self { manifest: manifest(folder)?, component, tables: read_tables(folder)? })
    }
}

fn manifest(folder: &Path) -> Result<String> {
    let path = folder.join("plugin.toml");
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn publish_one(ready: &Ready, publisher: Option<&str>, registry: &Path) -> Result<Value> {
    let parsed = Manifest::parse(&ready.manifest)?;
    let name: Name = publisher.map_or_else(|| Ok(parsed.publisher.clone()), str::parse)?;
    let path = key_path(&key_folder()?, &name);
    let key = PublisherKey::load(&path).with_context(|| {
        format!("there is no usable key of publisher {name}; `tollbridge publisher new {name}` makes one")
    })?;
    let wasm = std::fs::read(&ready.component).with_context(|| format!("cannot read {}", ready.component.display()))?;
    let published = publish(registry, &ready.manifest, &wasm, &ready.tables, &key)?;
    Ok(json!({
        "plugin": published.manifest.id.to_string(),
        "version": published.manifest.version.to_string(),
        "path": published.path,
        "bytes": wasm.len(),
        "tables": ready.tables.keys().collect::<Vec<_>>(),
        "new": published.new,
    }))
}
