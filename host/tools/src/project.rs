//! A project made by `plugin new`, and its target folder. All projects of a user share
//! one target folder, so that dependencies are compiled once.
//!
//! Cargo does not distinguish two crates of the same name in different folders. The
//! project's folder and the digest of its copy of the SDK are therefore passed as
//! environment variables that the SDK and its macros read at build time: when a variable
//! changes, cargo compiles again.

use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use sha2::{Digest, Sha256};

/// Environment variable that names another target folder; the value `own` selects cargo's default.
pub(crate) const VARIABLE: &str = "TOLLBRIDGE_TARGET";
const OWN: &str = "own";
/// Environment variables with the project's folder and the digest of its SDK copy, read by the SDK
/// and its macros.
const PROJECT: &str = "TOLLBRIDGE_PROJECT";
const SDK: &str = "TOLLBRIDGE_SDK";
/// Folder of the project's copy of the SDK. A copy without the bindings is too old to read the
/// variables.
const COPY: &str = ".tollbridge";
const BINDINGS: &str = ".tollbridge/wit/rust";

/// A project that contains a copy of the SDK.
#[derive(Debug)]
pub(crate) struct Project {
    folder: PathBuf,
    /// The shared target folder; `None` if cargo compiles in its default target folder.
    shared: Option<PathBuf>,
    sdk: String,
}

impl Project {
    /// Returns the project in `folder`; `None` if it has no copy of the SDK, or too old a copy.
    /// `target` is cargo's default target folder.
    pub(crate) fn of(folder: &Path, target: &Path) -> anyhow::Result<Option<Self>> {
        if !folder.join(BINDINGS).is_dir() {
            return Ok(None);
        }
        let is_default = target == folder.join("target");
        let shared = shared(|name| env::var_os(name), is_default);
        Ok(Some(Self { folder: folder.to_owned(), shared, sdk: digest(&folder.join(COPY))? }))
    }

    /// Makes `cargo` compile in the shared target folder, and passes the variables that distinguish
    /// this project.
    pub(crate) fn set_up(&self, cargo: &mut Command) {
        cargo.env(PROJECT, &self.folder).env(SDK, &self.sdk);
        if let Some(shared) = &self.shared {
            cargo.env("CARGO_TARGET_DIR", shared);
        }
    }

    /// Returns whether the project is compiled in the shared target folder.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Locks the shared target folder until the returned file is dropped. Needed because
    /// crates of the same name in two projects are written to the same output file.
    pub(crate) fn hold(&self) -> anyhow::Result<Option<File>> {
        let Some(shared) = &self.shared else { return Ok(None) };
        let path = shared.join("tollbridge.lock");
        let shown = || format!("{}", path.display());
        fs::create_dir_all(shared).with_context(shown)?;
        let file = File::create(&path).with_context(shown)?;
        file.lock().with_context(shown)?;
        Ok(Some(file))
    }
}

/// Returns whether the project compiles only its own files and downloaded crates, so that no path
/// of this machine gets into the component.
pub(crate) fn is_self_contained(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok().and_then(|text| text.parse::<toml::Table>().ok());
    folder.join(BINDINGS).is_dir() && manifest.is_some_and(|manifest| !is_outside(&toml::Value::Table(manifest)))
}

/// Returns whether a `path` in `Cargo.toml` leads out of the project's folder.
fn is_outside(value: &toml::Value) -> bool {
    match value {
        toml::Value::Table(table) => table.iter().any(|(name, inner)| match inner.as_str() {
            Some(path) if name == "path" => Path::new(path).is_absolute() || path.contains(".."),
            _ => is_outside(inner),
        }),
        toml::Value::Array(list) => list.iter().any(is_outside),
        _ => false,
    }
}

/// Returns the target folder that all projects of the user share.
fn shared(variable: impl Fn(&str) -> Option<OsString>, is_default: bool) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match variable(VARIABLE) {
        Some(value) if value == OWN => return None,
        Some(_) if folder(VARIABLE).is_some() => return folder(VARIABLE),
        // The user has configured a target folder, so use that.
        _ if !is_default => return None,
        _ => {}
    }
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("tollbridge").join("target"))
}

/// Returns the digest of all files below `folder`, with their paths.
fn digest(folder: &Path) -> anyhow::Result<String> {
    let mut files = Vec::new();
    gather(folder, &mut files).with_context(|| format!("{}", folder.display()))?;
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let text = fs::read(&file).with_context(|| format!("{}", file.display()))?;
        hash.update(file.strip_prefix(folder).unwrap_or(&file).as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update(Sha256::digest(&text));
    }
    Ok(hex::encode(hash.finalize()))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => gather(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_shared(variables: &[(&str, &str)], is_default: bool, expect: Option<&str>) {
        let variable = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        assert_eq!(shared(variable, is_default).as_deref(), expect.map(Path::new), "{variables:?}");
    }

    #[test]
    fn projects_share_a_target_folder_by_default() {
        let home = ("HOME", "/h");
        check_shared(&[home], true, Some("/h/.cache/tollbridge/target"));
        check_shared(&[home, ("XDG_CACHE_HOME", "/c")], true, Some("/c/tollbridge/target"));
        check_shared(&[home], false, None);
        check_shared(&[home, (VARIABLE, "own")], true, None);
        check_shared(&[home, (VARIABLE, "/t")], true, Some("/t"));
        check_shared(&[home, (VARIABLE, "/t")], false, Some("/t"));
        check_shared(&[home, (VARIABLE, "t")], true, Some("/h/.cache/tollbridge/target"));
        check_shared(&[], true, None);
    }

    fn project(manifest: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join(BINDINGS)).expect("folders");
        fs::write(root.path().join("Cargo.toml"), manifest).expect("a file");
        fs::write(root.path().join(BINDINGS).join("a.rs"), "a").expect("a file");
        root
    }

    #[test]
    fn a_dependency_outside_is_seen() {
        for (manifest, expect) in [
            ("[dependencies]\nsdk = { path = \".tollbridge/sdk\" }", true),
            ("[dependencies]\nsdk = { path = \"../sdk\" }", false),
            ("[target.'cfg(unix)'.dependencies]\nx = { path = \"/x\" }", false),
            ("[[bin]]\nname = \"x\"\npath = \"src/../../x.rs\"", false),
            ("not TOML", false),
        ] {
            assert_eq!(is_self_contained(project(manifest).path()), expect, "{manifest}");
        }
        assert!(!is_self_contained(Path::new("/")));
    }

    #[test]
    fn the_digest_is_of_names_and_texts() {
        let root = project("");
        let first = digest(root.path()).expect("a digest");
        assert_eq!(digest(root.path()).expect("a digest"), first);
        fs::write(root.path().join(BINDINGS).join("a.rs"), "b").expect("a file");
        let second = digest(root.path()).expect("a digest");
        fs::rename(root.path().join(BINDINGS).join("a.rs"), root.path().join(BINDINGS).join("b.rs")).expect("moved");
        let third = digest(root.path()).expect("a digest");
        assert!(first != second && second != third);
    }

    #[test]
    fn builds_in_the_shared_folder_wait_for_each_other() {
        let root = tempfile::tempdir().expect("a folder");
        let shared = Some(root.path().join("shared"));
        let project = Project { folder: root.path().into(), shared, sdk: String::new() };
        let held = project.hold().expect("held").expect("a lock");
        let path = root.path().join("shared/tollbridge.lock");
        assert!(File::open(&path).expect("a file").try_lock().is_err(), "the shared target folder must be locked");
        drop(held);
        assert!(File::open(&path).expect("a file").try_lock().is_ok());
    }
}
