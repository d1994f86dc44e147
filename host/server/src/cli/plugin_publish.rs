//! The command `tollbridge plugin publish`: builds, signs, and publishes to the registry.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use semver::Version;
use serde::Serialize;
use tollbridge_registry::{Manifest, Name, PublisherKey, RegistryError, key_folder, key_path, publish};
use tollbridge_tools::output::Output;
use tollbridge_tools::{options::Global, plugin_build};

use super::ready_plugin::ReadyPlugin;
use super::server_access::{ServerAccess, ServerArgs};

#[derive(Args, Debug)]
pub(super) struct PublishArgs {
    /// Plugin folders, or folders that contain them [default: .]
    paths: Vec<PathBuf>,
    /// Prebuilt component, for a single plugin
    #[arg(long, value_name = "FILE")]
    component: Option<PathBuf>,
    /// Publisher whose key signs [default: the manifest's publisher]
    #[arg(long)]
    publisher: Option<String>,
    /// Registry folder
    #[arg(long, value_name = "DIR")]
    registry: Option<PathBuf>,
    /// If this version is already published with other bytes, publish the next patch number; for
    /// plugins rebuilt from the same source
    #[arg(long)]
    next: bool,
    #[command(flatten)]
    elsewhere: ServerArgs,
}

/// A version in the registry, as shown.
#[derive(Serialize)]
struct PublishedVersion {
    plugin: String,
    version: String,
    path: PathBuf,
    bytes: usize,
    tables: Vec<String>,
    /// Whether it was not published before.
    new: bool,
}

pub(super) async fn run(args: PublishArgs, global: &Global, out: Output) -> Result<()> {
    let is_here = args.publisher.is_some() || args.registry.is_some() || args.next;
    ensure!(
        !is_here || args.elsewhere.server.is_none(),
        "--publisher, --registry and --next apply to a local registry; with --server the key's account is the publisher"
    );
    let access = if is_here { None } else { args.elsewhere.access()? };
    if let Some(ServerAccess { server, key }) = access {
        return super::plugin_deploy::run(&ready(&args, out)?, &server, &key, out).await;
    }
    let registry = args.registry.as_ref().map(|path| path.display().to_string());
    let config = global.load(&[("--registry", "registry.dir", registry)])?.config;
    let registry = &config.registry.dir;
    let is_new = !registry.exists();
    let mut published = Vec::new();
    for ready in ready(&args, out)? {
        published.push(publish_one(&ready, &args, registry)?);
    }
    out.result(&serde_json::to_value(&published)?, || {
        let line = |one: &PublishedVersion| {
            let state = if one.new { "published" } else { "unchanged" };
            format!("{state:<10} {} {}", one.plugin, one.version)
        };
        published.iter().map(line).collect::<Vec<_>>().join("\n")
    });
    out.note(&place(registry, is_new));
    Ok(())
}

/// Names the registry in the output, so that a publisher who uses a folder other than the
/// server's sees why the server does not change.
fn place(registry: &Path, is_new: bool) -> String {
    let registry = registry.canonicalize().unwrap_or_else(|_| registry.to_owned());
    let registry = registry.display();
    if is_new {
        format!("into a new registry, {registry}: a server uses it only if its registry.dir names this folder")
    } else {
        format!("into {registry}")
    }
}

fn ready(args: &PublishArgs, out: Output) -> Result<Vec<ReadyPlugin>> {
    if let Some(component) = &args.component {
        ensure!(args.paths.len() <= 1, "--component requires a single plugin");
        let folder = args.paths.first().map_or_else(|| Path::new("."), PathBuf::as_path);
        return Ok(vec![ReadyPlugin::new(folder, component.clone())?]);
    }
    let built = plugin_build::build(&plugin_build::find(&args.paths)?, &out)?;
    built.into_iter().map(|one| ReadyPlugin::new(&one.folder, one.component)).collect()
}

fn publish_one(ready: &ReadyPlugin, args: &PublishArgs, registry: &Path) -> Result<PublishedVersion> {
    let parsed = Manifest::parse(&ready.manifest)?;
    let name: Name = args.publisher.as_deref().map_or_else(|| Ok(parsed.publisher.clone()), str::parse)?;
    let path = key_path(&key_folder()?, &name);
    let key = PublisherKey::load(&path).with_context(|| {
        format!("no usable key of publisher {name}; create one with `tollbridge publisher new {name}`")
    })?;
    let wasm = std::fs::read(&ready.component).with_context(|| format!("cannot read {}", ready.component.display()))?;
    let put = |manifest: &str| publish(registry, manifest, &wasm, &ready.tables, &key);
    let published = if args.next {
        // If the newest version has the same bytes, it is unchanged; otherwise publish the next
        // patch number.
        let newest = newest_patch(registry, &parsed);
        match put(&with_version(&ready.manifest, &newest)?) {
            Err(RegistryError::Published { .. }) => {
                let next = Version::new(newest.major, newest.minor, newest.patch.saturating_add(1));
                put(&with_version(&ready.manifest, &next)?)
            }
            other => other,
        }?
    } else {
        put(&ready.manifest)?
    };
    Ok(PublishedVersion {
        plugin: published.manifest.id.to_string(),
        version: published.manifest.version.to_string(),
        path: published.path,
        bytes: wasm.len(),
        tables: ready.tables.keys().map(ToString::to_string).collect(),
        new: published.new,
    })
}

/// Returns the highest published version that differs from the manifest's at most in its patch
/// number, or the manifest's own.
fn newest_patch(registry: &Path, manifest: &Manifest) -> Version {
    let own_version = &manifest.version;
    let folder = registry.join(manifest.id.kind.folder()).join(manifest.id.name.as_str());
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let versions = names.filter_map(|entry| entry.file_name().to_str()?.parse::<Version>().ok());
    let same = |version: &Version| {
        (version.major, version.minor, &version.pre) == (own_version.major, own_version.minor, &own_version.pre)
    };
    versions.filter(same).chain([own_version.clone()]).max().unwrap_or_else(|| own_version.clone())
}

/// Returns the manifest with another version; unchanged text if the version is the same.
fn with_version(manifest: &str, version: &Version) -> Result<String> {
    let mut table: toml::Table = manifest.parse()?;
    let text = version.to_string();
    if table.get("version").and_then(toml::Value::as_str) == Some(text.as_str()) {
        return Ok(manifest.to_owned());
    }
    table.insert("version".to_owned(), text.into());
    Ok(toml::to_string(&table)?)
}
