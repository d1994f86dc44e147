//! `Candidate`: a version folder that a trusted publisher signed, and the checks that verify this.
//!
//! Invariants:
//! 1. The signature is verified over the bytes that were read, before anything in them is trusted;
//!    name, version and kind must then match the folders.
//! 2. The bytes of a component or table are returned only after their digest was compared with the
//!    manifest's; exactly the verified bytes are used.

use std::collections::BTreeMap;
use std::sync::Arc;

use semver::Version;

use super::digest::Digest;
use super::error::{Rejection, TableProblem};
use super::folder::{FileFault, Folder};
use super::id::{Name, PluginId};
use super::key_id::KeyId;
use super::manifest::{self, Component, Manifest, TableFile};
use super::publishers::{Publisher, Publishers};
use super::signature::{self, Signature};
use super::table::Table;
use super::table_cache::TableCache;
use super::tables::{self, TABLES_FOLDER};
use crate::limits::{MANIFEST_BYTES_MAX, SIGNATURE_BYTES_MAX, TABLE_BYTES_MAX};
use tollbridge_core::limits::COMPONENT_BYTES_MAX;

pub(super) const COMPONENT_FILE: &str = "plugin.wasm";

/// The verified files of a version: the component to compile, and the tables by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionFiles {
    /// The component.
    pub wasm: Vec<u8>,
    /// The version's tables by name.
    pub tables: BTreeMap<Name, Arc<Table>>,
}

/// A version that is signed, complete and in the right folder. `select_version` decides whether it
/// runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The signed manifest.
    pub manifest: Manifest,
    /// SHA-256 of the manifest's exact bytes. It identifies the version's whole content, because
    /// the manifest contains the digest of the component.
    pub digest: Digest,
    /// Digest and size of the component, from the manifest.
    pub component: Component,
    /// The id of the key that signed the manifest.
    pub key_id: KeyId,
}

/// The versions of one plugin in the registry.
#[derive(Clone, Debug, Default)]
pub struct PluginVersions {
    /// Versions that are signed and complete.
    pub candidates: BTreeMap<Version, Arc<Candidate>>,
    /// Versions that must not run, with the reasons.
    pub rejected: BTreeMap<Version, Rejection>,
    /// Versions whose files are still changing.
    pub settling: Vec<Version>,
}

impl Candidate {
    /// Returns the kind and the name of the plugin.
    pub fn id(&self) -> &PluginId {
        &self.manifest.id
    }

    /// Returns the version of the plugin.
    pub fn version(&self) -> &Version {
        &self.manifest.version
    }
}

/// Checks a version folder completely, except for the bytes of the component and the tables.
pub(super) fn examine(
    folder: &Folder,
    id: &PluginId,
    version: &Version,
    publishers: &Publishers,
) -> Result<Candidate, Rejection> {
    let bytes = read(folder, manifest::FILE, MANIFEST_BYTES_MAX)?;
    let signature = match folder.read(signature::FILE, SIGNATURE_BYTES_MAX as u64) {
        Err(FileFault::Missing) => return Err(Rejection::Unsigned),
        other => other.map_err(|fault| Rejection::File { file: signature::FILE, fault })?,
    };
    let candidate = verify_candidate(&bytes, &signature, publishers, Some((id, version)))?;
    check_size(folder, candidate.component)?;
    for (name, file) in &candidate.manifest.tables {
        let of_table = |problem| Rejection::Table { name: name.clone(), problem };
        check_table_size(folder, name, *file).map_err(of_table)?;
    }
    Ok(candidate)
}

/// Returns the candidate if a trusted publisher signed it. Verifies the signature before
/// anything in the manifest is trusted, then checks that the manifest matches `place` (if
/// given) and that the publisher may use the plugin's name.
pub(super) fn verify_candidate(
    bytes: &[u8],
    signature: &[u8],
    publishers: &Publishers,
    place: Option<(&PluginId, &Version)>,
) -> Result<Candidate, Rejection> {
    let signature = Signature::parse(text(signature::FILE, signature)?)?;
    let publisher = signer(&signature, publishers)?;
    if !signature.verifies(&publisher.key, bytes) {
        return Err(Rejection::Forged { publisher: publisher.name.clone() });
    }
    let manifest = Manifest::parse(text(manifest::FILE, bytes)?)?;
    let (id, version) = place.unwrap_or((&manifest.id, &manifest.version));
    check_placement(&manifest, id, version, publisher)?;
    let component = manifest.component.ok_or(Rejection::NotPublished)?;
    Ok(Candidate { digest: Digest::of(bytes), component, key_id: signature.key_id, manifest })
}

/// Reads and verifies the component and the tables that a candidate names.
pub(super) fn read_parts(
    folder: &Folder,
    candidate: &Candidate,
    cache: &TableCache,
) -> Result<VersionFiles, Rejection> {
    let wasm = read_component(folder, candidate.component)?;
    Ok(VersionFiles { wasm, tables: read_tables(folder, &candidate.manifest.tables, cache)? })
}

