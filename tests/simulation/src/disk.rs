//! The simulated disk: a power cut may lose, tear or reorder unsynced writes; writes run
//! out of space, syncs fail.
//!
//! The store writes through redb's `StorageBackend`, so faults are injected there; to use
//! a simulated file system (`turmoil`'s `unstable-fs`), the store would have to open its
//! files through that file system.

use std::io;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tollbridge_store::testing::StorageBackend;

use crate::chance::Chance;

/// The unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Database = 0,
    Journal = 1,
    /// Database of a second host, which has no journal.
    OtherDatabase = 2,
}

/// A fault that occurs once and ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskFault {
    /// Power fails at this write.
    CutAtWrite(usize),
    /// Power fails after this sync.
    CutAfterSync(usize),
    /// This write runs out of space; half of it is written.
    NoSpace(usize),
    /// This sync fails, and the data it covers may be lost.
    SyncFails(usize),
    /// The host loses its connection to the shared log at this append, before or after
    /// the log has accepted the entry.
    CutOff { at: usize, written: bool },
}

#[derive(Clone, Debug)]
enum FileOperation {
    Write { at: usize, bytes: Vec<u8> },
    SetLen(usize),
}

#[derive(Default)]
struct FileState {
    /// Content that survives a power cut.
    durable: Vec<u8>,
    /// Content as reads see it, including unsynced writes.
    now: Vec<u8>,
    /// Unsynced changes; applying all of them to `durable` gives `now`.
    dirty: Vec<FileOperation>,
    /// Whether a sync has failed, so that earlier writes may have been lost.
    limbo: bool,
}

#[derive(Default)]
struct State {
    files: [FileState; 3],
    /// Number of the current process; operations through handles of earlier processes
    /// have no effect.
    process: usize,
    writes: usize,
    syncs: usize,
    appends: usize,
    mishap: Option<DiskFault>,
    /// `None` while the process runs; after its end, whether a power cut ended it.
    over: Option<bool>,
    killed: bool,
}

/// The disk; clones share its state.
#[derive(Clone)]
pub(crate) struct Disk {
    state: Arc<Mutex<State>>,
    /// Notified when a fault has ended the process.
    pub(crate) over: Arc<Notify>,
}

/// A file on the disk.
pub(crate) struct DiskFile {
    disk: Disk,
    name: Name,
    process: usize,
}

impl std::fmt::Debug for DiskFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskFile").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self { state: Arc::default(), over: Arc::default() }
    }

    pub(crate) fn file(&self, name: Name) -> DiskFile {
        DiskFile { disk: self.clone(), name, process: self.state.lock().unwrap().process }
    }

    /// Schedules a fault and resets the counters of writes, syncs and appends.
    pub(crate) fn plan(&self, mishap: Option<DiskFault>) {
        let state = &mut *self.state.lock().unwrap();
        (state.mishap, state.writes, state.syncs, state.appends) = (mishap, 0, 0, 0);
    }

    /// Returns whether the process has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().unwrap().over.is_some()
    }

    /// Returns whether a scheduled fault ended the process.
    pub(crate) fn had_mishap(&self) -> bool {
        let state = self.state.lock().unwrap();
        state.over.is_some() && !state.killed
    }

    /// Ends the process from outside, unless it has already ended.
    pub(crate) fn kill(&self, power_cut: bool) {
        let state = &mut *self.state.lock().unwrap();
        state.killed = state.over.is_none();
        state.over.get_or_insert(power_cut);
    }

    /// Counts an append to the shared log. Returns `None` if the process continues. If
    /// the process ends during the append, returns whether the log accepted the entry.
    /// Fails if the process had already ended.
    pub(crate) fn append(&self) -> Result<Option<bool>, ()> {
        let state = &mut *self.state.lock().unwrap();
        if state.over.is_some() {
            return Err(());
        }
        let number = state.appends;
        state.appends += 1;
        match state.mishap {
            Some(DiskFault::CutOff { at, written }) if at == number => {
                state.over = Some(false);
                self.over.notify_one();
                Ok(Some(written))
            }
            _ => Ok(None),
        }
    }

    /// Starts the next process with the data that the crash or power cut left on the
    /// disk.
    pub(crate) fn restart(&self, chance: &Chance) {
        let state = &mut *self.state.lock().unwrap();
        let power_cut = state.over == Some(true);
        for file in &mut state.files {
            let dirty = std::mem::take(&mut file.dirty);
            if power_cut || file.limbo {
                for deed in &dirty {
                    survive(&mut file.durable, deed, chance);
                }
                file.now = file.durable.clone();
                file.limbo = false;
            } else {
                file.dirty = dirty;
            }
        }
        (state.over, state.mishap, state.killed) = (None, None, false);
        state.process += 1;
    }
}

