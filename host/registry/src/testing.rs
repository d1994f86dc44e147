//! Shared helpers for this module's tests: keys, publishers, small components.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    Candidate, Candidates, Component, Digest, Manifest, Namespaces, Published, Publisher, PublisherKey, Publishers,
    publish,
};

/// Returns the key of a test publisher; each name has its own seed.
pub(super) fn key(name: &str) -> PublisherKey {
    let seed = name.bytes().fold(7_u8, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte));
    PublisherKey::from_seed(name.parse().unwrap(), &[seed; 32])
}

pub(super) fn publisher(name: &str, namespaces: &[&str], auto_activate: bool) -> Publisher {
    Publisher {
        name: name.parse().unwrap(),
        key: key(name).public(),
        account: format!("acct_{name}"),
        namespaces: Namespaces::parse(namespaces).unwrap(),
        auto_activate: auto_activate.into(),
    }
}

pub(super) fn publishers(list: impl IntoIterator<Item = Publisher>) -> Publishers {
    let mut publishers = Publishers::default();
    list.into_iter().for_each(|publisher| publishers.insert(publisher).unwrap());
    publishers
}

/// Returns bytes that begin with a component's header.
pub(super) fn wasm(content: &str) -> Vec<u8> {
    [b"\0asm\x0d\0\x01\0", content.as_bytes()].concat()
}

pub(super) fn manifest(name: &str, version: &str, publisher: &str) -> String {
    format!(
        "name = \"{name}\"\nkind = \"bridge\"\nversion = \"{version}\"\npublisher = \"{publisher}\"\n\
         purpose = \"Test\"\nprice_gbp = \"0.30\"\n"
    )
}

/// Publishes a bridge of this name and version, signed by `by`.
pub(super) fn put(root: &Path, name: &str, version: &str, by: &str) -> Published {
    publish(root, &manifest(name, version, by), &wasm(&format!("{name} {version}")), &BTreeMap::new(), &key(by))
        .unwrap()
}

/// Returns the folder of a version of a bridge.
pub(super) fn folder(root: &Path, name: &str, version: &str) -> PathBuf {
    root.join("bridges").join(name).join(version)
}

/// Returns a candidate of `tax`, as a scan would find it; `more` is added to the manifest, and
/// `content` determines the bytes.
pub(super) fn candidate(version: &str, by: &str, more: &str, content: &str) -> Candidate {
    let author = Manifest::parse(&format!("{}{more}\n", manifest("tax", version, by))).unwrap();
    let component = Component { sha256: Digest::of(content.as_bytes()), size: 1 };
    let text = author.to_published_toml(component, &BTreeMap::new());
    let manifest = Manifest { component: Some(component), ..author };
    Candidate { manifest, digest: Digest::of(text.as_bytes()), component, key_id: key(by).public().id() }
}

pub(super) fn candidates(list: impl IntoIterator<Item = Candidate>) -> Candidates {
    list.into_iter().map(|candidate| (candidate.version().clone(), Arc::new(candidate))).collect()
}
