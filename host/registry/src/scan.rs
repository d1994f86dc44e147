//! `Scanner`: finds the versions in the registry folder. Scans are repeated and cheap: unchanged
//! files are not read again.
//!
//! Invariants:
//! 1. A version is examined once for each state of its files; components and tables are read only
//!    when they are about to run.
//! 2. A folder whose files still change is neither accepted nor reported as an error.
//! 3. Whatever the folder contains, a scan ends, in bounded memory, and a bad entry does not affect
//!    the others.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use semver::Version;
use tollbridge_core::plugin_kind::PluginKind;

use super::error::Rejection;
use super::folder::{FileFault, Folder, Stamp};
use super::id::{PluginId, excerpt, parse_version};
use super::manifest;
use super::publishers::Publishers;
use super::signature;
use super::table_cache::TableCache;
use super::tables::TABLES_FOLDER;
use super::versions::{self, COMPONENT_FILE, Candidate, PluginVersions, VersionFiles};
use crate::limits::{PLUGINS_MAX, TABLES_PER_PLUGIN_MAX, VERSIONS_PER_PLUGIN_MAX};

/// Time for which a version folder must be unchanged before a fault in it is reported as
/// an error; until then, a copy may be in progress.
const REGISTRY_SETTLE_MS: u64 = 1_000;
/// Maximum number of unrecognised registry entries (neither plugin nor version) that are
/// listed for the operator; further ones are only counted.
const REGISTRY_STRAYS_MAX: usize = 100;

/// Scans a registry and remembers the result of earlier scans. Use one scanner per registry; its
/// calls block on files, so they belong on a thread for blocking work.
pub struct Scanner {
    root: PathBuf,
    trusted: Publishers,
    seen: HashMap<(PluginId, Version), ExaminedVersion>,
    round: u64,
    table_cache: Arc<TableCache>,
}

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Every plugin that has a folder, even if none of its versions may run.
    pub plugins: BTreeMap<PluginId, PluginVersions>,
    /// Entries that are neither a plugin nor a version, reported to the operator: path below the
    /// root, and the problem.
    pub strays: Vec<(String, String)>,
    /// Number of further strays, beyond the limit of `strays`.
    pub more_strays: usize,
    /// The reason why the registry could not be read at all, if it could not.
    pub fault: Option<FileFault>,
    /// Whether some version's files are still changing; the next scan is then due in a second.
    pub settling: bool,
}

/// The time of a scan on two clocks: the wall clock, which file times use and which may jump, and
/// the monotonic clock, used to measure waiting.
#[derive(Clone, Copy, Debug)]
pub struct ScanTime {
    steady: Instant,
    wall: Duration,
}

/// The reason why `load` did not return a candidate's files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum VersionReadError {
    #[error("the version's files are still changing; they are checked again in a second")]
    Settling,
    #[error(transparent)]
    Rejected(Rejection),
}

type Stamps = Vec<Option<Stamp>>;

struct ExaminedVersion {
    stamps: Stamps,
    /// Time at which the files were first seen in this state.
    since: ScanTime,
    verdict: Result<Arc<Candidate>, Rejection>,
    round: u64,
}

impl ScanTime {
    /// Returns the current time on both clocks.
    pub fn now() -> Self {
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { steady: Instant::now(), wall }
    }

    #[cfg(test)]
    pub(super) fn after(self, wait: Duration) -> Self {
        Self { steady: self.steady + wait, wall: self.wall + wait }
    }
}

impl Scanner {
    /// Creates a scanner of the registry at `root`, with no remembered results.
    pub fn new(root: PathBuf) -> Self {
        Self { root, trusted: Publishers::default(), seen: HashMap::new(), round: 0, table_cache: Arc::default() }
    }

    /// Returns the shared cache of tables.
    pub fn table_cache(&self) -> Arc<TableCache> {
        self.table_cache.clone()
    }