fn read_component(folder: &Folder, component: Component) -> Result<Vec<u8>, Rejection> {
    check_size(folder, component)?;
    let bytes = read(folder, COMPONENT_FILE, COMPONENT_BYTES_MAX)?;
    if Digest::of(&bytes) != component.sha256 {
        return Err(Rejection::Digest);
    }
    match component_fault(&bytes) {
        Some(fault) => Err(Rejection::NotAComponent(fault)),
        None => Ok(bytes),
    }
}

/// Reads and verifies the tables that a candidate names; tables that are already in memory are
/// shared.
fn read_tables(
    folder: &Folder,
    files: &BTreeMap<Name, TableFile>,
    cache: &TableCache,
) -> Result<BTreeMap<Name, Arc<Table>>, Rejection> {
    let read = |(name, file): (&Name, &TableFile)| match read_table(folder, name, *file, cache) {
        Ok(table) => Ok((name.clone(), table)),
        Err(problem) => Err(Rejection::Table { name: name.clone(), problem }),
    };
    files.iter().map(read).collect()
}

fn read_table(folder: &Folder, name: &Name, file: TableFile, cache: &TableCache) -> Result<Arc<Table>, TableProblem> {
    check_table_size(folder, name, file)?;
    let bytes = folder.child(TABLES_FOLDER)?.read(&tables::file_name(name), TABLE_BYTES_MAX as u64)?;
    if Digest::of(&bytes) != file.sha256 {
        return Err(TableProblem::Digest);
    }
    Ok(cache.get_or_parse(file.sha256, bytes)?)
}

fn check_table_size(folder: &Folder, name: &Name, file: TableFile) -> Result<(), TableProblem> {
    let stamp = folder.child(TABLES_FOLDER)?.stamp(&tables::file_name(name)).map_err(FileFault::from)?;
    let stamp = stamp.ok_or(FileFault::Missing)?;
    stamp.check(TABLE_BYTES_MAX as u64)?;
    match stamp.size == file.size {
        true => Ok(()),
        false => Err(TableProblem::Size { actual: stamp.size, manifest: file.size }),
    }
}

/// Returns the reason why bytes cannot be a component, judged by the first eight bytes.
pub(super) fn component_fault(bytes: &[u8]) -> Option<&'static str> {
    match bytes.get(..8) {
        Some(b"\0asm\x0d\0\x01\0") => None,
        Some(b"\0asm\x01\0\0\0") => {
            Some("this is a core module, not a component; build it with `tollbridge plugin build`")
        }
        Some([0x7f, b'E', b'L', b'F', ..]) => {
            Some("this is precompiled machine code, which is never loaded; publish the component itself")
        }
        _ => Some("this is not a WebAssembly component; build it with `tollbridge plugin build`"),
    }
}

fn read(folder: &Folder, file: &'static str, max: usize) -> Result<Vec<u8>, Rejection> {
    folder.read(file, max as u64).map_err(|fault| Rejection::File { file, fault })
}

pub(super) fn text<'a>(file: &'static str, bytes: &'a [u8]) -> Result<&'a str, Rejection> {
    std::str::from_utf8(bytes).map_err(|_| Rejection::NotText { file })
}

/// Returns the trusted publisher that a signature names, if the signature's key is that
/// publisher's.
fn signer<'a>(signature: &Signature, publishers: &'a Publishers) -> Result<&'a Publisher, Rejection> {
    let publisher = signature.publisher.clone();
    match publishers.find(&publisher) {
        None => Err(Rejection::UnknownPublisher { publisher }),
        Some(trusted) if trusted.key.id() != signature.key_id => {
            Err(Rejection::OtherKey { publisher, key_id: signature.key_id.clone() })
        }
        Some(trusted) => Ok(trusted),
    }
}

/// Checks that a manifest matches the folder that it is in, and that its publisher may use the
/// plugin's name.
fn check_placement(
    manifest: &Manifest,
    id: &PluginId,
    version: &Version,
    publisher: &Publisher,
) -> Result<(), Rejection> {
    let pairs = [
        ("kind", manifest.id.kind.to_string(), id.kind.to_string()),
        ("name", manifest.id.name.to_string(), id.name.to_string()),
        ("version", manifest.version.to_string(), version.to_string()),
        ("publisher", manifest.publisher.to_string(), publisher.name.to_string()),
    ];
    if let Some((field, manifest, place)) = pairs.into_iter().find(|(_, manifest, place)| manifest != place) {
        return Err(Rejection::Misplaced { field, manifest, place });
    }
    if !publisher.namespaces.contain(&id.name) {
        return Err(Rejection::ForeignNamespace { publisher: publisher.name.clone(), name: id.name.clone() });
    }
    Ok(())
}

fn check_size(folder: &Folder, component: Component) -> Result<(), Rejection> {
    let fault = |fault| Rejection::File { file: COMPONENT_FILE, fault };
    let stamp = folder.stamp(COMPONENT_FILE).map_err(|error| fault(error.into()))?;
    let stamp = stamp.ok_or(fault(FileFault::Missing))?;
    stamp.check(COMPONENT_BYTES_MAX as u64).map_err(fault)?;
    match stamp.size == component.size {
        true => Ok(()),
        false => Err(Rejection::Size { actual: stamp.size, manifest: component.size }),
    }
}
