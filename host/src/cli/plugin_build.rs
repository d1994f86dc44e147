//! `tollbridge plugin build`: from the crates of plugins to components.
//!
//! All plugins of one cargo workspace are built by one run of cargo, then each
//! becomes `<target folder>/components/<name>.wasm`.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::{
    component::{self, Kind},
    hinted::Hinted,
    output::Output,
    toolchain::{self, Toolchain},
};
use crate::registry::{Shelf, check_tables, read_tables};

/// How deep below a named folder plugins are looked for.
const SEARCH_DEPTH: usize = 3;

/// Build plugins into components.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Folders of plugins, or folders that hold such; without any, this folder
    /// or its `plugins`.
    pub paths: Vec<PathBuf>,
}

/// A component that was built.
#[derive(Debug, Clone, Serialize)]
pub struct Built {
    /// The plugin's name, by its manifest (its crate, if it has none).
    pub name: String,
    /// Bridge or agent.
    pub kind: Kind,
    /// The folder of its crate.
    pub folder: PathBuf,
    /// Where the component is.
    pub component: PathBuf,
    /// Its size.
    pub bytes: usize,
    /// What it imports: its true request for grants.
    pub imports: Vec<String>,
    /// The tables that it ships.
    pub tables: Vec<BuiltTable>,
}

/// A table that was checked.
#[derive(Debug, Clone, Serialize)]
pub struct BuiltTable {
    /// The name that it is opened by.
    pub name: String,
    /// Its entries.
    pub rows: usize,
}

/// Runs the command.
pub fn run(args: Args, out: &Output) -> anyhow::Result<()> {
    let built = build(&find(&args.paths)?, out)?;
    let text = || built.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    out.result(&serde_json::to_value(&built)?, text);
    Ok(())
}

/// The folders of plugins that `paths` name or hold; each has a `Cargo.toml`.
pub fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let here = PathBuf::from(".");
    let roots = match paths {
        [] if !here.join("plugin.toml").exists() && Path::new("plugins").is_dir() => vec![PathBuf::from("plugins")],
        [] => vec![here],
        paths => paths.to_vec(),
    };
    let mut found = Vec::new();
    for root in roots {
        let before = found.len();
        search(&root, SEARCH_DEPTH, &mut found)?;
        if found.len() == before && is_crate(&root) {
            found.push(root);
        } else if found.len() == before {
            let hint = "name a folder with Cargo.toml and plugin.toml, or make one: tollbridge plugin new NAME";
            return Err(Hinted::error(format!("{}: no plugin here", root.display()), hint));
        }
    }
    let absolute = |path: PathBuf| path.canonicalize().with_context(|| format!("{}", path.display()));
    let mut found: Vec<PathBuf> = found.into_iter().map(absolute).collect::<Result<_, _>>()?;
    found.sort();
    found.dedup();
    Ok(found)
}

/// Builds the plugins in `folders`, in this order.
pub fn build(folders: &[PathBuf], out: &Output) -> anyhow::Result<Vec<Built>> {
    let mut built = BTreeMap::new();
    let mut rest: Vec<&PathBuf> = folders.iter().collect();
    while let Some(first) = rest.first() {
        let toolchain = toolchain::find(first, out)?;
        let workspace = Workspace::of(&toolchain, first)?;
        let (own, others): (Vec<_>, Vec<_>) = rest.iter().partition(|folder| workspace.package(folder).is_some());
        anyhow::ensure!(!own.is_empty(), "{}: cargo does not know this as a package", first.display());
        for plugin in workspace.build(&toolchain, &own)? {
            built.insert(plugin.folder.clone(), plugin);
        }
        rest = others;
    }
    Ok(folders.iter().filter_map(|folder| built.remove(folder)).collect())
}

impl std::fmt::Display for Built {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kilobytes = self.bytes.div_ceil(1_000);
        write!(f, "{} {} ({kilobytes} kB) {}", self.kind, self.name, self.component.display())?;
        self.imports.iter().try_for_each(|import| write!(f, "\n  imports {import}"))?;
        self.tables.iter().try_for_each(|table| write!(f, "\n  table {} ({} rows)", table.name, table.rows))
    }
}

/// What `cargo metadata` says of a workspace.
#[derive(Debug, Deserialize)]
struct Workspace {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
}