    /// Scans the whole registry.
    pub fn scan(&mut self, publishers: &Publishers, now: ScanTime) -> Scan {
        if self.trusted != *publishers {
            self.trusted = publishers.clone();
            self.seen.clear();
        }
        self.round = self.round.wrapping_add(1);
        let mut scan = Scan::default();
        match Folder::open_root(&self.root) {
            Err(error) => scan.fault = Some(error.into()),
            Ok(root) => PluginKind::ALL.into_iter().for_each(|kind| self.scan_kind(&mut scan, &root, kind, now)),
        }
        let round = self.round;
        self.seen.retain(|_, seen| seen.round == round);
        scan
    }

    /// Reads and verifies the component and the tables of a candidate from the last scan. If their
    /// bytes are wrong, later scans also reject the version, until its files change.
    pub fn load(&mut self, candidate: &Candidate, now: ScanTime) -> Result<VersionFiles, VersionReadError> {
        let folder = self
            .open_version(candidate)
            .map_err(|fault| VersionReadError::Rejected(Rejection::File { file: COMPONENT_FILE, fault }))?;
        let rejection = match versions::read_parts(&folder, candidate, &self.table_cache) {
            Ok(parts) => return Ok(parts),
            Err(rejection) => rejection,
        };
        let key = (candidate.id().clone(), candidate.version().clone());
        match (self.seen.get_mut(&key), stamps(&folder)) {
            (Some(seen), Ok(stamps)) if seen.stamps == stamps => {
                if !seen.settled(now) {
                    return Err(VersionReadError::Settling);
                }
                seen.verdict = Err(rejection.clone());
                Err(VersionReadError::Rejected(rejection))
            }
            _ => Err(VersionReadError::Settling),
        }
    }

    fn open_version(&self, candidate: &Candidate) -> Result<Folder, FileFault> {
        let id = candidate.id();
        let root = Folder::open_root(&self.root)?;
        root.child(id.kind.folder())?.child(id.name.as_str())?.child(&candidate.version().to_string())
    }

    fn scan_kind(&mut self, scan: &mut Scan, root: &Folder, kind: PluginKind, now: ScanTime) {
        let path = kind.folder();
        let folder = match root.child(path) {
            Ok(folder) => folder,
            Err(FileFault::Missing) => return,
            Err(fault) => return scan.report_unexpected(path, fault),
        };
        for entry in list(scan, &folder, path, PLUGINS_MAX) {
            let path = format!("{path}/{}", excerpt(&entry));
            match entry.parse() {
                Err(error) => scan.report_unexpected(&path, error),
                Ok(name) => match folder.child(&entry) {
                    Err(fault) => scan.report_unexpected(&path, fault),
                    Ok(folder) => self.scan_plugin(scan, &folder, &path, &PluginId { kind, name }, now),
                },
            }
        }
    }

    fn scan_plugin(&mut self, scan: &mut Scan, folder: &Folder, path: &str, id: &PluginId, now: ScanTime) {
        let mut versions = Vec::new();
        // The limit leaves room for unrelated entries among the versions.
        for entry in list(scan, folder, path, 4 * VERSIONS_PER_PLUGIN_MAX) {
            match parse_version(&entry) {
                Ok(version) => versions.push(version),
                Err(error) => scan.report_unexpected(&format!("{path}/{}", excerpt(&entry)), error),
            }
        }
        versions.sort_unstable_by(|a, b| b.cmp(a));
        if let Some(oldest) = versions.get(VERSIONS_PER_PLUGIN_MAX) {
            scan.report_unexpected(
                path,
                format!("has more than {VERSIONS_PER_PLUGIN_MAX} versions; {oldest} and older are ignored"),
            );
            versions.truncate(VERSIONS_PER_PLUGIN_MAX);
        }
        let mut plugin_versions = PluginVersions::default();
        for version in versions {
            match self.examine(folder, id, &version, now) {
                Some(Ok(candidate)) => drop(plugin_versions.candidates.insert(version, candidate)),
                Some(Err(rejection)) => drop(plugin_versions.rejected.insert(version, rejection)),
                None => plugin_versions.settling.push(version),
            }
        }
        scan.settling |= !plugin_versions.settling.is_empty();
        scan.plugins.insert(id.clone(), plugin_versions);
    }

