//! Copies published plugins for `tollbridge dev`, so that plugins under development can call them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use semver::Version;
use tollbridge_registry::{Candidate, PluginId, PublisherKey, Publishers, ScanTime, Scanner, publish, read_tables};

/// A registry whose published plugins `tollbridge dev` serves along with those that it
/// builds.
pub(super) struct OtherRegistry {
    pub(super) folder: PathBuf,
    pub(super) publishers: Publishers,
}

impl OtherRegistry {
    /// Publishes the newest version of each plugin, except those in `built`, to the
    /// registry `into`, signed with `key` and with the patch number `patch`; returns
    /// their names. Copies only versions signed by a trusted publisher.
    pub(super) fn take(
        &self,
        built: &BTreeSet<PluginId>,
        (into, key): (&Path, &PublisherKey),
        patch: u64,
    ) -> Result<Vec<String>> {
        let mut scanner = Scanner::new(self.folder.clone());
        let scan = scanner.scan(&self.publishers, ScanTime::now());
        if let Some(fault) = scan.fault {
            anyhow::bail!("{}: {fault}", self.folder.display());
        }
        let mut taken = Vec::new();
        for (id, versions) in scan.plugins.iter().filter(|(id, _)| !built.contains(id)) {
            let Some(candidate) = versions.candidates.values().next_back() else { continue };
            let files = scanner.load(candidate, ScanTime::now()).with_context(|| id.to_string())?;
            let folder = self.version_folder(candidate);
            let manifest = std::fs::read_to_string(folder.join("plugin.toml")).with_context(|| id.to_string())?;
            let manifest = as_of_dev(&manifest, candidate.version(), patch)?;
            publish(into, &manifest, &files.wasm, &read_tables(&folder)?, key).with_context(|| id.to_string())?;
            taken.push(format!("{id} {}", candidate.version()));
        }
        Ok(taken)
    }

    fn version_folder(&self, candidate: &Candidate) -> PathBuf {
        let id = candidate.id();
        self.folder.join(id.kind.folder()).join(id.name.as_str()).join(candidate.version().to_string())
    }
}

/// Returns the author's manifest, with publisher `dev`.
pub(super) fn as_of_dev(manifest: &str, version: &Version, patch: u64) -> Result<String> {
    let mut table: toml::Table = manifest.parse()?;
    // Publishing writes new digests.
    for published in ["component", "tables"] {
        table.remove(published);
    }
    let version = Version::new(version.major, version.minor, patch);
    table.insert("version".to_owned(), version.to_string().into());
    table.insert("publisher".to_owned(), "dev".into());
    Ok(toml::to_string(&table)?)
}

#[cfg(test)]
mod tests {
    use tollbridge_registry::{AutoActivate, Manifest, Namespaces, Publisher};

    use super::*;

    const MANIFEST: &str = "name = \"NAME\"\nkind = \"bridge\"\nversion = \"1.2.3\"\npublisher = \"maker\"\n\
                            purpose = \"x\"\nprice_gbp = \"0.01\"\n";

    fn publisher(key: &PublisherKey) -> Publisher {
        Publisher {
            name: key.name().clone(),
            key: key.public(),
            account: "acct_1".to_owned(),
            namespaces: Namespaces::parse(&["*"]).unwrap(),
            auto_activate: AutoActivate::Everything,
        }
    }

    #[test]
    fn a_trusted_version_is_taken_and_one_that_is_built_here_is_not() {
        let (from, into) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (maker, stranger) = ("maker".parse().unwrap(), "maker".parse().unwrap());
        let (maker, stranger) = (PublisherKey::generate(maker).unwrap(), PublisherKey::generate(stranger).unwrap());
        let dev = PublisherKey::generate("dev".parse().unwrap()).unwrap();
        let wasm = wat::parse_str("(component)").unwrap();
        let put = |name: &str, version: &str, key: &PublisherKey| {
            let manifest = MANIFEST.replace("NAME", name).replace("1.2.3", version);
            publish(from.path(), &manifest, &wasm, &Default::default(), key).unwrap();
        };
        put("asked", "1.2.3", &maker);
        put("asked", "1.1.9", &maker);
        put("built", "1.2.3", &maker);
        put("forged", "1.2.3", &stranger);
        let mut publishers = Publishers::default();
        publishers.insert(publisher(&maker)).unwrap();
        // A version that was written a moment ago may still be incomplete.
        let other = OtherRegistry { folder: from.path().to_owned(), publishers };
        let id = |name: &str| Manifest::parse(&MANIFEST.replace("NAME", name)).unwrap().id;
        let built = BTreeSet::from([id("built")]);
        let taken = other.take(&built, (into.path(), &dev), 77).unwrap();
        assert_eq!(taken, [format!("{} 1.2.3", id("asked"))]);
        let text = std::fs::read_to_string(into.path().join("bridges/asked/1.2.77/plugin.toml")).unwrap();
        assert_eq!(Manifest::parse(&text).unwrap().publisher.as_str(), "dev");
        assert!(!into.path().join("bridges/built").exists() && !into.path().join("bridges/forged").exists());
    }
}
