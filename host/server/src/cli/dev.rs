//! The command `tollbridge dev`: serves, and rebuilds, publishes and swaps plugins when their
//! sources change.
//!
//! Works in its own registry below the data folder, signed by a key made for it, so that unfinished
//! work never reaches the real registry. Each rebuild is published with a higher patch number. Only
//! sources are watched, never build outputs. Plugins of a registry named by `--registry` serve too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use clap::Args;
use tollbridge_core::config::Config;
use tollbridge_registry::{
    AutoActivate, Manifest, Namespaces, Publisher, PublisherKey, Publishers, publish, read_tables,
};
use tollbridge_tools::output::Output;
use tollbridge_tools::{options::Global, plugin_build};

use super::dev_registry::{OtherRegistry, as_of_dev};
use super::ready_plugin;
use super::serve::{ServeArgs, StartupReporter};
use crate::app;

/// Interval between checks of the sources. Editors write in bursts, so a change counts once the
/// next check finds nothing newer.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Maximum number of source files watched per plugin.
const FILES_MAX: usize = 10_000;

#[derive(Args, Debug)]
pub(super) struct DevArgs {
    /// Plugin folders, or folders that contain them
    #[arg(default_value = "plugins")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    serve: ServeArgs,
}

/// The registry of a development run.
struct DevRegistry {
    registry: PathBuf,
    publishers: PathBuf,
    key: PublisherKey,
    /// Maximum size of a component, in bytes.
    bytes_max: usize,
    /// The latest build's patch number for each plugin folder; the entry for the empty
    /// path is the first patch number of this run.
    builds: BTreeMap<PathBuf, u64>,
}

pub(super) async fn run(args: DevArgs, global: &Global, out: Output) -> Result<()> {
    let mut workshop = DevRegistry::open(&global.load(&args.serve.flags())?.config)?;
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
    app::serve(config, None, StartupReporter(out)).await
}

impl DevRegistry {
    fn open(config: &Config) -> Result<Self> {
        let root = config.data.dir.join("dev");
        // Earlier versions are rebuilt; keeping them would cause version conflicts.
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).with_context(|| format!("cannot create {}", root.display()))?;
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
        // Use the time as the first patch number: the data folder remembers the versions
        // of earlier runs, and a version serves only if its number is higher than theirs.
        let base = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let bytes_max = config.plugins.max_component.as_usize();
        Ok(Self { registry, publishers, key, bytes_max, builds: BTreeMap::from([(PathBuf::new(), base)]) })
    }

    /// Builds and publishes plugins; reports failures and continues with the rest.
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

    /// Returns the author's manifest, with publisher `dev` and a new patch number.
    fn manifest(&mut self, folder: &Path) -> Result<String> {
        let text = ready_plugin::manifest(folder)?;
        let parsed = Manifest::parse(&text).with_context(|| folder.display().to_string())?;
        let base = self.base();
        let build = self.builds.entry(folder.to_owned()).or_insert(base);
        *build += 1;
        as_of_dev(&text, &parsed.version, *build)
    }

    /// Returns the first patch number of this run.
    fn base(&self) -> u64 {
        self.builds.get(Path::new("")).copied().unwrap_or_default()
    }

    /// Copies the plugins of another registry, except those that this command builds
    /// itself.
    fn take(&self, registry: &Path, global: &Global, args: &ServeArgs, folders: &[PathBuf], out: Output) -> Result<()> {
        let config = global.load(&args.flags())?.config;
        let built = folders.iter().map(|folder| Ok(Manifest::parse(&ready_plugin::manifest(folder)?)?.id));
        let built = built.collect::<Result<_>>()?;
        let publishers = Publishers::load(&config.registry.publishers)?;
        let other = OtherRegistry { folder: registry.to_owned(), publishers };
        for one in other.take(&built, (&self.registry, &self.key), self.base())? {
            out.note(&format!("copied {one} from {}", registry.display()));
        }
        Ok(())
    }

    fn watch(mut self, folders: &[PathBuf], out: &Output) {
        let mut built: BTreeMap<&PathBuf, Option<SystemTime>> =
            folders.iter().map(|folder| (folder, newest(folder))).collect();
        let mut seen = built.clone();
        loop {
            std::thread::sleep(POLL_INTERVAL);
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
                    // Record the time even if the build fails, so that the build is
                    // repeated only after the next change.
                    built.insert(key, *time);
                }
                if let Err(error) = self.publish(std::slice::from_ref(&folder), out) {
                    out.error(&error.context(format!("{}: the previous version still serves", folder.display())));
                }
            }
        }
    }
}

/// Returns the time of a plugin's newest source file.
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