    /// Examines a version; returns `None` while a rejected version's files are still changing.
    fn examine(
        &mut self,
        plugin: &Folder,
        id: &PluginId,
        version: &Version,
        now: ScanTime,
    ) -> Option<Result<Arc<Candidate>, Rejection>> {
        let folder = match plugin.child(&version.to_string()) {
            Ok(folder) => folder,
            Err(fault) => return Some(Err(Rejection::File { file: "the version's folder", fault })),
        };
        let stamps = match stamps(&folder) {
            Ok(stamps) => stamps,
            Err(error) => return Some(Err(Rejection::File { file: "the version's folder", fault: error.into() })),
        };
        let key = (id.clone(), version.clone());
        if self.seen.get(&key).is_none_or(|seen| seen.stamps != stamps) {
            let verdict = versions::examine(&folder, id, version, &self.trusted).map(Arc::new);
            self.seen.insert(key.clone(), ExaminedVersion { stamps, since: now, verdict, round: self.round });
        }
        let seen = self.seen.get_mut(&key)?;
        seen.round = self.round;
        match &seen.verdict {
            Ok(candidate) => Some(Ok(Arc::clone(candidate))),
            Err(rejection) => seen.settled(now).then(|| Err(rejection.clone())),
        }
    }
}

impl ExaminedVersion {
    /// Returns whether the files have been unchanged for the settling time, judged either by when
    /// the scanner first saw them or by their change times.
    fn settled(&self, now: ScanTime) -> bool {
        let wait = Duration::from_millis(REGISTRY_SETTLE_MS);
        let watched = now.steady.saturating_duration_since(self.since.steady) >= wait;
        let limit = now.wall.saturating_sub(wait);
        let limit = (i128::from(limit.as_secs()), i128::from(limit.subsec_nanos()));
        watched || self.stamps.iter().flatten().all(|stamp| stamp.changed <= limit)
    }
}

impl Scan {
    fn report_unexpected(&mut self, path: &str, problem: impl ToString) {
        if self.strays.len() < REGISTRY_STRAYS_MAX {
            self.strays.push((path.escape_debug().to_string(), problem.to_string()));
        } else {
            self.more_strays += 1;
        }
    }
}

/// Lists the entries of a folder in order. Hidden entries are skipped, because publishing works in
/// a hidden folder.
fn list(scan: &mut Scan, folder: &Folder, path: &str, max: usize) -> Vec<String> {
    let (mut names, more) = folder.entries(max).unwrap_or_else(|error| {
        scan.report_unexpected(path, FileFault::from(error));
        (Vec::new(), false)
    });
    if more {
        scan.report_unexpected(
            path,
            format!("has more than {max} entries; some are ignored, remove what is not needed"),
        );
    }
    names.retain(|name| !name.starts_with('.'));
    names.sort_unstable();
    names
}

/// Returns the state of every file that the verdict on a version depends on.
fn stamps(folder: &Folder) -> io::Result<Stamps> {
    let files = [manifest::FILE, signature::FILE, COMPONENT_FILE, TABLES_FOLDER];
    let mut stamps = vec![Some(folder.own_stamp()?)];
    for file in files {
        stamps.push(folder.stamp(file)?);
    }
    // A plugin has a tables folder only if it ships tables; a symbolic link does not
    // count as a tables folder.
    if stamps.last().is_some_and(Option::is_some)
        && let Ok(tables) = folder.folder(TABLES_FOLDER)
    {
        let (mut names, _) = tables.entries(TABLES_PER_PLUGIN_MAX)?;
        names.sort_unstable();
        for name in names {
            stamps.push(tables.stamp(&name)?);
        }
    }
    Ok(stamps)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
