use super::super::testing::{key, manifest, publisher, publishers, wasm};
use super::super::{ScanTime, Scanner, publish, read_version, write_version};
use super::*;

const TABLE: &str = "#{\"version\":\"1\",\"as_of\":\"2026\",\"licence\":\"CC0-1.0\",\"source\":\"x\"}\na\t1\n";

/// Returns the files of a published bridge with a table.
fn published(root: &Path) -> VersionParts {
    let text = format!("{}grants = [\"tables\"]\n", manifest("tax", "1.0.0", "alice"));
    let tables = BTreeMap::from([("rates".parse().unwrap(), TABLE.as_bytes().to_vec())]);
    publish(root, &text, &wasm("tax"), &tables, &key("alice")).unwrap();
    let scan = Scanner::new(root.to_owned()).scan(&trusted(), ScanTime::now());
    let plugin = scan.plugins.values().next().unwrap();
    read_version(root, plugin.candidates.values().next().unwrap()).unwrap()
}

fn trusted() -> Publishers {
    publishers([publisher("alice", &["tax"], true)])
}

fn change(parts: &mut VersionParts, path: &str, change: impl Fn(&mut Vec<u8>)) {
    parts.iter_mut().filter(|(name, _)| name == path).for_each(|(_, bytes)| change(bytes));
}

#[test]
fn accepted_versions_are_found_by_a_scan() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let parts = published(from.path());
    let candidate = verify_version(&parts, &trusted()).unwrap();
    write_version(to.path(), candidate.id(), candidate.version(), parts.clone()).unwrap();
    let mut scanner = Scanner::new(to.path().to_owned());
    let scan = scanner.scan(&trusted(), ScanTime::now());
    let found = scan.plugins.get(candidate.id()).unwrap().candidates.get(candidate.version()).unwrap().clone();
    assert_eq!(*found, candidate);
    assert!(scanner.load(&found, ScanTime::now()).is_ok());
    let folder = to.path().join("bridges/tax/1.0.0");
    let (manifest, mut read) = read_version_folder(&folder).unwrap();
    assert_eq!(manifest, candidate.manifest);
    read.sort();
    let mut sent = parts.clone();
    sent.sort();
    assert_eq!(read, sent);
    let names: Vec<String> = files_by_digest(&manifest).into_keys().collect();
    assert_eq!(names, ["plugin.wasm", "tables/rates.tsv"]);
}

#[test]
fn every_damage_is_found_before_anything_is_written() {
    let from = tempfile::tempdir().unwrap();
    let whole = published(from.path());
    let refusal = |damage: &dyn Fn(&mut VersionParts), trusted: &Publishers| {
        let mut parts = whole.clone();
        damage(&mut parts);
        verify_version(&parts, trusted).unwrap_err().to_string()
    };
    type Damage<'d> = &'d dyn Fn(&mut VersionParts);
    let damages: [(Damage<'_>, &str); 8] = [
        (&|parts| parts.retain(|(path, _)| path != "plugin.sig"), "not signed"),
        (&|parts| parts.retain(|(path, _)| path != "plugin.wasm"), "plugin.wasm is missing"),
        (&|parts| parts.retain(|(path, _)| !path.starts_with("tables/")), "tables/rates.tsv is missing"),
        (&|parts| change(parts, "plugin.toml", |bytes| bytes.push(b'\n')), "not what alice signed"),
        (&|parts| change(parts, "plugin.toml", |bytes| bytes.resize(MANIFEST_BYTES_MAX + 1, b'\n')), "at most"),
        (&|parts| change(parts, "plugin.wasm", |bytes| bytes.push(0)), "the manifest says"),
        (&|parts| change(parts, "plugin.wasm", |bytes| bytes.reverse()), "not the file that the manifest names"),
        (&|parts| change(parts, "tables/rates.tsv", |bytes| bytes.reverse()), "not the file that the manifest names"),
    ];
    for (damage, says) in damages {
        let refusal = refusal(damage, &trusted());
        assert!(refusal.contains(says), "{refusal} does not say {says}");
    }
    let nothing = |_: &mut VersionParts| {};
    assert!(refusal(&nothing, &Publishers::default()).contains("not trusted"));
    let elsewhere = publishers([publisher("alice", &["weather"], true)]);
    assert!(refusal(&nothing, &elsewhere).contains("outside its namespaces"));
}
