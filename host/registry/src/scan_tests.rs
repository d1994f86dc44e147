use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;
use crate::testing::{folder, key, manifest, publisher, publishers, put, wasm};
use crate::{Publisher, Signature, publish};

const LATER: Duration = Duration::from_millis(1_001);

struct Lab {
    dir: TempDir,
    scanner: Scanner,
    trusted: Publishers,
    now: ScanTime,
}

impl Lab {
    /// Creates a registry with `tax` 1.0.0, published by alice. alice may publish any name, bob
    /// only `bob_…`.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "tax", "1.0.0", "alice");
        let trusted = publishers([publisher("alice", &["*"], true), publisher("bob", &["bob_"], true)]);
        Self { scanner: Scanner::new(dir.path().to_owned()), dir, trusted, now: ScanTime::now() }
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn scan(&mut self) -> Scan {
        self.scanner.scan(&self.trusted, self.now)
    }

    /// Scans twice, with the settling time in between, and returns the second scan.
    fn still(&mut self) -> Scan {
        self.scan();
        self.now = self.now.after(LATER);
        self.scan()
    }

    fn tax(&mut self) -> PluginVersions {
        self.still().plugins.remove(&"bridge/tax".parse().unwrap()).unwrap_or_default()
    }

    /// Replaces a file of `tax` 1.0.0 and returns the reason why the version is then rejected.
    fn after_writing(&mut self, file: &str, bytes: &[u8]) -> Rejection {
        fs::write(folder(self.root(), "tax", "1.0.0").join(file), bytes).unwrap();
        self.rejection()
    }

    fn rejection(&mut self) -> Rejection {
        let scanned = self.tax();
        assert!(scanned.candidates.is_empty());
        scanned.rejected.into_values().next().unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(folder(self.root(), "tax", "1.0.0").join(file)).unwrap()
    }

    /// Signs a manifest with the key of `by` and writes manifest and signature into `tax` 1.0.0.
    fn sign(&self, manifest: &str, by: &str) {
        let folder = folder(self.root(), "tax", "1.0.0");
        fs::write(folder.join("plugin.sig"), Signature::sign(&key(by), manifest.as_bytes()).to_toml()).unwrap();
        fs::write(folder.join("plugin.toml"), manifest).unwrap();
    }
}

#[test]
fn a_published_version_is_a_candidate_and_its_bytes_load() {
    let mut lab = Lab::new();
    let scan = lab.scan();
    assert!(!scan.settling && scan.strays.is_empty() && scan.fault.is_none());
    let candidate = scan.plugins.values().next().unwrap().candidates.values().next().unwrap();
    assert_eq!((candidate.id().to_string(), candidate.version().to_string()), ("bridge/tax".into(), "1.0.0".into()));
    assert_eq!(
        lab.scanner.load(candidate, lab.now),
        Ok(VersionFiles { wasm: wasm("tax 1.0.0"), tables: BTreeMap::new() })
    );
}

#[test]
fn unsigned() {
    let mut lab = Lab::new();
    fs::remove_file(folder(lab.root(), "tax", "1.0.0").join("plugin.sig")).unwrap();
    assert_eq!(lab.rejection(), Rejection::Unsigned);
}

#[test]
fn tampered_manifest() {
    let mut lab = Lab::new();
    let cheaper = lab.read("plugin.toml").replace("0.30", "0.01");
    assert!(matches!(lab.after_writing("plugin.toml", cheaper.as_bytes()), Rejection::Forged { .. }));
    let mut lab = Lab::new();
    let same_meaning = format!("{}\n", lab.read("plugin.toml"));
    assert!(matches!(lab.after_writing("plugin.toml", same_meaning.as_bytes()), Rejection::Forged { .. }));
}