/// A line of `cargo build --message-format=json`; other members are ignored.
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    package_id: Option<String>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// The members of a manifest that matter here; the registry checks the rest.
#[derive(Debug, Deserialize)]
struct Manifest {
    name: String,
    kind: Option<String>,
}

impl Workspace {
    fn of(toolchain: &Toolchain, folder: &Path) -> anyhow::Result<Self> {
        let arguments = ["metadata", "--no-deps", "--format-version", "1"];
        let output = toolchain.cargo(folder, &arguments).stderr(Stdio::inherit()).output();
        let output = output.context("`cargo` does not start")?;
        anyhow::ensure!(output.status.success(), "{}: cargo cannot read this package", folder.display());
        serde_json::from_slice(&output.stdout).context("`cargo metadata` answered something else")
    }

    fn package(&self, folder: &Path) -> Option<&Package> {
        let manifest = folder.join("Cargo.toml");
        self.packages.iter().find(|package| package.manifest_path == manifest)
    }

    /// Builds the plugins in `folders`, all of this workspace.
    fn build(&self, toolchain: &Toolchain, folders: &[&PathBuf]) -> anyhow::Result<Vec<Built>> {
        let plugins: Vec<(&Package, &Path)> =
            folders.iter().filter_map(|folder| Some((self.package(folder)?, folder.as_path()))).collect();
        let modules = self.compile(toolchain, &plugins)?;
        let into = self.target_directory.join("components");
        fs::create_dir_all(&into).with_context(|| format!("{}", into.display()))?;
        let component = |(package, folder): &(&Package, &Path)| {
            let module = modules.get(&package.id).ok_or_else(|| no_module(folder))?;
            componentise(folder, &package.name, module, &into)
        };
        plugins.iter().map(component).collect()
    }

    /// One run of cargo; returns the core module of each package.
    fn compile(
        &self,
        toolchain: &Toolchain,
        plugins: &[(&Package, &Path)],
    ) -> anyhow::Result<BTreeMap<String, PathBuf>> {
        let mut command = toolchain.build(&self.workspace_root);
        command.args(["--lib", "--message-format=json-render-diagnostics"]);
        for (package, _) in plugins {
            command.args(["--package", package.id.as_str()]);
        }
        let mut cargo =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("`cargo` does not start")?;
        let stdout = cargo.stdout.take().context("`cargo` has no output")?;
        let mut modules = BTreeMap::new();
        for line in BufReader::new(stdout).lines() {
            let Ok(Message { reason, package_id: Some(id), filenames }) = serde_json::from_str(&line?) else {
                continue;
            };
            let module = filenames.into_iter().find(|path| path.extension().is_some_and(|end| end == "wasm"));
            if let (Some(module), "compiler-artifact") = (module, reason.as_str()) {
                modules.insert(id, module);
            }
        }
        anyhow::ensure!(cargo.wait()?.success(), "the build failed; cargo's messages above say where");
        Ok(modules)
    }
}

fn componentise(folder: &Path, package: &str, module: &Path, into: &Path) -> anyhow::Result<Built> {
    let manifest = manifest(folder)?;
    let name = manifest.as_ref().map_or(package, |manifest| &manifest.name).to_owned();
    let culprit = || name.clone();
    let bytes = component::encode(&fs::read(module).with_context(culprit)?).with_context(culprit)?;
    let shape = component::shape(&bytes).with_context(culprit)?;
    let kind = shape.kind().ok_or_else(|| not_exported(&name))?;
    if let Some(said) = manifest.and_then(|manifest| manifest.kind)
        && said != kind.to_string()
    {
        let hint = format!("set kind = \"{kind}\" in plugin.toml, or use the macro `{said}!` in src/lib.rs");
        return Err(Hinted::error(format!("{name}: the manifest says {said}, the component is one of a {kind}"), hint));
    }
    let tables = tables(folder).with_context(culprit)?;
    let path = into.join(format!("{name}.wasm"));
    replace(&path, &bytes).with_context(|| format!("{}", path.display()))?;
    Ok(Built { name, kind, folder: folder.into(), component: path, bytes: bytes.len(), imports: shape.imports, tables })
}

