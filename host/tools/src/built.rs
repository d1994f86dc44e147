//! A plugin that was built into a component, and the last steps of every build.

use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::{TableCache, parse_tables, read_tables};
use tollbridge_runtime::INIT_EXPORT;

use super::{component, hinted::Hinted, prepare::prepare_once};

/// A plugin that was built into a component.
#[derive(Debug, Clone, Serialize)]
pub struct Built {
    /// Name of the plugin: from its manifest, or its crate's name without a manifest.
    pub name: String,
    /// Bridge or agent.
    pub kind: PluginKind,
    /// The plugin's folder.
    pub folder: PathBuf,
    /// Path of the component.
    pub component: PathBuf,
    /// Size of the component in bytes.
    pub bytes: usize,
    /// Whether the component was prepared: its `init` has been run, and each call starts with the
    /// resulting memory.
    pub prepared: bool,
    /// Imports of the component, which show the grants that it actually needs.
    pub imports: Vec<String>,
    /// The tables that the plugin ships.
    pub tables: Vec<BuiltTable>,
    /// Path of a component with source lines, used when the author runs the plugin; never
    /// published.
    #[serde(skip)]
    pub with_lines: Option<PathBuf>,
}

impl Built {
    /// Returns the component to run on the author's machine: the one with source lines if it exists
    /// and has at most `bytes_max` bytes.
    pub fn for_author(&self, bytes_max: usize) -> &Path {
        let fits = |path: &&Path| fs::metadata(path).is_ok_and(|file| file.len() <= bytes_max as u64);
        self.with_lines.as_deref().filter(fits).unwrap_or(&self.component)
    }
}

/// The result of compiling a plugin.
#[derive(Debug, Default)]
pub(crate) struct Fresh<'b> {
    /// The bytes of the component.
    pub bytes: &'b [u8],
    /// The bytes of the component with source lines, if there is one.
    pub with_lines: Option<Vec<u8>>,
    /// Whether the compiler has already prepared the component. Any `init` in it then belongs to
    /// the compiler.
    pub is_prepared: bool,
}

/// A valid table that a plugin ships.
#[derive(Debug, Clone, Serialize)]
pub struct BuiltTable {
    /// Name by which the plugin opens the table.
    pub name: String,
    /// Number of entries in the table.
    pub rows: usize,
}

impl std::fmt::Display for Built {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kilobytes = self.bytes.div_ceil(1_000);
        let prepared = if self.prepared { ", prepared" } else { "" };
        write!(f, "{} {} ({kilobytes} kB{prepared}) {}", self.kind, self.name, self.component.display())?;
        self.imports.iter().try_for_each(|import| write!(f, "\n  imports {import}"))?;
        self.tables.iter().try_for_each(|table| write!(f, "\n  table {} ({} rows)", table.name, table.rows))
    }
}

/// The members of a manifest that the build needs; the registry checks the rest.
#[derive(Debug, Deserialize)]
struct Manifest {
    name: String,
    kind: Option<String>,
}

/// Checks a built component and moves it into the folder `into`. Without a manifest, `package` is
/// the component's name.
pub(crate) fn finish(folder: &Path, package: &str, fresh: &Fresh<'_>, into: &Path) -> anyhow::Result<Built> {
    let manifest = manifest(folder)?;
    let name = manifest.as_ref().map_or(package, |manifest| &manifest.name).to_owned();
    let shape = component::shape(fresh.bytes).with_context(|| name.clone())?;
    let kind = shape.kind().ok_or_else(|| not_exported(&name))?;
    if let Some(said) = manifest.and_then(|manifest| manifest.kind)
        && said != kind.to_string()
    {
        let hint = format!("set kind = \"{kind}\" in plugin.toml, or use the macro `{said}!` in src/lib.rs");
        return Err(Hinted::error(
            format!("{name}: the manifest says {said}, the component is that of a {kind}"),
            hint,
        ));
    }
    let tables = tables(folder).with_context(|| name.clone())?;
    // A bridge and an agent may have the same name; the `.agent` suffix is unambiguous because
    // names contain no dot.
    let path = into.join(if kind == PluginKind::Agent { format!("{name}.agent.wasm") } else { format!("{name}.wasm") });
    let prepared = !fresh.is_prepared && shape.exports.iter().any(|export| export == INIT_EXPORT);
    let bytes = match prepared {
        true => Cow::Owned(prepare_once(fresh.bytes, &path).with_context(|| name.clone())?),
        false => Cow::Borrowed(fresh.bytes),
    };
    replace(&path, &bytes).with_context(|| format!("{}", path.display()))?;
    let with_lines = put_with_lines(fresh, &path.with_extension("lines.wasm"), prepared);
    let (folder, imports) = (folder.into(), shape.imports);
    Ok(Built { name, kind, folder, component: path, bytes: bytes.len(), prepared, imports, tables, with_lines })
}

/// Writes the component with source lines to `path`, next to the published one. Returns
/// `None` and leaves no file if that fails, for example because its `init` cannot be run.
fn put_with_lines(fresh: &Fresh<'_>, path: &Path, prepared: bool) -> Option<PathBuf> {
    let put = || {
        let bytes = fresh.with_lines.as_deref()?;
        let bytes = if prepared { Cow::Owned(prepare_once(bytes, path).ok()?) } else { Cow::Borrowed(bytes) };
        replace(path, &bytes).ok()
    };
    match put() {
        Some(()) => Some(path.to_owned()),
        None => {
            // Remove the file of an earlier build, so that it is not mistaken for this build's.
            let _ = fs::remove_file(path);
            None
        }
    }
}

/// Returns the tables in a plugin's folder after the same checks as on a server.
fn tables(folder: &Path) -> anyhow::Result<Vec<BuiltTable>> {
    let tables = parse_tables(&read_tables(folder)?, &TableCache::default())?;
    Ok(tables.iter().map(|(name, table)| BuiltTable { name: name.to_string(), rows: table.rows() }).collect())
}

/// Writes a file atomically; leaves the file untouched if its content is unchanged.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    // The process id keeps concurrent builds from writing the same file.
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

fn not_exported(name: &str) -> anyhow::Error {
    let hint = "in Rust, call tollbridge_sdk::bridge! or tollbridge_sdk::agent! once in src/lib.rs";
    Hinted::error(format!("{name}: the component exports neither a bridge nor an agent"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_replaced_only_when_it_changed() {
        let root = tempfile::tempdir().expect("a folder");
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
    fn source_lines_are_of_this_build_or_of_none() {
        let root = tempfile::tempdir().expect("a folder");
        let path = root.path().join("x.lines.wasm");
        let with = Fresh { with_lines: Some(b"lines".to_vec()), ..Fresh::default() };
        assert_eq!(put_with_lines(&with, &path, false).as_deref(), Some(path.as_path()));
        assert_eq!(fs::read(&path).expect("bytes"), b"lines");
        // For a component that cannot be prepared, no file with source lines is written.
        assert!(put_with_lines(&with, &path, true).is_none() && !path.exists());
        assert!(put_with_lines(&Fresh::default(), &path, false).is_none());
    }

    #[test]
    fn a_manifest_name_is_no_path() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, good) in [("geo-fix_2", true), ("../x", false), ("", false), ("A", false)] {
            fs::write(root.path().join("plugin.toml"), format!("name = \"{name}\"")).expect("a file");
            assert_eq!(manifest(root.path()).is_ok(), good, "{name}");
        }
    }
}