#[test]
fn tampered_component() {
    let mut lab = Lab::new();
    assert!(matches!(lab.after_writing("plugin.wasm", &wasm("other")), Rejection::Size { .. }));

    let mut lab = Lab::new();
    fs::write(folder(lab.root(), "tax", "1.0.0").join("plugin.wasm"), wasm("tax 9.9.9")).unwrap();
    let scanned = lab.tax();
    let candidate =
        scanned.candidates.values().next().expect("the scan must accept it: only the component's bytes are wrong");
    assert_eq!(lab.scanner.load(candidate, lab.now), Err(VersionReadError::Rejected(Rejection::Digest)));
    assert_eq!(lab.rejection(), Rejection::Digest, "later scans must remember the rejection");
    fs::write(folder(lab.root(), "tax", "1.0.0").join("plugin.wasm"), wasm("tax 1.0.0")).unwrap();
    assert_eq!(lab.tax().candidates.len(), 1, "a changed file must be checked again");
}

const TABLE: &str = "#{\"version\":\"1\",\"as_of\":\"2026\",\"licence\":\"CC0-1.0\",\"source\":\"x\"}\na\t1\n";

/// Creates a registry that also has `tax` 2.0.0, which ships a table.
fn with_table() -> (Lab, std::path::PathBuf) {
    let lab = Lab::new();
    let text = format!("{}grants = [\"tables\"]\n", manifest("tax", "2.0.0", "alice"));
    let tables = BTreeMap::from([("geo".parse().unwrap(), TABLE.as_bytes().to_vec())]);
    let published = publish(lab.root(), &text, &wasm("tax"), &tables, &key("alice")).unwrap();
    (lab, published.path.join("tables/geo.tsv"))
}

fn newest(lab: &mut Lab) -> Option<Arc<Candidate>> {
    lab.tax().candidates.into_values().next_back().filter(|candidate| candidate.version().major == 2)
}

#[test]
fn tables_load_with_the_component_and_are_shared() {
    let (mut lab, _) = with_table();
    let candidate = newest(&mut lab).unwrap();
    let [one, two] = [(); 2].map(|()| lab.scanner.load(&candidate, lab.now).unwrap().tables);
    assert_eq!(one["geo"].get("a"), Some("1"));
    assert!(Arc::ptr_eq(&one["geo"], &two["geo"]));
    assert_eq!(lab.scanner.table_cache().usage().0, 1);
}

#[test]
fn tampered_table() {
    for (text, expect) in [
        (Some(TABLE.replace("a\t1", "a\t2")), "tables/geo.tsv is not the file that the manifest names"),
        (Some(format!("{TABLE}b\t2\n")), "tables/geo.tsv has 73 bytes, the manifest says 69"),
        (None, "tables/geo.tsv is missing"),
    ] {
        let (mut lab, path) = with_table();
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let reported = match newest(&mut lab) {
            Some(candidate) => lab.scanner.load(&candidate, lab.now).unwrap_err().to_string(),
            None => lab.tax().rejected.values().next().unwrap().to_string(),
        };
        assert!(reported.starts_with(expect), "{reported}");
        assert!(newest(&mut lab).is_none(), "later scans must remember the rejection");
        fs::write(&path, TABLE).unwrap();
        assert!(newest(&mut lab).is_some(), "a changed file must be checked again");
    }
}

#[test]
fn a_linked_table_is_no_table() {
    let (mut lab, path) = with_table();
    let away = lab.root().join("away.tsv");
    fs::rename(&path, &away).unwrap();
    symlink(&away, &path).unwrap();
    assert!(newest(&mut lab).is_none());
    assert!(lab.tax().rejected.values().next().unwrap().to_string().contains("symbolic link"));
}

#[test]
fn wrong_key() {
    let mut lab = Lab::new();
    lab.trusted = publishers([Publisher { key: key("eve").public(), ..publisher("alice", &["*"], true) }]);
    assert!(matches!(lab.rejection(), Rejection::OtherKey { .. }));
    // The signature claims alice's key id but was made with another key.
    let mut lab = Lab::new();
    let manifest = lab.read("plugin.toml");
    let forged = Signature::sign(&key("eve"), manifest.as_bytes());
    let forged = forged.to_toml().replace("eve", "alice");
    let forged = forged.replace(&key("eve").public().id().to_string(), &key("alice").public().id().to_string());
    assert!(matches!(lab.after_writing("plugin.sig", forged.as_bytes()), Rejection::Forged { .. }));
}

