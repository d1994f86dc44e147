//! Shared fixtures of this crate's tests: a publisher, versions and a component.

use std::collections::BTreeMap;
use std::path::Path;

use tollbridge_registry::{
    Namespaces, Publisher, PublisherKey, Publishers, VersionParts, publish, read_version_folder,
};

/// The text of a valid table.
pub(crate) const TABLE_TEXT: &str =
    "#{\"version\":\"1\",\"as_of\":\"2026\",\"licence\":\"CC0-1.0\",\"source\":\"x\"}\na\t1\n";

pub(crate) fn key() -> PublisherKey {
    PublisherKey::from_seed("alice".parse().unwrap(), &[7; 32])
}

/// Returns trusted publishers: only alice, whose account is `acct_alice`.
pub(crate) fn trusted() -> Publishers {
    let mut publishers = Publishers::default();
    let publisher = Publisher {
        name: "alice".parse().unwrap(),
        key: key().public(),
        account: "acct_alice".to_owned(),
        namespaces: Namespaces::parse(&["tax"]).unwrap(),
        auto_activate: true.into(),
    };
    publishers.insert(publisher).unwrap();
    publishers
}

pub(crate) fn component(version: &str) -> Vec<u8> {
    let name = version.replace('.', "-");
    wat::parse_str(format!("(component (instance $made) (export \"v{name}\" (instance $made)))")).unwrap()
}

/// Publishes a version of the bridge `tax` and returns its files.
pub(crate) fn published(root: &Path, version: &str, with_table: bool) -> VersionParts {
    let manifest = format!(
        "name = \"tax\"\nkind = \"bridge\"\nversion = \"{version}\"\npublisher = \"alice\"\n\
         purpose = \"Test\"\nprice_gbp = \"0.30\"\n{}",
        if with_table { "grants = [\"tables\"]\n" } else { "" }
    );
    let mut tables = BTreeMap::new();
    if with_table {
        tables.insert("rates".parse().unwrap(), TABLE_TEXT.as_bytes().to_vec());
    }
    let published = publish(root, &manifest, &component(version), &tables, &key()).unwrap();
    read_version_folder(&published.path).unwrap().1
}
