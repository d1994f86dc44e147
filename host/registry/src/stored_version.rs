//! A stored version of a plugin, opened to send it to another host: its small files are verified,
//! its large files are read from disk.

use std::fs::File;
use std::path::Path;

use semver::Version;

use super::digest::Digest;
use super::error::Rejection;
use super::folder::{FileFault, Folder};
use super::id::PluginId;
use super::manifest;
use super::publishers::Publishers;
use super::signature;
use super::tables::{self, TABLES_FOLDER};
use super::versions::{self, COMPONENT_FILE, Candidate};
use crate::limits::{MANIFEST_BYTES_MAX, SIGNATURE_BYTES_MAX, TABLE_BYTES_MAX};
use tollbridge_core::limits::COMPONENT_BYTES_MAX;

/// A stored version that a trusted publisher signed. The component and the tables are returned as
/// they are on disk, so the recipient must verify their digests.
pub struct StoredVersion {
    /// The signed manifest.
    pub candidate: Candidate,
    /// The bytes of `plugin.toml`.
    pub manifest: Vec<u8>,
    /// The bytes of `plugin.sig`.
    pub signature: Vec<u8>,
    folder: Folder,
}

impl StoredVersion {
    /// Opens a version of the registry at `root`. Blocks on files.
    ///
    /// # Errors
    ///
    /// The version does not exist, or is not signed by a trusted publisher.
    pub fn open(root: &Path, id: &PluginId, version: &Version, publishers: &Publishers) -> Result<Self, Rejection> {
        let missing = |fault| Rejection::File { file: "the version's folder", fault };
        let folder = Folder::open_root(root)
            .map_err(FileFault::from)
            .and_then(|root| root.child(id.kind.folder()))
            .and_then(|kind| kind.child(id.name.as_str()))
            .and_then(|plugin| plugin.child(&version.to_string()))
            .map_err(missing)?;
        let read = |file, max: usize| folder.read(file, max as u64).map_err(|fault| Rejection::File { file, fault });
        let manifest = read(manifest::FILE, MANIFEST_BYTES_MAX)?;
        let signature = read(signature::FILE, SIGNATURE_BYTES_MAX)?;
        let candidate = versions::verify_candidate(&manifest, &signature, publishers, Some((id, version)))?;
        Ok(Self { candidate, manifest, signature, folder })
    }

    /// Opens the component or table with this digest; returns the file and its size. `None` if the
    /// manifest names no such file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its size differs from the manifest's.
    pub fn open_file(&self, digest: Digest) -> Result<Option<(File, u64)>, FileFault> {
        let component = self.candidate.component;
        let (file, size) = if component.sha256 == digest {
            let (file, size) = self.folder.open(COMPONENT_FILE, COMPONENT_BYTES_MAX as u64)?;
            (file, (size, component.size))
        } else {
            let mut tables = self.candidate.manifest.tables.iter();
            let Some((name, table)) = tables.find(|(_, table)| table.sha256 == digest) else { return Ok(None) };
            let folder = self.folder.child(TABLES_FOLDER)?;
            let (file, size) = folder.open(&tables::file_name(name), TABLE_BYTES_MAX as u64)?;
            (file, (size, table.size))
        };
        match size {
            (is, named) if is == named => Ok(Some((file, is))),
            (is, named) => Err(FileFault::Io(format!("the file has {is} bytes, the manifest says {named}"))),
        }
    }
}
