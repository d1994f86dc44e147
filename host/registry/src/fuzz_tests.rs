//! Fuzz tests of manifests, registry folders and tables.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tollbridge_core::fuzzing::Fuzzer;

use super::testing::{folder, key, manifest, publisher, publishers, put};
use super::{Component, Digest, Manifest, PublisherPublicKey, Publishers, ScanTime, Scanner, Signature, Table};

#[test]
fn a_manifest_reads_back_as_it_is_published() {
    Fuzzer::of("manifest").run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        match Manifest::parse(text) {
            Ok(read) if read.component.is_none() => {
                let component = Component { sha256: Digest::of(b"code"), size: 4 };
                let published = read.to_published_toml(component, &BTreeMap::new());
                let again = Manifest::parse(&published).unwrap_or_else(|error| panic!("{error}\n{published}"));
                assert_eq!(again, Manifest { component: Some(component), ..read }, "{published}");
            }
            Ok(_) => {}
            Err(error) => assert!(error.to_string().len() < 4_096, "an overlong explanation"),
        }
    });
}

/// Joins the files of a version into one fuzz input; each file begins with a line `== NAME`.
fn files(version: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    let mut names: Vec<_> = std::fs::read_dir(version).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    for name in names {
        all.extend_from_slice(format!("== {}\n", name.to_string_lossy()).as_bytes());
        all.extend_from_slice(&std::fs::read(version.join(name)).unwrap());
        all.push(b'\n');
    }
    all
}

/// Writes the files of a fuzz input into a folder, and none outside of it.
fn unpack(bytes: &[u8], version: &Path) {
    std::fs::remove_dir_all(version).unwrap();
    std::fs::create_dir_all(version).unwrap();
    let (mut files, mut name) = (BTreeMap::<String, Vec<u8>>::new(), String::new());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"== ") {
            Some(text) => name = String::from_utf8_lossy(text).trim().replace(['/', '\0'], "_"),
            None => files.entry(name.clone()).or_default().extend_from_slice(line),
        }
    }
    files.retain(|name, _| !matches!(name.as_str(), "" | "." | "..") && name.len() < 200);
    for (name, content) in files {
        std::fs::write(version.join(name), content.strip_suffix(b"\n").unwrap_or(&content)).unwrap();
    }
}

#[test]
fn a_folder_that_was_changed_is_refused_or_is_what_was_signed() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "tax", "1.0.0", "alice");
    let version = folder(dir.path(), "tax", "1.0.0");
    let accepted = Cell::new(0);
    let whole = files(&version);
    let trusted: Publishers = publishers([publisher("alice", &["*"], true)]);
    let signed = manifest("tax", "1.0.0", "alice");
    Fuzzer::of("registry-folder").with("tax", whole).run(|bytes| {
        unpack(bytes, &version);
        let mut scanner = Scanner::new(dir.path().to_owned());
        let now = ScanTime::now();
        scanner.scan(&trusted, now);
        let later = now.after(Duration::from_millis(1_001));
        let scan = scanner.scan(&trusted, later);
        for candidate in scan.plugins.values().flat_map(|versions| versions.candidates.values()) {
            accepted.set(accepted.get() + 1);
            assert_eq!(candidate.manifest.purpose, Manifest::parse(&signed).unwrap().purpose);
            let _ = scanner.load(candidate, later);
        }
    });
    assert!(accepted.get() > 0, "no input was accepted, not even the signed manifest");
}

#[test]
fn a_signature_is_read_or_refused() {
    let manifest = b"name = \"a\"\n";
    let signature = Signature::sign(&key("alice"), manifest);
    let public: PublisherPublicKey = key("alice").public();
    Fuzzer::of("signature").with("good", signature.to_toml().into_bytes()).run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let Ok(read) = Signature::parse(text) else { return };
        // Compare only the signature bytes: the claimed publisher is checked later, when its key is
        // read.
        let bytes = |signature: &Signature| signature.to_toml().lines().last().map(str::to_owned);
        assert!(bytes(&read) == bytes(&signature) || !read.verifies(&public, manifest), "another signature verifies");
        assert_eq!(Signature::parse(&read.to_toml()).unwrap(), read);
    });
}

#[test]
fn a_table_finds_what_it_has() {
    Fuzzer::of("table").run(|bytes| {
        let Ok(table) = Table::parse(bytes.to_vec()) else { return };
        assert!(table.bytes() <= 2 * bytes.len() + 1_024);
        let rows: Vec<_> = table.starting_at("").map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        assert!(rows.is_sorted_by(|one, other| one.0 < other.0) && rows.len() <= table.rows());
        for (key, value) in rows {
            assert_eq!(table.get(&key), Some(value.as_str()));
            assert_eq!(table.at_or_before(&key), Some((key.as_str(), value.as_str())));
        }
    });
}