/// Applies an unsynced change to the surviving content; a power cut may keep all, part or
/// none of it.
fn survive(image: &mut Vec<u8>, deed: &FileOperation, chance: &Chance) {
    let FileOperation::Write { at, bytes } = deed else {
        if chance.percent(60) {
            apply(image, deed);
        }
        return;
    };
    match chance.below(3) {
        0 => {}
        1 => apply(image, deed),
        _ => {
            let mut from = 0;
            while from < bytes.len() {
                let take = (SECTOR_BYTES - (at + from) % SECTOR_BYTES).min(bytes.len() - from);
                if chance.percent(50) {
                    apply(image, &FileOperation::Write { at: at + from, bytes: bytes[from..from + take].to_vec() });
                }
                from += take;
            }
        }
    }
}

fn apply(image: &mut Vec<u8>, deed: &FileOperation) {
    match deed {
        FileOperation::SetLen(length) => image.resize(*length, 0),
        FileOperation::Write { at, bytes } => {
            let end = at + bytes.len();
            if image.len() < end {
                image.resize(end, 0);
            }
            image[*at..end].copy_from_slice(bytes);
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("the process is over")
}

impl DiskFile {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let state = &mut *self.disk.state.lock().unwrap();
        if state.process != self.process || state.over.is_some() {
            return Err(gone());
        }
        let done = act(state);
        if state.over.is_some() {
            self.disk.over.notify_one();
        }
        done
    }

    fn write_down(&self, mut deed: FileOperation) -> io::Result<()> {
        self.with(|state| {
            let number = state.writes;
            state.writes += 1;
            let fault = state
                .mishap
                .filter(|mishap| matches!(mishap, DiskFault::CutAtWrite(at) | DiskFault::NoSpace(at) if *at == number));
            if let (Some(DiskFault::NoSpace(_)), FileOperation::Write { bytes, .. }) = (fault, &mut deed) {
                bytes.truncate(bytes.len() / 2);
            }
            let file = &mut state.files[self.name as usize];
            apply(&mut file.now, &deed);
            file.dirty.push(deed);
            match fault {
                None => Ok(()),
                Some(mishap) => {
                    state.over = Some(matches!(mishap, DiskFault::CutAtWrite(_)));
                    Err(io::ErrorKind::StorageFull.into())
                }
            }
        })
    }
}

impl StorageBackend for DiskFile {
    fn len(&self) -> io::Result<u64> {
        self.with(|state| Ok(state.files[self.name as usize].now.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.with(|state| {
            let at = usize::try_from(offset).unwrap();
            let bytes = state.files[self.name as usize].now.get(at..at + out.len());
            out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.write_down(FileOperation::SetLen(usize::try_from(len).unwrap()))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with(|state| {
            let number = state.syncs;
            state.syncs += 1;
            let file = &mut state.files[self.name as usize];
            if state.mishap == Some(DiskFault::SyncFails(number)) {
                file.limbo = true;
                state.over = Some(false);
                return Err(io::Error::other("EIO"));
            }
            for deed in std::mem::take(&mut file.dirty) {
                apply(&mut file.durable, &deed);
            }
            if state.mishap == Some(DiskFault::CutAfterSync(number)) {
                state.over = Some(true);
            }
            Ok(())
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.write_down(FileOperation::Write { at: usize::try_from(offset).unwrap(), bytes: data.to_vec() })
    }
}
