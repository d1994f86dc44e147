//! Publishing: a complete, signed version folder appears in one step.
//!
//! Invariants:
//! 1. Everything is on disk before the folder gets its name, so a partial version is never visible,
//!    even after a crash.
//! 2. A published version never changes. Publishing the same bytes again does nothing.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::digest::Digest;
use super::error::RegistryError;
use super::folder::{FileFault, Folder};
use super::keys::PublisherKey;
use super::manifest::{self, Component, Manifest, TableFile};
use super::publishers::{Publisher, Publishers};
use super::signature::{self, Signature};
use super::table_cache::TableCache;
use super::tables::{self, TABLES_FOLDER, TableFiles};
use super::versions::{self, COMPONENT_FILE};
use tollbridge_core::limits::COMPONENT_BYTES_MAX;

/// Name prefix of the temporary folder used while publishing; hidden, so that scans and the watch
/// ignore the folder.
const TEMPORARY: &str = ".publish-";
/// Age at which a temporary folder counts as a leftover; publishing never takes that
/// long.
const LEFTOVER_SECONDS: i128 = 3_600;
/// The maximum number of entries that are checked for leftovers; a registry's root usually has a
/// handful.
const LEFTOVER_CHECKS_MAX: usize = 1_000;
const FILES: [&str; 3] = [manifest::FILE, signature::FILE, COMPONENT_FILE];

/// The result of `publish`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The manifest as published.
    pub manifest: Manifest,
    /// SHA-256 of the manifest's exact bytes.
    pub digest: Digest,
    /// The version's folder.
    pub path: PathBuf,
    /// Whether the version is new; false if the same bytes were already published.
    pub new: bool,
}

/// Signs the author's manifest together with the component and the tables, and writes all files
/// into the registry at `root`, which is created if necessary. Blocks on files.
pub fn publish(
    root: &Path,
    manifest: &str,
    wasm: &[u8],
    tables: &TableFiles,
    key: &PublisherKey,
) -> Result<Published, RegistryError> {
    let (manifest, text) = prepare(manifest, wasm, tables, key)?;
    let version = manifest.version.to_string();
    let path = root.join(manifest.id.kind.folder()).join(manifest.id.name.as_str()).join(&version);
    let failed = |error| RegistryError::io("publish", &path, error);

    std::fs::create_dir_all(root).map_err(failed)?;
    let root = Folder::open_root(root).map_err(failed)?;
    let kind = root.make_folder(manifest.id.kind.folder()).map_err(failed)?;
    let plugin = kind.make_folder(manifest.id.name.as_str()).map_err(failed)?;
    let digest = Digest::of(text.as_bytes());
    let done = |new| Published { manifest: manifest.clone(), digest, path: path.clone(), new };
    if is_published(&plugin, &manifest, &text, key)? {
        return Ok(done(false));
    }
    sweep(&root);
    let signature = Signature::sign(key, text.as_bytes()).to_toml();
    let files = [text.as_bytes(), signature.as_bytes(), wasm];
    match put(&root, &plugin, &version, files, tables) {
        Ok(()) => {}
        // Another process published this version in the meantime.
        Err(error) if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists) => {
            return is_published(&plugin, &manifest, &text, key).map(|_| done(false));
        }
        Err(error) => return Err(failed(error)),
    }
    [&plugin, &kind, &root].into_iter().try_for_each(Folder::sync).map_err(failed)?;
    Ok(done(true))
}

/// Builds the manifest to publish and runs all checks that do not require writing files.
fn prepare(
    manifest: &str,
    wasm: &[u8],
    tables: &TableFiles,
    key: &PublisherKey,
) -> Result<(Manifest, String), RegistryError> {
    let author = Manifest::parse(manifest)?;
    if author.publisher != *key.name() {
        return Err(RegistryError::OtherPublisher { manifest: author.publisher, key: key.name().clone() });
    }
    if wasm.len() > COMPONENT_BYTES_MAX {
        return Err(RegistryError::ComponentTooLarge { size: wasm.len(), max: COMPONENT_BYTES_MAX });
    }
    if let Some(fault) = versions::component_fault(wasm) {
        return Err(RegistryError::NotAComponent(fault));
    }
    tables::parse_tables(tables, &TableCache::default())?;
    let file = |bytes: &Vec<u8>| TableFile { sha256: Digest::of(bytes), size: bytes.len() as u64 };
    let files = tables.iter().map(|(name, bytes)| (name.clone(), file(bytes))).collect();
    let component = Component { sha256: Digest::of(wasm), size: wasm.len() as u64 };
    let text = author.to_published_toml(component, &files);
    Ok((Manifest::parse(&text)?, text))
}

