//! `RegistryWatch`: notifies when a new scan of the registry is due.
//!
//! Invariants:
//! 1. The watch reports only that something may have changed; a scan finds out what. A lost event
//!    therefore delays a scan by at most one rescan period.
//! 2. However many events arrive, there are at most a few scans a second and no queue; however long
//!    they continue, a scan is due within a second.
//! 3. The watch survives deletion and re-creation of the registry, does not follow links below it,
//!    and ignores hidden names and reads.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tollbridge_core::plugin_kind::PluginKind;

/// Maximum delay between a file event and the scan that it triggers, however many events
/// follow: a storm of renames must not postpone the scan forever.
const REGISTRY_STORM_MS: u64 = 1_000;

/// The timing of a registry watch.
#[derive(Clone, Copy, Debug)]
pub struct WatchOptions {
    /// Time without events after which a scan is due anyway.
    pub rescan: Duration,
    /// Time without further events after which a scan is due.
    pub debounce: Duration,
}

/// A running watch of the registry; dropping it stops the watch.
#[derive(Debug)]
pub struct RegistryWatch {
    ticks: watch::Receiver<u64>,
    task: JoinHandle<()>,
    rescan: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { rescan: Duration::from_secs(2), debounce: Duration::from_millis(150) }
    }
}

impl RegistryWatch {
    /// Watches the registry at `root`, which need not exist yet. Must be called
    /// inside a Tokio runtime.
    pub fn start(root: PathBuf, options: WatchOptions) -> Self {
        let (sender, ticks) = watch::channel(0);
        let task = tokio::spawn(run(root, options, sender));
        Self { ticks, task, rescan: options.rescan }
    }

    /// Waits until a scan is due; returns at once the first time. Changes between calls are not
    /// lost. Cancel-safe.
    pub async fn changed(&mut self) {
        if self.ticks.changed().await.is_err() {
            // The watch task has ended, which happens only at shutdown.
            sleep(self.rescan).await;
        }
    }
}

impl Drop for RegistryWatch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(root: PathBuf, options: WatchOptions, ticks: watch::Sender<u64>) {
    let events = Arc::new(Notify::new());
    let mut file_events = FileEvents::new(root, Arc::clone(&events));
    loop {
        // Watch first, then notify: a change during the scan then causes an event.
        let opening = tokio::task::spawn_blocking(move || {
            file_events.open();
            file_events
        });
        let Ok(opened) = opening.await else { return };
        file_events = opened;
        ticks.send_modify(|tick| *tick = tick.wrapping_add(1));
        wait(&events, options).await;
    }
}

/// Waits for an event and then for a pause without events, or until a rescan is due.
async fn wait(events: &Notify, options: WatchOptions) {
    if timeout(options.rescan, events.notified()).await.is_err() {
        return;
    }
    let latest = Instant::now() + Duration::from_millis(REGISTRY_STORM_MS);
    while Instant::now() < latest {
        let pause = latest.min(Instant::now() + options.debounce);
        if timeout_at(pause, events.notified()).await.is_err() {
            return;
        }
    }
}

/// A watch for the operating system's file events.
struct FileEvents {
    root: PathBuf,
    events: Arc<Notify>,
    watched: Option<(FolderIdentity, RecommendedWatcher)>,
    warned: bool,
}

/// Device, inode and creation time of a folder. Distinguishes the folder from a later one at the
/// same path that reuses its inode number.
type FolderIdentity = (u64, u64, Option<SystemTime>);

impl FileEvents {
    fn new(root: PathBuf, events: Arc<Notify>) -> Self {
        Self { root, events, watched: None, warned: false }
    }

    /// Watches the folder that is currently at the root's path. If file events are not available
    /// (too many folders, or a file system without them), changes are found by rescans.
    fn open(&mut self) {
        let there = folder_identity(&self.root);
        if self.watched.as_ref().map(|(identity, _)| identity) == there.as_ref() {
            return;
        }
        self.watched = None;
        let Some(identity) = there else { return };
        match self.watcher() {
            Ok(watcher) => {
                self.warned = false;
                self.watched = Some((identity, watcher));
            }
            Err(error) if !self.warned => {
                self.warned = true;
                let root = self.root.display();
                tracing::warn!(%root, %error, "no file events for the registry; changes are found by rescanning");
            }
            Err(_) => {}
        }
    }

    fn watcher(&self) -> notify::Result<RecommendedWatcher> {
        let root = std::fs::canonicalize(&self.root)?;
        let (events, base) = (Arc::clone(&self.events), root.clone());
        let notify_change = move |event: notify::Result<Event>| {
            if event.map_or(true, |event| is_relevant(&base, &event)) {
                events.notify_one();
            }
        };
        let mut watcher = RecommendedWatcher::new(notify_change, Config::default().with_follow_symlinks(false))?;
        watcher.watch(&root, RecursiveMode::Recursive)?;
        Ok(watcher)
    }
}

fn folder_identity(root: &Path) -> Option<FolderIdentity> {
    let metadata = std::fs::metadata(root).ok().filter(std::fs::Metadata::is_dir)?;
    Some((metadata.dev(), metadata.ino(), metadata.created().ok()))
}

/// Returns whether an event can change the result of a scan.
fn is_relevant(root: &Path, event: &Event) -> bool {
    let reading = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        _ => false,
    };
    event.need_rescan()
        || (!reading && (event.paths.is_empty() || event.paths.iter().any(|path| is_watched_path(root, path))))
}

/// Returns whether a path is the root or below a folder of plugins, and not hidden.
fn is_watched_path(root: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(root) else { return true };
    let kind = |name: &OsStr| PluginKind::ALL.into_iter().any(|kind| name == kind.folder());
    let hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    below.iter().next().is_none_or(kind) && !below.iter().any(hidden)
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
