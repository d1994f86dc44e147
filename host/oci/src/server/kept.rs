//! Manifests and configs of artifacts, kept beside the registry folder so that an
//! artifact has the digest under which it was pushed. All of it can be made again.
//!
//! Invariant: what is kept is believed only where it names exactly the files of the
//! version that lies in the registry.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use semver::Version;
use tollbridge_runtime::registry::{PluginId, StoredVersion};

use crate::artifact::{layers_of, small_files};
use crate::manifest::{CONFIG_BYTES_MAX, ImageManifest, MANIFEST_JSON_BYTES_MAX};

/// How an artifact came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A client pushed it.
    Pushed,
    /// This server made it.
    Made,
}

/// Manifest and config of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptArtifact {
    pub(super) manifest: Vec<u8>,
    pub(super) config: Vec<u8>,
}

/// The folder.
pub(super) struct Kept(pub(super) PathBuf);

impl Origin {
    fn files(self) -> [&'static str; 2] {
        match self {
            Self::Pushed => ["pushed.json", "pushed-config.json"],
            Self::Made => ["made.json", "made-config.json"],
        }
    }
}

impl KeptArtifact {
    /// Whether it is an artifact of this version.
    pub(super) fn fits(&self, stored: &StoredVersion) -> bool {
        let Ok(image) = ImageManifest::parse(&self.manifest) else { return false };
        let same_text = |image: &ImageManifest| {
            let is_it = |(toml, _): (&str, Option<&str>)| toml.as_bytes() == stored.manifest;
            !image.is_signed() || small_files(image).is_ok_and(is_it)
        };
        same_text(&image) && layers_of(&image, &stored.candidate.manifest).is_ok()
    }

    /// Whether it brings its publisher's signature.
    pub(super) fn is_signed(&self) -> bool {
        ImageManifest::parse(&self.manifest).is_ok_and(|image| image.is_signed())
    }
}

impl Kept {
    fn folder(&self, id: &PluginId, version: &Version) -> PathBuf {
        self.0.join(id.kind.folder()).join(id.name.as_str()).join(version.to_string())
    }

    /// What is kept of a version, if it fits. Blocks on files.
    pub(super) fn find(&self, origin: Origin, stored: &StoredVersion) -> Option<KeptArtifact> {
        let folder = self.folder(stored.candidate.id(), stored.candidate.version());
        let [manifest, config] = origin.files();
        let manifest = read(&folder.join(manifest), MANIFEST_JSON_BYTES_MAX)?;
        let kept = KeptArtifact { manifest, config: read(&folder.join(config), CONFIG_BYTES_MAX)? };
        kept.fits(stored).then_some(kept)
    }

    /// Keeps an artifact of a version in place of the one before. Blocks on files.
    pub(super) fn keep(
        &self,
        origin: Origin,
        (id, version): (&PluginId, &Version),
        artifact: &KeptArtifact,
    ) -> io::Result<()> {
        let folder = self.folder(id, version);
        fs::create_dir_all(&folder)?;
        let [manifest, config] = origin.files();
        // The manifest last: without it there is nothing.
        replace(&folder.join(config), &artifact.config)?;
        replace(&folder.join(manifest), &artifact.manifest)
    }
}

fn read(path: &Path, max: usize) -> Option<Vec<u8>> {
    let size = fs::metadata(path).ok()?.len();
    (size <= max as u64).then(|| fs::read(path).ok()).flatten()
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
    let new = path.with_extension(format!("{}.new", hex::encode(random)));
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Artifact;
    use crate::testing::{published, trusted};

    #[test]
    fn what_is_kept_counts_only_for_its_own_version() {
        let dir = tempfile::tempdir().unwrap();
        let (registry, kept) = (dir.path().join("registry"), Kept(dir.path().join("kept")));
        let artifact = |version| {
            let artifact = Artifact::of(published(&registry, version, false)).unwrap();
            KeptArtifact { manifest: artifact.manifest, config: artifact.config }
        };
        let (one, two) = (artifact("1.0.0"), artifact("2.0.0"));
        let open = |version: &str| {
            let id = PluginId { kind: tollbridge_core::plugin_kind::PluginKind::Bridge, name: "tax".parse().unwrap() };
            StoredVersion::open(&registry, &id, &version.parse().unwrap(), &trusted()).unwrap()
        };
        let stored = open("1.0.0");
        let place = (stored.candidate.id(), stored.candidate.version());
        assert_eq!(kept.find(Origin::Pushed, &stored), None);
        kept.keep(Origin::Pushed, place, &one).unwrap();
        assert_eq!(kept.find(Origin::Pushed, &stored), Some(one.clone()));
        assert_eq!(kept.find(Origin::Made, &stored), None);
        // Of another version with other files.
        kept.keep(Origin::Pushed, place, &two).unwrap();
        assert_eq!(kept.find(Origin::Pushed, &stored), None);
        assert!(two.fits(&open("2.0.0")) && two.is_signed() && !two.fits(&stored));
    }
}
