use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::testing::{folder, key, manifest, put, wasm};

fn entries(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_version_appears_whole_and_nothing_else_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("plugin-registry");
    let published = put(&root, "tax", "1.0.0", "alice");
    assert!(published.new);
    assert_eq!(published.path, folder(&root, "tax", "1.0.0"));
    assert_eq!(entries(&root), ["bridges"]);
    assert_eq!(entries(&published.path), ["plugin.sig", "plugin.toml", "plugin.wasm"]);
    let text = fs::read(published.path.join("plugin.toml")).unwrap();
    let signature = Signature::parse(&fs::read_to_string(published.path.join("plugin.sig")).unwrap()).unwrap();
    assert!(signature.verifies(&key("alice").public(), &text));
    assert_eq!(published.digest, Digest::of(&text));
    let component = published.manifest.component.unwrap();
    assert_eq!(component.sha256, Digest::of(&fs::read(published.path.join("plugin.wasm")).unwrap()));
}

#[test]
fn the_same_bytes_are_published_once_and_other_bytes_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "tax", "1.0.0", "alice");
    let again = put(dir.path(), "tax", "1.0.0", "alice");
    assert!(!again.new);
    let other =
        publish(dir.path(), &manifest("tax", "1.0.0", "alice"), &wasm("other"), &TableFiles::new(), &key("alice"));
    assert!(matches!(other, Err(RegistryError::Published { .. })), "{other:?}");
    let dearer = manifest("tax", "1.0.0", "alice").replace("0.30", "3.00");
    assert!(matches!(
        publish(dir.path(), &dearer, &wasm("tax 1.0.0"), &TableFiles::new(), &key("alice")),
        Err(RegistryError::Published { .. })
    ));
    assert!(put(dir.path(), "tax", "1.0.1", "alice").new);
}

#[test]
fn a_damaged_version_is_not_called_published() {
    for (file, content) in [("plugin.wasm", "x"), ("plugin.sig", "x")] {
        let dir = tempfile::tempdir().unwrap();
        let published = put(dir.path(), "tax", "1.0.0", "alice");
        fs::write(published.path.join(file), content).unwrap();
        let again = publish(
            dir.path(),
            &manifest("tax", "1.0.0", "alice"),
            &wasm("tax 1.0.0"),
            &TableFiles::new(),
            &key("alice"),
        );
        assert!(matches!(again, Err(RegistryError::Damaged { .. })), "{file}: {again:?}");
    }
}

#[test]
fn an_unloadable_component_is_not_published() {
    let dir = tempfile::tempdir().unwrap();
    let text = manifest("tax", "1.0.0", "alice");
    let check = |text: &str, wasm: &[u8], by: &str, expect: &str| {
        let error = publish(dir.path(), text, wasm, &TableFiles::new(), &key(by)).unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    };
    check(&text, b"\0asm\x01\0\0\0", "alice", "core module");
    check(&text, b"\x7fELF\x02\x01\x01\0", "alice", "precompiled");
    check(&text, b"", "alice", "not a WebAssembly component");
    check(&text, &wasm(""), "bob", "names publisher alice, but the key belongs to bob");
    check(&text.replace("tax", "../tax"), &wasm(""), "alice", "`name`");
    check(&text, &vec![0; COMPONENT_BYTES_MAX + 1], "alice", "at most");
    assert!(entries(dir.path()).is_empty(), "a refusal writes nothing");
}

#[test]
fn links_are_not_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
    fs::create_dir_all(&outside).unwrap();
    for place in ["bridges", "bridges/tax", "bridges/tax/1.0.0"] {
        let place = root.join(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        symlink(&outside, &place).unwrap();
        assert!(
            publish(&root, &manifest("tax", "1.0.0", "alice"), &wasm(""), &TableFiles::new(), &key("alice")).is_err()
        );
        assert!(entries(&outside).is_empty(), "{place:?}");
        fs::remove_file(&place).unwrap();
    }
}

#[test]
fn two_at_once_publish_one_version() {
    let dir = tempfile::tempdir().unwrap();
    let new = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| put(dir.path(), "tax", "1.0.0", "alice").new)).collect();
        threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
    });
    assert_eq!(new, 1);
    assert_eq!(entries(dir.path()), ["bridges"]);
}

#[test]
fn young_leftovers_stay_and_other_hidden_folders_too() {
    let dir = tempfile::tempdir().unwrap();
    for name in [".publish-00", ".git"] {
        fs::create_dir(dir.path().join(name)).unwrap();
    }
    put(dir.path(), "tax", "1.0.0", "alice");
    assert_eq!(entries(dir.path()), [".git", ".publish-00", "bridges"]);
}

#[test]
fn tables_are_published_and_checked() {
    let dir = tempfile::tempdir().unwrap();
    let table = |row: &str| {
        let head = r##"#{"version":"1","as_of":"2026","licence":"CC0-1.0","source":"x"}"##;
        BTreeMap::from([("geo".parse().unwrap(), format!("{head}\n{row}").into_bytes())])
    };
    let text = format!("{}grants = [\"tables\"]\n", manifest("tax", "1.0.0", "alice"));
    let put = |text: &str, tables: &TableFiles| publish(dir.path(), text, &wasm(""), tables, &key("alice"));
    let published = put(&text, &table("a\t1\n")).unwrap();
    assert_eq!(entries(&published.path), ["plugin.sig", "plugin.toml", "plugin.wasm", "tables"]);
    let bytes = fs::read(published.path.join("tables/geo.tsv")).unwrap();
    assert_eq!(published.manifest.tables["geo"], TableFile { sha256: Digest::of(&bytes), size: bytes.len() as u64 });
    assert!(!put(&text, &table("a\t1\n")).unwrap().new);
    assert!(
        matches!(put(&text, &table("a\t2\n")), Err(RegistryError::Published { .. })),
        "the signature must cover the table"
    );
    fs::write(published.path.join("tables/geo.tsv"), "x").unwrap();
    assert!(matches!(put(&text, &table("a\t1\n")), Err(RegistryError::Damaged { .. })));

    let error = |text: &str, row: &str| put(text, &table(row)).unwrap_err().to_string();
    assert!(error(&text, "a 1\n").contains("tables/geo.tsv: line 2: must be a key"));
    assert!(error(&manifest("tax", "1.0.1", "alice"), "a\t1\n").contains("add \"tables\" to `grants`"));
}