/// Returns whether this version is already published with the same content; fails if its content
/// differs.
fn is_published(plugin: &Folder, manifest: &Manifest, text: &str, key: &PublisherKey) -> Result<bool, RegistryError> {
    let (id, version) = (&manifest.id, &manifest.version);
    let damaged = |fault: String| RegistryError::Damaged { id: id.clone(), version: version.clone(), fault };
    let folder = match plugin.child(&version.to_string()) {
        Ok(folder) => folder,
        Err(FileFault::Missing) => return Ok(false),
        Err(fault) => return Err(damaged(fault.to_string())),
    };
    let same = match folder.read(manifest::FILE, text.len() as u64) {
        Ok(bytes) => bytes == text.as_bytes(),
        Err(FileFault::TooLarge { .. }) => false,
        Err(fault) => return Err(damaged(format!("plugin.toml {fault}"))),
    };
    if !same {
        return Err(RegistryError::Published { id: id.clone(), version: version.clone() });
    }
    let mut publishers = Publishers::default();
    let publisher = Publisher::of_key(key);
    publishers.insert(publisher).map_err(|(_, problem)| damaged(problem))?;
    let whole = versions::examine(&folder, id, version, &publishers)
        .and_then(|candidate| versions::read_parts(&folder, &candidate, &TableCache::default()));
    whole.map(|_| true).map_err(|fault| damaged(fault.to_string()))
}

/// Removes temporary folders older than an hour, left by a publish that was killed.
fn sweep(root: &Folder) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let limit = i128::from(now.as_secs()) - LEFTOVER_SECONDS;
    let (names, _) = root.entries(LEFTOVER_CHECKS_MAX).unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with(TEMPORARY)) {
        if root.stamp(name).is_ok_and(|stamp| stamp.is_some_and(|stamp| stamp.changed.0 < limit)) {
            // On failure the next publish tries again.
            let _ = remove(root, name);
        }
    }
}

/// Removes an unfinished version folder.
fn remove(root: &Folder, name: &str) -> io::Result<()> {
    let inside = root.folder(name)?;
    if let Ok(folder) = inside.folder(TABLES_FOLDER) {
        let (files, _) = folder.entries(LEFTOVER_CHECKS_MAX)?;
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        inside.remove_folder(TABLES_FOLDER, &files)?;
    }
    root.remove_folder(name, &FILES)
}

/// Writes the files into a hidden folder on the same file system and renames the folder.
pub(super) fn put(
    root: &Folder,
    plugin: &Folder,
    version: &str,
    files: [&[u8]; 3],
    tables: &TableFiles,
) -> io::Result<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let temporary = format!("{TEMPORARY}{}", hex::encode(random));
    let folder = root.make_new_folder(&temporary)?;
    let moved = FILES
        .into_iter()
        .zip(files)
        .try_for_each(|(name, bytes)| folder.write_new(name, bytes))
        .and_then(|()| put_tables(&folder, tables))
        .and_then(|()| folder.sync())
        .and_then(|()| root.rename(&temporary, plugin, version));
    if moved.is_err() {
        // An error of this removal is ignored, because the error that caused the removal
        // is reported.
        let _ = remove(root, &temporary);
    }
    moved
}

fn put_tables(version: &Folder, tables: &TableFiles) -> io::Result<()> {
    if tables.is_empty() {
        return Ok(());
    }
    let folder = version.make_new_folder(TABLES_FOLDER)?;
    tables.iter().try_for_each(|(name, bytes)| folder.write_new(&tables::file_name(name), bytes))?;
    folder.sync()
}

#[cfg(test)]
#[path = "publish_tests.rs"]
mod tests;