#[test]
fn unknown_publisher_until_trusted() {
    let mut lab = Lab::new();
    let trusted = std::mem::take(&mut lab.trusted);
    assert!(matches!(lab.rejection(), Rejection::UnknownPublisher { .. }));
    lab.trusted = trusted;
    assert_eq!(lab.tax().candidates.len(), 1);
}

#[test]
fn foreign_namespace_and_foreign_publisher() {
    let mut lab = Lab::new();
    let manifest = lab.read("plugin.toml");
    lab.sign(&manifest.replace("alice", "bob"), "bob");
    assert!(matches!(lab.rejection(), Rejection::ForeignNamespace { .. }));
    lab.sign(&manifest, "bob");
    assert!(matches!(lab.rejection(), Rejection::Misplaced { field: "publisher", .. }));
}

#[test]
fn wrong_name_version_or_kind_in_the_manifest() {
    for (from, to, expect) in
        [("\"tax\"", "\"tox\"", "name"), ("\"1.0.0\"", "\"1.0.1\"", "version"), ("\"bridge\"", "\"agent\"", "kind")]
    {
        let mut lab = Lab::new();
        lab.sign(&lab.read("plugin.toml").replacen(from, to, 1), "alice");
        assert!(matches!(lab.rejection(), Rejection::Misplaced { field, .. } if field == expect));
    }
}

#[test]
fn signed_manifests_are_still_checked() {
    let mut lab = Lab::new();
    lab.sign(&lab.read("plugin.toml").replace("memory_mib = 16", "memory_mib = 100000"), "alice");
    assert!(matches!(lab.rejection(), Rejection::Field(error) if error.field == "limits.memory_mib"));
    lab.sign("name = \"\u{1b}\"", "alice");
    assert!(matches!(lab.rejection(), Rejection::Field(_)));
    let without = lab.read("plugin.toml");
    assert!(matches!(
        lab.after_writing("plugin.toml", &[&[0xff], without.as_bytes()].concat()),
        Rejection::Forged { .. }
    ));
}

#[test]
fn half_copied_is_no_error_until_it_is_still() {
    let mut lab = Lab::new();
    let folder = folder(lab.root(), "tax", "1.0.0");
    let bytes = fs::read(folder.join("plugin.wasm")).unwrap();
    let id = "bridge/tax".parse().unwrap();
    fs::write(folder.join("plugin.wasm"), &bytes[..10]).unwrap();
    lab.now = ScanTime::now();
    let scan = lab.scan();
    assert!(scan.settling && scan.plugins[&id].rejected.is_empty() && scan.plugins[&id].settling.len() == 1);
    // The file still changed 0.9 s later, so the settling time restarts.
    lab.now = lab.now.after(Duration::from_millis(900));
    fs::write(folder.join("plugin.wasm"), &bytes[..12]).unwrap();
    lab.scan();
    let growing = ScanTime::now().wall;
    lab.now = lab.now.after(Duration::from_millis(900));
    lab.now.wall = growing;
    assert!(lab.scan().settling);
    lab.now = lab.now.after(Duration::from_millis(200));
    assert!(matches!(lab.scan().plugins[&id].rejected.values().next(), Some(Rejection::Size { .. })));
    fs::write(folder.join("plugin.wasm"), &bytes).unwrap();
    assert_eq!(
        lab.scan().plugins[&id].candidates.len(),
        1,
        "a version that is complete again must be accepted at once"
    );
}

#[test]
fn a_lasting_defect_is_an_error_at_the_first_scan() {
    let mut lab = Lab::new();
    fs::remove_file(folder(lab.root(), "tax", "1.0.0").join("plugin.wasm")).unwrap();
    lab.now = ScanTime::now().after(Duration::from_secs(60));
    let scan = lab.scan();
    assert!(!scan.settling);
    assert_eq!(scan.plugins.values().next().unwrap().rejected.len(), 1);
}

