//! Transfers a published version as files from one registry to another.
//!
//! Invariants: a version arrives completely or not at all, as with publishing; an existing version
//! is never changed. The transfer itself is not trusted: a scan verifies the version like any
//! other.

use std::io;
use std::path::Path;

use semver::Version;

use super::digest::Digest;
use super::error::RegistryError;
use super::folder::{FileFault, Folder};
use super::id::{Name, PluginId};
use super::manifest;
use super::publish::put;
use super::signature;
use super::tables::{self, TABLES_FOLDER, TableFiles};
use super::versions::{COMPONENT_FILE, Candidate};
use crate::limits::{MANIFEST_BYTES_MAX, SIGNATURE_BYTES_MAX, TABLE_BYTES_MAX};
use tollbridge_core::limits::COMPONENT_BYTES_MAX;

/// The files of a version: path below the version's folder, and bytes.
pub type VersionParts = Vec<(String, Vec<u8>)>;

/// Reads the files of a version that a scan accepted. Blocks on files.
///
/// # Errors
///
/// Fails if the files have changed since the scan.
pub fn read_version(root: &Path, candidate: &Candidate) -> Result<VersionParts, RegistryError> {
    let (id, version) = (candidate.id(), candidate.version());
    let damaged = |fault: String| RegistryError::Damaged { id: id.clone(), version: version.clone(), fault };
    let missing = |fault: FileFault| damaged(fault.to_string());
    let root = Folder::open_root(root).map_err(|error| RegistryError::io("read", root, error))?;
    let folder = root
        .child(id.kind.folder())
        .and_then(|kind| kind.child(id.name.as_str()))
        .and_then(|plugin| plugin.child(&version.to_string()))
        .map_err(missing)?;
    let mut parts = Vec::new();
    for (name, max) in [
        (manifest::FILE, MANIFEST_BYTES_MAX),
        (signature::FILE, SIGNATURE_BYTES_MAX),
        (COMPONENT_FILE, COMPONENT_BYTES_MAX),
    ] {
        parts.push((name.to_owned(), folder.read(name, max as u64).map_err(missing)?));
    }
    let is_same =
        |name: &str, digest: Digest| parts.iter().any(|(path, bytes)| path == name && Digest::of(bytes) == digest);
    if !is_same(manifest::FILE, candidate.digest) || !is_same(COMPONENT_FILE, candidate.component.sha256) {
        return Err(damaged("the version's files have changed".to_owned()));
    }
    if !candidate.manifest.tables.is_empty() {
        let inside = folder.child(TABLES_FOLDER).map_err(missing)?;
        for (name, table) in &candidate.manifest.tables {
            let file = tables::file_name(name);
            let bytes = inside.read(&file, TABLE_BYTES_MAX as u64).map_err(missing)?;
            if Digest::of(&bytes) != table.sha256 {
                return Err(damaged(format!("{file} has changed")));
            }
            parts.push((format!("{TABLES_FOLDER}/{file}"), bytes));
        }
    }
    Ok(parts)
}

/// Writes a version's files into the registry at `root`, which is created if necessary;
/// returns whether the version is new there. Blocks on files.
///
/// # Errors
///
/// Fails if a file does not belong in a version, or cannot be written.
pub fn write_version(
    root: &Path,
    id: &PluginId,
    version: &Version,
    parts: VersionParts,
) -> Result<bool, RegistryError> {
    let damaged = |fault: String| RegistryError::Damaged { id: id.clone(), version: version.clone(), fault };
    let path = root.join(id.kind.folder()).join(id.name.as_str()).join(version.to_string());
    let failed = |error| RegistryError::io("write", &path, error);
    let mut files: [Vec<u8>; 3] = Default::default();
    let mut table_files = TableFiles::new();
    for (path, bytes) in parts {
        match path.as_str() {
            manifest::FILE => files[0] = bytes,
            signature::FILE => files[1] = bytes,
            COMPONENT_FILE => files[2] = bytes,
            other => {
                let name = table_name(other).ok_or_else(|| damaged(format!("{other} is not a file of a version")))?;
                table_files.insert(name, bytes);
            }
        }
    }
    if let Some(missing) = files.iter().position(Vec::is_empty) {
        return Err(damaged(format!(
            "required file {missing} is missing or empty (0 manifest, 1 signature, 2 component)"
        )));
    }
    std::fs::create_dir_all(root).map_err(failed)?;
    let root = Folder::open_root(root).map_err(failed)?;
    let kind = root.make_folder(id.kind.folder()).map_err(failed)?;
    let plugin = kind.make_folder(id.name.as_str()).map_err(failed)?;
    let [manifest, signature, wasm] = &files;
    match put(&root, &plugin, &version.to_string(), [manifest, signature, wasm], &table_files) {
        Ok(()) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists) => {
            return Ok(false);
        }
        Err(error) => return Err(failed(error)),
    }
    [&plugin, &kind, &root].into_iter().try_for_each(Folder::sync).map_err(failed)?;
    Ok(true)
}

/// Returns the name of the table that is stored at this path, if any.
fn table_name(path: &str) -> Option<Name> {
    let file = path.strip_prefix(TABLES_FOLDER)?.strip_prefix('/')?;
    let name: Name = file.strip_suffix(".tsv")?.parse().ok()?;
    (tables::file_name(&name) == file).then_some(name)
}
