use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::testing::{publisher, publishers, put};
use crate::{ScanTime, Scanner};

const NEVER: Duration = Duration::from_secs(3_600);
const SOON: Duration = Duration::from_secs(5);
/// Longer than the debounce time, so that an event would have been reported by then.
const QUIET: Duration = Duration::from_millis(500);

/// Starts a watch without rescans, so that only events cause ticks; consumes the first tick.
async fn watching(root: &Path) -> RegistryWatch {
    let options = WatchOptions { rescan: NEVER, ..WatchOptions::default() };
    let mut watch = RegistryWatch::start(root.to_owned(), options);
    timeout(SOON, watch.changed()).await.expect("the first tick must come at once");
    watch
}

async fn wakes(watch: &mut RegistryWatch) -> bool {
    timeout(SOON, watch.changed()).await.is_ok()
}

async fn sleeps(watch: &mut RegistryWatch) -> bool {
    timeout(QUIET, watch.changed()).await.is_err()
}

#[tokio::test]
async fn publishing_wakes_it_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut watch = watching(dir.path()).await;
    put(dir.path(), "tax", "1.0.0", "alice");
    assert!(wakes(&mut watch).await);
    assert!(sleeps(&mut watch).await, "one publish, one scan");
    put(dir.path(), "tax", "1.0.1", "alice");
    assert!(wakes(&mut watch).await);
    fs::remove_dir_all(dir.path().join("bridges/tax/1.0.0")).unwrap();
    assert!(wakes(&mut watch).await);
}

#[tokio::test]
async fn hidden_names_and_other_files_do_not() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("bridges/tax")).unwrap();
    let mut watch = watching(dir.path()).await;
    for place in [".publish-00", "bridges/.tmp", "bridges/tax/.1.0.0.partial", "docs"] {
        fs::create_dir(dir.path().join(place)).unwrap();
        fs::write(dir.path().join(place).join("plugin.wasm"), "x").unwrap();
    }
    fs::write(dir.path().join("publishers.toml"), "").unwrap();
    assert!(sleeps(&mut watch).await);
}

#[tokio::test]
async fn scanning_does_not_cause_another_scan() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "tax", "1.0.0", "alice");
    let mut watch = watching(dir.path()).await;
    let mut scanner = Scanner::new(dir.path().to_owned());
    let trusted = publishers([publisher("alice", &["*"], true)]);
    let scan = scanner.scan(&trusted, ScanTime::now());
    let candidate = scan.plugins.values().next().unwrap().candidates.values().next().unwrap();
    scanner.load(candidate, ScanTime::now()).unwrap();
    assert!(sleeps(&mut watch).await);
}

#[tokio::test]
async fn links_are_not_followed() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(dir.path().join("bridges")).unwrap();
    symlink(outside.path(), dir.path().join("bridges/before")).unwrap();
    let mut watch = watching(dir.path()).await;
    symlink(outside.path(), dir.path().join("bridges/after")).unwrap();
    assert!(wakes(&mut watch).await, "a change of the link itself must be reported");
    fs::create_dir(outside.path().join("1.0.0")).unwrap();
    assert!(sleeps(&mut watch).await, "a change of the link's target must not be reported");
}

#[tokio::test]
async fn without_events_it_rescans() {
    let dir = tempfile::tempdir().unwrap();
    let options = WatchOptions { rescan: Duration::from_millis(50), ..WatchOptions::default() };
    let mut watch = RegistryWatch::start(dir.path().join("not-there"), options);
    for _ in 0..3 {
        assert!(wakes(&mut watch).await);
    }
}

#[tokio::test]
async fn a_registry_that_is_deleted_and_made_again_is_watched_again() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("registry");
    fs::create_dir(&root).unwrap();
    let events = Arc::new(Notify::new());
    let mut file_events = FileEvents::new(root.clone(), Arc::clone(&events));
    for _ in 0..3 {
        file_events.open();
        assert!(file_events.watched.is_some());
        fs::create_dir(root.join("bridges")).unwrap();
        timeout(SOON, events.notified()).await.expect("events come");
        fs::remove_dir_all(&root).unwrap();
        file_events.open();
        assert!(file_events.watched.is_none());
        fs::create_dir(&root).unwrap();
        // Drains the remaining events of the deletion.
        while timeout(QUIET, events.notified()).await.is_ok() {}
    }
}

#[tokio::test]
async fn a_folder_swapped_for_another_is_watched() {
    let dir = tempfile::tempdir().unwrap();
    let (root, other) = (dir.path().join("registry"), dir.path().join("other"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&other).unwrap();
    let events = Arc::new(Notify::new());
    let mut file_events = FileEvents::new(root.clone(), Arc::clone(&events));
    file_events.open();
    fs::rename(&root, dir.path().join("old")).unwrap();
    fs::rename(&other, &root).unwrap();
    file_events.open();
    while timeout(QUIET, events.notified()).await.is_ok() {}
    fs::create_dir(root.join("agents")).unwrap();
    timeout(SOON, events.notified()).await.expect("events of the new folder must be reported");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_neither_starves_nor_floods_it() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "tax", "1.0.0", "alice");
    let mut watch = watching(dir.path()).await;
    let (a, b) = (dir.path().join("bridges/tax/1.0.0"), dir.path().join("bridges/tax/1.0.1"));
    let storm = tokio::task::spawn_blocking(move || {
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_millis(2_500) {
            fs::rename(&a, &b).unwrap();
            fs::rename(&b, &a).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let mut ticks = 0;
    while !storm.is_finished() {
        ticks += usize::from(timeout(Duration::from_millis(100), watch.changed()).await.is_ok());
    }
    storm.await.unwrap();
    assert!((1..=8).contains(&ticks), "{ticks} scans during 2.5 s of continuous changes");
}

#[test]
fn an_overflow_always_matters() {
    let root = Path::new("/registry");
    let overflow = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
    assert!(is_relevant(root, &overflow));
    let read = Event::new(EventKind::Access(AccessKind::Open(AccessMode::Any))).add_path(root.join("bridges/tax"));
    assert!(!is_relevant(root, &read));
    let write = Event::new(EventKind::Access(AccessKind::Close(AccessMode::Write))).add_path(root.join("bridges/tax"));
    assert!(is_relevant(root, &write));
}