#[test]
fn bytes_that_are_still_being_written_are_not_rejected_for_good() {
    let mut lab = Lab::new();
    let file = folder(lab.root(), "tax", "1.0.0").join("plugin.wasm");
    fs::write(&file, wasm("tax 0.0.0")).unwrap();
    lab.now = ScanTime::now();
    let scan = lab.scan();
    let candidate = scan.plugins.values().next().unwrap().candidates.values().next().unwrap();
    assert_eq!(lab.scanner.load(candidate, lab.now), Err(VersionReadError::Settling));
    fs::write(&file, wasm("tax 1.0.0")).unwrap();
    assert!(lab.scanner.load(candidate, lab.now).is_ok());
}

#[test]
fn links_are_refused_at_every_level() {
    let fault = |file| Rejection::File { file, fault: FileFault::Link };
    for (file, expect) in [
        ("plugin.toml", fault("plugin.toml")),
        ("plugin.sig", fault("plugin.sig")),
        ("plugin.wasm", fault("plugin.wasm")),
    ] {
        let mut lab = Lab::new();
        let path = folder(lab.root(), "tax", "1.0.0").join(file);
        let outside = lab.root().join(file);
        fs::rename(&path, &outside).unwrap();
        symlink(&outside, &path).unwrap();
        assert_eq!(lab.rejection(), expect);
    }
    for place in ["bridges/tax/1.0.0", "bridges/tax", "bridges"] {
        let mut lab = Lab::new();
        let (path, outside) = (lab.root().join(place), lab.root().join(".outside"));
        fs::rename(&path, &outside).unwrap();
        symlink(&outside, &path).unwrap();
        let scan = lab.still();
        assert!(scan.plugins.values().all(|scanned| scanned.candidates.is_empty()), "{place}");
        let reported = scan.strays.iter().any(|(_, problem)| problem.contains("symbolic link"))
            || scan
                .plugins
                .values()
                .flat_map(|scanned| scanned.rejected.values())
                .any(|r| r.to_string().contains("symbolic link"));
        assert!(reported, "{place}: {scan:?}");
    }
}

#[test]
fn a_link_that_replaces_a_good_file_later_is_refused_too() {
    let mut lab = Lab::new();
    let scan = lab.scan();
    let candidate = scan.plugins.values().next().unwrap().candidates.values().next().unwrap();
    let path = folder(lab.root(), "tax", "1.0.0");
    fs::rename(&path, lab.root().join(".outside")).unwrap();
    symlink(lab.root().join(".outside"), &path).unwrap();
    assert!(matches!(lab.scanner.load(candidate, lab.now), Err(VersionReadError::Rejected(_))));
}

#[test]
fn pipes_folders_and_giants_in_place_of_files() {
    for file in ["plugin.toml", "plugin.sig", "plugin.wasm"] {
        let mut lab = Lab::new();
        let path = folder(lab.root(), "tax", "1.0.0").join(file);
        fs::remove_file(&path).unwrap();
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        assert!(matches!(lab.rejection(), Rejection::File { fault: FileFault::NotRegular, .. }), "{file}");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(lab.rejection(), Rejection::File { fault: FileFault::NotRegular, .. }), "{file}");
        fs::remove_dir(&path).unwrap();
        fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(lab.rejection(), Rejection::File { fault: FileFault::TooLarge { .. }, .. }), "{file}");
    }
}

