//! A version that was received as files in memory, and is verified completely before any file is
//! written.
//!
//! Invariant: a version that passes `verify_version` is accepted by a scan and returned by `load`,
//! so the registry never contains a version that could not run.

use std::collections::BTreeMap;
use std::path::Path;

use super::digest::Digest;
use super::error::{RegistryError, Rejection, TableProblem};
use super::folder::{FileFault, Folder};
use super::manifest::{self, Manifest};
use super::publishers::Publishers;
use super::signature;
use super::table_cache::TableCache;
use super::tables::{self, TABLES_FOLDER};
use super::transfer::VersionParts;
use super::versions::{self, COMPONENT_FILE, Candidate};
use crate::limits::{MANIFEST_BYTES_MAX, SIGNATURE_BYTES_MAX, TABLE_BYTES_MAX};
use tollbridge_core::limits::COMPONENT_BYTES_MAX;

/// Checks manifest and signature, and returns the candidate. Does not compare the bytes of the
/// component and the tables: use [`verify_version`] for that.
///
/// # Errors
///
/// The manifest is not signed by a trusted publisher, or its publisher may not use the
/// plugin's name.
pub fn verify_manifest(manifest: &[u8], signature: &[u8], publishers: &Publishers) -> Result<Candidate, Rejection> {
    check_size(manifest::FILE, manifest, MANIFEST_BYTES_MAX)?;
    check_size(signature::FILE, signature, SIGNATURE_BYTES_MAX)?;
    versions::verify_candidate(manifest, signature, publishers, None)
}

/// Verifies all files of a version and returns the candidate.
///
/// # Errors
///
/// A file is missing, or differs from the one that a trusted publisher signed.
pub fn verify_version(parts: &VersionParts, publishers: &Publishers) -> Result<Candidate, Rejection> {
    let manifest = part(parts, manifest::FILE)?;
    let signature = part(parts, signature::FILE).map_err(|_| Rejection::Unsigned)?;
    let candidate = verify_manifest(manifest, signature, publishers)?;
    check_files(parts, &candidate.manifest)?;
    Ok(candidate)
}

/// Checks that the component and the tables match the digests in a published manifest.
///
/// # Errors
///
/// A file is missing or different.
pub fn check_files(parts: &VersionParts, manifest: &Manifest) -> Result<(), Rejection> {
    let component = manifest.component.ok_or(Rejection::NotPublished)?;
    let wasm = part(parts, COMPONENT_FILE)?;
    if wasm.len() as u64 != component.size {
        return Err(Rejection::Size { actual: wasm.len() as u64, manifest: component.size });
    }
    if Digest::of(wasm) != component.sha256 {
        return Err(Rejection::Digest);
    }
    if let Some(fault) = versions::component_fault(wasm) {
        return Err(Rejection::NotAComponent(fault));
    }
    let cache = TableCache::default();
    for (name, file) in &manifest.tables {
        let of_table = |problem| Rejection::Table { name: name.clone(), problem };
        let path = format!("{TABLES_FOLDER}/{}", tables::file_name(name));
        let bytes = find(parts, &path).ok_or_else(|| of_table(FileFault::Missing.into()))?;
        if bytes.len() as u64 != file.size {
            return Err(of_table(TableProblem::Size { actual: bytes.len() as u64, manifest: file.size }));
        }
        if Digest::of(bytes) != file.sha256 {
            return Err(of_table(TableProblem::Digest));
        }
        cache.add(bytes.clone()).map_err(|fault| of_table(fault.into()))?;
    }
    Ok(())
}

/// Reads the files of a version folder at any path, without checking the signature. Blocks on
/// files.
///
/// # Errors
///
/// The path is not a version folder, or its files do not match the manifest.
pub fn read_version_folder(path: &Path) -> Result<(Manifest, VersionParts), RegistryError> {
    let failed = |error| RegistryError::io("read", path, error);
    let unfit = |problem: String| RegistryError::TableFiles { path: path.display().to_string(), problem };
    let folder = Folder::open_root(path).map_err(failed)?;
    let mut parts = VersionParts::new();
    for (name, max) in [
        (manifest::FILE, MANIFEST_BYTES_MAX),
        (signature::FILE, SIGNATURE_BYTES_MAX),
        (COMPONENT_FILE, COMPONENT_BYTES_MAX),
    ] {
        let bytes = folder.read(name, max as u64).map_err(|fault| unfit(format!("{name} {fault}")))?;
        parts.push((name.to_owned(), bytes));
    }
    let text = part(&parts, manifest::FILE).and_then(|bytes| versions::text(manifest::FILE, bytes));
    let text = text.map_err(|rejection| unfit(rejection.to_string()))?;
    let manifest = Manifest::parse(text)?;
    for name in manifest.tables.keys() {
        let file = tables::file_name(name);
        let tables = folder.child(TABLES_FOLDER).map_err(|fault| unfit(format!("{TABLES_FOLDER} {fault}")))?;
        let bytes = tables.read(&file, TABLE_BYTES_MAX as u64).map_err(|fault| unfit(format!("{file} {fault}")))?;
        parts.push((format!("{TABLES_FOLDER}/{file}"), bytes));
    }
    check_files(&parts, &manifest).map_err(|rejection| unfit(rejection.to_string()))?;
    Ok((manifest, parts))
}

/// Returns the files that a manifest names by digest: path below the version's folder, digest and
/// size.
pub fn files_by_digest(manifest: &Manifest) -> BTreeMap<String, (Digest, u64)> {
    let component = manifest.component.map(|file| (COMPONENT_FILE.to_owned(), (file.sha256, file.size)));
    let table = |name| format!("{TABLES_FOLDER}/{}", tables::file_name(name));
    let tables = manifest.tables.iter().map(|(name, file)| (table(name), (file.sha256, file.size)));
    component.into_iter().chain(tables).collect()
}

/// Combines manifest, signature and the files of `files_by_digest` into the parts of a version.
pub fn version_parts(manifest: Vec<u8>, signature: Vec<u8>, files: VersionParts) -> VersionParts {
    let small = [(manifest::FILE.to_owned(), manifest), (signature::FILE.to_owned(), signature)];
    small.into_iter().chain(files).collect()
}

/// Returns the manifest and the signature from the files of a version.
pub fn small_parts(parts: &VersionParts) -> Option<(&[u8], &[u8])> {
    Some((find(parts, manifest::FILE)?, find(parts, signature::FILE)?))
}

fn find<'a>(parts: &'a VersionParts, path: &str) -> Option<&'a Vec<u8>> {
    parts.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes)
}

fn part<'a>(parts: &'a VersionParts, file: &'static str) -> Result<&'a Vec<u8>, Rejection> {
    find(parts, file).ok_or(Rejection::File { file, fault: FileFault::Missing })
}

fn check_size(file: &'static str, bytes: &[u8], max: usize) -> Result<(), Rejection> {
    let (size, max) = (bytes.len() as u64, max as u64);
    if size > max {
        return Err(Rejection::File { file, fault: FileFault::TooLarge { size, max } });
    }
    Ok(())
}

#[cfg(test)]
#[path = "received_tests.rs"]
mod tests;
