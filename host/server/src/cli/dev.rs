//! `tollbridge dev`: serve, and rebuild, publish and swap what changes.
//!
//! Works in a registry of its own below the data folder, signed by a key made
//! for it, so that nothing half-done reaches the real one. Each rebuild is
//! published with a higher patch number; only sources are watched, never what a
//! build writes. Plugins of a registry that `--registry` names serve beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use clap::Args;
use tollbridge_core::config::Config;
use tollbridge_runtime::registry::{
    AutoActivate, Manifest, Namespaces, Publisher, PublisherKey, Publishers, publish, read_tables,
};
use tollbridge_tools::output::Output;
use tollbridge_tools::{options::Global, plugin_build};

use super::dev_registry::{OtherRegistry, as_of_dev};
use super::serve::{ServeArgs, Told};
use crate::app;

/// How often sources are looked at. Editors write in bursts; a change counts
/// when the next look finds nothing newer.
const LOOK_EVERY: Duration = Duration::from_millis(300);
/// Source files of one plugin that are watched.
const FILES_MAX: usize = 10_000;

#[derive(Args, Debug)]
pub(super) struct DevArgs {
    /// Folders of plugins, or folders that hold such
    #[arg(default_value = "plugins")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    serve: ServeArgs,
}

/// The registry of a development run.
struct Workshop {
    registry: PathBuf,
    publishers: PathBuf,
    key: PublisherKey,
    /// The largest component that is taken.
    bytes_max: usize,
    /// Rebuilds so far, by plugin folder.
    builds: BTreeMap<PathBuf, u64>,
}

pub(super) async fn run(args: DevArgs, global: &Global, out: Output) -> Result<()> {
    let mut workshop = Workshop::open(&global.load(&args.serve.flags())?.config)?;
    let folders = plugin_build::find(&args.paths)?;
    if let Some(registry) = &args.serve.registry {
        workshop.take(registry, global, &args.serve, &folders, out)?;
    }
    workshop.publish(&folders, &out)?;
    let mut flags = args.serve.flags().to_vec();
    flags.retain(|(flag, ..)| *flag != "--registry");
    flags.push(("dev", "registry.dir", Some(workshop.registry.display().to_string())));
    flags.push(("dev", "registry.publishers", Some(workshop.publishers.display().to_string())));
    flags.push(("dev", "plugins.source_lines", Some("true".to_owned())));
    let config = global.load(&flags)?.config;
    std::thread::Builder::new().name("rebuild".to_owned()).spawn(move || workshop.watch(&folders, &out))?;
    app::serve(config, None, Told(out)).await
}

impl Workshop {
    fn open(config: &Config) -> Result<Self> {
        let root = config.data.dir.join("dev");
        // What an earlier run published is rebuilt; its numbers would be in the way.
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
        let (registry, publishers) = (root.join("registry"), root.join("publishers.toml"));
        std::fs::create_dir_all(&registry)?;
        let key = PublisherKey::generate("dev".parse()?)?;
        let publisher = Publisher {
            name: key.name().clone(),
            key: key.public(),
            account: "acct_dev".to_owned(),
            namespaces: Namespaces::parse(&["*"]).map_err(anyhow::Error::msg)?,
            auto_activate: AutoActivate::Everything,
        };
        Publishers::add_to_file(&publishers, &publisher)?;
        // Numbers go on from run to run: the data folder remembers the highest.
        let base = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let bytes_max = config.plugins.max_component.as_usize();
        Ok(Self { registry, publishers, key, bytes_max, builds: BTreeMap::from([(PathBuf::new(), base)]) })
    }

    /// Builds and publishes; says what failed and goes on with the rest.
    fn publish(&mut self, folders: &[PathBuf], out: &Output) -> Result<()> {
        for built in plugin_build::build(folders, out)? {
            let manifest = self.manifest(&built.folder)?;
            let wasm = std::fs::read(built.for_author(self.bytes_max))?;
            let tables = read_tables(&built.folder)?;
            let published = publish(&self.registry, &manifest, &wasm, &tables, &self.key)?;
            out.success(&format!("built {} {}", published.manifest.id, published.manifest.version));
        }
        Ok(())
    }

    /// The author's manifest, as of publisher `dev` and with a new patch number.
    fn manifest(&mut self, folder: &Path) -> Result<String> {
        let text = read_manifest(folder)?;
        let parsed = Manifest::parse(&text).with_context(|| folder.display().to_string())?;
        let base = self.base();
        let build = self.builds.entry(folder.to_owned()).or_insert(base);
        *build += 1;
        as_of_dev(&text, &parsed.version, *build)
    }

    /// The first patch number of this run.
    fn base(&self) -> u64 {
        self.builds.get(Path::new("")).copied().unwrap_or_default()
    }

    /// Takes what a registry has of plugins that are not built here.
    fn take(&self, registry: &Path, global: &Global, args: &ServeArgs, folders: &[PathBuf], out: Output) -> Result<()> {
        let config = global.load(&args.flags())?.config;
        let built = folders.iter().map(|folder| Ok(Manifest::parse(&read_manifest(folder)?)?.id));
        let built = built.collect::<Result<_>>()?;
        let publishers = Publishers::load(&config.registry.publishers)?;
        let other = OtherRegistry { folder: registry.to_owned(), publishers };
        for one in other.take(&built, (&self.registry, &self.key), self.base())? {
            out.note(&format!("took  {one} of {}", registry.display()));
        }
        Ok(())
    }

    fn watch(mut self, folders: &[PathBuf], out: &Output) {
        let mut built: BTreeMap<&PathBuf, Option<SystemTime>> =
            folders.iter().map(|folder| (folder, newest(folder))).collect();
        let mut seen = built.clone();
        loop {
            std::thread::sleep(LOOK_EVERY);
            let now: BTreeMap<&PathBuf, Option<SystemTime>> =
                folders.iter().map(|folder| (folder, newest(folder))).collect();
            let still = |folder: &PathBuf| now.get(folder) == seen.get(folder);
            let changed: Vec<PathBuf> = folders
                .iter()
                .filter(|folder| now.get(folder) != built.get(folder) && still(folder))
                .cloned()
                .collect();
            seen.clone_from(&now);
            for folder in changed {
                if let Some((key, time)) = now.get_key_value(&folder) {
                    built.insert(key, *time);
                }
                if let Err(error) = self.publish(std::slice::from_ref(&folder), out) {
                    out.error(&error.context(format!("{}: the version before serves on", folder.display())));
                }
            }
        }
    }
}

fn read_manifest(folder: &Path) -> Result<String> {
    let path = folder.join("plugin.toml");
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Time of the newest source file of a plugin.
fn newest(folder: &Path) -> Option<SystemTime> {
    let mut left = FILES_MAX;
    let mut queue = ["src", "schema", "data", "tables", "cases"].map(|name| folder.join(name)).to_vec();
    let mut newest = None;
    for file in ["plugin.toml", "Cargo.toml", "package.json"] {
        newest = newest.max(folder.join(file).metadata().and_then(|meta| meta.modified()).ok());
    }
    while let Some(dir) = queue.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            left = left.saturating_sub(1);
            if left == 0 {
                return newest;
            }
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                queue.push(entry.path());
            } else {
                newest = newest.max(meta.modified().ok());
            }
        }
    }
    newest
}