#[test]
fn odd_names_are_reported_and_harm_nothing() {
    let mut lab = Lab::new();
    let bridges = lab.root().join("bridges");
    for name in [
        "Tax",
        "TAX",
        "tax.bak",
        "..tax",
        "...",
        "tax ",
        "t\u{e4}x",
        "evil\u{1b}[2J",
        "tax/1.0.0 copy",
        "tax/v1.0.0",
        "tax/01.0.0",
        "tax/1.0.0+x",
    ] {
        fs::create_dir(bridges.join(name)).unwrap();
    }
    fs::write(bridges.join("readme"), "").unwrap();
    fs::write(lab.root().join("README.md"), "").unwrap();
    let scan = lab.still();
    assert_eq!(scan.plugins.len(), 1);
    assert_eq!(scan.plugins.values().next().unwrap().candidates.len(), 1);
    assert_eq!(scan.strays.len(), 11, "{:?}", scan.strays);
    assert!(scan.strays.iter().all(|(path, problem)| !path.contains('\u{1b}') && !problem.contains('\u{1b}')));
}

#[test]
fn strays_are_bounded() {
    let mut lab = Lab::new();
    for number in 0..REGISTRY_STRAYS_MAX + 5 {
        fs::create_dir(lab.root().join("bridges").join(format!("X{number}"))).unwrap();
    }
    let scan = lab.scan();
    assert_eq!((scan.strays.len(), scan.more_strays), (REGISTRY_STRAYS_MAX, 5));
}

#[test]
fn one_bad_version_affects_no_other() {
    let mut lab = Lab::new();
    put(lab.root(), "tax", "1.1.0", "alice");
    fs::write(folder(lab.root(), "tax", "1.1.0").join("plugin.toml"), "junk").unwrap();
    put(lab.root(), "lead", "1.0.0", "alice");
    let scanned = lab.tax();
    assert_eq!((scanned.candidates.len(), scanned.rejected.len()), (1, 1));
    assert_eq!(lab.scan().plugins.len(), 2);
}

#[test]
fn a_missing_registry_is_reported_and_recovers() {
    let mut lab = Lab::new();
    let aside = lab.root().with_extension("aside");
    fs::rename(lab.root(), &aside).unwrap();
    assert_eq!(lab.scan().fault, Some(FileFault::Missing));
    fs::rename(&aside, lab.root()).unwrap();
    assert_eq!(lab.tax().candidates.len(), 1);
}

#[test]
fn files_that_did_not_change_are_not_examined_again() {
    let mut lab = Lab::new();
    let id = "bridge/tax".parse().unwrap();
    let (first, second) = (lab.scan(), lab.scan());
    let candidate = |scan: &Scan| Arc::clone(scan.plugins[&id].candidates.values().next().unwrap());
    assert!(Arc::ptr_eq(&candidate(&first), &candidate(&second)));
    let manifest = lab.read("plugin.toml");
    fs::write(folder(lab.root(), "tax", "1.0.0").join("plugin.toml"), manifest).unwrap();
    assert!(!Arc::ptr_eq(&candidate(&first), &candidate(&lab.scan())), "touched: examined again");
    fs::remove_dir_all(folder(lab.root(), "tax", "1.0.0")).unwrap();
    lab.scan();
    assert!(lab.scanner.seen.is_empty(), "a deleted version must be forgotten");
}

/// Stops the renaming thread even when an assertion fails; otherwise the scope would wait forever.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_rename_storm_shows_only_whole_versions() {
    let lab = Lab::new();
    let root = lab.root();
    put(root, "tax", "1.0.1", "alice");
    let (a, b, c) = (folder(root, "tax", "1.0.0"), folder(root, "tax", "1.0.1"), root.join(".swap"));
    let (trusted, mut scanner) = (lab.trusted.clone(), Scanner::new(root.to_owned()));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for (from, to) in [(&a, &c), (&b, &a), (&c, &b)] {
                    fs::rename(from, to).unwrap();
                }
            }
        });
        let _stop = StopOnDrop(&stop);
        for _ in 0..300 {
            let now = ScanTime::now();
            let scan = scanner.scan(&trusted, now);
            for (version, candidate) in scan.plugins.values().flat_map(|scanned| &scanned.candidates) {
                assert_eq!(version, candidate.version());
                if let Ok(parts) = scanner.load(candidate, now) {
                    assert_eq!(parts.wasm, wasm(&format!("tax {version}")));
                }
            }
        }
    });
}