/// The tables of a plugin's folder, checked as a server would.
fn tables(folder: &Path) -> anyhow::Result<Vec<BuiltTable>> {
    let tables = check_tables(&read_tables(folder)?, &Shelf::default())?;
    Ok(tables.iter().map(|(name, table)| BuiltTable { name: name.to_string(), rows: table.rows() }).collect())
}

/// Writes a file whole or not at all; leaves it alone if nothing changed.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let temporary = path.with_extension(format!("wasm.{}", std::process::id()));
    fs::write(&temporary, bytes)?;
    fs::rename(&temporary, path)
}

fn manifest(folder: &Path) -> anyhow::Result<Option<Manifest>> {
    let path = folder.join("plugin.toml");
    if !path.exists() {
        return Ok(None);
    }
    let shown = || format!("{}", path.display());
    let manifest: Manifest = toml::from_str(&fs::read_to_string(&path).with_context(shown)?).with_context(shown)?;
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    if manifest.name.is_empty() || manifest.name.len() > 64 || !manifest.name.bytes().all(allowed) {
        let hint = "use 1 to 64 of a-z, 0-9, _ and -";
        return Err(Hinted::error(format!("{}: `{}` is not a plugin name", path.display(), manifest.name), hint));
    }
    Ok(Some(manifest))
}

fn no_module(folder: &Path) -> anyhow::Error {
    let hint = "add to its Cargo.toml: [lib] crate-type = [\"cdylib\"]";
    Hinted::error(format!("{}: the crate builds no WebAssembly module", folder.display()), hint)
}

fn not_exported(name: &str) -> anyhow::Error {
    let hint = "call tollbridge_sdk::bridge! or tollbridge_sdk::agent! once in src/lib.rs";
    Hinted::error(format!("{name}: the component exports neither a bridge nor an agent"), hint)
}

fn is_crate(folder: &Path) -> bool {
    folder.join("Cargo.toml").is_file()
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if is_crate(folder) && folder.join("plugin.toml").is_file() {
        found.push(folder.to_owned());
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    let entries = folder.read_dir().with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let hidden = name.to_string_lossy().starts_with('.') || name == "target" || name == "node_modules";
        if !hidden && entry.file_type()?.is_dir() {
            search(&entry.path(), depth.saturating_sub(1), found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, "").expect("a file");
        }
        root
    }

    fn check_find(files: &[&str], path: &str, expect: &[&str]) {
        let root = folder_with(files);
        let top = root.path().canonicalize().expect("a path");
        let found = find(&[top.join(path)]).unwrap_or_default();
        let expect: Vec<PathBuf> = expect.iter().map(|name| top.join(name)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn plugins_are_found_below_a_folder() {
        let files = [
            "plugins/Cargo.toml",
            "plugins/bridges/b/Cargo.toml",
            "plugins/bridges/b/plugin.toml",
            "plugins/agents/a/Cargo.toml",
            "plugins/agents/a/plugin.toml",
            "plugins/target/x/Cargo.toml",
            "plugins/target/x/plugin.toml",
            "plugins/.tollbridge/sdk/Cargo.toml",
            "guest/Cargo.toml",
            "empty/readme",
        ];
        check_find(&files, "plugins", &["plugins/agents/a", "plugins/bridges/b"]);
        check_find(&files, "plugins/bridges/b", &["plugins/bridges/b"]);
        check_find(&files, "guest", &["guest"]);
        check_find(&files, "empty", &[]);
    }

    #[test]
    fn a_component_is_replaced_only_when_it_changed() {
        let root = folder_with(&[]);
        let path = root.path().join("x.wasm");
        replace(&path, b"one").expect("written");
        let before = fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
        replace(&path, b"one").expect("left alone");
        assert_eq!(fs::metadata(&path).and_then(|data| data.modified()).expect("a time"), before);
        replace(&path, b"two").expect("written");
        assert_eq!(fs::read(&path).expect("bytes"), b"two");
        assert_eq!(root.path().read_dir().expect("files").count(), 1);
    }

    #[test]
    fn a_manifest_name_is_no_path() {
        let root = folder_with(&[]);
        for (name, good) in [("geo-fix_2", true), ("../x", false), ("", false), ("A", false)] {
            fs::write(root.path().join("plugin.toml"), format!("name = \"{name}\"")).expect("a file");
            assert_eq!(manifest(root.path()).is_ok(), good, "{name}");
        }
    }
}
